/**
 * Headers that all answers with the same content share. They are created for the first answer and copied for the
 * others, which costs a quarter.
 *
 * @module
 */

interface Shared {
  readonly key: string;
  readonly headers: Headers;
}

/** Headers under a longer key are not cached, which also limits memory in bytes. */
const KEY_LENGTH_KEPT_MAX = 512;
/** By content. An entry is collected with its content. */
const lastShared = new WeakMap<object, Shared>();

/**
 * `key` is everything other than the content that the headers depend on. Only the headers of the last key are cached.
 */
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
