/**
 * A bounded amount that many holders share: each may hold as much as it leaves free for the others.
 *
 * A single holder gets half of the pool. Two that want all get a third each, and n holders get a part of n + 1.
 * So there is always room for the next one. The holder "" is nobody in particular and may have all that is free.
 * Network switches share their buffers like that: Choudhury and Hahne,
 * "Dynamic queue length thresholds", 1998.
 *
 * @module
 */
import { assert } from "./assert.ts";

export class SharedPool {
  readonly #sizeMax: number;
  /** By holder. A holder of nothing has no entry. */
  readonly #parts = new Map<string, number>();
  #held = 0;

  constructor(sizeMax: number) {
    assert(sizeMax > 0, "there is something to share");
    this.#sizeMax = sizeMax;
  }

  /** What all holders have together. */
  get held(): number {
    return this.#held;
  }

  /** Whether the holder may have so much more. */
  mayTake(holder: string, amount: number): boolean {
    const free = this.#sizeMax - (this.#held + amount);
    return (holder === "" ? 0 : this.#partOf(holder) + amount) <= free;
  }

  /** Whether the holder has anything. */
  holds(holder: string): boolean {
    return this.#parts.has(holder);
  }

  /** Ask `mayTake` before. If the caller takes all the same, it holds more than its share. */
  take(holder: string, amount: number): void {
    assert(Number.isSafeInteger(amount), "what is held is counted in whole numbers");
    const part = this.#partOf(holder) + amount;
    assert(part >= 0, "what was held is given back once");
    this.#held += amount;
    if (part === 0) this.#parts.delete(holder);
    else this.#parts.set(holder, part);
  }

  giveBack(holder: string, amount: number): void {
    this.take(holder, -amount);
  }

  #partOf(holder: string): number {
    return this.#parts.get(holder) ?? 0;
  }
}
