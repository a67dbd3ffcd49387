/**
 * The statements of a push. `push_to_feed` counts a push in its feed's window and stores it. `count_push` only counts,
 * for a push that was refused for its content.
 *
 * Both compare the feed's definition with the one that the push was checked against. If it has changed, they do
 * nothing, and the outcome is `stale`.
 *
 * @module
 */
import { LRUCache } from "lru-cache";
import type { Actor } from "../accounts/actor.ts";
import type { Limited, WindowState } from "../admission/claims.ts";
import { FEED_STATUSES, type Feed, type FeedStatus, type FeedType } from "../feeds/find.ts";
import { assert, nameIn, present } from "../lib/assert.ts";
import { createSemaphore, type Semaphore } from "../lib/semaphore.ts";
import { hasGone } from "../lib/standstill.ts";
import {
  FULL_PUSH_WINDOWS_MAX,
  IMPORT_LEASE,
  PUSH_TURN_WAIT_MS_MAX,
  PUSHES_WAITING_FREE,
  PUSHES_WAITING_MAX,
  WINDOW_US,
} from "../limits.ts";
import {
  type Database,
  DatabaseOverloadedError,
  type Parameters,
  type Row,
} from "../postgres/client/database.ts";
import type { Push } from "./parse_push.ts";

/** The caller and the feed of a push that is counted. */
export interface CountedClaim {
  /** The feed that the push was checked against. */
  readonly feed: Feed;
  readonly keyId: string;
}

/** Those of a push that is stored, which may change the feed. */
export interface PushClaim extends CountedClaim {
  readonly actor: Actor;
}

/** Nothing was counted or stored. */
export type NotCounted =
  | Limited
  /** The key was revoked or has expired. */
  | { readonly kind: "key_refused" }
  /** The feed has changed since the push was checked. */
  | { readonly kind: "stale" };

type CountOutcome = { readonly kind: "counted"; readonly window: WindowState } | NotCounted;

type StoreOutcome =
  | { readonly kind: "stored"; readonly stored: StoredPush; readonly window: WindowState }
  /** Counted. The batch is closed. */
  | { readonly kind: "batch_closed"; readonly window: WindowState }
  | NotCounted;

type BeginOutcome =
  | { readonly kind: "begun"; readonly window: WindowState }
  /** Counted. Another import of the feed is running. */
  | { readonly kind: "running"; readonly window: WindowState }
  | NotCounted;

export interface StoredPush {
  readonly status: FeedStatus;
  /** One letter per row, in push order: i(nserted), u(pdated), or d(uplicate). */
  readonly rowOutcomes: string;
  /** Whether the rows are in a batch that readers don't see yet. */
  readonly isStaged: boolean;
  /** RFC 3339, UTC, microseconds. */
  readonly lastSyncAt: string;
  readonly dataVersion: bigint;
}

