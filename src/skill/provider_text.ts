/**
 * Provider text made harmless: what a provider wrote stands in a skill as a quotation, and can neither
 * end it nor hide in it. Decisions 10.
 *
 * @module
 */
import { withoutInvisible } from "../lib/invisible_text.ts";

const WHITE = /[\s\p{Z}]+/gu;

/** One line of at most `lengthMax` code points, without quotation marks, backticks and angle brackets. */
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

/** A double-quoted YAML scalar on one line. JSON's strings are YAML's. YAML 1.2, section 7.3.1. */
export function yamlText(text: string): string {
  return JSON.stringify(text);
}
