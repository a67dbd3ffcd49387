/**
 * Single flight: callers that ask the same at the same time share one run.
 *
 * A caller never gets a result that is older than its question. If a run is under way, a new caller waits for
 * the next run, which starts when this one ends and serves all that came meanwhile. So a reader sees whatever was
 * written before it asked, and the more callers there are, the less each costs.
 *
 * @module
 */

export interface SingleFlight<Key, Result> {
  /** If the run fails, rejects for all callers that share it. */
  ask(key: Key): Promise<Result>;
}

/** `run` gets the result for a key; `textOf` gives different keys different texts. Needed only if there are several keys. */
export function createSingleFlight<Key = void, Result = unknown>(
  run: (key: Key) => Promise<Result>,
  textOf: (key: Key) => string = () => "",
): SingleFlight<Key, Result> {
  /** The keys of runs under way, each with the promise of the next run if a caller waits for it. */
  const running = new Map<string, PromiseWithResolvers<Result> | undefined>();

  async function start(key: Key, text: string, callers: PromiseWithResolvers<Result>) {
    running.set(text, undefined);
    try {
      callers.resolve(await run(key));
    } catch (error) {
      callers.reject(error);
    }
    const next = running.get(text);
    running.delete(text);
    if (next !== undefined) start(key, text, next);
  }

  return {
    ask(key) {
      const text = textOf(key);
      const next = running.get(text) ?? Promise.withResolvers<Result>();
      if (running.has(text)) running.set(text, next);
      else start(key, text, next);
      return next.promise;
    },
  };
}
