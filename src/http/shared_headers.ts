/**
 * Headers that the answers with one content have in common: made for the first of them, and copied for
 * the others, which costs a quarter.
 *
 * @module
 */

interface Shared {
  readonly key: string;
  readonly headers: Headers;
}

/** Those of a longer key are made anew each time, so that what is kept is bounded in bytes, too. */
const KEY_LENGTH_KEPT_MAX = 512;
/** By content; it goes with the content. */
const lastShared = new WeakMap<object, Shared>();

/** `key` is all on which they depend beside the content; those of the last key are kept. */
export function sharedHeaders(
  content: object,
  key: string,
  make: () => Record<string, string>,
): Headers {
  const last = lastShared.get(content);
  if (last?.key === key) return last.headers;
  const headers = new Headers(make());
  if (key.length <= KEY_LENGTH_KEPT_MAX) lastShared.set(content, { key, headers });
  return headers;
}
