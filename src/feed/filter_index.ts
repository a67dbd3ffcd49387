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
import { BackgroundWork } from "../lib/background_work.ts";
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

/** What is to be indexed. */
interface Task extends FilterTarget {
  /** Whether a reader waits for it, or nobody asked yet. */
  readonly isAsked: boolean;
}

export class FilterIndexer {
  readonly #options: FilterIndexerOptions;
  /** By batch. */
  readonly #queue = new Map<string, Task>();
  readonly #working = new BackgroundWork({
    run: () => this.#work(),
    hasMore: () => this.#queue.size > 0 && !this.#options.isStopping(),
  });
  #newestPushId: bigint | null = null;
  #isSweeping = false;

  constructor(options: FilterIndexerOptions) {
    this.#options = options;
    const { isStopping, sweepMs = FILTER_SWEEP_MS } = options;
    const sweeping = setInterval(() => {
      if (isStopping()) clearInterval(sweeping);
      else this.#sweep();
    }, sweepMs);
    sweeping.unref();
  }

  /** After a filtered read: brings the index up to date where the read lacked it much. */
  noteUnindexed(target: FilterTarget, unindexedRows: bigint): void {
    if (unindexedRows <= BigInt(FILTER_WALK_ROWS) || this.#options.isStopping()) return;
    this.#enqueue({ ...target, isAsked: true });
  }

  /** Resolves when nothing is left to do; for tests and benchmarks. */
  idle(): Promise<void> {
    return this.#working.idle();
  }

  #enqueue(task: Task): void {
    const key = `${task.feedId} ${task.batchNumber}`;
    const queued = this.#queue.get(key);
    if (queued === undefined && this.#queue.size >= FILTER_QUEUE_MAX) return;
    this.#queue.set(key, { ...task, isAsked: task.isAsked || queued?.isAsked === true });
    this.#working.start();
  }

  async #work(): Promise<void> {
    while (this.#queue.size > 0 && !this.#options.isStopping()) {
      // What a reader asked for goes first.
      const entries = [...this.#queue];
      const [key, task] =
        entries.find(([, each]) => each.isAsked) ?? (entries[0] as [string, Task]);
      const startedMs = performance.now();
      const hasMore = await this.#indexChunk(task);
      if (!hasMore) this.#queue.delete(key);
      if (!task.isAsked) await Bun.sleep(REST_FACTOR * (performance.now() - startedMs));
    }
  }

  /** False where the batch is done, or can't be indexed now: the next filtered read asks again. */
  async #indexChunk({ feedId, batchNumber }: FilterTarget): Promise<boolean> {
    const { database, log } = this.#options;
    try {
      const row = await database.row("index_filter_rows", [feedId, batchNumber, FILTER_CHUNK_ROWS]);
      return row?.has_more ?? false;
    } catch (error) {
      log.warn("filter index not brought up to date", { feedId, batchNumber, error });
      return false;
    }
  }

  /** Looks for what has grown large unasked, and for what nobody needs any more; one look at a time. */
  async #sweep(): Promise<void> {
    if (this.#isSweeping) return;
    const { isStopping, log } = this.#options;
    this.#isSweeping = true;
    try {
      await this.#findUnindexed();
      await this.#removeEntries();
    } catch (error) {
      if (!isStopping()) log.warn("filter indexes not swept", { error });
    } finally {
      this.#isSweeping = false;
    }
  }

  async #findUnindexed(): Promise<void> {
    const found = await this.#options.database.rows("find_unindexed_batches", [
      this.#newestPushId,
      BigInt(FILTER_UNASKED_ROWS_MIN),
    ]);
    for (const { newest_push_id: pushId, feed_id: feedId, batch_number: batchNumber } of found) {
      this.#newestPushId = pushId;
      if (feedId === null || batchNumber === null) continue;
      this.#enqueue({ feedId, batchNumber, isAsked: false });
    }
  }

  /** All that no reader can need any more, in pieces, with rests between them. */
  async #removeEntries(): Promise<void> {
    const { database, isStopping } = this.#options;
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
}
