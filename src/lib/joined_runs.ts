/**
 * Runs that callers join: callers that ask for the same key while a run is in progress get its result.
 *
 * A caller that joins may get a result that is older than its request. If that is not acceptable, use
 * `single_flight.ts`, where it waits longer: until the current run has ended, and for another one after it.
 *
 * @module
 */

export class JoinedRuns<Result> {
  readonly #running = new Map<string, Promise<Result>>();

  /** The result of the current run, or undefined if there is none. */
  underWay(key: string): Promise<Result> | undefined {
    return this.#running.get(key);
  }

  /**
   * The result of the current run, or of `run` if there is none. If a run fails, it fails for all callers that joined
   * it.
   */
  join(key: string, run: () => Promise<Result>): Promise<Result> {
    const underWay = this.#running.get(key);
    if (underWay !== undefined) return underWay;
    const started = run().finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }
}
