/**
 * Gathers what waits and sends it together, without a timer.
 *
 * A batch leaves as soon as a flight is free: alone when idle, larger the busier it gets. While all
 * flights are out, arrivals gather; the queue is bounded, and what has no place is told so at once.
 *
 * @module
 */
import { assert } from "./assert.ts";

export interface BatcherOptions<Item, Result> {
  /** Decides one batch; a result for each item, in the same order. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Items in one batch at most. */
  readonly batchMax: number;
  /** Batches under way at most. */
  readonly flightsMax: number;
  /** Items that may wait. */
  readonly queueMax: number;
  /** Items of one non-undefined group never share a batch: the later waits for the next. */
  readonly groupOf?: (item: Item) => string | undefined;
  /** Asked when the batch leaves; an item that is no longer wanted is dropped, its promise unsettled. */
  readonly isWanted?: (item: Item) => boolean;
}

export interface Batcher<Item, Result> {
  /** The item's result; undefined where the queue is full. Rejects where its batch failed. */
  submit(item: Item): Promise<Result> | undefined;
  /** Resolves when nothing waits and nothing flies. */
  idle(): Promise<void>;
  readonly waiting: number;
  readonly flying: number;
}

interface Waiter<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export function createBatcher<Item, Result>(
  options: BatcherOptions<Item, Result>,
): Batcher<Item, Result> {
  const { batchMax, flightsMax, queueMax, groupOf, isWanted } = options;
  assert(batchMax > 0 && flightsMax > 0 && queueMax > 0, "a batcher's bounds are positive");
  let queue: Waiter<Item, Result>[] = [];
  let flying = 0;
  let isScheduled = false;
  const idleWaiters: (() => void)[] = [];

  function schedule(): void {
    if (isScheduled || flying >= flightsMax || queue.length === 0) return;
    isScheduled = true;
    // Everything that arrived in this turn of the event loop flies together; nothing waits for more.
    setImmediate(() => {
      isScheduled = false;
      depart();
      schedule();
    });
  }

  function depart(): void {
    const batch = takeBatch();
    if (batch.length === 0) {
      settleIdle();
      return;
    }
    flying += 1;
    options
      .run(batch.map((waiter) => waiter.item))
      .then(
        (results) => {
          assert(results.length === batch.length, "a batch has a result for each item");
          for (const [index, waiter] of batch.entries()) waiter.resolve(results[index] as Result);
        },
        (error) => {
          for (const waiter of batch) waiter.reject(error);
        },
      )
      .finally(() => {
        flying -= 1;
        schedule();
        settleIdle();
      });
  }

  function takeBatch(): Waiter<Item, Result>[] {
    const wanted = isWanted === undefined ? queue : queue.filter(({ item }) => isWanted(item));
    if (groupOf === undefined) {
      queue = wanted.slice(batchMax);
      return wanted.slice(0, batchMax);
    }
    const batch: Waiter<Item, Result>[] = [];
    const later: Waiter<Item, Result>[] = [];
    const groups = new Set<string>();
    for (const waiter of wanted) {
      const group = groupOf(waiter.item);
      if (batch.length >= batchMax || (group !== undefined && groups.has(group))) {
        later.push(waiter);
        continue;
      }
      if (group !== undefined) groups.add(group);
      batch.push(waiter);
    }
    queue = later;
    return batch;
  }

  function settleIdle(): void {
    if (flying > 0 || queue.length > 0) return;
    for (const resolve of idleWaiters.splice(0)) resolve();
  }

  return {
    submit(item) {
      if (queue.length >= queueMax) return undefined;
      return new Promise<Result>((resolve, reject) => {
        queue.push({ item, resolve, reject });
        schedule();
      });
    },
    idle: () =>
      new Promise<void>((resolve) => {
        idleWaiters.push(resolve);
        settleIdle();
      }),
    get waiting() {
      return queue.length;
    },
    get flying() {
      return flying;
    },
  };
}
