/**
 * A lower bound of the database's clock: the time of its last answer, plus the time that has passed on the process's
 * monotonic clock. A hit that has left its window by this estimate has also left it on the database's clock.
 *
 * @module
 */
import { US_PER_MS } from "../lib/time_units.ts";

export class DatabaseClock {
  #answeredUs = 0;
  #receivedMs = 0;

  /** Microseconds of the Unix epoch, or 0 before the first answer. */
  nowUs(): number {
    if (this.#answeredUs === 0) return 0;
    return this.#answeredUs + Math.floor((performance.now() - this.#receivedMs) * US_PER_MS);
  }

  /** Sets the clock to the time of an answer that has just arrived. */
  set(answeredUs: number): void {
    this.#answeredUs = answeredUs;
    this.#receivedMs = performance.now();
  }
}
