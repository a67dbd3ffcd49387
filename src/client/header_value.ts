/**
 * Checks that a text can be the value of an HTTP header (RFC 9110 section 5.5). Otherwise, `fetch` would fail as if the
 * gateway were unreachable, and the call would be retried for nothing.
 *
 * @module
 */

/** Anything but visible characters of one byte, spaces and tabs. */
const OTHER = /[^\t\x20-\x7e\x80-\xff]/u;
/** Removed by `fetch`, such as the line break at the end of a file. */
const WHITESPACE_AROUND = /^[\t\n\r ]+|[\t\n\r ]+$/g;
/** Characters that a message can't show. */
const HIDDEN = /[\p{C}\p{Z}]/u;

/** What no header can contain in this value, as a sentence about `name`. Undefined if a header can have the value. */
export function headerMistake(name: string, value: string): string | undefined {
  const [character] = OTHER.exec(value.replace(WHITESPACE_AROUND, "")) ?? [];
  if (character === undefined) return undefined;
  const code = `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`;
  const shown = HIDDEN.test(character) ? code : `"${character}" (${code})`;
  return `${name} contains ${shown}, which no HTTP header can contain`;
}
