/**
 * One import, step by step: count it as a push and claim the feed, find the first row, then store all rows and show
 * them to readers.
 *
 * Rows of a collection go into a staged batch, so a reader sees all of them or none. Events of a stream are visible as
 * soon as their part is stored. However an import ends, the feed is released, and its history gets one entry. See
 * `src/spec/beyond.md`, section 10.
 *
 * @module
 */

import type { WindowState } from "../../admission/claims.ts";
import { actorOf } from "../../api/callers/faces.ts";
import { problemOf } from "../../api/problems/problems.ts";
import type { Feed } from "../../feeds/find.ts";
import { Problem } from "../../http/problem_details.ts";
import { bodyNotJson, mediaTypeOf } from "../../http/read_body.ts";
import { unreachable } from "../../lib/assert.ts";
import type { LoopTurns } from "../../lib/loop_turns.ts";
import {
  IMPORT_END_PAUSE_MS,
  IMPORT_END_TRIES_MAX,
  IMPORT_HELD_BYTES,
  PLANS_MAX,
} from "../../limits.ts";
import type { Database } from "../../postgres/client/database.ts";
import { freshFeed } from "../fresh_feed.ts";
import { type Arrival, type PushServices, recordLimited } from "../push_feed.ts";
import { linesToSingleton, problemOfRefusal, type UncountedRefusal } from "../push_problems.ts";
import { receiptOf } from "../push_receipt.ts";
import { keepMistakes, type RefusedPush, recordRefusal } from "../record_push.ts";
import { boundEmptyPieces } from "../rows/check_lines.ts";
import { readCsv } from "../rows/read_csv.ts";
import type { SourceLine } from "../rows/source_line.ts";
import { splitLines } from "../rows/split_lines.ts";
import { ImportWatch } from "./import_watch.ts";
import { readChunks } from "./read_chunks.ts";
import { type ImportProgress, renewClaim, runImport } from "./run_import.ts";
import type { ImportClaim, ImportStore } from "./store_import.ts";

export interface ImportServices extends PushServices {
  readonly importStore: ImportStore;
  readonly database: Database;
  readonly isDraining: () => boolean;
  /** Interval between two progress lines. */
  readonly progressMs: number;
  /** Shared by all imports of the process. */
  readonly turns: LoopTurns;
}

/** An import whose first row has arrived. */
export interface StartedImport {
  readonly kind: "started";
  readonly window: WindowState;
  readonly progress: Readonly<ImportProgress>;
  /** Resolves when the client has sent everything. */
  readonly received: Promise<void>;
  /** Calls the function every second until the import ends. */
  onTick(call: () => void): void;
  /** Ends the import because its client has disconnected. */
  abort(): void;
  /** Runs the import. Resolves to the receipt, or to the problem that ended it. Never rejects. */
  run(): Promise<ReturnType<typeof receiptOf> | Problem>;
}

export type StartOutcome =
  | StartedImport
  | { readonly kind: "refused"; readonly problem: Problem; readonly window?: WindowState };

