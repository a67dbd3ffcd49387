/**
 * A map that evicts its oldest entry when it is full.
 *
 * @module
 */
import { assert } from "./assert.ts";

/** The least recently written entry is evicted first. A read does not move an entry, so it costs a plain look-up. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  constructor(readonly sizeMax: number) {
    super();
    assert(sizeMax > 0, "a bounded map holds at least one entry");
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    if (this.size >= this.sizeMax) {
      const oldest = this.keys().next();
      if (!oldest.done) this.delete(oldest.value);
    }
    return super.set(key, value);
  }
}
