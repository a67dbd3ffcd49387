import { expect, test } from "bun:test";
import { BoundedMap } from "../../src/lib/bounded_map.ts";

test("a full BoundedMap forgets the entry that was written least recently, and none if a known key is written", () => {
  const map = new BoundedMap<string, number>(2).set("a", 1).set("b", 2);
  map.set("a", 3);
  expect([...map]).toEqual([
    ["b", 2],
    ["a", 3],
  ]);
  map.get("b");
  expect([...map.set("c", 4).keys()]).toEqual(["a", "c"]);
});
