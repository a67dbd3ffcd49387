/**
 * Runs an import that has begun: groups lines into parts, and stores the parts.
 *
 * A part is stored while the next one is read and checked. After a bad line, nothing more is stored, but the rest of
 * the file is still checked for bad lines. A collection continues if a line only repeats an id, because only the staged
 * batch knows the file's earlier ids.
 *
 * @module
 */
import type { Keys, Principal } from "../../api/callers/callers.ts";
import { keepsChanging } from "../../api/problems/call_refusals.ts";
import type { Feed, Feeds } from "../../feeds/find.ts";
import { Problem, unavailable } from "../../http/problem_details.ts";
import { present, unreachable } from "../../lib/assert.ts";
import type { FieldError } from "../../lib/field_error.ts";
import { IMPORT_CHARACTERS_MAX, IMPORT_ROWS_MAX, type Limits, PLANS_MAX } from "../../limits.ts";
import { type CheckRefusal, checkSchema } from "../check_push.ts";
import { freshFeed } from "../fresh_feed.ts";
import { problemOfRefusal } from "../push_problems.ts";
import { newestEventOf } from "../push_receipt.ts";
import { BadLines, badLine, checkLine } from "../rows/check_lines.ts";
import type { PushedRow } from "../rows/check_row.ts";
import type { SourceLine } from "../rows/source_line.ts";
import type { RowSchemas } from "../schema/row_schemas.ts";
import { claimLost, type ImportWatch } from "./import_watch.ts";
import type { ImportClaim, ImportStore, NotHeld } from "./store_import.ts";

export interface RunServices {
  readonly importStore: ImportStore;
  readonly feeds: Feeds;
  readonly keys: Keys;
  readonly rowSchemas: RowSchemas;
  readonly limits: Limits;
  /** Wakes the readers that wait for the feed. */
  readonly onMoved: (feedId: string, dataVersion: bigint) => void;
}

/** Progress of an import. */
export interface ImportProgress {
  /** Rows of the file that were read. */
  rowsReceived: number;
  /** Rows that are stored. `rowsDuplicate`: rows that a stream already had. */
  rowsInserted: number;
  rowsDuplicate: number;
  /** Time of a stream's newest event in the parts with new events. Undefined if no part had any. */
  newestEvent: string | undefined;
  /** Bytes of the file, after decoding. */
  bytes: number;
}

interface Run {
  readonly principal: Principal;
  readonly lines: AsyncIterable<readonly SourceLine[]>;
  readonly progress: ImportProgress;
  readonly watch: ImportWatch;
  /** See `LoopTurns`. */
  readonly nextTurn: () => Promise<void> | undefined;
}

/** How often a part retries its schema check while the worker is busy, and the pause between tries. */
const SCHEMA_TRIES_MAX = 50;
const SCHEMA_WAIT_MS = 100;

