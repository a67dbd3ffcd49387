/**
 * Formats JSON on several lines, for people. Each string and number stays as it was written.
 *
 * @module
 */

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const STEP = "  ";

/** `json` must be valid. */
export function indentJson(json: string): string {
  let text = "";
  let depth = 0;
  let before = "";
  for (const [token] of json.matchAll(TOKENS)) {
    const isClosing = token === "}" || token === "]";
    if (isClosing) depth -= 1;
    const isEmpty = isClosing && (before === "{" || before === "[");
    const beginsLine =
      before === "{" || before === "[" || before === "," || (isClosing && before !== "");
    if (beginsLine && !isEmpty) text += `\n${STEP.repeat(depth)}`;
    text += token === ":" ? ": " : token;
    if (token === "{" || token === "[") depth += 1;
    before = token;
  }
  return text;
}
