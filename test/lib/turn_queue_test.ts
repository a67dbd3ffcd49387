import { describe, expect, test } from "bun:test";
import { TurnQueue } from "../../src/lib/turn_queue.ts";

/** Items are named after their owner: "a1". */
function queueOf(...items: string[]): TurnQueue<string> {
  const queue = new TurnQueue<string>(100);
  for (const item of items) expect(queue.add(item.slice(0, 1), item)).toBe(true);
  return queue;
}

describe("TurnQueue", () => {
  test("owners take turns, each with its items in their order", () => {
    const queue = queueOf("a1", "a2", "a3", "b1", "c1", "c2");
    expect(queue.size).toBe(6);
    expect([...queue.drain()]).toEqual(["a1", "b1", "c1", "a2", "c2", "a3"]);
    expect([queue.size, queue.take()]).toEqual([0, undefined]);
  });

  test("who comes while another has its turn goes before that one's next", () => {
    const queue = queueOf("a1", "a2", "a3");
    expect(queue.take()).toBe("a1");
    queue.add("b", "b1");
    expect(queue.take()).toBe("b1");
    queue.add("b", "b2");
    queue.add("c", "c1");
    expect([...queue.drain()]).toEqual(["a2", "c1", "b2", "a3"]);
  });

  test("what is taken out before its turn has none, and is taken out once", () => {
    const queue = queueOf("a1", "a2", "b1", "c1");
    expect([queue.remove("a", "a1"), queue.remove("b", "b1")]).toEqual([true, true]);
    expect([queue.remove("b", "b1"), queue.remove("d", "d1")]).toEqual([false, false]);
    expect([...queue.drain()]).toEqual(["a2", "c1"]);
  });

  test("an owner may have as many places as it leaves free, and has them again when its items go", () => {
    const queue = new TurnQueue<number>(8);
    const added = (owner: string) => {
      let count = 0;
      while (queue.add(owner, count)) count += 1;
      return count;
    };
    expect(["a", "b", "c", "d"].map(added)).toEqual([4, 2, 1, 0]);
    queue.remove("a", 0);
    expect(["a", "d"].map(added)).toEqual([0, 1]);
  });
});
