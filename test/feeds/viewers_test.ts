import { expect, test } from "bun:test";
import { Viewers } from "../../src/feeds/viewers.ts";
import { Waits } from "../../src/feeds/waits.ts";
import { createLog } from "../../src/lib/log.ts";
import { VIEWERS_MAX, WAITS_PER_ACCOUNT_MAX } from "../../src/limits.ts";

/** Nobody waits in these tests, so the database is not asked. */
const waits = () =>
  new Waits({ database: {} as never, log: createLog({ level: "silent" }), pollMs: 1_000 });
const { signal } = new AbortController();

test("one account or network has as many slots as an account of readers, beside its own readers", () => {
  const all = waits();
  const viewers = new Viewers(all);
  const places = Array.from({ length: WAITS_PER_ACCOUNT_MAX }, () => viewers.enter("a", signal));
  expect(places).not.toContain(undefined);
  expect(viewers.enter("a", signal)).toBeUndefined();
  expect(viewers.enter("b", signal)).toBeDefined();
  expect(all.enter("a", signal)).toBeDefined();
  // Leaving twice frees one slot.
  places[0]?.leave();
  places[0]?.leave();
  expect(viewers.open).toBe(WAITS_PER_ACCOUNT_MAX);
  expect(viewers.enter("a", signal)).toBeDefined();
  expect(viewers.enter("a", signal)).toBeUndefined();
});

test("all viewers together have a bound that leaves readers their places", () => {
  const all = waits();
  const viewers = new Viewers(all);
  for (let count = 0; count < VIEWERS_MAX; count++) {
    expect(viewers.enter(`network ${count}`, signal)).toBeDefined();
  }
  expect(viewers.enter("another", signal)).toBeUndefined();
  expect(all.enter("a reader", signal)).toBeDefined();
});
