/**
 * Finds an account's window by name (a feed's id or an operation) among millions.
 *
 * A hash table with open addressing in typed arrays, at 16 bytes a window. A `Map` per account would take 100 bytes a
 * window, plus the names. Here each name is stored once, however many accounts have a window of that name.
 *
 * @module
 */

import { assert } from "../lib/assert.ts";
import { numberAt } from "../lib/number_at.ts";
import { grown, type WindowNumber } from "./sliding_windows.ts";

const NONE = -1;
const CAPACITY_MIN = 1_024;

export class WindowTable {
  /** The size is a power of two, and at most half of the slots are taken, so that probing is short. */
  #slots = new Int32Array(CAPACITY_MIN).fill(NONE);
  #size = 0;
  /** By window: the number of its account, and of its name. */
  #owners = new Int32Array(CAPACITY_MIN);
  #names = new Int32Array(CAPACITY_MIN);
  readonly #numbers = new Map<string, number>();
  /** By a name's number: the name, and how many windows have it. Free numbers are reused. */
  readonly #texts: string[] = [];
  readonly #uses: number[] = [];
  readonly #freeNumbers: number[] = [];

  find(owner: number, name: string): WindowNumber | undefined {
    const number = this.#numbers.get(name);
    if (number === undefined) return undefined;
    const window = numberAt(this.#slots, this.#slotOf(owner, number));
    return window === NONE ? undefined : window;
  }

  /** Adds a window to an account that has none of this name. */
  add(owner: number, name: string, window: WindowNumber): void {
    if (2 * this.#size >= this.#slots.length) this.#growSlots();
    while (window >= this.#owners.length) {
      this.#owners = grown(this.#owners, Int32Array);
      this.#names = grown(this.#names, Int32Array);
    }
    const number = this.#useName(name);
    this.#owners[window] = owner;
    this.#names[window] = number;
    const slot = this.#slotOf(owner, number);
    assert(this.#slots[slot] === NONE, "an account has one window of a name");
    this.#slots[slot] = window;
    this.#size += 1;
  }

  remove(window: WindowNumber): void {
    const number = numberAt(this.#names, window);
    const slots = this.#slots;
    const mask = slots.length - 1;
    let hole = this.#slotOf(numberAt(this.#owners, window), number);
    assert(slots[hole] === window, "only a window that was added is removed");
    // A window that probing found after the hole moves into it, so that look-ups still find it.
    let slot = (hole + 1) & mask;
    for (let next = numberAt(slots, slot); next !== NONE; next = numberAt(slots, slot)) {
      const probedSlots = (slot - this.#homeOf(next)) & mask;
      if (probedSlots >= ((slot - hole) & mask)) {
        slots[hole] = next;
        hole = slot;
      }
      slot = (slot + 1) & mask;
    }
    slots[hole] = NONE;
    this.#size -= 1;
    this.#leaveName(number);
  }

  /** The slot of the window, or the free slot where it belongs. */
  #slotOf(owner: number, name: number): number {
    const mask = this.#slots.length - 1;
    let slot = hashOf(owner, name) & mask;
    for (;;) {
      const window = numberAt(this.#slots, slot);
      if (window === NONE) return slot;
      if (this.#owners[window] === owner && this.#names[window] === name) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #homeOf(window: WindowNumber): number {
    const hash = hashOf(numberAt(this.#owners, window), numberAt(this.#names, window));
    return hash & (this.#slots.length - 1);
  }

  #growSlots(): void {
    const windows = this.#slots.filter((window) => window !== NONE);
    this.#slots = new Int32Array(2 * this.#slots.length).fill(NONE);
    for (const window of windows) {
      const slot = this.#slotOf(numberAt(this.#owners, window), numberAt(this.#names, window));
      this.#slots[slot] = window;
    }
  }

  #useName(name: string): number {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.#freeNumbers.pop() ?? this.#texts.length;
      this.#numbers.set(name, number);
      this.#texts[number] = name;
      this.#uses[number] = 0;
    }
    this.#uses[number] = numberAt(this.#uses, number) + 1;
    return number;
  }

  #leaveName(number: number): void {
    const uses = numberAt(this.#uses, number) - 1;
    this.#uses[number] = uses;
    if (uses > 0) return;
    this.#numbers.delete(this.#texts[number] as string);
    this.#texts[number] = "";
    this.#freeNumbers.push(number);
  }
}

/** The multipliers are those of xxHash. */
function hashOf(owner: number, name: number): number {
  const mixed = Math.imul(owner, 0x9e3779b1) ^ Math.imul(name, 0x85ebca77);
  return mixed ^ (mixed >>> 15);
}
