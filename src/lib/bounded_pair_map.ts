/**
 * A map by two keys that forgets its oldest entry when it is full.
 *
 * Ids are long, and carry their hash: to join two of them into one key, and to hash that at each look-up,
 * takes longer than two look-ups.
 *
 * @module
 */
import { assert } from "./assert.ts";

/** What was written least recently goes first, by the first key, and then by the second. */
export class BoundedPairMap<Value> {
  readonly #sizeMax: number;
  readonly #byFirst = new Map<string, Map<string, Value>>();
  #size = 0;

  constructor(sizeMax: number) {
    assert(sizeMax > 0, "a bounded map holds at least one entry");
    this.#sizeMax = sizeMax;
  }

  get size(): number {
    return this.#size;
  }

  get(first: string, second: string): Value | undefined {
    return this.#byFirst.get(first)?.get(second);
  }

  set(first: string, second: string, value: Value): void {
    this.delete(first, second);
    if (this.#size >= this.#sizeMax) this.#deleteOldest();
    const own = this.#byFirst.get(first) ?? new Map<string, Value>();
    own.set(second, value);
    this.#byFirst.delete(first);
    this.#byFirst.set(first, own);
    this.#size += 1;
  }

  delete(first: string, second: string): void {
    const own = this.#byFirst.get(first);
    if (own?.delete(second) !== true) return;
    this.#size -= 1;
    if (own.size === 0) this.#byFirst.delete(first);
  }

  #deleteOldest(): void {
    const [oldest] = this.#byFirst;
    assert(oldest !== undefined, "what is full has an oldest entry");
    const [first, own] = oldest;
    const [second] = own.keys();
    this.delete(first, second as string);
  }
}
