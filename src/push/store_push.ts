/**
 * The statements of a push: `push_to_feed` counts a push in its feed's window and stores it, and
 * `count_push` only counts, for a push that was refused for what it holds. Interface 8.3, decisions 5.
 *
 * Both compare the feed's definition with the one that the push was checked by. If it has changed, they do
 * nothing, and the outcome is `stale`.
 *
 * @module
 */

import type { Feed } from "../feeds/find.ts";
import { assert } from "../lib/assert.ts";
import { BoundedMap } from "../lib/bounded_map.ts";
import { FULL_PUSH_WINDOWS_MAX, WINDOW_US } from "../limits.ts";
import type { Database, Row } from "../postgres/client/query.ts";
import { retryRolledBack } from "../postgres/client/retry.ts";
import { createFeedQueue } from "./feed_queue.ts";
import type { Push } from "./parse_push.ts";

/** Who pushes where. */
export interface PushClaim {
  readonly feedId: string;
  readonly accountId: string;
  readonly keyId: string;
}

/** A feed's window of pushes after a decision. */
export interface PushWindow {
  /** Pushes in a window. */
  readonly limit: number;
  readonly remaining: number;
  /** Unix epoch seconds, rounded up, at which the oldest counted push leaves the window. */
  readonly resetSeconds: number;
}

/** The window is full. Nothing was counted. */
export interface Limited {
  readonly kind: "limited";
  readonly window: PushWindow;
  readonly retryAfterMs: number;
}

/** Nothing was counted or stored. */
export type NotCounted =
  | Limited
  /** The key has been revoked or has expired. */
  | { readonly kind: "key_refused" }
  /** The feed is not as the push was checked by. */
  | { readonly kind: "stale" };

export type CountOutcome = { readonly kind: "counted"; readonly window: PushWindow } | NotCounted;

export type StoreOutcome =
  | { readonly kind: "stored"; readonly stored: StoredPush; readonly window: PushWindow }
  /** Counted; the batch takes no more rows. */
  | { readonly kind: "batch_closed"; readonly window: PushWindow }
  | NotCounted;

export interface StoredPush {
  readonly status: string;
  readonly rowsInserted: number;
  readonly rowsUpdated: number;
  readonly rowsDuplicate: number;
  /** A letter a row, in the order of the push: i(nserted), u(pdated) or d(uplicate). */
  readonly rowOutcomes: string;
  /** RFC 3339, UTC, microseconds. */
  readonly lastSyncAt: string;
  readonly dataVersion: bigint;
}

/** A push that has passed all checks. */
export interface CheckedPush {
  readonly push: Push;
  /** By which the push was checked. */
  readonly feed: Feed;
  readonly isDryRun: boolean;
  readonly bodyBytes: number;
  /** Milliseconds since the request came. */
  readonly elapsedMs: number;
}

export interface PushStore {
  /** The refusal of a push to a feed whose window is known to be full. */
  findLimited(feedId: string): Limited | undefined;
  /** Counts a push; a version of null is never stale. @throws {DatabaseUnavailableError} */
  count(claim: PushClaim, definitionVersion: bigint | null): Promise<CountOutcome>;
  /** Counts and stores a push. @throws {DatabaseUnavailableError} */
  store(claim: PushClaim, checked: CheckedPush): Promise<StoreOutcome>;
}

/** How long a full window is believed to be full without asking again, in milliseconds. */
const BELIEVED_MS = 1_000;

interface KnownWindow {
  readonly window: PushWindow;
  /** On the process's monotonic clock, in milliseconds. */
  readonly fullUntilMs: number;
  readonly believedUntilMs: number;
}

/** What both statements return of the window. */
type WindowColumns = Pick<
  Row<"count_push">,
  "outcome" | "window_used" | "reset_seconds" | "retry_after_ms"
>;

