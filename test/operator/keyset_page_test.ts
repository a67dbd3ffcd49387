import { describe, expect, test } from "bun:test";
import { readPage } from "../../src/operator/keyset_page.ts";

describe("readPage", () => {
  test("asks for one row more than the page has, and for no more", async () => {
    const asked: number[] = [];
    const page = (limit: number | undefined) =>
      readPage(limit, {
        read: async (rowsMax) => {
          asked.push(rowsMax);
          return [1, 2, 3].slice(0, rowsMax);
        },
        cursorOf: (row) => `behind ${row}`,
        entryOf: String,
      });
    expect(await page(2)).toEqual({ entries: ["1", "2"], limit: 2, nextCursor: "behind 2" });
    expect(await page(3)).toEqual({ entries: ["1", "2", "3"], limit: 3, nextCursor: null });
    expect(await page(undefined)).toEqual({
      entries: ["1", "2", "3"],
      limit: 100,
      nextCursor: null,
    });
    expect(asked).toEqual([3, 4, 101]);
  });
});
