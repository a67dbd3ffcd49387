/**
 * Imports a file with any number of rows into a feed as one push. The file is NDJSON or CSV.
 *
 * In a collection, either all rows of the file are stored at the end, or none. A stream keeps the events that arrived
 * before an interruption, and skips them when the file is sent again. Therefore, a file that can be read again is sent
 * again if the connection breaks.
 *
 * @module
 */
import {
  AnswerError,
  ConnectionError,
  ImportRunningError,
  isProblem,
  problemError,
} from "./errors.ts";
import { ownFeedPath } from "./query.ts";
import { pause } from "./retry.ts";
import type { Transport } from "./transport.ts";
import type { CallOptions, ImportProgress, ImportReceipt } from "./types.ts";

/** A file: its contents, or a function that opens it and is called again each time the file must be sent again. */
export type ImportFile = Blob | string | (() => ReadableStream<Uint8Array>);

/** Options of an import. */
export interface ImportOptions extends CallOptions {
  /** `ndjson`: one row per line. `csv`: the first line names the columns, and the feed's schema defines their types. */
  readonly format: "ndjson" | "csv";
  /** Called about once a second, with the number of rows and bytes that the gateway has read. */
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
  /**
   * Whether to send the file again if the connection breaks or the gateway is unavailable. Set it to false for a file
   * that can be read only once.
   *
   * @default true
   */
  readonly isRepeatable?: boolean | undefined;
}

const MEDIA_TYPES = { ndjson: "application/x-ndjson", csv: "text/csv" } as const;
/** A gateway sends a line every second. */
const SILENCE_MS_MAX = 60_000;

/** Imports a file. @throws {FeedgateError} or the signal's reason */
export async function importFile(
  transport: Transport,
  { feed, file, options }: { feed: string; file: ImportFile; options: ImportOptions },
): Promise<ImportReceipt> {
  const { format, signal, onProgress, isRepeatable = true } = options;
  let wasCut = false;
  const sendOnce = async () => {
    const controller = new AbortController();
    const end = () => controller.abort();
    signal?.addEventListener("abort", end, { once: true });
    if (signal?.aborted) end();
    try {
      const response = await transport.open({
        method: "POST",
        path: ownFeedPath(feed, "/import"),
        headers: { "Content-Type": MEDIA_TYPES[format] },
        body: typeof file === "function" ? file() : file,
        signal: controller.signal,
      });
      return await receiptOf(response, { onProgress, end });
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      wasCut ||= error instanceof ConnectionError;
      throw error;
    } finally {
      signal?.removeEventListener("abort", end);
      controller.abort();
    }
  };
  if (!isRepeatable) return sendOnce();
  return transport.retried({ signal }, async () => {
    for (let tries = 1; ; tries++) {
      try {
        return await sendOnce();
      } catch (error) {
        // For some seconds, the feed is still claimed by the interrupted import.
        const isHeld = wasCut && error instanceof ImportRunningError && tries < HELD_TRIES_MAX;
        if (!isHeld) throw error;
        await pause(HELD_PAUSE_MS, signal);
      }
    }
  });
}

/** A gateway releases a feed 15 seconds after it has lost its import. */
const HELD_PAUSE_MS = 2_000;
const HELD_TRIES_MAX = 12;

interface Reading {
  readonly onProgress: ImportOptions["onProgress"];
  readonly end: () => void;
}

/** Reads the answer's lines up to the last one. */
async function receiptOf(
  { body, status }: Response,
  { onProgress, end }: Reading,
): Promise<ImportReceipt> {
  if (body === null) throw new AnswerError("the import's response has no body", status);
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let timer = setTimeout(end, SILENCE_MS_MAX);
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause) => {
        throw new ConnectionError("the connection was lost before the import finished", { cause });
      });
      if (done) throw new ConnectionError("the response ended before the import finished");
      clearTimeout(timer);
      timer = setTimeout(end, SILENCE_MS_MAX);
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const { rows, bytes, receipt, problem }: ImportLine = JSON.parse(line);
        if (receipt !== undefined) return receipt;
        if (isProblem(problem)) throw problemError(problem);
        if (rows !== undefined && bytes !== undefined) onProgress?.({ rows, bytes });
      }
    }
  } finally {
    clearTimeout(timer);
    await reader.cancel().catch(() => undefined);
  }
}

interface ImportLine {
  readonly rows?: number;
  readonly bytes?: number;
  readonly receipt?: ImportReceipt;
  readonly problem?: unknown;
}
