/**
 * Exports all rows of one version of a feed in one response, which is faster than paging, at the same price. Rows are
 * returned in order of arrival, oldest first.
 *
 * If the connection breaks, the export resumes after the last complete row of the same version, and is not charged
 * again.
 *
 * @module
 */

import { ConnectionError } from "./errors.ts";
import { memberTexts } from "./json_texts.ts";
import type { ParseRow } from "./pages.ts";
import { feedPath, queryOf, randomKey, readHeaders } from "./query.ts";
import { isPassing, pause, pauseMs } from "./retry.ts";
import type { Transport, TransportOptions } from "./transport.ts";
import type { CallOptions, ExportPart } from "./types.ts";

/** Options of an export. */
export interface ExportOptions extends CallOptions {
  /** The `resume` of an earlier part: the export continues after that part. */
  readonly resume?: string | undefined;
  /** The maximum cost of the export, in credits. A more expensive one throws a `PriceAboveMaxError`. */
  readonly maxCredits?: number | undefined;
}

/** The parts of a client that an export needs. */
export interface Exporter<Row> {
  readonly transport: Transport;
  readonly options: TransportOptions;
  readonly parseRow: ParseRow<Row> | undefined;
}

/** The position of an export. */
interface Place {
  /** The Idempotency-Key, under which resuming costs nothing. */
  readonly key: string;
  readonly version?: string | undefined;
  /** Id of the last complete row. */
  readonly after?: string | undefined;
}

const RESUME_PREFIX = "export.";
/** The key and the version are sent as they are written. An id may contain dots. */
const RESUME_FORM = /^export\.([\w-]+)\.([^.]*)\.(.*)$/s;
/** A response that has started may be silent for this long. */
const SILENCE_MS_MAX = 60_000;

/** Whether a text is the position of an interrupted export. */
export function isExportResume(text: string): boolean {
  return parseResume(text) !== undefined;
}

/** The start of an export. Starting twice from the same one is charged once, even if the first answer was lost. */
export function exportStart(): string {
  return writeResume({ key: randomKey() });
}

/** Whether the position is the start of an export. */
export function isExportStart(text: string): boolean {
  const place = parseResume(text);
  return place !== undefined && place.version === undefined;
}

/** Rows as they arrive, several at a time. @throws {CursorExpiredError} if its version is no longer available */
export async function* exportRows<Row>(
  { transport, options, parseRow }: Exporter<Row>,
  feed: string,
  { resume, maxCredits, signal }: ExportOptions,
): AsyncGenerator<ExportPart<Row>, void, void> {
  let place = resume === undefined ? { key: randomKey() } : readResume(resume);
  for (let tries = 1; ; tries++) {
    try {
      for await (const { lines, version, rowCount } of answer()) {
        tries = 0;
        const after = idOf(lines.at(-1) ?? "{}");
        place = { ...place, version, after };
        const rows = lines.map((line) => (parseRow ?? JSON.parse)(line));
        yield { rows, rowCount, resume: writeResume(place) };
      }
      return;
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      const waitMs = isPassing(error)
        ? pauseMs({ error, tries }, options, Math.random())
        : undefined;
      if (waitMs === undefined) throw error;
      options.onRetry?.({ error, waitMs });
      await pause(waitMs, signal);
    }
  }

  /** Complete lines of one answer. @throws {ConnectionError} if it ends too soon */
  async function* answer() {
    const { key, after, version: wanted } = place;
    const controller = new AbortController();
    const end = () => controller.abort();
    signal?.addEventListener("abort", end, { once: true });
    if (signal?.aborted) end();
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      const response = await transport.open({
        path: feedPath(feed, `/export${queryOf({ format: "ndjson", after, version: wanted })}`),
        headers: {
          ...readHeaders({ maxCredits }, key),
          Accept: "application/x-ndjson, application/problem+json",
        },
        signal: controller.signal,
      });
      const version = response.headers.get("feedgate-data-version") ?? undefined;
      const rowCount = Number(response.headers.get("feedgate-row-count"));
      let left = rowCount;
      let rest = "";
      const decoder = new TextDecoder();
      const reader = (response.body ?? new Blob().stream()).getReader();
      for (;;) {
        timer = setTimeout(end, SILENCE_MS_MAX);
        const { done, value } = await reader.read().catch((cause) => {
          throw new ConnectionError("the export was interrupted", { cause });
        });
        clearTimeout(timer);
        if (done) break;
        const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        left -= lines.length;
        if (lines.length > 0) yield { lines, version, rowCount };
      }
      if (left > 0) throw new ConnectionError("the export was interrupted");
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      controller.abort();
    }
  }
}

/** The id as the gateway compares it: a number keeps its digits. */
function idOf(row: string): string | undefined {
  const id = memberTexts(row).get("id");
  return id?.startsWith('"') ? JSON.parse(id) : id;
}

function writeResume({ key, version = "", after = "" }: Place): string {
  return `${RESUME_PREFIX}${[key, version, after].map(encodeURIComponent).join(".")}`;
}

/** @throws {TypeError} if the text is not the `resume` of a part */
function readResume(text: string): Place {
  const place = parseResume(text);
  if (place !== undefined) return place;
  throw new TypeError(`resume must be the resume of a part of an export, got "${text}"`);
}

function parseResume(text: string): Place | undefined {
  const [, key, version, after = ""] = RESUME_FORM.exec(text) ?? [];
  if (key === undefined) return undefined;
  if (!version) return after === "" ? { key } : undefined;
  try {
    return { key, version, after: decodeURIComponent(after) };
  } catch {
    return undefined;
  }
}
