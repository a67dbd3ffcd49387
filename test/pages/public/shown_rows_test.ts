import { describe, expect, test } from "bun:test";
import {
  cellOf,
  memberOf,
  parseShown,
  type ShownRows,
  showRows,
} from "../../../src/pages/public/shown_rows.ts";
import edgeRows from "../../fixtures/edge-rows.json";
import hostileStrings from "../../fixtures/hostile-strings.json";

function shownOf(json: string): ShownRows {
  const values = parseShown(json);
  return showRows(Array.isArray(values) ? values : [values]);
}

describe("showRows", () => {
  test("columns come in the rows' order, the time of an event first", () => {
    const { columns } = shownOf('[{"id":1,"event_timestamp":"2026-01-01T00:00:00Z"},{"b":2}]');
    expect(columns.map(({ head }) => head)).toEqual(["event_timestamp", "id", "b"]);
  });

  test("of more than 12 fields, those that are nested or null in every row are left out first", () => {
    const row = Object.fromEntries(Array.from({ length: 13 }, (_, place) => [`f${place}`, place]));
    const { columns, others } = shownOf(JSON.stringify([{ no: null, deep: { a: 1 }, ...row }]));
    expect(columns.map(({ key }) => key)).toEqual(Object.keys(row).slice(0, 12));
    expect(others).toEqual(["no", "deep", "f12"]);
  });

  test("a column of numbers and nulls is numeric, one with a text is not", () => {
    const { columns } = shownOf('[{"a":1,"b":1,"c":null},{"a":null,"b":"x","c":null}]');
    expect(columns.map(({ isNumeric }) => isNumeric)).toEqual([true, false, false]);
  });

  test("what is no object is no row, a number with many digits included", () => {
    expect(shownOf('[1,null,[2],"x",123456789012345678901]').rows).toEqual([]);
  });

  test("keys that objects inherit are fields like others", () => {
    const { columns, rows } = shownOf('[{"__proto__":1,"constructor":2},{}]');
    expect(columns.map(({ key }) => key)).toEqual(["__proto__", "constructor"]);
    expect(memberOf(rows[0] ?? {}, "__proto__")).toBe(1);
    expect(memberOf(rows[1] ?? {}, "constructor")).toBeUndefined();
  });
});

describe("cellOf", () => {
  test("numbers keep their digits, also within nested values", () => {
    expect(cellOf(parseShown("12345678901234567890")).text).toBe("12345678901234567890");
    expect(cellOf(parseShown('{"a":[1.10,1e400]}'))).toMatchObject({
      kind: "nested",
      text: '{"a":[1.10,1e400]}',
    });
  });

  test("a text is one line without invisible characters, cut after 200 characters", () => {
    expect(cellOf("a\u202eb\n\tc").text).toBe("ab c");
    const long = cellOf(`${"x".repeat(198)}😀😀`);
    expect(long.text).toBe(`${"x".repeat(198)}…`);
    expect(long.isCut).toBe(true);
    expect(cellOf("x".repeat(200)).isCut).toBe(false);
  });

  test("absent, null and false are told apart", () => {
    expect([undefined, null, false].map((value) => cellOf(value).text)).toEqual([
      "",
      "null",
      "false",
    ]);
  });

  test("hostile texts and awkward rows give cells of at most 200 characters, each in one line", () => {
    const texts = hostileStrings.map(({ text }) =>
      JSON.stringify({ text, nested: { [text]: text } }),
    );
    const rows = edgeRows
      .filter(({ node, kind }) => node === "ok" && kind !== "depth")
      .map(({ row }) => row);
    for (const json of [...texts, ...rows]) {
      const shown = shownOf(`[${json}]`);
      for (const row of shown.rows) {
        for (const { key, head } of shown.columns) {
          const { text } = cellOf(memberOf(row, key));
          expect(text.length).toBeLessThanOrEqual(200);
          expect(text + head).not.toMatch(/[\n\u202e\u200b]/);
          expect(head).not.toBe("");
          expect(text.isWellFormed()).toBe(true);
        }
      }
    }
  });
});