/** Counts the import, claims the feed, and waits for the first row. @throws {DatabaseUnavailableError} */
export async function startImport(
  services: ImportServices,
  arrival: Arrival,
): Promise<StartOutcome> {
  const { call, principal, hold } = arrival;
  const { request } = call;
  let { feed } = arrival;
  for (let tries = 1; tries <= PLANS_MAX; tries++) {
    const isSingleton = feed.feedType === "singleton";
    const form = isSingleton ? linesToSingleton() : mediaTypeOf(request, ["ndjson", "csv"]);
    if (form instanceof Problem) return refuse(services, { ...arrival, feed }, form);
    hold(IMPORT_HELD_BYTES);
    // The same default as for a push of newline-delimited rows.
    const feedType = feed.feedType ?? "collection";
    const importId = Bun.randomUUIDv7();
    const { keyId } = principal;
    const claim = { feed, feedType, keyId, actor: actorOf(request, keyId), importId };
    const begun = await services.store.beginImport(claim, claim);
    switch (begun.kind) {
      case "begun": {
        const schema = form === "csv" ? await findSchema(services, feed) : null;
        return openFile(services, arrival, { claim, form, schema, window: begun.window });
      }
      case "running":
        return recorded(services, arrival, { problem: importRunning(), window: begun.window });
      case "stale": {
        const fresh = await freshFeed(services.feeds, feed);
        if (fresh.kind !== "fresh") return uncounted(fresh);
        feed = fresh.feed;
        continue;
      }
      case "limited": {
        const refused = uncounted(begun);
        await recordLimited(services, arrival, refused.problem);
        return refused;
      }
      case "key_refused":
        await services.keys.prove(principal);
        return uncounted(begun);
      default:
        return unreachable(begun);
    }
  }
  return uncounted({ kind: "feed_keeps_changing" });
}

interface OpenedFile {
  readonly claim: ImportClaim;
  readonly form: "ndjson" | "csv";
  /** The feed's schema, locked or not. */
  readonly schema: string | null;
  readonly window: WindowState;
}

/** Reads up to the first row. Until then, errors are ordinary answers. */
async function openFile(
  services: ImportServices,
  arrival: Arrival,
  { claim, form, schema, window }: OpenedFile,
): Promise<StartOutcome> {
  const { importStore, isDraining, progressMs: tickMs } = services;
  const { request } = arrival.call;
  const progress = {
    rowsReceived: 0,
    rowsInserted: 0,
    rowsDuplicate: 0,
    newestEvent: undefined,
    bytes: 0,
  };
  const watch = new ImportWatch({ tickMs, isDraining, renew: () => importStore.renew(claim) });
  const { promise: received, resolve: onEnded } = Promise.withResolvers<void>();
  const onGone = () => watch.abort(bodyNotJson("the connection ended before it was complete"));
  // The rest runs in the background. A file that is cut off ends with the rows that have arrived.
  received.then(() => {
    request.signal.addEventListener("abort", onGone, { signal: watch.signal });
  });
  const chunks = readChunks(request, {
    bytesMax: services.limits.importBytes,
    watch,
    onDecoded: (bytes) => {
      progress.bytes += bytes;
    },
    onEnded,
  });
  // A line may contain white space that is not part of the row.
  const bytesMax = services.limits.requestBodyBytes;
  const lines = boundEmptyPieces(
    form === "csv"
      ? readCsv(chunks, {
          schema,
          isStream: claim.feedType === "stream",
          recordBytesMax: bytesMax,
        })
      : splitLines(chunks, { lineBytesMax: bytesMax }),
    bytesMax,
  );
  const nextTurn = services.turns.begin(arrival.principal.accountId);
  const opened = { services, arrival, claim, window, watch, progress, received, nextTurn };
  try {
    const first = await firstLines(lines, async () => {
      await nextTurn();
      watch.signal.throwIfAborted();
    });
    if (first === undefined) throw noRows(form, progress.bytes);
    return startedImport(opened, resumed(first, lines));
  } catch (error) {
    const problem = problemOf(error);
    await giveUp(opened, { problem, error });
    return { kind: "refused", problem, window };
  }
}

type Opened = Pick<StartedImport, "window" | "received"> & {
  readonly services: ImportServices;
  readonly arrival: Arrival;
  readonly claim: ImportClaim;
  readonly watch: ImportWatch;
  readonly progress: ImportProgress;
  readonly nextTurn: () => Promise<void> | undefined;
};

