import { expect, test } from "bun:test";
import { createLimitedPushes } from "../../src/push/limited_pushes.ts";

const MINUTE_MS = 60_000;

test("of pushes that are refused by rate the first, 10th, 100th of a feed's minute are written, with those before", () => {
  const count = createLimitedPushes();
  const written = Array.from({ length: 1_000 }, () => count("a", 5 * MINUTE_MS));
  const due = written.flatMap((times, index) => (times > 0 ? [[index + 1, times]] : []));
  expect(due).toEqual([
    [1, 1],
    [10, 9],
    [100, 90],
    [1_000, 900],
  ]);
});

test("each feed and each minute is counted anew", () => {
  const count = createLimitedPushes();
  expect([count("a", 0), count("a", 1), count("b", 1)]).toEqual([1, 0, 1]);
  expect([count("a", MINUTE_MS), count("a", MINUTE_MS)]).toEqual([1, 0]);
});
