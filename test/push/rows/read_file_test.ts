import { describe, expect, test } from "bun:test";
import {
  convertFile,
  type FileReading,
  lookAtFile,
  readFileRows,
} from "../../../src/push/rows/read_file.ts";
import parsing from "../../fixtures/json-parsing.json" with { type: "json" };

const ROW = 51_200;
const MB = 1_048_576;

const file = (name: string, text: string | Uint8Array) => ({
  name,
  bytes: typeof text === "string" ? Buffer.from(text) : text,
});
const look = (name: string, text: string | Uint8Array) =>
  lookAtFile(file(name, text), { rowBytesMax: ROW });
const reading = (more: Partial<FileReading> = {}): FileReading => ({
  ...{ feedType: "collection", schema: null, renames: new Map(), rowBytesMax: ROW },
  ...more,
});

describe("lookAtFile", () => {
  test.each([
    ["a.csv", "id,n\n1,2\n", "csv"],
    ["a.txt", "id,n\n1,2\n", "csv"],
    ["a.ndjson", '{"id":1}\n{"id":2}\n', "ndjson"],
    ["a.json", '{"id":1}\n{"id":2}\n', "ndjson"],
    ["a.json", '\ufeff[{"id":1}]', "json"],
    ["a", '{\n"id":1}', "json"],
  ])("%p with %p is %p", async (name, text, form) => {
    expect(await look(name, text)).toMatchObject({ kind: "rows", form });
  });

  test("values of CSV have the types that all values of their column fit", async () => {
    const looked = await look("a.csv", "id,zip,ok\n1,0123,true\n2,99,false\n");
    expect(JSON.stringify(looked.kind === "rows" && looked.rows)).toBe(
      '[{"id":1,"zip":"0123","ok":true},{"id":2,"zip":"99","ok":false}]',
    );
  });

  test.each([
    ["a.json", "", "a.json is empty."],
    ["a.json", "[]", "a.json has no rows."],
    ["a.csv", "id\n", "a.csv has no rows."],
    ["a.csv", "\n\n", "a.csv has no rows."],
    ["a.json", "7", "neither an array of rows nor an object: it is a number."],
    ["a.json", '"x"', "it is a string."],
    ["a.json", "null", "it is a null."],
    ["a.json", '[{"id":1},]', 'is not JSON: expected a value, found "]" at line 1, column 11.'],
    [
      "a.xlsx",
      "PK\u0003\u0004",
      "a ZIP archive, as workbooks of Excel are; send CSV or lines of JSON.",
    ],
    ["a.csv.gz", Uint8Array.of(0x1f, 0x8b, 8, 0), "is compressed with gzip; decompress it."],
    ["a.csv", Buffer.from("id\n1\n", "utf16le"), "in UTF-16; save it as UTF-8."],
    ["a.json", Buffer.from('[{"id":"\xff"}]', "latin1"), "is not valid UTF-8."],
  ])("%p with %p says why it has no rows", async (name, text, why) => {
    const looked = await look(name, text);
    expect(looked.kind === "unreadable" ? looked.why : looked).toContain(why);
  });

  test.each([
    ["a.json", "[1,2]", "a row must be an object, got number"],
    ["a.csv", Buffer.from("id\n\xff\n", "latin1"), "not valid UTF-8 here"],
    ["a.csv", `id,a\n1,${"x".repeat(MB)}\n`, "larger than a row may be"],
    ["a.csv", `id,a\n1,"${"x".repeat(MB)}`, "a quote that is not closed may be the reason"],
    ["a.ndjson", `{"id":"${"x".repeat(60_000)}"}`, "larger than the limit of 51200 bytes"],
    ["a.csv", "id;n\n1;2\n", "separate values by commas"],
    ["a.csv", "id,id\n1,2\n", 'the column "id" twice'],
    ["a.ndjson", "{no}\n", "expected a key in double quotes"],
  ])("%p: a mistake in each row is named", async (name, text, message) => {
    const looked = await look(name, text);
    expect(looked.kind).toBe("unreadable");
    expect(looked.mistakes[0]?.message).toContain(message);
  });

  test("the first 1,000 rows, 20,000 fields and 1 MB are enough, and the rest need not be sound", async () => {
    const wide = Array.from({ length: 1_000 }, (_, n) => `c${n}`).join(",");
    const rows = `${Array.from({ length: 1_000 }, () => "1").join(",")}\n`.repeat(600);
    const looked = await look("wide.csv", `${wide}\n${rows}"broken`);
    expect(looked).toMatchObject({ kind: "rows", isCut: true, mistakes: [] });
    const long = await look("a.csv", `id\n${"1\n".repeat(5_000)}"broken`);
    expect(long.kind === "rows" && [long.rows.length, long.isCut]).toEqual([1_000, true]);
    const short = await look("a.csv", `id\n${"1\n".repeat(500)}`);
    expect(short.kind === "rows" && [short.rows.length, short.isCut]).toEqual([500, false]);
  });

  test("whatever the bytes, there are rows or a reason", async () => {
    for (const { base64, name } of parsing) {
      for (const extension of ["json", "ndjson", "csv"]) {
        const looked = await look(`${name}.${extension}`, Buffer.from(base64, "base64"));
        if (looked.kind === "rows") expect(looked.rows.length).toBeGreaterThan(0);
        else expect(looked.why).toEndWith(".");
      }
    }
  });
});

