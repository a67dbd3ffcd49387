/**
 * One timer for many functions, each called once per interval. It wakes the process at most a hundred times in an
 * interval, while a timer for each function would wake it once per function.
 *
 * @module
 */
import { present } from "./assert.ts";

const SLOTS = 100;

export class SharedInterval {
  readonly #slotMs: number;
  readonly #slots = Array.from({ length: SLOTS }, () => new Set<() => void>());
  #at = 0;
  #size = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** @param ms length of the interval */
  constructor(ms: number) {
    this.#slotMs = ms / SLOTS;
  }

  /** Calls the function for the first time after one interval. Returns a function that ends this. */
  add(call: () => void): () => void {
    const slot = present(this.#slots[this.#at]);
    slot.add(call);
    this.#size += 1;
    this.#timer ??= setInterval(() => this.#tick(), this.#slotMs);
    return () => {
      if (!slot.delete(call)) return;
      this.#size -= 1;
      if (this.#size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  #tick(): void {
    this.#at = (this.#at + 1) % SLOTS;
    for (const call of present(this.#slots[this.#at])) call();
  }
}
