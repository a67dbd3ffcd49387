import { describe, expect, test } from "bun:test";
import { SharedStock } from "../../src/lib/shared_stock.ts";

/** Takes one after another while it may; how many that were. */
function takeAll(stock: SharedStock, holder: string): number {
  let taken = 0;
  for (; stock.mayTake(holder, 1); taken++) stock.take(holder, 1);
  return taken;
}

describe("SharedStock", () => {
  test("a holder may have as much as it leaves free, however many came before", () => {
    const stock = new SharedStock(1_024);
    const parts = Array.from({ length: 9 }, (_, index) => takeAll(stock, String(index)));
    expect(parts).toEqual([512, 256, 128, 64, 32, 16, 8, 4, 2]);
    expect(stock.held).toBe(1_022);
  });

  test("those who take by turns get equal parts, and leave one more", () => {
    const stock = new SharedStock(1_000);
    const parts = { a: 0, b: 0, c: 0 };
    for (let isAny = true; isAny; ) {
      isAny = false;
      for (const holder of ["a", "b", "c"] as const) {
        if (!stock.mayTake(holder, 1)) continue;
        stock.take(holder, 1);
        parts[holder] += 1;
        isAny = true;
      }
    }
    expect(parts).toEqual({ a: 250, b: 250, c: 250 });
  });

  test("what is given back may be taken again", () => {
    const stock = new SharedStock(10);
    stock.take("a", 5);
    expect(stock.mayTake("a", 1)).toBe(false);
    stock.give("a", 3);
    expect([stock.held, stock.mayTake("a", 3), stock.mayTake("a", 4)]).toEqual([2, true, false]);
  });

  test("who holds more than its share may take no more, until enough is back", () => {
    const stock = new SharedStock(10);
    stock.take("a", 8);
    expect([stock.mayTake("a", 1), stock.mayTake("b", 1), stock.mayTake("b", 2)]).toEqual([
      false,
      true,
      false,
    ]);
  });

  test("giving back what is not held is a fault", () => {
    const stock = new SharedStock(10);
    stock.take("b", 5);
    expect(() => stock.give("a", 1)).toThrow("given back once");
  });
});
