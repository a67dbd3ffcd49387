import { expect, test } from "bun:test";
import { unreachable } from "../../src/lib/assert.ts";

test("unreachable names an outcome with whole numbers of any length", () => {
  const outcome = { kind: "odd", entry: { entry_id: 9007199254740993n } };
  expect(() => unreachable(outcome as never)).toThrow(
    'outcome not handled: {"kind":"odd","entry":{"entry_id":"9007199254740993"}}',
  );
});
