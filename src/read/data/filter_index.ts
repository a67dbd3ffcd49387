/**
 * Keeps the index that filters are answered from: in the background, a small step at a time.
 *
 * A push writes no index entries. A filtered read reports how many rows it had to look through for want of
 * an index; if those are many, the batch or stream is brought up to date. What grows very large is indexed by
 * maintenance before anyone filters it (`index_large_batches.sql`). Reads are exact at every moment: rows
 * that the index lacks are looked through, and if they are too many for that the read is refused
 * (`match_collection_rows.sql`). Decisions 6.
 *
 * @module
 */

import { BackgroundWork } from "../../lib/background_work.ts";
import type { Log } from "../../lib/log.ts";
import { FILTER_QUEUE_MAX, FILTER_STEP_BYTES, FILTER_WALK_ROWS } from "../../limits.ts";
import type { Database } from "../../postgres/client/query.ts";

/** A batch of a collection, or, by the number 0, a stream. */
export interface FilterTarget {
  readonly feedId: string;
  readonly batchNumber: bigint;
}

/** What a filtered read says of the index. */
export interface Unindexed {
  /** Rows that the index lacks. */
  readonly unindexed: bigint;
  /** True if they were too many to be looked through. */
  readonly is_refused: boolean;
}

export interface FilterIndexerOptions {
  readonly database: Database;
  readonly log: Log;
  /** True once the gateway drains: work ends after the step under way. */
  readonly isStopping: () => boolean;
}

/** The work rests this many times as long as a step lasts: it takes a third of one core at most. */
const REST_FACTOR = 2;
const REST_MS_MIN = 10;

export class FilterIndexer {
  readonly #options: FilterIndexerOptions;
  /** By batch; the next one first. */
  readonly #queue = new Map<string, FilterTarget>();
  readonly #working = new BackgroundWork({
    run: () => this.#work(),
    hasMore: () => this.#queue.size > 0 && !this.#options.isStopping(),
  });

  constructor(options: FilterIndexerOptions) {
    this.#options = options;
  }

  /** After a filtered read: brings the index up to date if the read lacked it much. */
  noteUnindexed(target: FilterTarget, { unindexed, is_refused: isRefused }: Unindexed): void {
    if (!isRefused && unindexed <= BigInt(FILTER_WALK_ROWS)) return;
    const key = `${target.feedId} ${target.batchNumber}`;
    if (this.#queue.has(key) || this.#queue.size >= FILTER_QUEUE_MAX) return;
    if (this.#options.isStopping()) return;
    this.#queue.set(key, target);
    this.#working.start();
  }

  /** A step of each in turn, so that none waits behind a large one. */
  async #work(): Promise<void> {
    for (const [key, target] of this.#queue) {
      if (this.#options.isStopping()) return;
      const startedMs = performance.now();
      const hasMore = await this.#indexStep(target);
      this.#queue.delete(key);
      // A map gives back last what was put in last, also to a walk that is under way.
      if (hasMore) this.#queue.set(key, target);
      await Bun.sleep(Math.max(REST_MS_MIN, REST_FACTOR * (performance.now() - startedMs)));
    }
  }

  /** False if the batch is done, or can't be indexed now: the next filtered read asks again. */
  async #indexStep({ feedId, batchNumber }: FilterTarget): Promise<boolean> {
    const { database, log, isStopping } = this.#options;
    try {
      const row = await database.row("index_filter_rows", [feedId, batchNumber, FILTER_STEP_BYTES]);
      return row?.has_more ?? false;
    } catch (error) {
      if (!isStopping()) {
        log.warn("filter index not brought up to date", {
          feed: feedId,
          batch: batchNumber,
          error,
        });
      }
      return false;
    }
  }
}