/** A push that has passed all checks. */
interface CheckedPush {
  readonly push: Push;
  readonly isDryRun: boolean;
  readonly bodyBytes: number;
  /** Milliseconds since the request arrived. */
  readonly elapsedMs: number;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

export interface PushStore {
  /** The refusal of a push to a feed whose window is known to be full. */
  findLimited(feedId: string): Limited | undefined;
  /** Counts a push. A push that was not checked is never stale. @throws {DatabaseUnavailableError} */
  count(claim: CountedClaim, options: { readonly isChecked: boolean }): Promise<CountOutcome>;
  /** Counts an import as a push, and claims the feed for it. @throws {DatabaseUnavailableError} */
  beginImport(
    claim: PushClaim,
    started: { readonly importId: string; readonly feedType: FeedType },
  ): Promise<BeginOutcome>;
  /** Counts and stores a push, unless its client has disconnected. @throws {DatabaseUnavailableError} */
  store(claim: PushClaim, checked: CheckedPush): Promise<StoreOutcome>;
}

/** How long a full window is assumed to stay full without asking the database, in milliseconds. */
const BELIEVED_MS = 1_000;

/** The window columns that both statements return. */
type WindowColumns = Row<"count_push">;

/** @param limit Pushes per feed in a window. */
export function createPushStore(database: Database, limit: number): PushStore {
  /** By feed, while pushes to it are in progress. */
  const queues = new Map<string, Semaphore>();
  // Hits leave a window only as time passes, so a window that was just full needs no statement to refuse.
  const fullWindows = new LRUCache<string, { window: WindowState; untilMs: number }>({
    max: FULL_PUSH_WINDOWS_MAX,
  });

  function findLimited(feedId: string): Limited | undefined {
    const full = fullWindows.get(feedId);
    if (full === undefined) return undefined;
    const retryAfterMs = Math.ceil(full.untilMs - performance.now());
    return { kind: "limited", window: full.window, retryAfterMs: Math.max(1, retryAfterMs) };
  }

  /**
   * Runs the work after other work for the same feed. The feed's lock serializes its pushes anyway. They wait here, so
   * that many pushes to one feed use one connection instead of all.
   */
  async function inTurn<Result>(feedId: string, work: () => Promise<Result>): Promise<Result> {
    const queue = queues.get(feedId) ?? newQueue();
    queues.set(feedId, queue);
    try {
      using permit = await queue.acquire();
      if (permit === undefined) throw new DatabaseOverloadedError();
      return await work();
    } finally {
      if (queue.running === 0) queues.delete(feedId);
    }
  }

  /** Runs a statement when it is the feed's turn, unless the window is full by then. */
  function send<Columns extends WindowColumns>(
    { feed: { feedId } }: CountedClaim,
    run: () => Promise<Columns | undefined>,
  ): Promise<{ row: Columns; window: WindowState } | NotCounted> {
    return inTurn(feedId, async () => {
      const limited = findLimited(feedId);
      if (limited !== undefined) return limited;
      const sentMs = performance.now();
      const row = present(await run());
      if (row.outcome === "stale" || row.outcome === "key_refused") return { kind: row.outcome };
      const window = windowOf(row, limit);
      if (row.outcome !== "limited") return { row, window };
      const retryAfterMs = present(row.retry_after_ms);
      const ttl = Math.min(BELIEVED_MS, retryAfterMs);
      fullWindows.set(feedId, { window, untilMs: sentMs + retryAfterMs }, { ttl, start: sentMs });
      return { kind: "limited", window, retryAfterMs };
    });
  }

  return {
    findLimited,
    async count(claim, { isChecked }) {
      const { feed, keyId } = claim;
      const { feedId, accountId } = feed;
      const version = isChecked ? feed.definitionVersion : null;
      const sent = await send(claim, () =>
        database.row("count_push", {
          feed_id: feedId,
          account_id: accountId,
          key_id: keyId,
          definition_version: version,
          window_limit: limit,
          window_us: WINDOW_US,
        }),
      );
      return "kind" in sent ? sent : { kind: "counted", window: sent.window };
    },
    async beginImport(claim, { importId, feedType }) {
      const { feed, keyId } = claim;
      const { feedId, accountId, definitionVersion } = feed;
      const sent = await send(claim, () =>
        database.row("begin_import", {
          feed_id: feedId,
          account_id: accountId,
          key_id: keyId,
          definition_version: definitionVersion,
          feed_type: feedType,
          import_id: importId,
          lease: IMPORT_LEASE,
          window_limit: limit,
          window_us: WINDOW_US,
        }),
      );
      if ("kind" in sent) return sent;
      return { kind: sent.row.outcome === "running" ? "running" : "begun", window: sent.window };
    },
    async store(claim, checked) {
      const sent = await send(claim, async () => {
        // A client that got no answer may have pushed again elsewhere, with newer data. Nothing receives this refusal.
        if (await hasGone(checked.signal)) throw new DatabaseOverloadedError();
        return database.row("push_to_feed", {
          ...parametersOf(claim, checked),
          window_limit: limit,
          window_us: WINDOW_US,
        });
      });
      if ("kind" in sent) return sent;
      const { row, window } = sent;
      if (row.outcome === "batch_closed") return { kind: "batch_closed", window };
      assert(row.outcome === "stored", "there is no other outcome of push_to_feed");
      const stored = {
        status: nameIn(FEED_STATUSES, present(row.status)),
        rowOutcomes: present(row.row_outcomes),
        isStaged: present(row.is_staged),
        lastSyncAt: present(row.last_sync_at),
        dataVersion: present(row.data_version),
      };
      return { kind: "stored", stored, window };
    },
  };
}

function newQueue(): Semaphore {
  return createSemaphore({
    runningMax: 1,
    waitingMax: PUSHES_WAITING_MAX,
    waitMsMax: PUSH_TURN_WAIT_MS_MAX,
    // The expected wait is computed from earlier pushes, and a single one that waited for a lock would raise it.
    waitingFree: PUSHES_WAITING_FREE,
  });
}

/** The parameters of the push itself, without its window. */
function parametersOf(
  { feed, keyId, actor }: PushClaim,
  checked: CheckedPush,
): Omit<Parameters<"push_to_feed">, "window_limit" | "window_us"> {
  const { push, isDryRun, bodyBytes, elapsedMs } = checked;
  return {
    feed_id: feed.feedId,
    feed_type: push.feedType,
    definition_version: feed.definitionVersion,
    row_count: push.rows.length,
    ...rowColumns(push),
    batch_id: push.batchId,
    is_complete: push.isComplete,
    is_dry_run: isDryRun,
    body_bytes: BigInt(bodyBytes),
    elapsed_ms: elapsedMs,
    account_id: feed.accountId,
    key_id: keyId,
    actor,
  };
}

/** Rows as parallel columns, the format of the statements. */
export function rowColumns({
  feedType,
  rows,
}: Pick<Push, "feedType" | "rows">): Pick<
  Parameters<"push_to_feed">,
  "row_texts" | "row_ids" | "event_times"
> {
  const isStream = feedType === "stream";
  const texts = rows.map(({ text, eventTime }) =>
    // Without its closing brace, because the time of receipt is appended.
    isStream && eventTime === null ? text.slice(0, -1) : text,
  );
  return {
    row_texts: texts.join("\n"),
    row_ids: feedType === "singleton" ? [] : rows.map(({ id }) => id),
    event_times: isStream ? rows.map(({ eventTime }) => eventTime) : [],
  };
}

function windowOf(row: WindowColumns, limit: number): WindowState {
  const remaining = Math.max(0, limit - present(row.window_used));
  return { limit, remaining, resetSeconds: Number(present(row.reset_seconds)) };
}