/** @param limit Pushes of a feed in a window. */
export function createPushStore(database: Database, limit: number): PushStore {
  const queue = createFeedQueue();
  // Hits only leave a window with time, so one that was full a moment ago needs no statement to say so.
  const fullWindows = new BoundedMap<string, KnownWindow>(FULL_PUSH_WINDOWS_MAX);

  function findLimited(feedId: string): Limited | undefined {
    const known = fullWindows.get(feedId);
    if (known === undefined) return undefined;
    const nowMs = performance.now();
    if (nowMs >= Math.min(known.fullUntilMs, known.believedUntilMs)) {
      fullWindows.delete(feedId);
      return undefined;
    }
    const retryAfterMs = Math.ceil(known.fullUntilMs - nowMs);
    return { kind: "limited", window: known.window, retryAfterMs };
  }

  /** Runs a statement when it is the feed's turn, unless the window is full by then. */
  function send<Columns extends WindowColumns>(
    { feedId }: PushClaim,
    run: () => Promise<Columns | undefined>,
  ): Promise<{ row: Columns; window: PushWindow } | NotCounted> {
    return queue.run(feedId, async () => {
      const limited = findLimited(feedId);
      if (limited !== undefined) return limited;
      const sentMs = performance.now();
      const row = await retryRolledBack(run);
      assert(row !== undefined, "a statement that counts returns one row");
      if (row.outcome === "stale" || row.outcome === "key_refused") return { kind: row.outcome };
      const window = windowOf(row, limit);
      if (row.outcome !== "limited") return { row, window };
      const { retry_after_ms: retryAfterMs } = row;
      assert(retryAfterMs !== null, "a full window says when it has room");
      fullWindows.set(feedId, {
        window,
        fullUntilMs: sentMs + retryAfterMs,
        believedUntilMs: sentMs + BELIEVED_MS,
      });
      return { kind: "limited", window, retryAfterMs };
    });
  }

  return {
    findLimited,
    async count(claim, definitionVersion) {
      const { feedId, accountId, keyId } = claim;
      const sent = await send(claim, () =>
        database.row("count_push", [feedId, accountId, keyId, definitionVersion, limit, WINDOW_US]),
      );
      return "kind" in sent ? sent : { kind: "counted", window: sent.window };
    },
    async store(claim, checked) {
      const sent = await send(claim, () =>
        database.row("push_to_feed", [...parametersOf(claim, checked), limit, WINDOW_US]),
      );
      if ("kind" in sent) return sent;
      const { row, window } = sent;
      if (row.outcome === "batch_closed") return { kind: "batch_closed", window };
      return { kind: "stored", stored: storedOf(row), window };
    },
  };
}

/** `$1` to `$14` of `push_to_feed`. */
function parametersOf(claim: PushClaim, checked: CheckedPush) {
  const { feedId, accountId, keyId } = claim;
  const { push, feed, isDryRun, bodyBytes, elapsedMs } = checked;
  const isStream = push.feedType === "stream";
  const texts = push.rows.map(({ text, eventTime }) =>
    // Without its closing brace: the time of receipt goes there.
    isStream && eventTime === null ? text.slice(0, -1) : text,
  );
  return [
    feedId,
    push.feedType,
    feed.definitionVersion,
    push.rows.length,
    texts.join("\n"),
    push.feedType === "singleton" ? [] : push.rows.map(({ id }) => id),
    isStream ? push.rows.map(({ eventTime }) => eventTime) : [],
    push.batchId,
    push.isComplete,
    isDryRun,
    BigInt(bodyBytes),
    elapsedMs,
    accountId,
    keyId,
  ] as const;
}

function windowOf(row: WindowColumns, limit: number): PushWindow {
  const { outcome, window_used: used, reset_seconds: resetSeconds } = row;
  assert(used !== null && resetSeconds !== null, `the outcome "${outcome}" tells of the window`);
  return { limit, remaining: Math.max(0, limit - used), resetSeconds: Number(resetSeconds) };
}

function storedOf(row: Row<"push_to_feed">): StoredPush {
  const { outcome, status, row_outcomes: rowOutcomes, last_sync_at: lastSyncAt } = row;
  assert(outcome === "stored", `push_to_feed returned the unknown outcome "${outcome}"`);
  assert(status !== null && rowOutcomes !== null && lastSyncAt !== null, "what is stored is told");
  return {
    status,
    rowsInserted: row.rows_inserted ?? 0,
    rowsUpdated: row.rows_updated ?? 0,
    rowsDuplicate: row.rows_duplicate ?? 0,
    rowOutcomes,
    lastSyncAt,
    dataVersion: row.data_version ?? 0n,
  };
}
