import { describe, expect, test } from "bun:test";
import {
  forecastNanos,
  monthSoFar,
  PACE_DAYS,
  paceDays,
} from "../../../src/accounts/earnings/forecast.ts";

const at = (time: string) => Date.parse(time);

describe("forecastNanos", () => {
  test.each([
    // Ten days of 30 are left.
    ["2026-11-21T00:00:00Z", 100n, 7n, 110n],
    ["2026-11-01T00:00:00Z", 0n, 70n, 300n],
    // Half a day is left, and of a leap year's February a whole one.
    ["2026-11-30T12:00:00Z", 1_000n, 1_400n, 1_100n],
    ["2028-02-29T00:00:00Z", 5n, 7n, 6n],
    ["2026-12-31T23:59:59.999Z", 5n, 7n, 5n],
    // Nothing was spent in the last days, or more was refunded.
    ["2026-11-21T00:00:00Z", 100n, 0n, 100n],
    ["2026-11-21T00:00:00Z", 100n, -7n, 100n],
    ["2026-11-21T00:00:00Z", -5n, 0n, -5n],
    // No digit is lost in large sums.
    ["2026-11-21T00:00:00Z", 9_007_199_254_740_993n, 7n, 9_007_199_254_741_003n],
  ])("at %s, %p spent and %p in the last days is %p", (now, spentNanos, paceNanos, forecast) => {
    expect(forecastNanos({ spentNanos, paceNanos }, at(now))).toBe(forecast);
  });
});

test("paceDays are the full days before today, in UTC, also over the end of a month", () => {
  expect(PACE_DAYS).toBe(7);
  expect(paceDays(at("2026-03-03T00:00:00Z"))).toEqual({ from: "2026-02-24", to: "2026-03-02" });
  expect(paceDays(at("2026-03-03T23:59:59.999Z"))).toEqual({
    from: "2026-02-24",
    to: "2026-03-02",
  });
});

test("monthSoFar begins on the first and ends today", () => {
  expect(monthSoFar(at("2026-11-28T10:00:00Z"))).toEqual({ from: "2026-11-01", to: "2026-11-28" });
  expect(monthSoFar(at("2026-11-01T00:00:00Z"))).toEqual({ from: "2026-11-01", to: "2026-11-01" });
});