function startedImport(opened: Opened, lines: AsyncIterable<readonly SourceLine[]>): StartedImport {
  const { services, arrival, window, watch, progress, received } = opened;
  return {
    kind: "started",
    window,
    progress,
    received,
    onTick: (call) => {
      watch.onTick = call;
    },
    abort: () => watch.abort(bodyNotJson("the connection ended before it was complete")),
    async run() {
      try {
        const { principal } = arrival;
        const claim = await runImport(services, opened.claim, {
          principal,
          lines,
          progress,
          watch,
          nextTurn: opened.nextTurn,
        });
        const receipt = await finish(opened, claim);
        watch.stop();
        return receipt;
      } catch (error) {
        const problem = withRows(problemOf(error), rowsOf(opened));
        await giveUp(opened, { problem, error });
        return problem;
      }
    },
  };
}

/** Shows the rows to readers. */
async function finish({ services, arrival, progress }: Opened, stored: ImportClaim) {
  const { importStore, feeds, metrics, onMoved } = services;
  const { principal, startedMs } = arrival;
  const { rowsReceived, rowsInserted, rowsDuplicate, newestEvent, bytes } = progress;
  let claim = stored;
  for (let tries = 1; ; tries++) {
    const elapsedMs = Math.round(performance.now() - startedMs);
    const totals = { rowsReceived, rowsInserted, bodyBytes: bytes, elapsedMs };
    const outcome = await importStore.finish(claim, totals);
    if (outcome.kind !== "stored") {
      claim = await renewClaim(services, claim, { principal, outcome, tries });
      continue;
    }
    const { feed, feedType } = claim;
    const { feedId } = feed;
    // A first import changes the feed.
    feeds.forget(feedId);
    onMoved(feedId, outcome.stored.dataVersion);
    metrics.pushed({ feedType, outcome: "stored", rows: rowsReceived });
    const rows = {
      received: rowsReceived,
      inserted: rowsInserted,
      updated: 0,
      duplicate: rowsDuplicate,
    };
    return receiptOf({
      feedId,
      feedType,
      rows,
      batchId: null,
      isComplete: feedType === "collection",
      stored: { ...outcome.stored, isStaged: false },
      retentionDays: feed.retentionDays,
      newestEvent,
    });
  }
}

/** Releases the feed, and adds the import to its history. */
async function giveUp(
  opened: Opened,
  { problem, error }: { readonly problem: Problem; readonly error: unknown },
): Promise<void> {
  const { services, arrival, claim, watch, progress } = opened;
  const { importStore, metrics, log } = services;
  const { requestId } = arrival.call;
  const { feedId } = claim.feed;
  watch.stop();
  if (problem.code === "INTERNAL") log.error("import failed", { request_id: requestId, error });
  const { rowsReceived, bytes: bodyBytes } = progress;
  metrics.pushed({ feedType: claim.feedType, outcome: "refused", rows: rowsReceived });
  const elapsedMs = Math.round(performance.now() - arrival.startedMs);
  const end = async () => {
    await importStore.end(claim, { problem, rowsReceived, bodyBytes, elapsedMs });
    await keepMistakes(services.database, { feedId, problem });
  };
  try {
    await end();
  } catch (failure) {
    log.warn("import not ended", { request_id: requestId, feed: feedId, error: failure });
    // The answer does not wait for it.
    endLater(services, end);
  }
}

/**
 * Tries again while the database is away, for a bounded time. Never rejects. Then a job ends the import, or the next one
 * of the feed does.
 */
async function endLater(services: ImportServices, end: () => Promise<void>): Promise<void> {
  for (let tries = 1; tries <= IMPORT_END_TRIES_MAX; tries++) {
    await Bun.sleep(IMPORT_END_PAUSE_MS);
    if (services.isDraining()) return;
    const isEnded = await end().then(
      () => true,
      () => false,
    );
    if (isEnded) return;
  }
}

/** Rows that a failed import has stored. Rows that a collection had staged are removed. */
function rowsOf({ claim, progress }: Opened) {
  const { rowsReceived, rowsInserted, rowsDuplicate } = progress;
  const isStream = claim.feedType === "stream";
  return { rowsReceived, rowsInserted: isStream ? rowsInserted : 0, rowsDuplicate };
}

