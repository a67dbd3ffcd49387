/**
 * Single flight: callers that ask for the same thing at the same time share one run.
 *
 * A caller never gets a result that is older than its request. If a run is in progress, a new caller waits for the next
 * run, which starts when the current one ends and serves everyone who arrived in between. So a reader sees everything
 * written before its request, and the cost per caller falls as their number grows.
 *
 * @module
 */

export interface SingleFlight<Key, Result> {
  /** If the run fails, rejects for all callers that share it. */
  ask(key: Key): Promise<Result>;
}

/**
 * `run` produces the result for a key. `textOf` must map different keys to different texts. It is needed only if there
 * are several keys.
 */
export function createSingleFlight<Key = void, Result = unknown>(
  run: (key: Key) => Promise<Result>,
  textOf: (key: Key) => string = () => "",
): SingleFlight<Key, Result> {
  /** The keys of current runs, each with the promise of the next run if a caller is waiting for it. */
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
