/**
 * A bounded stock that many hold parts of: each may hold as much as it leaves free for the others.
 *
 * Alone a holder may have half of the stock; of two that want all, each gets a third; of n, a part of
 * n + 1. So whoever holds what it can get, and however many do, the next one finds room. Switches share
 * their buffers like that: Choudhury and Hahne, "Dynamic queue length thresholds", 1998.
 *
 * @module
 */
import { assert } from "./assert.ts";

export class SharedStock {
  readonly #sizeMax: number;
  /** By holder; who holds nothing has no entry. */
  readonly #parts = new Map<string, number>();
  #held = 0;

  constructor(sizeMax: number) {
    assert(sizeMax > 0, "there is something to share");
    this.#sizeMax = sizeMax;
  }

  /** What all together hold. */
  get held(): number {
    return this.#held;
  }

  /** Whether the holder may have so much more. */
  mayTake(holder: string, amount: number): boolean {
    return this.#partOf(holder) + amount <= this.#sizeMax - (this.#held + amount);
  }

  /** `mayTake` decides; who takes in spite of it holds more than its share. */
  take(holder: string, amount: number): void {
    assert(Number.isSafeInteger(amount), "what is held is counted in whole numbers");
    const part = this.#partOf(holder) + amount;
    assert(part >= 0, "what was held is given back once");
    this.#held += amount;
    if (part === 0) this.#parts.delete(holder);
    else this.#parts.set(holder, part);
  }

  give(holder: string, amount: number): void {
    this.take(holder, -amount);
  }

  #partOf(holder: string): number {
    return this.#parts.get(holder) ?? 0;
  }
}
