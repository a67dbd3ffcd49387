/**
 * The text of a JSON body, or the problem that its request is answered with: 413 and 400. Decisions 2.
 *
 * @module
 */
import type { HoldBytes } from "./body_budget.ts";
import { Problem } from "./errors.ts";
import { decodeUtf8, readBody } from "./read_body.ts";

export interface ReceiveOptions {
  /** Bytes of the body, after gzip decoding; exactly so many pass. */
  readonly bytesMax: number;
  /** The 413 for a larger body. It must close the connection, because the rest of the body stays unread. */
  readonly tooLarge: () => Problem;
  /** Called before each new buffer for the body; it may throw. */
  readonly hold: HoldBytes;
}

/** A body's bytes, bounded while they come in. @throws {Problem} 413, 400; 503 of `hold` */
export async function receiveBody(
  request: Request,
  { bytesMax, tooLarge, hold }: ReceiveOptions,
): Promise<Uint8Array> {
  const outcome = await readBody(request, { bytesMax, hold }).catch((error) => {
    if (error instanceof Error && error.name === "AbortError") {
      throw bodyNotJson("the connection ended within it");
    }
    throw error;
  });
  if (outcome.kind === "too_large") throw tooLarge();
  if (outcome.kind === "broken_gzip") throw bodyNotJson("it is no whole gzip stream");
  return outcome.bytes;
}

/** Decodes bytes as UTF-8. @throws {Problem} 400 */
export function bodyTextOf(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw bodyNotJson("it is not valid UTF-8");
  if (text === "") throw bodyNotJson("it is empty");
  return text;
}

/** 400. The reason completes the sentence "The body can't be read as JSON: …". */
export function bodyNotJson(reason: string): Problem {
  return new Problem("BODY_NOT_JSON", {
    detail: `The body can't be read as JSON: ${reason}. Send it again as UTF-8 JSON.`,
  });
}
