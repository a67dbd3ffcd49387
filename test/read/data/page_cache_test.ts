import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Page } from "../../../src/read/data/build_page.ts";
import { PageCache } from "../../../src/read/data/page_cache.ts";

const pageOf = (text: string, expiresMs = Number.POSITIVE_INFINITY): Page => ({
  key: "",
  dataVersion: 1n,
  tag: 'W/"x"',
  variant: "",
  text,
  dataLength: 1,
  missing: [],
  fieldsNotFound: [],
  nextCursor: null,
  expiresMs,
});

describe("page cache", () => {
  test("keeps what was used last, and never more bytes than it may", async () => {
    const operation = fc.record({
      key: fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"),
      kind: fc.constantFrom("set", "get", "compress"),
      length: fc.integer({ min: 1, max: 3_000 }),
      character: fc.constantFrom("x", "é", "🦊"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 60 }), async (operations) => {
        const cache = new PageCache(32_000);
        for (const { key, kind, length, character } of operations) {
          if (kind === "set") cache.set(key, pageOf(character.repeat(length)));
          const page = cache.get(key);
          if (page !== undefined && kind === "compress") {
            const start = await cache.compressed(key, page);
            expect(start.textBytes).toBe(Buffer.byteLength(page.text));
          }
          expect(cache.bytes).toBeLessThanOrEqual(32_000);
        }
        // Each page replaced by one that is not kept: nothing is left, and nothing is counted.
        for (const key of "abcdefghijkl") cache.set(key, pageOf("x", 0));
        expect(cache.bytes).toBe(0);
      }),
      { numRuns: 200 },
    );
  });

  test("the least recently used goes first; one larger than an eighth is not kept", () => {
    const cache = new PageCache(32_768);
    for (const key of ["a", "b", "c"]) cache.set(key, pageOf("x".repeat(1_000)));
    cache.set("large", pageOf("x".repeat(4_096)));
    expect(cache.get("large")).toBeUndefined();
    for (const key of ["a", "a", "c", "a"]) cache.get(key);
    for (let count = 0; count < 10; count++) cache.set(`${count}`, pageOf("x".repeat(1_000)));
    expect(cache.get("b")).toBeUndefined();
    cache.set("10", pageOf("x".repeat(1_000)));
    expect(cache.get("c")).toBeUndefined();
    expect(cache.get("a")).toBeDefined();
  });

  test("an older page does not take a newer one's place", () => {
    const cache = new PageCache(1_000_000);
    const newer = { ...pageOf("new"), dataVersion: 2n };
    for (const page of [pageOf("old"), newer, pageOf("old")]) cache.set("a", page);
    expect(cache.get("a")).toBe(newer);
  });

  test("a page is compressed once for all who ask, and anew when the page is another", async () => {
    const cache = new PageCache(1_000_000);
    const page = pageOf("x".repeat(10_000));
    cache.set("a", page);
    const before = cache.bytes;
    const [first, second] = await Promise.all([
      cache.compressed("a", page),
      cache.compressed("a", page),
    ]);
    expect(first).toBe(second);
    expect(cache.bytes).toBeGreaterThan(before + first.bytes.length);
    cache.set("a", pageOf("y".repeat(10_000)));
    expect(cache.bytes).toBe(before);
    expect(await cache.compressed("a", page)).not.toBe(first);
    expect(cache.bytes).toBe(before);
  });
});
