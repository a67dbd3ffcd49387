/**
 * Pushes any number of rows to a feed: splits them into requests within the gateway's limits, sends these one after
 * another, and repeats a request if its response is lost. Because rows have ids, a repeat stores nothing twice.
 *
 * As a batch, the rows replace all rows of a collection at once, when the push finishes. Until then, readers see none
 * of them.
 *
 * @module
 */
import { PayloadTooLargeError, ProblemError, problemError } from "./errors.ts";
import { ownFeedPath, queryOf, randomKey } from "./query.ts";
import type { Transport } from "./transport.ts";
import type { CallOptions, PushResult, PushSummary } from "./types.ts";

/** A row: an object, or its JSON text, in which numbers keep all their digits. */
export type PushRow = object | string;

/** Rows to push, such as an array or an async generator. */
export type PushRows = Iterable<PushRow> | AsyncIterable<PushRow>;

/** Options of a push. */
export interface PushOptions extends CallOptions {
  /** Whether the rows replace all rows of a collection. @default false; true if `batchId` is set */
  readonly isBatch?: boolean | undefined;
  /** The id of the batch. Set it to continue a batch that an earlier push has started. @default a new id */
  readonly batchId?: string | undefined;
  /** Whether to run all checks without storing anything. @default false */
  readonly isDryRun?: boolean | undefined;
  /** Called after each request, with the totals so far. */
  readonly onProgress?: ((summary: PushSummary) => void) | undefined;
}

interface Limits {
  readonly rows: number;
  /** Size of a request's body in UTF-8. */
  readonly bytes: number;
}

/** The gateway's defaults. If a gateway has smaller limits, it reports them, and the requests become smaller. */
const DEFAULT_LIMITS: Limits = { rows: 500, bytes: 2 * 1_024 * 1_024 };
/** Room for the wrapper around the rows. */
const WRAPPER_BYTES = 1_024;

/** Pushes rows. @throws {ProblemError} with `rowsBefore`, the number of rows that were stored before */
export async function pushRows(
  transport: Transport,
  { feed, rows, options }: { feed: string; rows: PushRows; options: PushOptions },
): Promise<PushSummary> {
  const { isBatch = options.batchId !== undefined, isDryRun = false, signal, onProgress } = options;
  const batchId = isBatch ? (options.batchId ?? randomKey()) : null;
  const path = ownFeedPath(feed, `/push${queryOf({ dry_run: isDryRun ? "true" : undefined })}`);
  let limits = DEFAULT_LIMITS;
  let summary: PushSummary = { ...NOTHING, batchId };

  async function send(texts: readonly string[], isLast: boolean): Promise<void> {
    const body = wrapped(texts, batchId, isLast);
    try {
      const { text } = await transport.call({ method: "POST", path, body, signal });
      summary = added(summary, JSON.parse(text));
      onProgress?.(summary);
    } catch (error) {
      limits = lowered(limits, error);
      const parts = [...partsOf(texts, limits)];
      if (!(error instanceof PayloadTooLargeError) || parts.length < 2) {
        throw placed(error, summary);
      }
      for (const [place, part] of parts.entries()) {
        await send(part, isLast && place === parts.length - 1);
      }
    }
  }

  let waiting: string[] = [];
  let bytes = 0;
  for await (const row of rows) {
    signal?.throwIfAborted();
    const text = typeof row === "string" ? row : JSON.stringify(row);
    const size = utf8Bytes(text) + 1;
    const isFull = waiting.length >= limits.rows || bytes + size > limits.bytes - WRAPPER_BYTES;
    if (isFull && waiting.length > 0) {
      // At least one row follows these.
      await send(waiting, false);
      waiting = [];
      bytes = 0;
    }
    waiting.push(text);
    bytes += size;
  }
  // A push without rows is valid: it activates a feed, and as a batch it empties one.
  await send(waiting, true);
  return summary;
}

/** Pushes a singleton's document. */
export async function pushDocument(
  transport: Transport,
  { feed, document, options }: { feed: string; document: PushRow; options: PushOptions },
): Promise<PushSummary> {
  const { isDryRun = false, signal, onProgress } = options;
  const path = ownFeedPath(feed, `/push${queryOf({ dry_run: isDryRun ? "true" : undefined })}`);
  const payload = typeof document === "string" ? document : JSON.stringify(document);
  const body = `{"payload":${payload}}`;
  const { text } = await transport.call({ method: "POST", path, body, signal });
  const summary = added(NOTHING, JSON.parse(text));
  onProgress?.(summary);
  return summary;
}

const NOTHING: PushSummary = {
  requests: 0,
  rowsReceived: 0,
  rowsInserted: 0,
  rowsUpdated: 0,
  rowsDuplicate: 0,
  batchId: null,
  receipt: null,
};

function added(summary: PushSummary, receipt: PushResult): PushSummary {
  return {
    requests: summary.requests + 1,
    rowsReceived: summary.rowsReceived + receipt.rows_received,
    rowsInserted: summary.rowsInserted + receipt.rows_inserted,
    rowsUpdated: summary.rowsUpdated + receipt.rows_updated,
    rowsDuplicate: summary.rowsDuplicate + receipt.rows_duplicate,
    batchId: summary.batchId,
    receipt,
  };
}

function wrapped(texts: readonly string[], batchId: string | null, isLast: boolean): string {
  const batch =
    batchId === null
      ? ""
      : `,"batch_id":${JSON.stringify(batchId)}${isLast ? ',"batch_complete":true' : ""}`;
  return `{"payload":[${texts.join(",")}]${batch}}`;
}

/** The limits reported by a gateway with smaller ones. */
function lowered(limits: Limits, error: unknown): Limits {
  if (!(error instanceof PayloadTooLargeError)) return limits;
  const { limit, max_rows: rows = limits.rows, max_bytes: bytes = limits.bytes } = error.problem;
  if (limit === "row_count") return { ...limits, rows: Math.min(rows, limits.rows) };
  if (limit === "request_body") return { ...limits, bytes: Math.min(bytes, limits.bytes) };
  return limits;
}

/** Splits rows again. */
function* partsOf(texts: readonly string[], limits: Limits): Generator<string[]> {
  let part: string[] = [];
  let bytes = 0;
  for (const text of texts) {
    const size = utf8Bytes(text) + 1;
    const isFull = part.length >= limits.rows || bytes + size > limits.bytes - WRAPPER_BYTES;
    if (isFull && part.length > 0) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(text);
    bytes += size;
  }
  yield part;
}

/** Adds the number of rows that were stored before to the error. */
function placed(error: unknown, { rowsReceived: rowsBefore }: PushSummary): unknown {
  return error instanceof ProblemError ? problemError(error.problem, { rowsBefore }) : error;
}

const ENCODER = new TextEncoder();

function utf8Bytes(text: string): number {
  return ENCODER.encode(text).length;
}
