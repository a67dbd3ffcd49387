/**
 * What a gateway refused, for a person: the problem's detail, and a line for each mistake in a file.
 *
 * @module
 */
import {
  AccessRequiredError,
  type FeedgateError,
  FeedNotFoundError,
  KeyRequiredError,
  ProblemError,
  PurchaseRequiredError,
} from "../../client/mod.ts";
import { KEY_VARIABLE } from "../../lib/client_variables.ts";
import { typed } from "../hints.ts";
import { grouped } from "./status.ts";

/** A place in one request's rows. */
const ROW_PATH = /^\/payload\/(\d+)(.*)$/;

type Mistake = NonNullable<ProblemError["problem"]["errors"]>[number];

/** The lines; the first says what is wrong and what to do. */
export function refusalLines(error: FeedgateError): readonly string[] {
  if (!(error instanceof ProblemError)) return [error.message];
  const { rowsBefore, problem } = error;
  const { errors = [] } = problem;
  const mistakes = errors.map((mistake) => mistakeText(mistake, rowsBefore));
  const [only = ""] = mistakes;
  const stored =
    rowsBefore > 0 ? `the first ${grouped(rowsBefore)} rows were stored` : "nothing was stored";
  // A person has a file, and not the requests that it was sent in.
  if (errors.length > 0 && errors.every(({ path }) => ROW_PATH.test(path))) {
    return mistakes.length === 1
      ? [`${only}; ${stored}`]
      : [`some rows of the file were refused; ${stored}`, ...mistakes];
  }
  const said = inWords(error) + (rowsBefore > 0 ? ` (${stored})` : "");
  const isSaid = mistakes.length === 1 && error.message.includes(errors[0]?.message ?? "");
  return isSaid ? [said] : [said, ...mistakes];
}

/** The detail, but with what to type where it names a route. */
function inWords(error: ProblemError): string {
  if (error instanceof KeyRequiredError) {
    return `the gateway requires a key: set ${KEY_VARIABLE}, or give --key`;
  }
  if (error instanceof PurchaseRequiredError) {
    const { price } = error.problem;
    return `this feed has a one-time price, and the account has not bought it; to buy it: ${typed(`buy FEED --max-credits ${price?.credits ?? "N"}`)}`;
  }
  if (error instanceof AccessRequiredError) {
    return `this feed requires access from its provider, and the account has none; to request it: ${typed("access request FEED --message TEXT")}`;
  }
  if (error instanceof FeedNotFoundError) {
    return `no active feed has this id or slug; to find one: ${typed("search WORDS")}`;
  }
  const isOne = error.problem.errors?.length === 1;
  return error.message
    .replace("Correct the listed errors", isOne ? "Correct it" : "Correct these errors")
    .replace("import the file again", "push the file again");
}

/** A mistake with its place in the file. */
function mistakeText({ line, path, message }: Mistake, rowsBefore: number): string {
  const [, index, rest = ""] = ROW_PATH.exec(path) ?? [];
  const rowOf = (text: string) => rowsBefore + Number(text) + 1;
  const place = index === undefined ? [path] : [`row ${rowOf(index)}`, rest];
  const said = message
    // The place says that.
    .replace(/^(?:row|line) \d+ has /, "has ")
    .replace(
      /, and row (\d+) has this one;/,
      (_, other) => `, and row ${rowOf(other)} has this one;`,
    );
  return [...(line === undefined ? place : [`line ${line}`, path]), said]
    .filter((part) => part !== "")
    .join(": ");
}
