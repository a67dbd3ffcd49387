import { describe, expect, test } from "bun:test";
import { cellOf, firstRowOf, showRows } from "../../../src/pages/public/shown_rows.ts";
import edgeRows from "../../fixtures/edge-rows.json";
import hostileStrings from "../../fixtures/hostile-strings.json";
import { whenBusy } from "../../support/pace.ts";
import { threadMs } from "../../support/thread_time.ts";

const ROWS = 50;

function shownOf(json: string) {
  return showRows(json, ROWS);
}

describe("showRows", () => {
  test("columns come in the rows' order, the time of an event first", () => {
    const { columns } = shownOf('[{"id":1,"event_timestamp":"2026-01-01T00:00:00Z"},{"b":2}]');
    expect(columns.map(({ head }) => head)).toEqual(["event_timestamp", "id", "b"]);
  });

  test("of more than 12 fields, those that are nested or null in every row are left out first", () => {
    const row = Object.fromEntries(Array.from({ length: 13 }, (_, place) => [`f${place}`, place]));
    const { columns, others } = shownOf(JSON.stringify([{ no: null, deep: { a: 1 }, ...row }]));
    expect(columns.map(({ head }) => head)).toEqual(Object.keys(row).slice(0, 12));
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
    expect(columns.map(({ head }) => head)).toEqual(["__proto__", "constructor"]);
    expect(rows.map((row) => row.map(({ text }) => text))).toEqual([
      ["1", "2"],
      ["", ""],
    ]);
  });

  test("a column is drawable if it has two different numbers", () => {
    const { columns } = shownOf('[{"a":1,"b":1,"c":1e400,"d":1},{"a":2,"b":1.0,"c":2,"d":"x"}]');
    expect(columns.map(({ isDrawable }) => isDrawable)).toEqual([true, false, false, false]);
  });

  test("of many fields, the first are named and all are counted", () => {
    const row = Object.fromEntries(Array.from({ length: 40 }, (_, place) => [`f${place}`, place]));
    const { others, otherCount } = shownOf(JSON.stringify(row));
    expect([others.length, otherCount]).toEqual([12, 28]);
  });

  test("100 KB of whatever rows take less than 20 ms", () => {
    const list = (item: string, times: number) => `[${Array(times).fill(item).join()}]`;
    const keys = Array.from({ length: 10_000 }, (_, place) => `"k${place}":1`).join();
    const hostile = [
      `{${keys}}`,
      `{"a":${list("1", 50_000)}}`,
      `{"a":${list("[]", 30_000)}}`,
      `{"a":"${"\u202e".repeat(33_000)}"}`,
      `{"${"\u202e".repeat(33_000)}":${"9".repeat(900)}}`,
      list(`{"a":"${"x".repeat(2_000)}","b":{"c":[1,2,3]}}`, ROWS),
    ];
    for (const json of hostile) {
      showRows(json, ROWS);
      const times = Array.from({ length: 8 }, () => {
        const startMs = threadMs();
        showRows(json, ROWS);
        return threadMs() - startMs;
      });
      expect(Math.min(...times)).toBeLessThan(whenBusy(20));
    }
  });
});

describe("firstRowOf", () => {
  test("has the JSON text of each field, white space left out", () => {
    const row = firstRowOf('[1, {"a": 1.50, "b": [ 1, {"c": "d e"} ]}]');
    expect([...row]).toEqual([
      ["a", "1.50"],
      ["b", '[1,{"c":"d e"}]'],
    ]);
    expect(firstRowOf("null").size).toBe(0);
  });
});

describe("cellOf", () => {
  test("numbers keep their digits, also within nested values", () => {
    expect(cellOf("12345678901234567890").text).toBe("12345678901234567890");
    expect(cellOf('{"a":[1.10,1e400]}')).toMatchObject({
      kind: "nested",
      text: '{"a":[1.10,1e400]}',
    });
  });

  test("a text is one line without invisible characters, cut after 200 characters", () => {
    expect(cellOf(JSON.stringify("a\u202eb\n\tc")).text).toBe("ab c");
    const long = cellOf(JSON.stringify(`${"x".repeat(198)}😀😀`));
    expect(long.text).toBe(`${"x".repeat(198)}…`);
    expect(long.isCut).toBe(true);
    expect(cellOf(JSON.stringify("x".repeat(200))).isCut).toBe(false);
  });

  test("absent, null and false are told apart", () => {
    expect([undefined, "null", "false"].map((source) => cellOf(source).text)).toEqual([
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
      for (const { head } of shown.columns) expect(head).not.toMatch(/^$|[\n\u202e\u200b]/);
      for (const { text } of shown.rows.flat()) {
        expect(text.length).toBeLessThanOrEqual(200);
        expect(text).not.toMatch(/[\n\u202e\u200b]/);
        expect(text.isWellFormed()).toBe(true);
      }
    }
  });
});
