/**
 * Decides whether an answer is for a person's browser or for a program.
 *
 * @module
 */

import { weightOf } from "./weight.ts";

/** Whether `Accept` names HTML, and does not prefer JSON, by weight or, if both weigh the same, by order. */
export function wantsHtml(accept: string | null): boolean {
  const named = (accept ?? "").split(",").map((part) => {
    const [type = ""] = part.split(";");
    return { type: type.trim(), weight: weightOf(part) };
  });
  const html = named.find(({ type }) => type === "text/html");
  const json = named.find(({ type }) => type === "application/json");
  if (html === undefined || html.weight === 0) return false;
  if (json === undefined || html.weight !== json.weight) return html.weight > (json?.weight ?? 0);
  return named.indexOf(html) < named.indexOf(json);
}
