/**
 * A bounded queue whose owners take turns, one item each, however many items an owner has added.
 *
 * The items of one owner keep their order. An owner may use as many places as it leaves free for others, so that no
 * owner locks out another.
 *
 * @module
 */
import { SharedPool } from "./shared_pool.ts";

export class TurnQueue<Item> {
  readonly #places: SharedPool;
  /** By owner, in the order of their turns. None is empty. */
  readonly #lines = new Map<string, Set<Item>>();
  #lastOwner = "";

  constructor(sizeMax: number) {
    this.#places = new SharedPool(sizeMax);
  }

  /** Number of waiting items. */
  get size(): number {
    return this.#places.held;
  }

  /** Adds an item after its owner's others. False if there is no room. */
  add(owner: string, item: Item): boolean {
    if (!this.#places.mayTake(owner, 1)) return false;
    this.#places.take(owner, 1);
    const line = this.#lines.get(owner);
    if (line === undefined) this.#lines.set(owner, new Set([item]));
    else line.add(item);
    return true;
  }

  /** Turns before a new item of the owner gets its own. */
  turnsBefore(owner: string): number {
    const place = (this.#lines.get(owner)?.size ?? 0) + 1;
    let turns = place - 1;
    for (const [other, line] of this.#lines) {
      if (other !== owner) turns += Math.min(line.size, place);
    }
    return turns;
  }

  /** Removes the first item of the next owner that may have a turn. Undefined if there is none. */
  take(mayHaveTurn: (owner: string) => boolean = () => true): Item | undefined {
    this.#moveBack(this.#lastOwner);
    for (const [owner, line] of this.#lines) {
      if (!mayHaveTurn(owner)) continue;
      for (const item of line) {
        this.#lastOwner = owner;
        this.remove(owner, item);
        return item;
      }
    }
    return undefined;
  }

  /** Removes an item before its turn. False if it was taken already. */
  remove(owner: string, item: Item): boolean {
    const line = this.#lines.get(owner);
    if (!line?.delete(item)) return false;
    this.#places.giveBack(owner, 1);
    if (line.size === 0) this.#lines.delete(owner);
    return true;
  }

  /** Removes all items, in turn order. */
  *drain(): Generator<Item> {
    for (let item = this.take(); item !== undefined; item = this.take()) yield item;
  }

  /** Moves the owner of the last turn to the end, after those that arrived since. */
  #moveBack(owner: string): void {
    const line = this.#lines.get(owner);
    if (line === undefined) return;
    this.#lines.delete(owner);
    this.#lines.set(owner, line);
  }
}
