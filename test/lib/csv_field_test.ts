import { expect, test } from "bun:test";
import { csvField, csvLine } from "../../src/lib/csv_field.ts";

test("csvField quotes what needs it, and keeps a spreadsheet from taking a text for a formula", () => {
  for (const [text, field] of [
    ["plain", "plain"],
    ["", ""],
    ['a "b", c', '"a ""b"", c"'],
    ["two\nlines", '"two\nlines"'],
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@sum", "'@sum"],
    ["\t=1", "'\t=1"],
    ['=cmd|"x"', `"'=cmd|""x"""`],
  ] as const) {
    expect([text, csvField(text)]).toEqual([text, field]);
  }
  expect(csvLine(["a", "b"])).toBe("a,b\r\n");
});
