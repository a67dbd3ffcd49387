/**
 * What a route answers, before it is a response: the endpoint adds what all answers have, and makes the
 * response once.
 *
 * @module
 */

/** Of a body. */
export type BodyPart = string | Uint8Array;

export interface Answer {
  /** @default 200 */
  readonly status?: number;
  /** Made for this answer: the endpoint adds to them. */
  readonly headers: Record<string, string>;
  /** Other headers, which many answers have in common: to copy them costs less than to make them. */
  readonly sharedHeaders?: Headers | undefined;
  /** Parts are sent one behind the other. Answers may share parts, and blobs. A stream makes its own pace. */
  readonly body: BodyPart | readonly BodyPart[] | Blob | ReadableStream<Uint8Array> | null;
}

/** `Cache-Control` of all that needs a key. Decisions 10. */
export const CACHE_PRIVATE = "private, no-cache";

/** Headers of an answer for its caller alone. */
export function privateJson(): Record<string, string> {
  return { "Content-Type": "application/json", "Cache-Control": CACHE_PRIVATE };
}
