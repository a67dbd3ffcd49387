/**
 * A mutex for each key: work under one key runs one at a time, in the order of arrival.
 *
 * @module
 */

export class KeyedMutex {
  /** By key: settles when the last work that came is done. */
  readonly #tails = new Map<string, Promise<void>>();

  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#tails.get(key);
    const { promise: tail, resolve: done } = Promise.withResolvers<void>();
    this.#tails.set(key, tail);
    await before;
    try {
      return await work();
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
      done();
    }
  }
}
