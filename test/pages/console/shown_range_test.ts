import { expect, test } from "bun:test";
import { byMonth } from "../../../src/pages/console/amounts.ts";
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
