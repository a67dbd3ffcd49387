import { expect, test } from "bun:test";
import { intervalText } from "../../src/lib/interval_text.ts";

test("intervalText says whole days, weeks, months and years in words, and all else in minutes", () => {
  const texts = [1, 60, 1_441, 1_440, 4_320, 10_080, 43_200, 259_200, 525_600].map(intervalText);
  expect(texts).toEqual([
    "every minute",
    "every 60 minutes",
    "every 1441 minutes",
    "daily",
    "every 3 days",
    "weekly",
    "monthly",
    "every 6 months",
    "yearly",
  ]);
});
