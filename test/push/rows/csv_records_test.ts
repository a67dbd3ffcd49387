import { describe, expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { type CsvRecord, CsvRecords } from "../../../src/push/rows/csv_records.ts";

const LENGTH_MAX = 1_000;

describe("CsvRecords", () => {
  test("it reads what csv-parse reads, and refuses what csv-parse refuses, wherever pieces end", () => {
    const marks = fc.constantFrom('"', '""', ",", "\n", "\r\n", "\r", '",', '"\n', "a", "b c", "é");
    fc.assert(
      fc.property(
        fc.array(marks, { maxLength: 24 }),
        fc.integer({ min: 1, max: 5 }),
        (all, size) => {
          const text = all.join("");
          const { records, mistake } = readAll(text, size);
          const expected = oracle(text);
          if (expected === undefined) expect(mistake).toBeDefined();
          else expect(records.map(({ values }) => values)).toEqual(expected);
        },
      ),
      { numRuns: 5_000 },
    );
  });

  test("a record is on the line on which it begins", () => {
    const { records } = readAll('a,b\n\n"1\n2",3\r\n4,"x\r\ny"\r\r5,6', 3);
    expect(records).toEqual([
      { values: ["a", "b"], line: 1 },
      { values: ["1\n2", "3"], line: 3 },
      { values: ["4", "x\r\ny"], line: 5 },
      { values: ["5", "6"], line: 8 },
    ]);
  });

  test("a mistake ends the records, and is on the line of its own", () => {
    expect(readAll('a\nb\n"c', 100)).toMatchObject({
      records: [{ line: 1 }, { line: 2 }],
      mistake: { kind: "not_closed", line: 3 },
    });
    expect(readAll('a\nb"c\nd', 100)).toMatchObject({
      records: [{ line: 1 }],
      mistake: { kind: "misplaced_quote", line: 2 },
    });
    const endless = readAll(`a\n"${"x".repeat(LENGTH_MAX)}`, 100);
    expect(endless.mistake).toEqual({ kind: "too_long", line: 2 });
  });
});

function readAll(text: string, size: number) {
  const reader = new CsvRecords(LENGTH_MAX);
  const records: CsvRecord[] = [];
  for (let at = 0; at < text.length; at += size) {
    records.push(...reader.read(text.slice(at, at + size), { isLast: false }));
  }
  records.push(...reader.read("", { isLast: true }));
  return { records, mistake: reader.mistake };
}

/** Undefined if it refuses the text. */
function oracle(text: string): string[][] | undefined {
  try {
    return parse(text, {
      record_delimiter: ["\r\n", "\n", "\r"],
      relax_column_count: true,
      skip_empty_lines: true,
    });
  } catch {
    return undefined;
  }
}
