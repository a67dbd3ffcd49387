/**
 * The bytes of an import's body as they come: decoded if they were gzipped, counted, and never more than a few at once.
 * Beyond 10.
 *
 * The next chunk is read when the one before has been worked on, so the client sends no faster than rows are stored.
 *
 * @module
 */
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { Problem } from "../../http/problem_details.ts";
import { bodyNotJson, declaredBytes, isGzipped } from "../../http/read_body.ts";
import { textChunks } from "../../lib/file_kind.ts";
import { IMPORT_PIECE_BYTES } from "../../limits.ts";
import type { ImportWatch } from "./import_watch.ts";

interface ReadOptions {
  /** Bytes after decoding; exactly so many pass. */
  readonly bytesMax: number;
  /** Ends reading; its reason is thrown. It is told when bytes are waited for. */
  readonly watch: ImportWatch;
  /** Called with the bytes of each chunk, after decoding. */
  readonly onDecoded: (bytes: number) => void;
  /** Called when nothing more is read: the body has ended, or is given up. */
  readonly onEnded: () => void;
}

/**
 * Chunks of the file. Each is gone when the next one is asked for.
 *
 * @throws {Problem} 413, 415 for bytes that are no text, 400 for a body that ends too soon; the signal's reason
 */
export async function* readChunks(
  request: Request,
  options: ReadOptions,
): AsyncGenerator<Uint8Array, void, void> {
  const { bytesMax, onDecoded } = options;
  const declared = declaredBytes(request);
  if (declared !== undefined && declared > bytesMax && !isGzipped(request)) {
    throw importTooLarge(bytesMax);
  }
  let bytes = 0;
  const isEncoded = isGzipped(request);
  const sent = receive(request, options);
  for await (const chunk of textChunks(isEncoded ? gunzip(sent) : sent, noText)) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw importTooLarge(bytesMax);
    onDecoded(chunk.length);
    // In pieces of one size: texts of many sizes left 100 MB of holes in memory.
    for (let start = 0; start < chunk.length; start += IMPORT_PIECE_BYTES) {
      yield chunk.subarray(start, start + IMPORT_PIECE_BYTES);
    }
    if (!isEncoded) free(chunk);
  }
}

/** Gives a chunk's memory back at once. The collector would leave some 30 MB of them for later. */
function free({ buffer, byteLength }: Uint8Array): void {
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  if (isWhole) buffer.transfer(0);
}

/** The body as sent. A connection that ends too soon is no end of the body. */
async function* receive(
  request: Request,
  { watch, onEnded }: ReadOptions,
): AsyncGenerator<Uint8Array, void, void> {
  const declared = declaredBytes(request);
  let bytes = 0;
  const { signal } = watch;
  const reader = request.body?.getReader();
  const stop = () => void reader?.cancel().catch(() => {});
  signal.addEventListener("abort", stop);
  try {
    for (;;) {
      watch.waits(true);
      const part = await reader?.read();
      watch.waits(false);
      signal.throwIfAborted();
      if (part === undefined || part.done) break;
      bytes += part.value.length;
      yield part.value;
    }
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") throw cutOff();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
    onEnded();
  }
  if (declared !== undefined && bytes < declared) throw cutOff();
}

async function* gunzip(sent: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const decoder = createGunzip({ chunkSize: IMPORT_PIECE_BYTES });
  let failure: unknown;
  pipeline(Readable.from(guarded(sent, (error) => (failure = error))), decoder, () => {});
  try {
    for await (const chunk of decoder) yield chunk;
  } catch {
    throw failure ?? bodyNotJson("it is no whole gzip stream");
  }
}

/** What failed before the decoder, told apart from what the decoder met. */
async function* guarded(
  sent: AsyncIterable<Uint8Array>,
  onFailure: (error: unknown) => void,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* sent;
  } catch (error) {
    onFailure(error);
    throw error;
  }
}

function cutOff(): Problem {
  return bodyNotJson("the connection ended within it");
}

/** 415: what the file is, its headers don't say. */
function noText(kind: string): Problem {
  return new Problem("UNSUPPORTED_MEDIA_TYPE", { detail: `The file is ${kind}.` });
}

/** 413 of an import. */
function importTooLarge(bytesMax: number): Problem {
  return new Problem("PAYLOAD_TOO_LARGE", {
    detail: `The file is larger than the ${bytesMax} bytes of one import. Split a stream's file in two; a collection's rows must fit one import.`,
    extras: { limit: "import_body", max_bytes: bytesMax },
    headers: { Connection: "close" },
  });
}
