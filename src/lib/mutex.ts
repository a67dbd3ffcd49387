/**
 * A mutex per key: tasks with the same key run one at a time, in order of arrival.
 *
 * @module
 */

export class KeyedMutex {
  /** By key: settles when the most recent task is done. */
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
