import { expect, test } from "bun:test";
import { BoundedPairMap } from "../../src/lib/bounded_pair_map.ts";

/** Which of the pairs it holds. */
function heldOf(map: BoundedPairMap<number>, ...pairs: string[]): string[] {
  return pairs.filter((pair) => map.get(pair[0] as string, pair[1] as string) !== undefined);
}

test("a value is found by both of its keys", () => {
  const map = new BoundedPairMap<number>(9);
  map.set("a", "x", 1);
  map.set("a", "y", 2);
  map.set("b", "x", 3);
  map.set("a", "x", 4);
  expect([map.get("a", "x"), map.get("a", "y"), map.get("b", "x"), map.get("b", "y")]).toEqual([
    4,
    2,
    3,
    undefined,
  ]);
  expect(map.size).toBe(3);
  map.delete("a", "x");
  map.delete("a", "x");
  map.delete("c", "x");
  expect([map.get("a", "x"), map.get("a", "y"), map.size]).toEqual([undefined, 2, 2]);
});

test("the oldest of whom was written least recently goes first", () => {
  const map = new BoundedPairMap<number>(3);
  map.set("a", "x", 1);
  map.set("b", "x", 2);
  map.set("a", "y", 3);
  map.set("c", "x", 4);
  expect(heldOf(map, "ax", "ay", "bx", "cx")).toEqual(["ax", "ay", "cx"]);
  // To write again what is there makes room for nothing.
  map.set("c", "x", 5);
  expect(heldOf(map, "ax", "ay", "cx")).toEqual(["ax", "ay", "cx"]);
  map.set("c", "y", 6);
  expect(heldOf(map, "ax", "ay", "cx", "cy")).toEqual(["ay", "cx", "cy"]);
  expect(map.size).toBe(3);
});

test("one first key alone is bounded, too", () => {
  const map = new BoundedPairMap<number>(2);
  for (const second of ["x", "y", "z"]) map.set("a", second, 0);
  expect(heldOf(map, "ax", "ay", "az")).toEqual(["ay", "az"]);
  expect(map.size).toBe(2);
});