/** Stores all lines. Resolves to the claim as of the end. @throws {Problem} and errors of the database */
export async function runImport(
  services: RunServices,
  started: ImportClaim,
  run: Run,
): Promise<ImportClaim> {
  const { feedType } = started;
  const { progress, watch } = run;
  const isStream = feedType === "stream";
  const rules = { feedType, rowBytesMax: services.limits.rowBytes, keys: [] };
  const bad = new BadLines();
  let claim = started;
  /** Whether rows may still be stored. */
  let isSound = true;
  let storing: Promise<void> = Promise.resolve();
  let part = newPart();

  /** Stores the rows of a part. If the file has a bad line, they are only checked. */
  async function store(rows: readonly PushedRow[]): Promise<void> {
    const { first, repeated: twice } = firstOfEachId(rows);
    if (!isStream) for (const { id, index } of twice) bad.add(repeats(id, index));
    let left = first;
    for (let tries = 1; left.length > 0; tries++) {
      const { errors: unfit, unlisted } = await findUnfit(services, claim.feed, {
        rows: left,
        signal: watch.signal,
      });
      for (const error of unfit) bad.add(error);
      if (tries === 1) bad.countFurther(unlisted);
      if (!isSound) return;
      isSound = unfit.length === 0;
      // Events before the first bad line are stored. A collection's rows would be discarded anyway.
      const lineEnd = isSound ? Infinity : isStream ? Math.min(...unfit.map(lineOf)) : 0;
      const fit = isSound ? left : left.filter(({ index }) => index < lineEnd);
      if (fit.length === 0) return;
      const rowsReceived = rows.filter(({ index }) => index < lineEnd).length;
      const { bytes: bodyBytes } = progress;
      const outcome = await services.importStore.add(claim, { rows: fit, rowsReceived, bodyBytes });
      if (outcome.kind !== "stored") {
        claim = await renewClaim(services, claim, { ...run, outcome, tries });
        isSound = true;
        continue;
      }
      const { rowsInserted, repeatedIds, dataVersion } = outcome;
      const repeated = new Set(repeatedIds);
      if (repeated.size > 0) {
        for (const { id, index } of left) if (repeated.has(id)) bad.add(repeats(id, index));
        left = left.filter(({ id }) => !repeated.has(id));
        continue;
      }
      progress.rowsInserted += rowsInserted;
      if (!isStream) return;
      progress.rowsDuplicate += rowsReceived - rowsInserted;
      if (rowsInserted === 0) return;
      services.onMoved(claim.feed.feedId, dataVersion);
      const receivedAt = new Date().toISOString();
      progress.newestEvent = newestEventOf(fit, { receivedAt, before: progress.newestEvent });
      return;
    }
  }

  /** Hands the part over. At most one is being stored while the next one is filled. */
  async function flush(): Promise<void> {
    const { rows } = part;
    part = newPart();
    await storing;
    watch.signal.throwIfAborted();
    storing = store(rows);
    // A failure is reported by the next flush.
    storing.catch(() => {});
  }

  async function take(line: SourceLine): Promise<void> {
    const row = checkLine(line, rules);
    progress.rowsReceived += 1;
    if ("message" in row) {
      // Events before the first bad line are stored, and none after it.
      if (isStream && isSound) await flush();
      await storing;
      isSound = false;
      bad.add(row);
      return;
    }
    part.rows.push(row);
    // A row's text is a slice of its line, which therefore stays in memory.
    part.characters += line.text.length;
    const isFull = part.rows.length >= IMPORT_ROWS_MAX || part.characters >= IMPORT_CHARACTERS_MAX;
    if (isFull) await flush();
  }

  try {
    for await (const lines of run.lines) {
      for (const line of lines) {
        const taken = take(line);
        if (taken !== undefined) await taken;
        const turn = run.nextTurn();
        if (turn !== undefined) await turn;
      }
      await run.nextTurn();
      watch.signal.throwIfAborted();
    }
    await flush();
  } catch (error) {
    // The part in progress counts toward the stored rows.
    await Promise.allSettled([storing]);
    throw error;
  }
  await storing;
  if (bad.count > 0) throw badFile(bad, progress, isStream);
  return claim;
}

/** Rows that are stored together. */
function newPart() {
  const rows: PushedRow[] = [];
  return { rows, characters: 0 };
}

/**
 * A stream skips events that it already has, so an id may repeat in its file. In a collection's file, that is a
 * mistake.
 */
function firstOfEachId(rows: readonly PushedRow[]) {
  const ids = new Set<string>();
  const first: PushedRow[] = [];
  const repeated: PushedRow[] = [];
  for (const row of rows) {
    (ids.has(row.id) ? repeated : first).push(row);
    ids.add(row.id);
  }
  return { first, repeated };
}

function lineOf({ line = 0 }: FieldError): number {
  return line;
}

function repeats(id: string, line: number): FieldError {
  const message = "ids must be unique within a file, and an earlier line has the same one";
  return badLine(line, { path: "/id", message, row_id: id });
}

