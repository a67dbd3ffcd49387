/**
 * The validators that a worker keeps: bounded in number and in weight.
 *
 * @module
 */
import { assert } from "../lib/assert.ts";

export interface ValidatorCacheOptions {
  /** Entries at most. */
  readonly sizeMax: number;
  /** Weight of all entries at most; a single heavier one is kept alone. */
  readonly weightMax: number;
}

/** The least recently used goes first. */
export class ValidatorCache<Validator> {
  readonly #entries = new Map<string, { validator: Validator; weight: number }>();
  #weight = 0;

  readonly #options: ValidatorCacheOptions;

  constructor(options: ValidatorCacheOptions) {
    this.#options = options;
    assert(options.sizeMax > 0, "a cache holds at least one entry");
  }

  get size(): number {
    return this.#entries.size;
  }

  find(key: string): Validator | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    // Written anew, so that the map's order is the order of use.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.validator;
  }

  add(key: string, entry: { validator: Validator; weight: number }): void {
    assert(!this.#entries.has(key), "a validator is compiled once for its key");
    this.#entries.set(key, entry);
    this.#weight += entry.weight;
    for (const [oldest, { weight }] of this.#entries) {
      if (!this.#isFull() || oldest === key) return;
      this.#entries.delete(oldest);
      this.#weight -= weight;
    }
  }

  #isFull(): boolean {
    return this.#entries.size > this.#options.sizeMax || this.#weight > this.#options.weightMax;
  }
}
