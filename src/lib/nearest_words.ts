/**
 * Suggests the words that were probably meant by a mistyped one.
 *
 * @module
 */

/** The most edits between a word and what it was probably meant to be. */
export const EDITS_MAX = 2;
/** Longer words, and more words than this, are not compared, because a caller may have chosen them. */
const LENGTH_MAX = 40;
const WORDS_MAX = 100;

/** The words that are at most two edits away, nearest first. Case is ignored. */
export function nearestWords(word: string, words: readonly string[]): readonly string[] {
  if (word.length > LENGTH_MAX) return [];
  return words
    .slice(0, WORDS_MAX)
    .map((each) => ({ each, edits: wordEdits(word.toLowerCase(), each.toLowerCase()) }))
    .filter(({ edits }) => edits <= EDITS_MAX)
    .sort((a, b) => a.edits - b.edits)
    .map(({ each }) => each);
}

/** Letters to change, add, or remove. Infinite if there are more than two, or if the word is long. */
export function wordEdits(a: string, b: string): number {
  if (a === b) return 0;
  const edits = a.length > LENGTH_MAX ? Number.POSITIVE_INFINITY : editDistance(a, b);
  return edits <= EDITS_MAX && edits < b.length ? edits : Number.POSITIVE_INFINITY;
}

/** The Levenshtein distance. Texts whose lengths differ by more than two are not compared. */
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > EDITS_MAX) return Number.POSITIVE_INFINITY;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(substituted, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