describe("readFileRows", () => {
  const read = (name: string, text: string, more: Partial<FileReading> = {}) =>
    readFileRows(file(name, text), { ...reading(more), rowsMax: 10 });

  test("rows are as the feed will have them: renamed, and typed by the schema", async () => {
    const schema = '{"properties":{"id":{"type":"integer"},"n":{"type":"number"}}}';
    const renames = new Map([["code", "id"]]);
    for (const [name, text] of [
      ["a.csv", "code,n\n7,1.50\n"],
      ["a.ndjson", '{ "code": 7, "n": 1.50 }\n'],
      ["a.json", '[\n{"code":7,"n":1.50}]'],
    ] as const) {
      const found = await read(name, text, { schema, renames });
      expect(found.kind === "rows" && found.rows[0]?.text).toBe('{"id":7,"n":1.50}');
    }
  });

  test("mistakes are those of an import, by line, and by row of an array", async () => {
    const lines = await read("a.ndjson", '{"id":1}\n\n{"n":1}\n{"id":[]}\n');
    expect(lines.mistakes).toEqual([
      { line: 3, path: "", message: "line 3 has no id; give each row an id, a string or a number" },
      { line: 4, path: "/id", message: expect.stringContaining("id must be a string") },
    ]);
    const rows = await read("a.json", '[{"id":1},{"n":1}]');
    expect(rows.mistakes[0]?.message).toStartWith("row 2 has no id");
    const stream = { feedType: "stream", renames: new Map([["at", "event_timestamp"]]) } as const;
    const times = await read("a.ndjson", '{"id":1,"at":"noon"}', stream);
    expect(times.mistakes[0]?.path).toBe("/event_timestamp");
    const both = await read("a.ndjson", '{"id":1,"code":2}', {
      renames: new Map([["code", "id"]]),
    });
    expect(both.mistakes[0]?.message).toContain("one key twice");
  });

  test("a document has neither an id nor a limit of rows", async () => {
    const text = JSON.stringify({ text: "x".repeat(100_000) });
    expect(await read("a.json", text, { feedType: "singleton" })).toMatchObject({
      isDocument: true,
      mistakes: [],
    });
  });
});

describe("convertFile", () => {
  test("each row stands on its line of the file", async () => {
    const csv = 'code,n\n1,"two\nlines"\n\n2,x\n';
    const renames = new Map([["code", "id"]]);
    const converted = await convertFile(file("a.csv", csv), reading({ renames }));
    expect(converted.kind === "converted" && converted.text).toBe(
      '\n{"id":"1","n":"two\\nlines"}\n\n\n{"id":"2","n":"x"}\n',
    );
    const json = await convertFile(file("a.json", '[{"id":1},\n{ "id": 2 }]'), reading());
    expect(json.kind === "converted" && json.text).toBe('{"id":1}\n{"id":2}\n');
  });

  test("a file that can't be divided into rows is refused with its lines", async () => {
    const converted = await convertFile(file("a.csv", "id,n\n1\n2,3\n"), reading());
    expect(converted).toMatchObject({
      kind: "unreadable",
      mistakes: [{ line: 2, message: "the line has 1 value, and the header 2 columns" }],
    });
  });
});
