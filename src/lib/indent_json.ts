/**
 * Formats JSON on several lines, for people. Each string and number stays as it was written.
 *
 * @module
 */

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const STEP = "  ";
/** Nesting makes lines long: 250 KB that are 97 levels deep would become 25 MB. Beyond this, the text stays as it is. */
const LONGER_TIMES_MAX = 8;
/** Short texts may be deeper. */
const ROOM = 1_000;

/** `json` must be valid. */
export function indentJson(json: string): string {
  const lengthMax = LONGER_TIMES_MAX * (json.length + ROOM);
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
    if (text.length > lengthMax) return json;
    text += token === ":" ? ": " : token;
    if (token === "{" || token === "[") depth += 1;
    before = token;
  }
  return text;
}
