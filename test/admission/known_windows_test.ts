import { expect, test } from "bun:test";
import { KnownWindows } from "../../src/admission/known_windows.ts";

test("KnownWindows: a full window is refused from memory until one of its hits is given back", () => {
  const windows = new KnownWindows();
  const claim = { accountId: "a", operation: "data" as const, feedId: "f" };
  const other = { ...claim, feedId: "g" };
  const window = { limit: 10, remaining: 0, resetSeconds: 30 };
  const sentMs = performance.now();
  for (const each of [claim, other]) windows.remember(each, { window, sentMs, fullForMs: 30_000 });
  expect(windows.refuse(claim)).toMatchObject({ kind: "limited", window });
  windows.forget(claim);
  expect(windows.refuse(claim)).toBeUndefined();
  expect(windows.refuse(other)).toMatchObject({ kind: "limited" });
});
