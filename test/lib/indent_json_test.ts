import { expect, test } from "bun:test";
import { indentJson } from "../../src/lib/indent_json.ts";

test("JSON gets a line for each member, and every value stays as it was written", () => {
  expect(indentJson('{"a":[1.0,{}],"b":"x, {y}"}')).toBe(
    '{\n  "a": [\n    1.0,\n    {}\n  ],\n  "b": "x, {y}"\n}',
  );
});

test("a text that nesting would make many times as long stays as it is", () => {
  const deep = `[${Array(1_000).fill(`${"[".repeat(90)}${"]".repeat(90)}`)}]`;
  expect(indentJson(deep)).toBe(deep);
  expect(indentJson("[".repeat(9) + "]".repeat(9))).toContain("\n");
});
