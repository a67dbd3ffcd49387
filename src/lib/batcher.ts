/**
 * Gathers what waits and sends it together, without a timer.
 *
 * An item that comes when nothing flies leaves at once. While flights are out, arrivals gather, and
 * leave when a flight lands, or before it once they are as many as it took: so batches grow with the
 * load. The queue is bounded by number and by time, and what has no place, or would wait too long by the
 * pace of the last flights, is told so at once.
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
  /** How long an item may wait, in milliseconds. @default no bound */
  readonly waitMsMax?: number;
  /** Items that wait whatever the pace. @default 0 */
  readonly waitingFree?: number;
  /** What was let in may wait so many times as long. @default 2 */
  readonly latenessMax?: number;
  /** Items of one non-undefined group never share a batch: the later waits for the next. */
  readonly groupOf?: (item: Item) => string | undefined;
  /**
   * What an item takes hold of in `run`, such as a row that it locks: batches that are out at the same
   * time never hold the same, so none waits inside `run` for another. @default nothing
   */
  readonly holdOf?: (item: Item) => string;
  /** Asked when the batch leaves; an item that is no longer wanted is dropped, its promise unsettled. */
  readonly isWanted?: (item: Item) => boolean;
}

export interface Batcher<Item, Result> {
  /** The item's result; undefined where it can't be had in time. Rejects where its batch failed. */
  submit(item: Item): Promise<Result | undefined>;
  /** Resolves when nothing waits and nothing flies. */
  idle(): Promise<void>;
  readonly waiting: number;
  readonly flying: number;
}

interface Waiter<Item, Result> {
  readonly item: Item;
  readonly sinceMs: number;
  readonly resolve: (result: Result | undefined) => void;
  readonly reject: (error: unknown) => void;
}

const REFUSED = Promise.resolve(undefined);
/** Weight of the newest flight in the average of their times. */
const PACE_WEIGHT = 1 / 8;
/** A flight takes 2 to 10 ms; behind one that takes longer, smaller batches leave, too. */
const FLIGHT_LATE_MS = 25;

