/**
 * Lengths of texts in code points, in which the interface counts characters; a lone surrogate is one.
 *
 * @module
 */

/** What a message shows of a text that a client sent. */
const EXCERPT_LENGTH_MAX = 80;
const UTF16_UNITS_PER_CODE_POINT_MAX = 2;

export function codePointsOf(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Whether a text has at most so many; looks at no more of it than it must. */
export function hasAtMost(text: string, codePointsMax: number): boolean {
  if (text.length <= codePointsMax) return true;
  if (text.length > codePointsMax * UTF16_UNITS_PER_CODE_POINT_MAX) return false;
  return codePointsOf(text) <= codePointsMax;
}

/** The begin of a long text, for a message; no character is cut in two. */
export function excerpt(text: string): string {
  if (hasAtMost(text, EXCERPT_LENGTH_MAX)) return text;
  const units = text.slice(0, UTF16_UNITS_PER_CODE_POINT_MAX * EXCERPT_LENGTH_MAX);
  return `${[...units].slice(0, EXCERPT_LENGTH_MAX).join("")}…`;
}
