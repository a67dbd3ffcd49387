import { expect, test } from "bun:test";
import { byMonth, forecastUsd, nanosOfFigure } from "../../../src/pages/console/amounts.ts";
import { percentOf } from "../../../src/pages/console/budget_bar.tsx";
import { isByMonth, rangeOf } from "../../../src/pages/console/shown_range.tsx";

const NOW = Date.parse("2026-11-28T10:30:00Z");
const range = (query: string) => rangeOf({ query: new URLSearchParams(query) }, "30d", NOW);

test("rangeOf takes a named range, two days, or the usual range", () => {
  expect(range("")).toMatchObject({ name: "30d", from: "2026-10-30", to: "2026-11-28" });
  expect(range("range=none")).toMatchObject({ name: "30d" });
  expect(range("range=7d")).toMatchObject({ name: "7d", from: "2026-11-22" });
  expect(range("range=24h")).toMatchObject({
    from: "2026-11-27",
    since: "2026-11-27T10:30:00.000Z",
  });
  expect(range("range=12m")).toMatchObject({ from: "2025-12-01", to: "2026-11-28" });
  expect(range("range=month")).toMatchObject({
    name: "month",
    from: "2026-11-01",
    to: "2026-11-28",
    since: "2026-11-01T00:00:00.000Z",
    text: "this month",
  });
  expect(range("range=7d&from=2026-01-01&to=2026-02-28")).toMatchObject({
    name: undefined,
    from: "2026-01-01",
    since: "2026-01-01T00:00:00.000000Z",
    until: "2026-02-28T23:59:59.999999Z",
  });
});

test("rangeOf refuses what is no day, no range, or too long", () => {
  for (const query of [
    "from=2026-02-30",
    "from=x",
    "from=2026-02-02&to=2026-02-01",
    "from=0001-01-01",
  ]) {
    expect(() => range(query)).toThrow();
  }
});

test("long ranges are shown by month, with sums that lose nothing", () => {
  expect([isByMonth(range("range=30d")), isByMonth(range("range=12m"))]).toEqual([false, true]);
  expect(
    byMonth([
      { at: "2026-10-31", values: [1, "0.1"] },
      { at: "2026-11-01", values: [2, "0.2"] },
      { at: "2026-11-02", values: [3, JSON.rawJSON("0.000000001")] },
    ]).map(({ at, values }) => [at, ...values.map((value) => JSON.stringify(value))]),
  ).toEqual([
    ["2026-10-01", "1", "0.1"],
    ["2026-11-01", "5", "0.200000001"],
  ]);
});

test.each([
  [5n, 8_384_999_999n, "8.38"],
  [5n, 1_000_000_000n, "1"],
  [5n, 73_549_999n, "0.0735"],
  [5n, 1_499n, "0.000001"],
  // Nothing more is expected, or so little that rounding would hide it.
  [1_000_500_000n, 1_000_500_000n, "1.0005"],
  [1_004_000_000n, 1_004_000_001n, "1.004"],
  [0n, 0n, "0"],
  [-5n, -5n, "-0.000000005"],
])("forecastUsd of %p spent and %p nano-dollars at the end is %p", (spent, forecast, usd) => {
  expect(forecastUsd(spent, forecast).rawJSON).toBe(usd);
});

test("nanosOfFigure takes negative amounts, and loses no digit", () => {
  expect([nanosOfFigure(-1.5), nanosOfFigure(JSON.rawJSON("12345678.000000001"))]).toEqual([
    -1_500_000_000n,
    12_345_678_000_000_001n,
  ]);
});

test.each([
  [0n, 5n, 0],
  [999n, 1_000n, 99],
  [1_000n, 1_000n, 100],
  [2_000n, 1_000n, 100],
  [0n, 0n, 100],
])("percentOf %p of %p is %p", (spent, daily, percent) => {
  expect(percentOf(spent, daily)).toBe(percent);
});
