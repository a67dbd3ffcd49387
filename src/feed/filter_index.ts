/**
 * Keeps the index that filters are answered from: in the background, a small piece at a time.
 *
 * A push pays nothing for it. A filtered read reports how many rows it had to look through for want of
 * an index; where those are many, the batch or stream is brought up to date. What grows very large is
 * indexed before anyone filters it, slowly, so that the first filter need not look through it all.
 * Reads are exact at every moment: rows that the index lacks are looked through
 * (`sql/functions/match_collection_rows.sql`). Decisions 6.
 *
 * @module
 */
import type { Database } from "../database/query.ts";
import type { Log } from "../lib/log.ts";
import {
  FILTER_CHUNK_ROWS,
  FILTER_QUEUE_MAX,
  FILTER_SWEEP_MS,
  FILTER_UNASKED_ROWS_MIN,
  FILTER_WALK_ROWS,
  RETIRED_BATCH_GRACE,
} from "../limits.ts";

/** A batch of a collection, or, by the number 0, a stream. */
export interface FilterTarget {
  readonly feedId: string;
  readonly batchNumber: bigint;
}

export interface FilterIndexer {
  /** After a filtered read: brings the index up to date where the read lacked it much. */
  noteUnindexed(target: FilterTarget, unindexedRows: bigint): void;
  /** Resolves when nothing is left to do; for tests and benchmarks. */
  idle(): Promise<void>;
}

export interface FilterIndexerOptions {
  readonly database: Database;
  readonly log: Log;
  /** True once the gateway drains: work ends after the piece under way. */
  readonly isStopping: () => boolean;
  /** Between two looks for what is to be indexed or removed, in milliseconds. @default FILTER_SWEEP_MS */
  readonly sweepMs?: number;
}

const ENTRIES_REMOVED_MAX = 10_000;
/** Unasked work rests this many times as long as it ran: it takes a quarter of one core at most. */
const REST_FACTOR = 3;

export function createFilterIndexer(options: FilterIndexerOptions): FilterIndexer {
  const { database, log, isStopping, sweepMs = FILTER_SWEEP_MS } = options;
  /** By batch: whether a reader waits for it, or nobody asked yet. */
  const queue = new Map<string, FilterTarget & { readonly isAsked: boolean }>();
  let working: Promise<void> | undefined;
  let newestPushId: bigint | null = null;

  function enqueue(target: FilterTarget, isAsked: boolean): void {
    const key = `${target.feedId} ${target.batchNumber}`;
    const isAskedBefore = queue.get(key)?.isAsked ?? false;
    if (!queue.has(key) && queue.size >= FILTER_QUEUE_MAX) return;
    queue.set(key, { ...target, isAsked: isAsked || isAskedBefore });
    working ??= work().finally(() => {
      working = undefined;
    });
  }

  async function work(): Promise<void> {
    while (queue.size > 0 && !isStopping()) {
      // What a reader asked for goes first.
      const entries = [...queue];
      const [key, target] = entries.find(([, each]) => each.isAsked) ?? (entries[0] as Entry);
      const startedMs = performance.now();
      const hasMore = await indexChunk(target);
      if (!hasMore) queue.delete(key);
      if (!target.isAsked) await Bun.sleep(REST_FACTOR * (performance.now() - startedMs));
    }
  }

  /** False where the batch is done, or can't be indexed now: the next filtered read asks again. */
  async function indexChunk({ feedId, batchNumber }: FilterTarget): Promise<boolean> {
    try {
      const row = await database.row("index_filter_rows", [feedId, batchNumber, FILTER_CHUNK_ROWS]);
      return row?.has_more ?? false;
    } catch (error) {
      log.warn("filter index not brought up to date", { feedId, batchNumber, error });
      return false;
    }
  }

  async function sweep(): Promise<void> {
    const found = await database.rows("find_unindexed_batches", [
      newestPushId,
      BigInt(FILTER_UNASKED_ROWS_MIN),
    ]);
    for (const { newest_push_id: pushId, feed_id: feedId, batch_number: batchNumber } of found) {
      newestPushId = pushId;
      if (feedId !== null && batchNumber !== null) enqueue({ feedId, batchNumber }, false);
    }
    await removeEntries();
  }

  /** All that no reader can need any more, in pieces, with rests between them. */
  async function removeEntries(): Promise<void> {
    while (!isStopping()) {
      const startedMs = performance.now();
      const row = await database.row("remove_filter_entries", [
        RETIRED_BATCH_GRACE,
        ENTRIES_REMOVED_MAX,
      ]);
      if (row?.has_more !== true) return;
      await Bun.sleep(REST_FACTOR * (performance.now() - startedMs));
    }
  }

  let isSweeping = false;
  const sweeping = setInterval(async () => {
    if (isStopping()) clearInterval(sweeping);
    // The last one may still be at it.
    if (isStopping() || isSweeping) return;
    isSweeping = true;
    try {
      await sweep();
    } catch (error) {
      if (!isStopping()) log.warn("filter indexes not swept", { error });
    } finally {
      isSweeping = false;
    }
  }, sweepMs);
  sweeping.unref();

  return {
    noteUnindexed(target, unindexedRows) {
      if (unindexedRows > BigInt(FILTER_WALK_ROWS) && !isStopping()) enqueue(target, true);
    },
    async idle() {
      while (working !== undefined) await working;
    },
  };
}

type Entry = [string, FilterTarget & { readonly isAsked: boolean }];
