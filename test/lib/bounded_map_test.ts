import { expect, test } from "bun:test";
import { BoundedMap } from "../../src/lib/bounded_map.ts";

test("what was written least recently goes first; to write it again makes room for nothing", () => {
  const map = new BoundedMap<string, number>(2).set("a", 1).set("b", 2);
  map.set("a", 3);
  expect([...map]).toEqual([
    ["b", 2],
    ["a", 3],
  ]);
  map.get("b");
  expect([...map.set("c", 4).keys()]).toEqual(["a", "c"]);
});
