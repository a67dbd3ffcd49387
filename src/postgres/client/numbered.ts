/**
 * Named parameters of a statement: `:feed_id` in its text, `$1` to PostgreSQL.
 *
 * @module
 */

/** The text with its parameters numbered in the order in which its header declares them (`-- :feed_id uuid`). */
export function numbered(text: string): string {
  const names = [...text.matchAll(/^-- :(\w+) /gm)].map(([, name]) => name);
  // Two colons are a cast, and a name behind a word is the end of an array's slice.
  return text.replace(/(?<![:\w\]]):(\w+)/g, (written, name) => {
    const place = names.indexOf(name);
    return place < 0 ? written : `$${place + 1}`;
  });
}
