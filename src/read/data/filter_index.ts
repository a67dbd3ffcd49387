/**
 * Maintains the index for filters, in the background and in small steps.
 *
 * A push writes no index entries. A filtered read reports how many unindexed rows it had to scan. If there were many,
 * the batch or stream is indexed up to its end. Very large ones are indexed by maintenance before anyone filters them
 * (`index_large_batches.sql`). Reads are always exact: unindexed rows are scanned, and if there are too many to scan,
 * the read is refused (`match_collection_rows.sql`). See `src/spec/decisions.md`, section 6.
 *
 * @module
 */
import { BackgroundWork } from "../../lib/background_work.ts";
import { FILTER_QUEUE_MAX, FILTER_STEP_BYTES, FILTER_WALK_ROWS } from "../../limits.ts";
import type { Services } from "../../services.ts";

/** A batch of a collection, or a stream, which has the number 0. */
export interface FilterTarget {
  readonly feedId: string;
  readonly batchNumber: bigint;
}

/** What a filtered read reports about the index. */
export interface Unindexed {
  /** Rows that are not in the index. */
  readonly unindexed: bigint;
  /** True if there were too many of them to scan. */
  readonly is_refused: boolean;
}

/** Called with the report of each filtered read. If many rows were not indexed, indexes them. */
export type NoteUnindexed = (target: FilterTarget, lacked: Unindexed) => void;

/** The pause after a step is this many times the step's duration, so indexing takes at most a third of one core. */
const REST_FACTOR = 2;
const REST_MS_MIN = 10;

export function createFilterIndexer({ database, log, state }: Services): NoteUnindexed {
  /** By batch, the next one first. */
  const queue = new Map<string, FilterTarget>();
  const working = new BackgroundWork(indexQueued);

  /** Runs one step of each in turn, so that none waits for a large one. */
  async function indexQueued(): Promise<void> {
    for (const [key, target] of queue) {
      if (state.isDraining) return;
      const startedMs = performance.now();
      const hasMore = await indexStep(target);
      queue.delete(key);
      // Iteration over a map visits entries that are added during the iteration, at its end.
      if (hasMore) queue.set(key, target);
      await Bun.sleep(Math.max(REST_MS_MIN, REST_FACTOR * (performance.now() - startedMs)));
    }
  }

  /** False if the batch is done, or if it can't be indexed now. In that case, the next filtered read asks again. */
  async function indexStep({ feedId, batchNumber }: FilterTarget): Promise<boolean> {
    try {
      const row = await database.row("index_filter_rows", {
        feed_id: feedId,
        batch_number: batchNumber,
        work_max: FILTER_STEP_BYTES,
      });
      return row?.has_more ?? false;
    } catch (error) {
      const about = { feed: feedId, batch: batchNumber, error };
      if (!state.isDraining) log.warn("filter index not updated", about);
      return false;
    }
  }

  return (target, { unindexed, is_refused: isRefused }) => {
    if (!isRefused && unindexed <= BigInt(FILTER_WALK_ROWS)) return;
    const key = `${target.feedId} ${target.batchNumber}`;
    if (state.isDraining || queue.has(key) || queue.size >= FILTER_QUEUE_MAX) return;
    queue.set(key, target);
    working.start();
  };
}
