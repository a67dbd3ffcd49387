import { expect, test } from "bun:test";
import { jsonLines } from "../../src/cli/json_lines.ts";

test("jsonLines breaks what is too long for a line, and keeps digits and the order of keys", () => {
  const long = "x".repeat(70);
  expect(jsonLines(`{"b":1.10,"1":[12345678901234567890]}`)).toEqual([
    `{"b":1.10,"1":[12345678901234567890]}`,
  ]);
  expect(
    jsonLines(`{"type":"object","properties":{"id":{"type":"string"},"${long}":[1,{}]}}`),
  ).toEqual([
    "{",
    `  "type": "object",`,
    `  "properties": {`,
    `    "id": {"type":"string"},`,
    `    "${long}": [1,{}]`,
    "  }",
    "}",
  ]);
  expect(jsonLines(`["${long}","${long}",[]]`)).toEqual([
    "[",
    `  "${long}",`,
    `  "${long}",`,
    "  []",
    "]",
  ]);
  expect(jsonLines(`"${long}${long}"`)).toEqual([`"${long}${long}"`]);
});

test("jsonLines prints JSON again, whatever is nested in what", () => {
  for (let depth = 1; depth <= 90; depth++) {
    const text = `${'{"a":['.repeat(depth / 2)}1${"]}".repeat(depth / 2)}`;
    expect(JSON.parse(jsonLines(text).join("\n"))).toEqual(JSON.parse(text));
  }
});
