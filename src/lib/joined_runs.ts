/**
 * Runs that callers join: callers that ask for the same key while a run is under way get its result.
 *
 * A caller that joins may get a result that is older than its question. If it must not, use `single_flight.ts`, which
 * costs it a longer wait: until the run under way has ended, and another one after it.
 *
 * @module
 */

export class JoinedRuns<Result> {
  readonly #running = new Map<string, Promise<Result>>();

  /** The result of the run under way; undefined if none is. */
  underWay(key: string): Promise<Result> | undefined {
    return this.#running.get(key);
  }

  /** The result of the run under way, or of `run` if none is. If a run fails, it fails for all that have joined it. */
  join(key: string, run: () => Promise<Result>): Promise<Result> {
    const underWay = this.#running.get(key);
    if (underWay !== undefined) return underWay;
    const started = run().finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }
}
