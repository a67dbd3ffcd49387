/**
 * Formats JSON for reading: a value that fits on one line stays on it, and others get one line per member. Numbers and
 * key order are unchanged.
 *
 * @module
 */
import { type JsonSpan, type JsonText, scanJson, textOf } from "../lib/json_text.ts";
import { JSON_DEPTH_MAX } from "../limits.ts";

const INDENT = "  ";
const LINE_LENGTH_MAX = 76;
/** Maximum depth of line breaks. Deeper values stay on one line. */
const LEVELS_BROKEN = 6;

/** The lines of a JSON text. */
export function jsonLines(text: string): string[] {
  const json = scanJson(text, { spanDepth: LEVELS_BROKEN, heightMax: JSON_DEPTH_MAX });
  return linesOf(json, json.root, "");
}

function linesOf(json: JsonText, span: JsonSpan, indent: string): string[] {
  const whole = textOf(json, span);
  const inner =
    span.members?.map(({ key, value }) => ({ before: `${JSON.stringify(key)}: `, value })) ??
    span.items?.map((value) => ({ before: "", value })) ??
    [];
  if (inner.length === 0 || indent.length + whole.length <= LINE_LENGTH_MAX) return [whole];
  const lines = inner.flatMap(({ before, value }, place) => {
    const [first = "", ...rest] = linesOf(json, value, indent + INDENT);
    const all = [`${INDENT}${before}${first}`, ...rest.map((line) => INDENT + line)];
    const comma = place < inner.length - 1 ? "," : "";
    return all.map((line, number) => (number === all.length - 1 ? line + comma : line));
  });
  return [whole.slice(0, 1), ...lines, whole.slice(-1)];
}
