/**
 * The body of an export: streams rows from the database in constant memory.
 *
 * The next piece is read when the client has taken the previous one. An export that can't be completed is cut off, so
 * that it never looks complete.
 *
 * @module
 */
import { pipeline, Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { MS_PER_SECOND } from "../../lib/time_units.ts";
import { EXPORT_MS_MAX, EXPORT_UNREAD_MS_MAX } from "../../limits.ts";
import { csvHeader, csvLines } from "./csv_lines.ts";

interface BodyOptions {
  /** Of a CSV export. */
  readonly columns: readonly string[] | undefined;
  /** Whether the file starts here, rather than after a row of an earlier answer. */
  readonly isWhole: boolean;
  readonly isGzipped: boolean;
}

export interface ExportBody {
  readonly stream: ReadableStream<Uint8Array>;
  /** Resolves when nothing more is sent, for any reason. */
  readonly ended: Promise<void>;
  /** How long the client has not read a pending piece, in milliseconds. */
  untakenMs(): number;
  /** Cuts off the export. */
  abort(): void;
}

/** A low level takes half as long as the default, and the gateway serves other requests at the same time. */
const GZIP_LEVEL = 3;
const CHUNK_BYTES = 64 * 1_024;

/** @param lines lines of compact JSON, one per row, split into any pieces */
export function exportBody(
  lines: AsyncIterable<Uint8Array>,
  { columns, isWhole, isGzipped }: BodyOptions,
): ExportBody {
  const chunks = gathered(lines);
  const plain = columns === undefined ? chunks : csvOf(chunks, { columns, isWhole });
  const pieces = (isGzipped ? gzipOf(plain) : plain)[Symbol.asyncIterator]();
  const startedMs = performance.now();
  /** Since when the client has not read a pending piece. Undefined while a piece is read from the database. */
  let untakenMs: number | undefined = startedMs;
  const ended = Promise.withResolvers<void>();
  let isEnded = false;

  function end(): void {
    if (isEnded) return;
    isEnded = true;
    clearInterval(timer);
    ended.resolve();
    // An idle source ends only with its session.
    Promise.resolve(pieces.return?.()).catch(() => {});
  }

  let fail: (() => void) | undefined;
  const untakenForMs = () => (untakenMs === undefined ? 0 : performance.now() - untakenMs);
  const timer = setInterval(() => {
    const isUnread = untakenForMs() > EXPORT_UNREAD_MS_MAX;
    if (isUnread || performance.now() - startedMs > EXPORT_MS_MAX) fail?.();
  }, MS_PER_SECOND);

  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        fail = () => {
          controller.error(new Error("the export was cut off"));
          end();
        };
      },
      async pull(controller) {
        untakenMs = undefined;
        try {
          const { done, value } = await pieces.next();
          if (isEnded) return;
          if (done === true) {
            end();
            controller.close();
            return;
          }
          controller.enqueue(value);
          untakenMs = performance.now();
        } catch (error) {
          if (isEnded) return;
          controller.error(error);
          end();
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
  return { stream, ended: ended.promise, untakenMs: untakenForMs, abort: () => fail?.() };
}

/** The database sends each row separately. Passing them on one by one would cost more than reading them. */
async function* gathered(lines: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of lines) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes < CHUNK_BYTES) continue;
    yield Buffer.concat(pieces, bytes);
    pieces = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(pieces, bytes);
}

async function* csvOf(
  lines: AsyncIterable<Uint8Array>,
  { columns, isWhole }: Pick<BodyOptions, "isWhole"> & { readonly columns: readonly string[] },
): AsyncGenerator<Uint8Array, void, void> {
  const lineOf = csvLines(columns);
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  if (isWhole) yield Buffer.from(csvHeader(columns));
  let rest = "";
  for await (const piece of lines) {
    const rows = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = rows.pop() ?? "";
    if (rows.length > 0) yield Buffer.from(rows.map(lineOf).join(""));
    // Gives other requests a turn between two pieces.
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

function gzipOf(plain: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const encoder = createGzip({ level: GZIP_LEVEL, chunkSize: CHUNK_BYTES });
  // The reader of the encoder gets any failure.
  pipeline(Readable.from(plain), encoder, () => {});
  return encoder;
}
