/**
 * The answer of a route, before it becomes a response. Plugins add headers to it, and the response is made once.
 *
 * @module
 */

/** A part of a body. */
export type BodyPart = string | Uint8Array;

/** Text that is sent as it stands within the quotes of a JSON string. It is kept as it is here. */
export class QuotedText {
  constructor(readonly text: string) {}
}

/** A part of a body that is made while it is sent. */
export type AnswerPart = BodyPart | QuotedText;

export interface Answer {
  /** @default 200 */
  readonly status?: number;
  /** Made for this answer, so that plugins may add to them. */
  readonly headers: Record<string, string>;
  /** Headers that many answers have in common. To copy them costs less than to make them. */
  readonly sharedHeaders?: Headers | undefined;
  /** A list of parts is sent in order. Answers may share parts and blobs. A stream sends when it has something. */
  readonly body: BodyPart | readonly AnswerPart[] | Blob | ReadableStream<Uint8Array> | null;
}

/** `Cache-Control` of all that needs a key. Decisions 10. */
export const CACHE_PRIVATE = "private, no-cache";

/** Headers of an answer for its caller alone. */
export function privateJson(): Record<string, string> {
  return { "Content-Type": "application/json", "Cache-Control": CACHE_PRIVATE };
}

/** An answer to HEAD without a length. Bun would add one, and it would show what a charge buys. */
export function answerHead(headers: Record<string, string>): Answer {
  return { headers: { ...headers, "Transfer-Encoding": "chunked" }, body: null };
}
