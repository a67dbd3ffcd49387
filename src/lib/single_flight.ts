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
 * `run` produces the result for a key: that of the first caller. Callers share a run if `textOf` maps their keys to the
 * same text. It is needed only if there are several keys.
 */
export function createSingleFlight<Key = void, Result = unknown>(
  run: (key: Key) => Promise<Result>,
  textOf: (key: Key) => string = () => "",
): SingleFlight<Key, Result> {
  /** A run: the key of the caller that asked for it first, and the promise for all that share it. */
  interface Run extends PromiseWithResolvers<Result> {
    readonly key: Key;
  }
  /** By the texts of the current runs: the next run, if a caller is waiting for it. */
  const running = new Map<string, Run | undefined>();

  async function start(text: string, { key, resolve, reject }: Run) {
    running.set(text, undefined);
    try {
      resolve(await run(key));
    } catch (error) {
      reject(error);
    }
    const next = running.get(text);
    running.delete(text);
    if (next !== undefined) start(text, next);
  }

  return {
    ask(key) {
      const text = textOf(key);
      const next = running.get(text) ?? { key, ...Promise.withResolvers<Result>() };
      if (running.has(text)) running.set(text, next);
      else start(text, next);
      return next.promise;
    },
  };
}
