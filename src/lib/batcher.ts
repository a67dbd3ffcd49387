/**
 * Sends items in batches.
 *
 * An item that arrives while no batch is in flight is sent immediately. While a batch is in flight, new items wait.
 * They are sent when it ends, or earlier if they are as many as the batch or if the batch is late. So batches grow with
 * the load, and no timer is needed to fill them. The queue is limited in length and time. An item is refused
 * immediately if the queue is full, or if the mean time of recent batches predicts that it would wait too long.
 *
 * @module
 */
import { assert } from "./assert.ts";

export interface BatcherOptions<Item, Result> {
  /** Runs one batch. Returns a result for each item, in the same order. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** The most items in one batch. */
  readonly batchMax: number;
  /** The most batches in flight. */
  readonly flightsMax: number;
  /** Items that may wait. */
  readonly queueMax: number;
  /** An item that would wait longer than this many milliseconds is refused. */
  readonly waitMsMax: number;
  /** This many items may wait, however long that takes. */
  readonly waitingFree: number;
  /** A queued item is refused after this many times `waitMsMax`. */
  readonly latenessMax: number;
  /**
   * What an item locks in `run`, such as a row. Batches in flight never lock the same thing, so none waits for another
   * inside `run`.
   * @default nothing
   */
  readonly holdOf?: (item: Item) => string;
  /**
   * Called when the batch is sent. An item that is no longer wanted is not sent.
   * @default all are
   */
  readonly isWanted?: (item: Item) => boolean;
  /** The clock for waits and batches, in milliseconds. @default performance.now */
  readonly nowMs?: () => number;
}

interface Waiter<Item, Result> {
  readonly item: Item;
  readonly sinceMs: number;
  readonly resolve: (result: Result | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** A batch in flight. */
interface Flight<Item, Result> {
  readonly batch: readonly Waiter<Item, Result>[];
  readonly holds: ReadonlySet<string>;
  readonly sinceMs: number;
}

const REFUSED = Promise.resolve(undefined);
/** Weight of the newest batch in the mean time of batches. */
const MEAN_WEIGHT = 1 / 8;
/** A batch takes 2 to 10 ms. While one takes longer than this, smaller batches are sent in parallel. */
const FLIGHT_LATE_MS = 25;

export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  /** How long an item may wait in the queue. */
  readonly #lateMs: number;
  readonly #nowMs: () => number;
  #queue: Waiter<Item, Result>[] = [];
  /** Batches in flight, oldest first. */
  readonly #flights = new Set<Flight<Item, Result>>();
  /** What the batches in flight lock. */
  readonly #held = new Set<string>();
  #meanMs = 0;
  #isScheduled = false;
  #isLookingLater = false;
  #expiry: ReturnType<typeof setTimeout> | undefined;

  constructor(options: BatcherOptions<Item, Result>) {
    const { batchMax, flightsMax, queueMax, waitMsMax, latenessMax } = options;
    assert(batchMax > 0 && flightsMax > 0 && queueMax > 0, "a batcher's bounds are positive");
    this.#options = options;
    this.#lateMs = waitMsMax * latenessMax;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  /** The item's result. Undefined if it was refused or is no longer wanted. Rejects if its batch failed. */
  submit(item: Item): Promise<Result | undefined> {
    const { queueMax, waitingFree, waitMsMax } = this.#options;
    if (this.waiting >= queueMax) return REFUSED;
    if (this.waiting >= waitingFree && this.#expectedWaitMs() > waitMsMax) return REFUSED;
    return new Promise<Result | undefined>((resolve, reject) => {
      const waiter = { item, sinceMs: this.#nowMs(), resolve, reject };
      this.#queue.push(waiter);
      if (this.flying === 0 && this.waiting === 1) {
        this.#depart();
        return;
      }
      this.#schedule();
      this.#scheduleExpiry(waiter.sinceMs);
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
    // Items of the same turn of the event loop are sent together.
    setImmediate(() => {
      this.#isScheduled = false;
      // If nothing is sent now, the next batch to end schedules the rest.
      if (this.#mayDepart() && this.#depart()) this.#schedule();
    });
  }

  /**
   * While a batch is in flight, another is sent only if it is as large. Each batch has a fixed cost, and many small
   * ones would take the place of a few large ones. Items are also sent when a batch ends or is late, so a batch that is
   * stuck on a lock or a lost connection delays no other.
   */
  #mayDepart(): boolean {
    if (this.flying >= this.#options.flightsMax || this.waiting === 0) return false;
    const onTimeMs = this.#nowMs() - FLIGHT_LATE_MS;
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

  /** Sends one batch. Returns false if nothing can be sent now. */
  #depart(): boolean {
    const taken = this.#takeBatch();
    if (taken.batch.length === 0) return false;
    this.#fly(taken);
    return true;
  }

  #fly({ batch, holds }: Omit<Flight<Item, Result>, "sinceMs">): void {
    const flight = { batch, holds, sinceMs: this.#nowMs() };
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
          // There is one result per item, and a result may itself be undefined.
          for (const [index, waiter] of batch.entries()) waiter.resolve(results[index] as Result);
        },
        (error) => {
          for (const waiter of batch) waiter.reject(error);
        },
      );
  }

  /** Sends the next batch before delivering the results of this one, which may take as long as a batch. */
  #land(flight: Flight<Item, Result>): void {
    this.#flights.delete(flight);
    for (const hold of flight.holds) this.#held.delete(hold);
    this.#meanMs += (this.#nowMs() - flight.sinceMs - this.#meanMs) * MEAN_WEIGHT;
    if (this.#mayDepart()) this.#depart();
    this.#schedule();
  }

  /** How long a new item would wait, by the mean time of recent batches, or by the age of one that takes longer. */
  #expectedWaitMs(): number {
    const { batchMax, flightsMax } = this.#options;
    if (this.flying < flightsMax) return 0;
    const [oldest] = this.#flights;
    const outMs = oldest === undefined ? 0 : this.#nowMs() - oldest.sinceMs;
    const rounds = Math.ceil((this.waiting + 1) / batchMax) / flightsMax;
    return rounds * Math.max(this.#meanMs, outMs);
  }

  /** Takes the first items that can be sent together, in order, and what they lock. The others stay. */
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

  /** Refuses the items whose time is up. */
  #takeWanted(): Waiter<Item, Result>[] {
    const { isWanted } = this.#options;
    const overdueMs = this.#nowMs() - this.#lateMs;
    return this.#queue.filter(({ item, sinceMs, resolve }) => {
      if (sinceMs >= overdueMs && isWanted?.(item) !== false) return true;
      resolve(undefined);
      return false;
    });
  }

  #scheduleExpiry(sinceMs: number): void {
    if (this.#expiry !== undefined) return;
    const dueMs = sinceMs + this.#lateMs - this.#nowMs() + 1;
    // It may already be due if the event loop was late, and Bun warns about a negative time.
    this.#expiry = setTimeout(() => this.#expire(), Math.max(1, dueMs));
  }

  /** Refuses items in time, even if every batch in flight is stuck. */
  #expire(): void {
    this.#queue = this.#takeWanted();
    const oldest = this.#queue[0];
    this.#expiry = undefined;
    if (oldest !== undefined) this.#scheduleExpiry(oldest.sinceMs);
  }
}
