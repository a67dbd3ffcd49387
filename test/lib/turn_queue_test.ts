import { describe, expect, test } from "bun:test";
import { TurnQueue } from "../../src/lib/turn_queue.ts";

/** Items are named after their owner: "a1". */
function queueOf(...items: string[]): TurnQueue<string> {
  const queue = new TurnQueue<string>(100);
  for (const item of items) expect(queue.add(item.slice(0, 1), item)).toBe(true);
  return queue;
}

describe("TurnQueue", () => {
  test("owners of a turn queue take turns, and the items of each keep their order", () => {
    const queue = queueOf("a1", "a2", "a3", "b1", "c1", "c2");
    expect(queue.size).toBe(6);
    expect([...queue.drain()]).toEqual(["a1", "b1", "c1", "a2", "c2", "a3"]);
    expect([queue.size, queue.take()]).toEqual([0, undefined]);
  });

  test("an owner that comes during another's turn goes before that owner's next item", () => {
    const queue = queueOf("a1", "a2", "a3");
    expect(queue.take()).toBe("a1");
    queue.add("b", "b1");
    expect(queue.take()).toBe("b1");
    queue.add("b", "b2");
    queue.add("c", "c1");
    expect([...queue.drain()]).toEqual(["a2", "c1", "b2", "a3"]);
  });

  test("an item that is taken out of a turn queue gets no turn, and is taken out once", () => {
    const queue = queueOf("a1", "a2", "b1", "c1");
    expect([queue.remove("a", "a1"), queue.remove("b", "b1")]).toEqual([true, true]);
    expect([queue.remove("b", "b1"), queue.remove("d", "d1")]).toEqual([false, false]);
    expect([...queue.drain()]).toEqual(["a2", "c1"]);
  });

  test("an owner may have as many places in a turn queue as it leaves free, and gets them back when its items leave", () => {
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
