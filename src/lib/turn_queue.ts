/**
 * A bounded queue whose owners take turns, one item each, however many items an owner has put in.
 *
 * The items of one owner keep their order. An owner may have as many places as it leaves free for the others, so that
 * no owner keeps another out.
 *
 * @module
 */
import { SharedPool } from "./shared_pool.ts";

export class TurnQueue<Item> {
  readonly #places: SharedPool;
  /** By owner, in the order of their turns; none is empty. */
  readonly #lines = new Map<string, Set<Item>>();
  #lastOwner = "";

  constructor(sizeMax: number) {
    this.#places = new SharedPool(sizeMax);
  }

  /** Items that wait. */
  get size(): number {
    return this.#places.held;
  }

  /** Puts an item behind its owner's others. False if there is no place. */
  add(owner: string, item: Item): boolean {
    if (!this.#places.mayTake(owner, 1)) return false;
    this.#places.take(owner, 1);
    const line = this.#lines.get(owner);
    if (line === undefined) this.#lines.set(owner, new Set([item]));
    else line.add(item);
    return true;
  }

  /** Turns that are taken before a new item of the owner has its own. */
  turnsBefore(owner: string): number {
    const place = (this.#lines.get(owner)?.size ?? 0) + 1;
    let turns = place - 1;
    for (const [other, line] of this.#lines) {
      if (other !== owner) turns += Math.min(line.size, place);
    }
    return turns;
  }

  /** Takes out the first item of the next owner that may have a turn. Undefined if there is none. */
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

  /** Takes out an item before its turn. False if it was taken already. */
  remove(owner: string, item: Item): boolean {
    const line = this.#lines.get(owner);
    if (!line?.delete(item)) return false;
    this.#places.giveBack(owner, 1);
    if (line.size === 0) this.#lines.delete(owner);
    return true;
  }

  /** Takes out everything, in the order of turns. */
  *drain(): Generator<Item> {
    for (let item = this.take(); item !== undefined; item = this.take()) yield item;
  }

  /** Moves the owner of the last turn to the end, behind those that came since. */
  #moveBack(owner: string): void {
    const line = this.#lines.get(owner);
    if (line === undefined) return;
    this.#lines.delete(owner);
    this.#lines.set(owner, line);
  }
}