export function createBatcher<Item, Result>(
  options: BatcherOptions<Item, Result>,
): Batcher<Item, Result> {
  const { batchMax, flightsMax, queueMax, groupOf, holdOf, isWanted } = options;
  const { waitMsMax = Number.POSITIVE_INFINITY, waitingFree = 0, latenessMax = 2 } = options;
  assert(batchMax > 0 && flightsMax > 0 && queueMax > 0, "a batcher's bounds are positive");
  let queue: Waiter<Item, Result>[] = [];
  let flying = 0;
  let meanMs = 0;
  /** The flights that are out, the oldest first. */
  const departures = new Set<{ readonly sinceMs: number; readonly size: number }>();
  /** What the flights that are out hold. */
  const held = new Set<string>();
  let isScheduled = false;
  let isLookingLater = false;
  let expiry: ReturnType<typeof setTimeout> | undefined;
  const idleWaiters: (() => void)[] = [];

  function schedule(): void {
    if (isScheduled) return;
    if (!mayDepart()) {
      if (flying < flightsMax && queue.length > 0) lookLater();
      return;
    }
    isScheduled = true;
    // Everything that arrived in this turn of the event loop flies together; nothing waits for more.
    setImmediate(() => {
      isScheduled = false;
      // What is left where nothing departs waits for a flight that is out, which schedules at its end.
      if (mayDepart() && depart()) schedule();
    });
  }

  /**
   * Beside a flight that is out, a batch leaves only once it is as large: each has a cost of its own,
   * and many small ones would take the place of few large ones. What waits leaves when a flight lands
   * or is late: a flight that stands still, by a lock or a lost connection, holds up nobody else.
   */
  function mayDepart(): boolean {
    if (flying >= flightsMax || queue.length === 0) return false;
    const onTimeMs = performance.now() - FLIGHT_LATE_MS;
    for (const { sinceMs, size } of departures) {
      if (queue.length < size && sinceMs > onTimeMs) return false;
    }
    return true;
  }

  function lookLater(): void {
    if (isLookingLater) return;
    isLookingLater = true;
    setTimeout(() => {
      isLookingLater = false;
      schedule();
    }, FLIGHT_LATE_MS);
  }

  /** Sends one batch; false where nothing may leave now. */
  function depart(): boolean {
    const { batch, holds } = takeBatch();
    if (batch.length === 0) {
      settleIdle();
      return false;
    }
    flying += 1;
    for (const hold of holds) held.add(hold);
    const departure = { sinceMs: performance.now(), size: batch.length };
    departures.add(departure);
    // The next batch leaves before the answers of this one are made, which may take as long as a flight.
    const land = () => {
      flying -= 1;
      for (const hold of holds) held.delete(hold);
      departures.delete(departure);
      meanMs += (performance.now() - departure.sinceMs - meanMs) * PACE_WEIGHT;
      if (mayDepart()) depart();
      schedule();
      settleIdle();
    };
    options
      .run(batch.map((waiter) => waiter.item))
      .finally(land)
      .then(
        (results) => {
          assert(results.length === batch.length, "a batch has a result for each item");
          for (const [index, waiter] of batch.entries()) waiter.resolve(results[index] as Result);
        },
        (error) => {
          for (const waiter of batch) waiter.reject(error);
        },
      );
    return true;
  }

  /** How long a newcomer would wait, by the pace of late, or by a flight that is later than that. */
  function expectedWaitMs(): number {
    if (flying < flightsMax) return 0;
    let outMs = 0;
    for (const { sinceMs } of departures) {
      outMs = performance.now() - sinceMs;
      break;
    }
    const rounds = Math.ceil((queue.length + 1) / batchMax) / flightsMax;
    return rounds * Math.max(meanMs, outMs);
  }

  /** Those that are still to be decided; whose time is up is told so. */
  function takeWanted(): Waiter<Item, Result>[] {
    const overdueMs = performance.now() - waitMsMax * latenessMax;
    return queue.filter(({ item, sinceMs, resolve }) => {
      if (isWanted?.(item) === false) return false;
      if (sinceMs >= overdueMs) return true;
      resolve(undefined);
      return false;
    });
  }

  /** Flights may stand still: nobody waits on for their sake. */
  function expire(): void {
    queue = takeWanted();
    const oldest = queue[0];
    expiry = undefined;
    if (oldest !== undefined) scheduleExpiry(oldest.sinceMs);
    settleIdle();
  }

  function scheduleExpiry(sinceMs: number): void {
    if (expiry !== undefined || waitMsMax === Number.POSITIVE_INFINITY) return;
    expiry = setTimeout(expire, sinceMs + waitMsMax * latenessMax - performance.now() + 1);
  }

  /** The first that may leave together, in their order, and what they hold; the others wait on. */
  function takeBatch(): { batch: Waiter<Item, Result>[]; holds: Set<string> } {
    const batch: Waiter<Item, Result>[] = [];
    const later: Waiter<Item, Result>[] = [];
    const groups = new Set<string>();
    const holds = new Set<string>();
    for (const waiter of takeWanted()) {
      const group = groupOf?.(waiter.item);
      const hold = holdOf?.(waiter.item);
      const isLater =
        batch.length >= batchMax ||
        (group !== undefined && groups.has(group)) ||
        (hold !== undefined && held.has(hold));
      if (isLater) {
        later.push(waiter);
        continue;
      }
      if (group !== undefined) groups.add(group);
      if (hold !== undefined) holds.add(hold);
      batch.push(waiter);
    }
    queue = later;
    return { batch, holds };
  }

  function settleIdle(): void {
    if (flying > 0 || queue.length > 0) return;
    for (const resolve of idleWaiters.splice(0)) resolve();
  }

  return {
    submit(item) {
      if (queue.length >= queueMax) return REFUSED;
      if (queue.length >= waitingFree && expectedWaitMs() > waitMsMax) return REFUSED;
      return new Promise<Result | undefined>((resolve, reject) => {
        const sinceMs = performance.now();
        queue.push({ item, sinceMs, resolve, reject });
        schedule();
        scheduleExpiry(sinceMs);
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
