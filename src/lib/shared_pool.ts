/**
 * A limited amount shared by many holders: each may have as much as it leaves free for the others.
 *
 * A single holder gets half of the pool. Two that want everything get a third each, and n holders get 1/(n + 1) each.
 * So there is always room for the next one. The holder "" is anonymous and may have everything that is free. Network
 * switches share their buffers in this way: Choudhury and Hahne, "Dynamic queue length thresholds", 1998.
 *
 * @module
 */
import { assert } from "./assert.ts";

export class SharedPool {
  readonly #sizeMax: number;
  /** By holder. A holder without a share has no entry. */
  readonly #parts = new Map<string, number>();
  #held = 0;

  constructor(sizeMax: number) {
    assert(sizeMax > 0, "there is something to share");
    this.#sizeMax = sizeMax;
  }

  /** The total of all holders. */
  get held(): number {
    return this.#held;
  }

  /** Whether the holder may take this much more. */
  mayTake(holder: string, amount: number): boolean {
    const free = this.#sizeMax - (this.#held + amount);
    return (holder === "" ? 0 : this.#partOf(holder) + amount) <= free;
  }

  /** Whether the holder has anything. */
  holds(holder: string): boolean {
    return this.#parts.has(holder);
  }

  /** Check `mayTake` first. A caller that takes anyway gets more than its share. */
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
