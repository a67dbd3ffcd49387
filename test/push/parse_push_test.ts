import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { FeedType } from "../../src/feeds/find.ts";
import { LIMITS_DEFAULT } from "../../src/limits.ts";
import { type ParseOutcome, parsePush } from "../../src/push/parse_push.ts";

const limits = { ...LIMITS_DEFAULT, requestBodyBytes: 2_000, rowBytes: 300, rows: 10 };

function parse(text: string, feedType: FeedType | null, form: "json" | "ndjson" = "json") {
  return parsePush(
    { kind: "body", text, bytes: Buffer.byteLength(text), form },
    { feedType, limits },
  );
}

function textsOf(outcome: ParseOutcome): string[] | string {
  if (outcome.kind !== "rows") return outcome.kind;
  return outcome.mistakes.length === 0 ? outcome.push.rows.map(({ text }) => text) : "invalid";
}

describe("parsePush", () => {
  test("parsePush takes an object for a wrapper if it has payload and no keys but the wrapper's", () => {
    const cases: [string, string[]][] = [
      ['{"payload":{"a":1}}', ['{"a":1}']],
      ['{"batch_complete":false,"payload":{},"batch_id":null}', ["{}"]],
      ['{"payload":{},"batchId":1}', ['{"payload":{},"batchId":1}']],
      ['{"batch_id":"b"}', ['{"batch_id":"b"}']],
      ["{}", ["{}"]],
    ];
    for (const [text, rows] of cases) expect(textsOf(parse(text, "singleton"))).toEqual(rows);
  });

  test("parsePush keeps the text of rows but for white space, and gives them canonical ids", () => {
    const outcome = parse('[ {"id" : 1.50e1, "é":\t"\\u00e9" } ,{"id":"15.0"} ]', null);
    expect(outcome).toMatchObject({
      kind: "rows",
      mistakes: [],
      push: {
        feedType: "collection",
        batchId: null,
        isComplete: false,
        rows: [
          { text: '{"id":1.50e1,"é":"\\u00e9"}', id: "15", eventTime: null, pointer: "/0" },
          { text: '{"id":"15.0"}', id: "15.0", pointer: "/1" },
        ],
      },
    });
  });

  test("parsePush gives a stream's times as UTC text, and null for a row without one", () => {
    const outcome = parse(
      '[{"id":1,"event_timestamp":"2024-01-01T02:00:00+02:00"},{"id":2}]',
      "stream",
    );
    expect(outcome.kind === "rows" && outcome.push.rows.map(({ eventTime }) => eventTime)).toEqual([
      "2024-01-01T00:00:00.000000Z",
      null,
    ]);
  });

  test("parsePush makes of any rows, however spaced, what JSON.stringify prints", () => {
    const row = fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), {
      maxKeys: 3,
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 5 }), fc.constantFrom(0, 2, "\t"), (rows, space) => {
        const named = rows.map((each, id) => ({ ...each, id }));
        const expected = named.map((each) => JSON.stringify(each));
        const isStorable = /\\u0000|\\ud[89a-f]|e-3\d\d/.test(expected.join()) === false;
        const isSmall = expected.every((text) => Buffer.byteLength(text) <= limits.rowBytes);
        fc.pre(isStorable && isSmall);
        for (const body of [named, { payload: named }]) {
          const text = JSON.stringify(body, null, space);
          fc.pre(Buffer.byteLength(text) <= limits.requestBodyBytes);
          expect(textsOf(parse(text, "collection"))).toEqual(expected);
        }
        const lines = parse(`${expected.join("\n")}\n`, "collection", "ndjson");
        expect(textsOf(lines)).toEqual(expected.length === 0 ? "not_json" : expected);
      }),
    );
  });

  test("parsePush has an outcome for any text, for each type and form", () => {
    const piece = fc.constantFrom(
      "[",
      "]",
      "{",
      "}",
      '"id"',
      ":",
      ",",
      "1",
      '"a"',
      "\n",
      '"payload"',
    );
    const text = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(""));
    const type = fc.constantFrom("singleton", "collection", "stream", null);
    fc.assert(
      fc.property(text, type, fc.constantFrom("json", "ndjson"), (body, feedType, form) => {
        const isLinesOfDocument = form === "ndjson" && feedType === "singleton";
        fc.pre(!isLinesOfDocument);
        const outcome = parse(body, feedType, form);
        expect(["rows", "too_large", "not_json", "invalid"]).toContain(outcome.kind);
        if (form === "json") expect(outcome.kind === "not_json").toBe(!isJson(body));
      }),
      { numRuns: 500 },
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
