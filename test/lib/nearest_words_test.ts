import { describe, expect, test } from "bun:test";
import { nearestWords } from "../../src/lib/nearest_words.ts";
import { threadMs } from "../support/thread_time.ts";

describe("nearestWords", () => {
  test.each([
    ["ofset", ["limit", "offset"], ["offset"]],
    ["PRICE", ["prize", "Price"], ["Price", "prize"]],
    ["ab", ["x", "id"], []],
    ["quantity", ["price"], []],
    ["", ["a"], []],
  ])("%s among %j: %j", (word, words, nearest) => {
    expect(nearestWords(word, words)).toEqual(nearest);
  });

  test("nearestWords compares many long words within 100 ms", () => {
    const words = Array.from({ length: 20_000 }, (_, at) => `${at}`.padStart(40, "x"));
    const startMs = threadMs();
    nearestWords("y".repeat(40), words);
    expect(nearestWords("y".repeat(8_000), ["y".repeat(8_000)])).toEqual([]);
    expect(threadMs() - startMs).toBeLessThan(100);
  });
});