/** Adds the import's row counts to a problem. */
function withRows(problem: Problem, rows: ReturnType<typeof rowsOf>): Problem {
  const { code, status, options } = problem;
  const extras = {
    ...options.extras,
    rows_received: rows.rowsReceived,
    rows_inserted: rows.rowsInserted,
    rows_duplicate: rows.rowsDuplicate,
  };
  return new Problem(code, { ...options, status, extras });
}

/** Counts and records a push that is refused before the feed is claimed. */
async function refuse(
  services: ImportServices,
  arrival: Arrival,
  problem: Problem,
): Promise<StartOutcome> {
  const { feed, principal } = arrival;
  const { keyId } = principal;
  const counted = await services.store.count({ feed, keyId }, { isChecked: false });
  switch (counted.kind) {
    case "counted":
      return recorded(services, arrival, { problem, window: counted.window });
    case "key_refused":
      await services.keys.prove(principal);
      return uncounted(counted);
    case "limited":
    case "stale":
      return uncounted(counted.kind === "stale" ? { kind: "feed_keeps_changing" } : counted);
    default:
      return unreachable(counted);
  }
}

async function recorded(
  services: ImportServices,
  arrival: Arrival,
  { problem, window }: { readonly problem: Problem; readonly window: WindowState },
): Promise<StartOutcome> {
  const { feedType } = arrival.feed;
  services.metrics.pushed({ feedType: feedType ?? "undecided", outcome: "refused", rows: 0 });
  await record(services, arrival, { problem, rowsReceived: 0, bodyBytes: 0 });
  return { kind: "refused", problem, window };
}

function record(
  services: ImportServices,
  { call: { requestId }, feed: { feedId }, startedMs }: Arrival,
  refused: Omit<RefusedPush, "requestId" | "feedId" | "startedMs" | "batchId">,
): Promise<void> {
  return recordRefusal(services, { requestId, feedId, startedMs, batchId: null, ...refused });
}

function uncounted(refusal: UncountedRefusal): StartOutcome & { readonly kind: "refused" } {
  return { kind: "refused", problem: problemOfRefusal(refusal) };
}

/** 409. Counted, like every push that passed the ownership check. */
function importRunning(): Problem {
  return new Problem("IMPORT_RUNNING", {
    detail:
      "Another import into this feed is running. Wait until it has ended; an import whose connection broke ends within 15 seconds.",
  });
}

async function findSchema({ database }: ImportServices, { feedId }: Feed): Promise<string | null> {
  const row = await database.row("find_feed_row", {
    feed_id: feedId,
    endpoint_path: null,
    active_only: false,
    reader_id: null,
  });
  return row?.schema_definition ?? null;
}

/** The first list with at least one line, or undefined if the file has none. */
async function firstLines(
  lines: AsyncGenerator<readonly SourceLine[], void, void>,
  pause: () => Promise<void>,
): Promise<readonly SourceLine[] | undefined> {
  for (;;) {
    const { done, value } = await lines.next();
    if (done === true) return undefined;
    if (value.length > 0) return value;
    await pause();
  }
}

/** 422. A file without rows is usually a mistake, so it doesn't empty a collection. */
function noRows(form: OpenedFile["form"], bytes: number): Problem {
  const message =
    form === "csv"
      ? "the file has no rows; its first line names the columns, and each following line is a row"
      : "the file has no rows; send one JSON object per line";
  return new Problem("VALIDATION_FAILED", {
    detail: `Nothing was imported: ${bytes === 0 ? "the file is empty" : message}.`,
    errors: [{ path: "", message: bytes === 0 ? "the file is empty" : message }],
  });
}

async function* resumed(
  first: readonly SourceLine[],
  others: AsyncGenerator<readonly SourceLine[], void, void>,
): AsyncGenerator<readonly SourceLine[], void, void> {
  yield first;
  yield* others;
}
