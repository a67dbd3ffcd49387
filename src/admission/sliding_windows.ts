/**
 * Exact sliding windows: hits of the last 60 seconds, and reservations that are not hits yet.
 *
 * A hit takes 12 bytes and a window 16, in typed arrays that grow by doubling, so the garbage collector has nothing to
 * trace. The hits of a window form a linked list in time order. Expired hits are unlinked when the window is next read.
 *
 * Times are microseconds of the Unix epoch on the database's clock.
 *
 * @module
 */
import { assert } from "../lib/assert.ts";
import { numberAt } from "../lib/number_at.ts";
import { US_PER_MS } from "../lib/time_units.ts";
import { WINDOW_MS } from "../limits.ts";

/** Index of a window. The index of a closed window is reused. */
export type WindowNumber = number;

/** How long a hit counts. */
export const HIT_LIFE_US = WINDOW_MS * US_PER_MS;
const NONE = -1;
const CAPACITY_MIN = 1_024;

export class SlidingWindows {
  /** By hit: its time, and the next later hit of its window, or the next free hit. */
  #times = new Float64Array(CAPACITY_MIN);
  #nexts = new Int32Array(CAPACITY_MIN);
  #hitsUsed = 0;
  #freeHit = NONE;
  /** By window. For a free window, `#firsts` is the next free one. */
  #firsts = new Int32Array(CAPACITY_MIN);
  #lasts = new Int32Array(CAPACITY_MIN);
  #counts = new Int32Array(CAPACITY_MIN);
  #reserved = new Int32Array(CAPACITY_MIN);
  #windowsUsed = 0;
  #freeWindow = NONE;
  #size = 0;
  /** A window that stays empty, for accounts without a window of a name. */
  readonly empty: WindowNumber = this.open();

  /** Open windows, not counting the empty one. */
  get size(): number {
    return this.#size - 1;
  }

  open(): WindowNumber {
    this.#size += 1;
    const reused = this.#freeWindow;
    if (reused !== NONE) {
      this.#freeWindow = numberAt(this.#firsts, reused);
      this.#firsts[reused] = NONE;
      return reused;
    }
    if (this.#windowsUsed === this.#firsts.length) this.#growWindows();
    const window = this.#windowsUsed++;
    this.#firsts[window] = NONE;
    this.#lasts[window] = NONE;
    return window;
  }

  /** Closes the window. The caller must not use its number afterwards. */
  close(window: WindowNumber): void {
    this.#expire(window, Number.POSITIVE_INFINITY);
    this.#reserved[window] = 0;
    this.#firsts[window] = this.#freeWindow;
    this.#freeWindow = window;
    this.#size -= 1;
  }

  /** Hits of the last 60 seconds, and reservations. */
  used(window: WindowNumber, nowUs: number): number {
    this.#expire(window, nowUs - HIT_LIFE_US);
    return numberAt(this.#counts, window) + numberAt(this.#reserved, window);
  }

  reserve(window: WindowNumber): void {
    this.#reserved[window] = numberAt(this.#reserved, window) + 1;
  }

  release(window: WindowNumber): void {
    assert(numberAt(this.#reserved, window) > 0, "only what was reserved is released");
    this.#reserved[window] = numberAt(this.#reserved, window) - 1;
  }

  /** Counts a call at this time, which must not be earlier than the previous hit. */
  hit(window: WindowNumber, timeUs: number): void {
    const hit = this.#takeHit();
    this.#times[hit] = timeUs;
    this.#nexts[hit] = NONE;
    const last = numberAt(this.#lasts, window);
    if (last === NONE) this.#firsts[window] = hit;
    else this.#nexts[last] = hit;
    this.#lasts[window] = hit;
    this.#counts[window] = numberAt(this.#counts, window) + 1;
  }

  /** When the oldest hit leaves. If there is none, when a hit of the present would leave. */
  resetUs(window: WindowNumber, nowUs: number): number {
    const first = numberAt(this.#firsts, window);
    return (first === NONE ? nowUs : numberAt(this.#times, first)) + HIT_LIFE_US;
  }

  /** When a full window has room again. A reservation counts as a hit of the present. */
  freesAtUs(window: WindowNumber, limit: number, nowUs: number): number {
    const used = this.used(window, nowUs);
    let hit = numberAt(this.#firsts, window);
    for (let over = used - limit; over > 0 && hit !== NONE; over--) {
      hit = numberAt(this.#nexts, hit);
    }
    return (hit === NONE ? nowUs : numberAt(this.#times, hit)) + HIT_LIFE_US;
  }

  #expire(window: WindowNumber, untilUs: number): void {
    let hit = numberAt(this.#firsts, window);
    while (hit !== NONE && numberAt(this.#times, hit) <= untilUs) {
      const next = numberAt(this.#nexts, hit);
      this.#nexts[hit] = this.#freeHit;
      this.#freeHit = hit;
      this.#counts[window] = numberAt(this.#counts, window) - 1;
      hit = next;
    }
    this.#firsts[window] = hit;
    if (hit === NONE) this.#lasts[window] = NONE;
  }

  #takeHit(): number {
    const reused = this.#freeHit;
    if (reused !== NONE) {
      this.#freeHit = numberAt(this.#nexts, reused);
      return reused;
    }
    if (this.#hitsUsed === this.#times.length) {
      this.#times = grown(this.#times, Float64Array);
      this.#nexts = grown(this.#nexts, Int32Array);
    }
    return this.#hitsUsed++;
  }

  #growWindows(): void {
    this.#firsts = grown(this.#firsts, Int32Array);
    this.#lasts = grown(this.#lasts, Int32Array);
    this.#counts = grown(this.#counts, Int32Array);
    this.#reserved = grown(this.#reserved, Int32Array);
  }
}

/** Returns a copy of the numbers with twice the capacity. */
export function grown<Numbers extends Float64Array | Int32Array>(
  numbers: Numbers,
  Kind: new (length: number) => Numbers,
): Numbers {
  const larger = new Kind(numbers.length * 2);
  larger.set(numbers);
  return larger;
}
