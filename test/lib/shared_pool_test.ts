import { describe, expect, test } from "bun:test";
import { SharedPool } from "../../src/lib/shared_pool.ts";

/** Takes one after another while it may; how many that were. */
function takeAll(pool: SharedPool, holder: string): number {
  let taken = 0;
  for (; pool.mayTake(holder, 1); taken++) pool.take(holder, 1);
  return taken;
}

describe("SharedPool", () => {
  test("a holder of a shared pool may have as much as it leaves free, however many came before", () => {
    const pool = new SharedPool(1_024);
    const parts = Array.from({ length: 9 }, (_, index) => takeAll(pool, String(index)));
    expect(parts).toEqual([512, 256, 128, 64, 32, 16, 8, 4, 2]);
    expect(pool.held).toBe(1_022);
  });

  test("holders of a shared pool that take in turns get equal parts, and leave one more part free", () => {
    const pool = new SharedPool(1_000);
    const parts = { a: 0, b: 0, c: 0 };
    for (let isAny = true; isAny; ) {
      isAny = false;
      for (const holder of ["a", "b", "c"] as const) {
        if (!pool.mayTake(holder, 1)) continue;
        pool.take(holder, 1);
        parts[holder] += 1;
        isAny = true;
      }
    }
    expect(parts).toEqual({ a: 250, b: 250, c: 250 });
  });

  test("what is given back to a shared pool may be taken again", () => {
    const pool = new SharedPool(10);
    pool.take("a", 5);
    expect(pool.mayTake("a", 1)).toBe(false);
    pool.giveBack("a", 3);
    expect([pool.held, pool.mayTake("a", 3), pool.mayTake("a", 4)]).toEqual([2, true, false]);
  });

  test("a holder of more than its share may take no more until it has given enough back", () => {
    const pool = new SharedPool(10);
    pool.take("a", 8);
    expect([pool.mayTake("a", 1), pool.mayTake("b", 1), pool.mayTake("b", 2)]).toEqual([
      false,
      true,
      false,
    ]);
  });

  test("to give back to a shared pool what is not held is an error of the caller", () => {
    const pool = new SharedPool(10);
    pool.take("b", 5);
    expect(() => pool.giveBack("a", 1)).toThrow("given back once");
  });
});
