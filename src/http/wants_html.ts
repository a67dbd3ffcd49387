/**
 * Decides whether an answer is for a person's browser or for a program.
 *
 * @module
 */

/** Whether `Accept` names HTML, and does not name JSON before it. */
export function wantsHtml(accept: string | null): boolean {
  const types = (accept ?? "").split(",").map((type) => type.split(";")[0]?.trim());
  const html = types.indexOf("text/html");
  const json = types.indexOf("application/json");
  return html >= 0 && (json < 0 || html < json);
}
