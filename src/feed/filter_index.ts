/**
 * Keeps the index that filters are answered from: in the background, a small piece at a time.
 *
 * A push writes no index entries for new rows. A filtered read reports how many rows it had to look through
 * for want of an index; where those are many, the batch or stream is brought up to date. What grows very
 * large is indexed by maintenance before anyone filters it (`index_large_batches.sql`). Reads are exact at
 * every moment: rows that the index lacks are looked through (`match_collection_rows.sql`). Decisions 6.
 *
 * @module
 */

import { BackgroundWork } from "../lib/background_work.ts";
import type { Log } from "../lib/log.ts";
import { FILTER_CHUNK_ROWS, FILTER_QUEUE_MAX, FILTER_WALK_ROWS } from "../limits.ts";
import type { Database } from "../postgres/client/query.ts";

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
}

/** Between two pieces: pushes to the feed come between. */
const PAUSE_MS = 10;

export class FilterIndexer {
  readonly #options: FilterIndexerOptions;
  /** By batch. */
  readonly #queue = new Map<string, FilterTarget>();
  readonly #working = new BackgroundWork({
    run: () => this.#work(),
    hasMore: () => this.#queue.size > 0 && !this.#options.isStopping(),
  });

  constructor(options: FilterIndexerOptions) {
    this.#options = options;
  }

  /** After a filtered read: brings the index up to date where the read lacked it much. */
  noteUnindexed(target: FilterTarget, unindexedRows: bigint): void {
    if (unindexedRows <= BigInt(FILTER_WALK_ROWS) || this.#options.isStopping()) return;
    if (this.#queue.size >= FILTER_QUEUE_MAX) return;
    this.#queue.set(`${target.feedId} ${target.batchNumber}`, target);
    this.#working.start();
  }

  async #work(): Promise<void> {
    for (const [key, target] of this.#queue) {
      while (!this.#options.isStopping() && (await this.#indexChunk(target))) {
        await Bun.sleep(PAUSE_MS);
      }
      this.#queue.delete(key);
    }
  }

  /** False where the batch is done, or can't be indexed now: the next filtered read asks again. */
  async #indexChunk({ feedId, batchNumber }: FilterTarget): Promise<boolean> {
    const { database, log, isStopping } = this.#options;
    try {
      const row = await database.row("index_filter_rows", [feedId, batchNumber, FILTER_CHUNK_ROWS]);
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
