/**
 * The database's clock, estimated from below: the time of its last answer, plus what the process's monotonic
 * clock has counted since. A hit that has left its window by this estimate has left it on the database's clock.
 *
 * @module
 */
import { US_PER_MS } from "../lib/time_units.ts";

export class DatabaseClock {
  #answeredUs = 0;
  #receivedMs = 0;

  /** Microseconds of the Unix epoch; 0 before the first answer. */
  nowUs(): number {
    if (this.#answeredUs === 0) return 0;
    return this.#answeredUs + Math.floor((performance.now() - this.#receivedMs) * US_PER_MS);
  }

  /** Takes the time of an answer that has just come. */
  set(answeredUs: number): void {
    this.#answeredUs = answeredUs;
    this.#receivedMs = performance.now();
  }
}