/** The rows that the feed's locked schema refuses, checked in groups of a push's size. @throws {Problem} */
async function findUnfit(
  { rowSchemas, limits }: RunServices,
  feed: Feed,
  { rows, signal }: { readonly rows: readonly PushedRow[]; readonly signal: AbortSignal },
): Promise<{ readonly errors: readonly FieldError[]; readonly unlisted: number }> {
  const errors: FieldError[] = [];
  /** Counts lines, like `errors`: of each group, only the first mistakes are listed. */
  let unlisted = 0;
  if (feed.lockedSchema === null) return { errors, unlisted };
  for (let start = 0; start < rows.length; start += limits.rows) {
    const some = rows.slice(start, start + limits.rows);
    let refusal: CheckRefusal | undefined;
    for (let tries = 1; tries <= SCHEMA_TRIES_MAX; tries++) {
      refusal = await checkSchema(rowSchemas, { feed, rows: some, signal });
      if (refusal?.kind !== "schema_busy") break;
      await Bun.sleep(SCHEMA_WAIT_MS);
      signal.throwIfAborted();
    }
    if (refusal === undefined) continue;
    if (refusal.kind !== "invalid") throw problemOfRefusal(refusal);
    // A line may have several mistakes, but counts once.
    const byLine = new Map<number, FieldError>();
    for (const each of refusal.errors) {
      const line = each.row_index ?? some[0]?.index ?? 0;
      if (!byLine.has(line)) byLine.set(line, badLine(line, each));
    }
    unlisted += (refusal.rowCount ?? byLine.size) - byLine.size;
    errors.push(...byLine.values());
  }
  return { errors, unlisted };
}

interface NotHeldContext {
  readonly principal: Principal;
  readonly outcome: NotHeld;
  /** Number of tries so far. */
  readonly tries: number;
}

/** The claim, based on the feed's current definition. @throws {Problem} if the import can't continue */
export async function renewClaim(
  { feeds, keys }: Pick<RunServices, "feeds" | "keys">,
  claim: ImportClaim,
  { principal, outcome, tries }: NotHeldContext,
): Promise<ImportClaim> {
  const { feed, feedType } = claim;
  switch (outcome.kind) {
    case "lost":
      throw claimLost();
    case "key_refused":
      await keys.prove(principal);
      throw problemOfRefusal({ kind: "key_refused" });
    case "batch_closed":
      throw new Problem("BATCH_CLOSED", {
        detail:
          "Another batch was completed while the import ran, and readers see that one. Import again.",
      });
    case "stale":
      break;
    default:
      unreachable(outcome.kind);
  }
  const found = await freshFeed(feeds, feed);
  if (found.kind !== "fresh") throw problemOfRefusal(found);
  const { feed: fresh } = found;
  const isOtherwise =
    // A feed without a type gets it from its first push.
    (fresh.feedType !== null && fresh.feedType !== feedType) ||
    // All rows of a collection must meet the same schema. Events were valid when they were stored.
    (feedType === "collection" && fresh.lockedSchema !== feed.lockedSchema);
  if (isOtherwise) {
    throw unavailable("The feed's type or schema was changed while the import ran. Import again.");
  }
  if (tries >= PLANS_MAX) throw keepsChanging("The feed");
  return { ...claim, feed: fresh };
}

/** 422: the first bad lines of the file, and what happened to the other lines. */
function badFile(bad: BadLines, { rowsInserted }: ImportProgress, isStream: boolean): Problem {
  const { errors } = bad;
  const first = present(errors[0]);
  const before = isStream
    ? `The file was stored up to its first invalid line (${rowsInserted} new rows)`
    : "Nothing was stored, because the file has invalid lines";
  const more = bad.count > errors.length ? ` These are the first ${errors.length}.` : "";
  return new Problem("VALIDATION_FAILED", {
    detail: `${before}: ${placedMessage(first)}. Correct the listed errors and import the file again.${more}`,
    errors,
    errorCount: bad.count,
  });
}

/** A mistake with its line number. Some messages include it already. */
function placedMessage({ line, path, message }: FieldError): string {
  const place = `line ${line}`;
  if (message.startsWith(`${place} `)) return message;
  return [place, path, message].filter((part) => part !== "").join(": ");
}
