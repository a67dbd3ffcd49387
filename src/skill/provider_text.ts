/**
 * Quotes provider text safely: it appears in a skill only as a quotation, which it can't end or hide in.
 *
 * @module
 */
import { withoutInvisible } from "../lib/invisible_text.ts";

const WHITE = /[\s\p{Z}]+/gu;

/** One line of at most `lengthMax` code points, without quotation marks, backticks, or angle brackets. */
export function quotable(text: string, lengthMax: number): string {
  const plain = withoutInvisible(text.normalize("NFC").replace(WHITE, " "))
    .replace(/["“”„«»`]/g, "'")
    .replace(/[<>]/g, "")
    .replace(/ {2,}/g, " ")
    .trim();
  const characters = [...plain];
  if (characters.length <= lengthMax) return plain;
  return `${characters
    .slice(0, lengthMax - 1)
    .join("")
    .trimEnd()}…`;
}

/** A double-quoted YAML scalar on one line. Every JSON string is also a YAML string. YAML 1.2, section 7.3.1. */
export function yamlText(text: string): string {
  return JSON.stringify(text);
}
