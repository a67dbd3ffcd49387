/**
 * Reads the bytes of an import's body as they arrive: decoded if gzipped, counted, and with only a few chunks in memory
 * at once.
 *
 * The next chunk is read when the previous one has been processed, so the client sends no faster than rows are stored.
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
  /** The most bytes allowed, after decoding. */
  readonly bytesMax: number;
  /** Its signal ends reading, and the signal's reason is thrown. It is notified while bytes are awaited. */
  readonly watch: ImportWatch;
  /** Called with the bytes of each chunk, after decoding. */
  readonly onDecoded: (bytes: number) => void;
  /** Called when reading ends, whether the body is complete or abandoned. */
  readonly onEnded: () => void;
}

/**
 * Chunks of the file. Each is freed when the next one is requested.
 *
 * @throws {Problem} 413; 415 for bytes that are not text; 400 for a body that ends too soon; or the signal's reason
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
    // In pieces of one size: texts of many sizes fragmented memory by 100 MB.
    for (let start = 0; start < chunk.length; start += IMPORT_PIECE_BYTES) {
      yield chunk.subarray(start, start + IMPORT_PIECE_BYTES);
    }
    if (!isEncoded) free(chunk);
  }
}

/** Frees a chunk's memory immediately. The garbage collector would keep about 30 MB of chunks. */
function free({ buffer, byteLength }: Uint8Array): void {
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  if (isWhole) buffer.transfer(0);
}

/** The body as sent. A connection that ends early is an error, not the end of the body. */
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
    throw failure ?? bodyNotJson("it is not a complete gzip stream");
  }
}

/** Distinguishes failures of the source from failures of the decoder. */
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
  return bodyNotJson("the connection ended before it was complete");
}

/** 415: the headers don't match the file's content. */
function noText(kind: string): Problem {
  return new Problem("UNSUPPORTED_MEDIA_TYPE", { detail: `The file is ${kind}.` });
}

/** 413 for an import. */
function importTooLarge(bytesMax: number): Problem {
  return new Problem("PAYLOAD_TOO_LARGE", {
    detail: `The file is larger than the import limit of ${bytesMax} bytes. Split a stream's file; a collection's rows must fit into one import.`,
    extras: { limit: "import_body", max_bytes: bytesMax },
    headers: { Connection: "close" },
  });
}
