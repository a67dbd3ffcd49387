/**
 * What a route answers, before it is a response: the endpoint adds what all answers have, and makes the
 * response once.
 *
 * @module
 */

export interface Answer {
  /** @default 200 */
  readonly status?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
}

/** Headers of an answer for its caller alone. */
export const PRIVATE_JSON = {
  "Content-Type": "application/json",
  "Cache-Control": "private, no-cache",
} as const;
