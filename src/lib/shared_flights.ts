/**
 * One answer for all who ask the same at once, never older than the question.
 *
 * Who asks while nothing flies starts a flight. Who asks while one flies waits for the next, which
 * starts when that one has landed: what it brings was read after everybody on it had asked. So a reader
 * sees whatever was written before it asked, as if it had flown alone, and the more ask, the less each
 * costs.
 *
 * @module
 */

export interface SharedFlights<Key, Result> {
  /** Rejects, with all who are on the same flight, where it fails. */
  ask(key: Key): Promise<Result>;
}

/** `run` brings the result for a key; `textOf` tells keys apart, where there are several. */
export function createSharedFlights<Key = void, Result = unknown>(
  run: (key: Key) => Promise<Result>,
  textOf: (key: Key) => string = () => "",
): SharedFlights<Key, Result> {
  /** By key under way; the promise of the next flight, where somebody waits for it. */
  const flying = new Map<string, PromiseWithResolvers<Result> | undefined>();

  async function fly(key: Key, text: string, passengers: PromiseWithResolvers<Result>) {
    flying.set(text, undefined);
    try {
      passengers.resolve(await run(key));
    } catch (error) {
      passengers.reject(error);
    }
    const next = flying.get(text);
    flying.delete(text);
    if (next !== undefined) fly(key, text, next);
  }

  return {
    ask(key) {
      const text = textOf(key);
      const next = flying.get(text) ?? Promise.withResolvers<Result>();
      if (flying.has(text)) flying.set(text, next);
      else fly(key, text, next);
      return next.promise;
    },
  };
}
