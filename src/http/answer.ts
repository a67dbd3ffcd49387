/**
 * What a route answers, before it is a response: the endpoint adds what all answers have, and makes the
 * response once.
 *
 * @module
 */

export interface Answer {
  /** @default 200 */
  readonly status?: number;
  /** Made for this answer: the endpoint adds to them. */
  readonly headers: Record<string, string>;
  /** Other headers, which many answers have in common: to copy them costs less than to make them. */
  readonly sharedHeaders?: Headers | undefined;
  /** Answers share a blob; bytes are copied for each. */
  readonly body: string | Uint8Array | Blob | null;
}

/** `Cache-Control` of all that needs a key. Decisions 10. */
export const CACHE_PRIVATE = "private, no-cache";

/** Headers of an answer for its caller alone. */
export function privateJson(): Record<string, string> {
  return { "Content-Type": "application/json", "Cache-Control": CACHE_PRIVATE };
}
