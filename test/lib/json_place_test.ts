import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { indentJson } from "../../src/lib/indent_json.ts";
import { lineOfPointer } from "../../src/lib/json_place.ts";
import { pointerTo } from "../../src/lib/json_text.ts";

const TEXT = `
{
  "type": "object",
  "properties": {
    "a/b": { "type": "string" },
    "items": [
      1,
      { "x": [true, "{"] }
    ]
  },
  "x": null
}`;

describe("lineOfPointer", () => {
  test.each([
    ["", 2],
    ["/type", 3],
    ["/properties", 4],
    ["/properties/a~1b", 5],
    ["/properties/a~1b/type", 5],
    ["/properties/items/0", 7],
    ["/properties/items/1/x/1", 8],
    ["/x", 11],
    // It leads nowhere: the last container.
    ["/properties/none", 4],
    ["/properties/items/7", 6],
  ])("the line of %p is %p", (pointer, line) => {
    expect(lineOfPointer(TEXT, pointer)).toBe(line);
  });

  test("every value of any text is on the line on which its key or item begins", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = indentJson(JSON.stringify(value));
        const lines = text.split("\n");
        const visit = (each: unknown, path: readonly (string | number)[]) => {
          const line = lines[lineOfPointer(text, pointerTo(...path)) - 1] ?? "";
          const last = path.at(-1);
          if (typeof last === "string") expect(line).toContain(`${JSON.stringify(last)}: `);
          else if (typeof each !== "object" || each === null)
            expect(line.trim()).toStartWith(JSON.stringify(each));
          if (typeof each !== "object" || each === null) return;
          const isArray = Array.isArray(each);
          for (const [key, inner] of Object.entries(each)) {
            visit(inner, [...path, isArray ? Number(key) : key]);
          }
        };
        visit(JSON.parse(text), []);
      }),
    );
  });

  test("takes time in proportion to the text", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    expect(lineOfPointer(deep, "/0".repeat(100_000))).toBe(1);
    const wide = JSON.stringify(
      Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [n, n])),
    );
    expect(lineOfPointer(wide, "/19999")).toBe(1);
  });
});
