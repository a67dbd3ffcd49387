/**
 * Lengths of texts in code points, which is how the interface counts characters. A lone surrogate counts as one.
 *
 * @module
 */

/** Characters of a client's text that a message shows. */
const EXCERPT_LENGTH_MAX = 80;
const UTF16_UNITS_PER_CODE_POINT_MAX = 2;

export function codePointsOf(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Whether a text has at most this many code points. Reads no more of the text than necessary. */
export function hasAtMost(text: string, codePointsMax: number): boolean {
  if (text.length <= codePointsMax) return true;
  if (text.length > codePointsMax * UTF16_UNITS_PER_CODE_POINT_MAX) return false;
  return codePointsOf(text) <= codePointsMax;
}

/** The beginning of a long text, for a message. Never splits a character. */
export function excerpt(text: string): string {
  if (hasAtMost(text, EXCERPT_LENGTH_MAX)) return text;
  const units = text.slice(0, UTF16_UNITS_PER_CODE_POINT_MAX * EXCERPT_LENGTH_MAX);
  return `${[...units].slice(0, EXCERPT_LENGTH_MAX).join("")}…`;
}
