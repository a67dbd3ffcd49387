/**
 * The text of a refusal, for the page with the form. A page has no `errors` member, so the text lists the mistakes.
 *
 * @module
 */
import type { FieldError } from "../../lib/field_error.ts";
import type { Refused } from "./visit.ts";

interface Refusal {
  readonly detail: string;
  readonly errors?: readonly FieldError[] | undefined;
}

/** The detail, and each mistake that it does not name. */
export function refusalOf({ detail, errors = [] }: Refusal): Refused {
  const [first, ...others] = errors;
  const isNamed = first !== undefined && detail.includes(first.message);
  const mistakes = (isNamed ? others : errors).map(mistakeText);
  const below = mistakes.length > 0 ? ["the errors listed below"] : [];
  const wrong = [...(isNamed ? ["it"] : []), ...below].join(" and ");
  return {
    kind: "refused",
    why: detail.replace("Correct the listed errors", `Correct ${wrong}`),
    mistakes,
    errors,
  };
}

/** With its place, unless the message begins with it. */
function mistakeText({ path, message, line }: FieldError): string {
  const places = [line === undefined ? "" : `line ${line}`, path].filter(
    (place) => place !== "" && !message.startsWith(`${place.replace(/^\//, "")} `),
  );
  return [...places, message].join(": ");
}
