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
import { FILTER_QUEUE_MAX, FILTER_STEP_BYTES, FILTER_WALK_ROWS } from "../../limits.ts";
import type { Services } from "../../services.ts";

/** A batch of a collection, or, by the number 0, a stream. */
export interface FilterTarget {
  readonly feedId: string;
  readonly batchNumber: bigint;
}

/** What a filtered read reports of the index. */
export interface Unindexed {
  /** Rows that the index lacks. */
  readonly unindexed: bigint;
  /** True if they were too many to be looked through. */
  readonly is_refused: boolean;
}

/** Takes the report of each filtered read. If the index lacked many rows, brings it up to date. */
export type NoteUnindexed = (target: FilterTarget, lacked: Unindexed) => void;

/** The work rests this many times as long as a step lasts: it takes a third of one core at most. */
const REST_FACTOR = 2;
const REST_MS_MIN = 10;

export function createFilterIndexer({ database, log, state }: Services): NoteUnindexed {
  /** By batch; the next one first. */
  const queue = new Map<string, FilterTarget>();
  const working = new BackgroundWork(indexQueued);

  /** One step of each in turn, so that none waits for a large one. */
  async function indexQueued(): Promise<void> {
    for (const [key, target] of queue) {
      if (state.isDraining) return;
      const startedMs = performance.now();
      const hasMore = await indexStep(target);
      queue.delete(key);
      // A walk over a map comes to what was added last at the end, also if it is added during the walk.
      if (hasMore) queue.set(key, target);
      await Bun.sleep(Math.max(REST_MS_MIN, REST_FACTOR * (performance.now() - startedMs)));
    }
  }

  /** False if the batch is done, or can't be indexed now: the next filtered read asks again. */
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
      if (!state.isDraining) log.warn("filter index not brought up to date", about);
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
