import { expect, test } from "bun:test";
import { ValidatorCache } from "../../src/row_schema/validator_cache.ts";

test("ValidatorCache keeps the most recently used ones", () => {
  const cache = new ValidatorCache<string>({ sizeMax: 2, weightMax: 100 });
  cache.add("a", { validator: "A", weight: 1 });
  cache.add("b", { validator: "B", weight: 1 });
  expect(cache.find("a")).toBe("A");
  cache.add("c", { validator: "C", weight: 1 });
  expect([cache.find("a"), cache.find("b"), cache.find("c")]).toEqual(["A", undefined, "C"]);
  expect(cache.size).toBe(2);
});

test("ValidatorCache is bounded in weight, and keeps a heavy one alone", () => {
  const cache = new ValidatorCache<string>({ sizeMax: 10, weightMax: 100 });
  cache.add("a", { validator: "A", weight: 60 });
  cache.add("b", { validator: "B", weight: 30 });
  cache.add("c", { validator: "C", weight: 30 });
  expect([cache.find("a"), cache.find("b"), cache.find("c")]).toEqual([undefined, "B", "C"]);
  cache.add("d", { validator: "D", weight: 500 });
  expect(cache.size).toBe(1);
  cache.add("e", { validator: "E", weight: 1 });
  expect([cache.find("d"), cache.find("e")]).toEqual([undefined, "E"]);
});
