/**
 * The answer of a route, before it becomes a response. Plugins add headers to it, and the response is created once.
 *
 * @module
 */

/** A part of a body. */
export type BodyPart = string | Uint8Array;

/** Text that is sent unchanged inside the quotes of a JSON string. It is stored unescaped. */
export class QuotedText {
  constructor(readonly text: string) {}
}

/** A part of a body that is produced while it is sent. */
export type AnswerPart = BodyPart | QuotedText;

export interface Answer {
  /** @default 200 */
  readonly status?: number;
  /** Created for this answer, so plugins may add to them. */
  readonly headers: Record<string, string>;
  /** Headers that many answers share. Copying them costs less than creating them. */
  readonly sharedHeaders?: Headers | undefined;
  /**
   * A list of parts is sent in order. Answers may share parts and blobs. A stream sends data as it becomes available.
   */
  readonly body: BodyPart | readonly AnswerPart[] | Blob | ReadableStream<Uint8Array> | null;
}

/** `Cache-Control` of every answer that needs a key. */
export const CACHE_PRIVATE = "private, no-cache";

/** Headers of a JSON answer for its caller only. */
export function privateJson(): Record<string, string> {
  return { "Content-Type": "application/json", "Cache-Control": CACHE_PRIVATE };
}

/** An answer to HEAD without a length. Bun would add one, which would reveal what readers pay for. */
export function answerHead(headers: Record<string, string>): Answer {
  return { headers: { ...headers, "Transfer-Encoding": "chunked" }, body: null };
}
