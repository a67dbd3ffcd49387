/**
 * Headers that all answers with the same content have in common. They are made for the first answer and copied for
 * the others, which costs a quarter.
 *
 * @module
 */

interface Shared {
  readonly key: string;
  readonly headers: Headers;
}

/** Headers under a longer key are not kept, so that memory is bounded in bytes, too. */
const KEY_LENGTH_KEPT_MAX = 512;
/** By content. An entry is collected with its content. */
const lastShared = new WeakMap<object, Shared>();

/** `key` is everything beside the content that the headers depend on. Only those of the last key are kept. */
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
