/**
 * Gathers what waits and sends it together.
 *
 * An item that comes when nothing flies leaves at once. While a batch is out, arrivals wait. They leave when
 * it lands, or, in a later turn of the event loop, once they are as many as it, or it is late: so batches grow
 * with the load, and no time is set for them to fill. The queue is bounded by number and by time, and what has
 * no place, or would wait too long by the pace of the last flights, is told so at once.
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
  /** Who would wait longer is not let in, in milliseconds. */
  readonly waitMsMax: number;
  /** Items that wait whatever the pace. */
  readonly waitingFree: number;
  /** What was let in waits up to this times `waitMsMax`. */
  readonly latenessMax: number;
  /**
   * What an item takes hold of in `run`, such as a row that it locks: batches that are out at the same
   * time never hold the same, so none waits inside `run` for another.
   * @default nothing
   */
  readonly holdOf?: (item: Item) => string;
  /**
   * Asked when the batch leaves. An item that is no longer wanted is not sent.
   * @default all are
   */
  readonly isWanted?: (item: Item) => boolean;
}

interface Waiter<Item, Result> {
  readonly item: Item;
  readonly sinceMs: number;
  readonly resolve: (result: Result | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** One batch that is out. */
interface Flight<Item, Result> {
  readonly batch: readonly Waiter<Item, Result>[];
  readonly holds: ReadonlySet<string>;
  readonly sinceMs: number;
}

const REFUSED = Promise.resolve(undefined);
/** Weight of the newest flight in the average of their times. */
const PACE_WEIGHT = 1 / 8;
/** A flight takes 2 to 10 ms; behind one that takes longer, smaller batches leave, too. */
const FLIGHT_LATE_MS = 25;

export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  /** From its arrival to its departure, for what was let in. */
  readonly #lateMs: number;
  #queue: Waiter<Item, Result>[] = [];
  /** Those that are out, the oldest first. */
  readonly #flights = new Set<Flight<Item, Result>>();
  /** What the flights that are out hold. */
  readonly #held = new Set<string>();
  #meanMs = 0;
  #isScheduled = false;
  #isLookingLater = false;
  #expiry: ReturnType<typeof setTimeout> | undefined;
  readonly #idleWaiters: (() => void)[] = [];

  constructor(options: BatcherOptions<Item, Result>) {
    const { batchMax, flightsMax, queueMax, waitMsMax, latenessMax } = options;
    assert(batchMax > 0 && flightsMax > 0 && queueMax > 0, "a batcher's bounds are positive");
    this.#options = options;
    this.#lateMs = waitMsMax * latenessMax;
  }

  /** The item's result; undefined where it can't be had in time, or is no longer wanted. Rejects where its batch failed. */
  submit(item: Item): Promise<Result | undefined> {
    const { queueMax, waitingFree, waitMsMax } = this.#options;
    if (this.waiting >= queueMax) return REFUSED;
    if (this.waiting >= waitingFree && this.#expectedWaitMs() > waitMsMax) return REFUSED;
    return new Promise<Result | undefined>((resolve, reject) => {
      const waiter = { item, sinceMs: performance.now(), resolve, reject };
      this.#queue.push(waiter);
      if (this.flying === 0 && this.waiting === 1) {
        this.#depart();
        return;
      }
      this.#schedule();
      this.#scheduleExpiry(waiter.sinceMs);
    });
  }

  /** Resolves when nothing waits and nothing flies. */
  idle(): Promise<void> {
    return new Promise<void>((resolve) => {
      this.#idleWaiters.push(resolve);
      this.#settleIdle();
    });
  }

  get waiting(): number {
    return this.#queue.length;
  }

  get flying(): number {
    return this.#flights.size;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    if (!this.#mayDepart()) {
      if (this.flying < this.#options.flightsMax && this.waiting > 0) this.#lookLater();
      return;
    }
    this.#isScheduled = true;
    // All else that arrives in this turn of the event loop flies together; nothing waits for more.
    setImmediate(() => {
      this.#isScheduled = false;
      // What is left where nothing departs waits for a flight that is out, which schedules at its end.
      if (this.#mayDepart() && this.#depart()) this.#schedule();
    });
  }

  /**
   * Beside a flight that is out, a batch leaves only once it is as large: each has a cost of its own,
   * and many small ones would take the place of few large ones. What waits leaves when a flight lands
   * or is late: a flight that stands still, by a lock or a lost connection, holds up nobody else.
   */
  #mayDepart(): boolean {
    if (this.flying >= this.#options.flightsMax || this.waiting === 0) return false;
    const onTimeMs = performance.now() - FLIGHT_LATE_MS;
    for (const { sinceMs, batch } of this.#flights) {
      if (this.waiting < batch.length && sinceMs > onTimeMs) return false;
    }
    return true;
  }

  #lookLater(): void {
    if (this.#isLookingLater) return;
    this.#isLookingLater = true;
    setTimeout(() => {
      this.#isLookingLater = false;
      this.#schedule();
    }, FLIGHT_LATE_MS);
  }

  /** Sends one batch; false where nothing may leave now. */
  #depart(): boolean {
    const taken = this.#takeBatch();
    if (taken.batch.length === 0) {
      this.#settleIdle();
      return false;
    }
    this.#fly(taken);
    return true;
  }

  #fly({ batch, holds }: Omit<Flight<Item, Result>, "sinceMs">): void {
    const flight = { batch, holds, sinceMs: performance.now() };
    this.#flights.add(flight);
    for (const hold of holds) this.#held.add(hold);
    this.#options
      .run(batch.map((waiter) => waiter.item))
      .then((results) => {
        assert(results.length === batch.length, "a batch has a result for each item");
        return results;
      })
      .finally(() => this.#land(flight))
      .then(
        (results) => {
          // There are as many results as items, and a result may be undefined itself.
          for (const [index, waiter] of batch.entries()) waiter.resolve(results[index] as Result);
        },
        (error) => {
          for (const waiter of batch) waiter.reject(error);
        },
      );
  }

  /** The next batch leaves before the answers of this one are made, which may take as long as a flight. */
  #land(flight: Flight<Item, Result>): void {
    this.#flights.delete(flight);
    for (const hold of flight.holds) this.#held.delete(hold);
    this.#meanMs += (performance.now() - flight.sinceMs - this.#meanMs) * PACE_WEIGHT;
    if (this.#mayDepart()) this.#depart();
    this.#schedule();
    this.#settleIdle();
  }

  /** How long a newcomer would wait, by the pace of the last flights, or by one that is later than that. */
  #expectedWaitMs(): number {
    const { batchMax, flightsMax } = this.#options;
    if (this.flying < flightsMax) return 0;
    const [oldest] = this.#flights;
    const outMs = oldest === undefined ? 0 : performance.now() - oldest.sinceMs;
    const rounds = Math.ceil((this.waiting + 1) / batchMax) / flightsMax;
    return rounds * Math.max(this.#meanMs, outMs);
  }

  /** The first that may leave together, in their order, and what they hold; the others wait on. */
  #takeBatch(): Omit<Flight<Item, Result>, "sinceMs"> {
    const { batchMax, holdOf } = this.#options;
    const batch: Waiter<Item, Result>[] = [];
    const later: Waiter<Item, Result>[] = [];
    const holds = new Set<string>();
    for (const waiter of this.#takeWanted()) {
      const hold = holdOf?.(waiter.item);
      const isLater = batch.length >= batchMax || (hold !== undefined && this.#held.has(hold));
      if (isLater) {
        later.push(waiter);
        continue;
      }
      if (hold !== undefined) holds.add(hold);
      batch.push(waiter);
    }
    this.#queue = later;
    return { batch, holds };
  }

  /** Those that are still to be decided; whose time is up is told so. */
  #takeWanted(): Waiter<Item, Result>[] {
    const { isWanted } = this.#options;
    const overdueMs = performance.now() - this.#lateMs;
    return this.#queue.filter(({ item, sinceMs, resolve }) => {
      if (sinceMs >= overdueMs && isWanted?.(item) !== false) return true;
      resolve(undefined);
      return false;
    });
  }

  #scheduleExpiry(sinceMs: number): void {
    if (this.#expiry !== undefined) return;
    const dueMs = sinceMs + this.#lateMs - performance.now() + 1;
    // It may be due already, where the event loop was held up; Bun warns of what is negative.
    this.#expiry = setTimeout(() => this.#expire(), Math.max(1, dueMs));
  }

  /** Flights may stand still: nobody waits on for their sake. */
  #expire(): void {
    this.#queue = this.#takeWanted();
    const oldest = this.#queue[0];
    this.#expiry = undefined;
    if (oldest !== undefined) this.#scheduleExpiry(oldest.sinceMs);
    this.#settleIdle();
  }

  #settleIdle(): void {
    if (this.flying > 0 || this.waiting > 0) return;
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }
}
