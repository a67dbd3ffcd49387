/**
 * Named parameters of a statement: `:feed_id` in its text becomes `$1`.
 *
 * @module
 */

/** The text with its parameters numbered in the order of its header (`-- :feed_id uuid`). */
export function numbered(text: string): string {
  const names = [...text.matchAll(/^-- :(\w+) /gm)].map(([, name]) => name);
  // Two colons are a cast, and a colon after a word is part of an array slice.
  return text.replace(/(?<![:\w\]]):(\w+)/g, (written, name) => {
    const place = names.indexOf(name);
    return place < 0 ? written : `$${place + 1}`;
  });
}
