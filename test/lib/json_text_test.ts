import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  findMember,
  type JsonRefusal,
  type JsonSpan,
  JsonSyntaxError,
  type JsonText,
  pointerTo,
  type ScanOptions,
  scanJson,
  stringOf,
  textOf,
} from "../../src/lib/json_text.ts";
import edgeRows from "../fixtures/edge-rows.json";
import parsingSuite from "../fixtures/json-parsing.json";
import { whenBusy } from "../support/pace.ts";

const OPTIONS: ScanOptions = { spanDepth: 3, heightMax: 100 };
const ALL_SPANS: ScanOptions = { spanDepth: 1_000, heightMax: 1_000 };

describe("scanJson: syntax", () => {
  for (const { name, expect: expected, base64 } of parsingSuite) {
    test(`JSONTestSuite ${name}: ${expected}`, () => {
      const outcome = outcomeOf(decode(base64));
      if (expected === "accept") expect(outcome).not.toBe("syntax error");
      if (expected === "reject") expect(outcome).toBe("syntax error");
      if (expected === "either") expect<string | undefined>(outcome).toBe(EITHER.get(name));
    });
  }

  test("scanJson accepts and rejects what JSON.parse does, whatever the text", () => {
    const token = fc.constantFrom(
      ...'[]{},:"\\u0a9-+.eE \t\n\u0001é',
      ...'true,null,-0,0.5,1e9,"a","b":,[1],{},\\u00e9,\\n'.split(","),
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 12 }), (tokens) => {
        const text = tokens.join("");
        expect(outcomeOf(text) === "syntax error").toBe(!isJson(text));
      }),
      { numRuns: 20_000 },
    );
  });

  test("scanJson agrees with JSON.parse on valid texts with one change", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), fc.nat(), fc.string(), (json, place, insert) => {
        const at = place % (json.length + 1);
        const text = json.slice(0, at) + insert + json.slice(at + 1);
        expect(outcomeOf(text) === "syntax error").toBe(!isJson(text));
      }),
      { numRuns: 5_000 },
    );
  });

  test.each([
    ["", "expected a value, found the end at line 1, column 1"],
    ["\ufeff{}", "expected a value, found U+FEFF at line 1, column 1"],
    ['{"a": 1,\n "b" 2}', 'expected ":", found "2" at line 2, column 6'],
    ["[1,]", 'expected a value, found "]" at line 1, column 4'],
    ["{'a':1}", 'expected a key in double quotes, found "\'" at line 1, column 2'],
    ["[01]", 'expected "," or "]", found "1" at line 1, column 3'],
    ["{} {}", 'expected the end of the text, found "{" at line 1, column 4'],
    [
      '"a\nb"',
      'expected a closing quote (control characters must be escaped), found "\\n" at line 1, column 3',
    ],
    ['["\\x"]', 'expected an escape of JSON, found "x" at line 1, column 4'],
  ])("%j says what was expected and where", (source, message) => {
    expect(() => scanJson(source, OPTIONS)).toThrow(new JsonSyntaxError(message, 1));
  });

  test("a syntax error comes before a refusal that stands earlier in the text", () => {
    for (const refused of [
      '"\\u0000"',
      "1e999",
      '{"a":1,"a":2}',
      "[".repeat(300) + "]".repeat(300),
    ]) {
      expect(outcomeOf(`[${refused}]`)).toBe("refused");
      expect(outcomeOf(`[${refused},]`)).toBe("syntax error");
    }
  });

  test("two megabytes of brackets neither overflow the stack nor take long", () => {
    const started = performance.now();
    const half = 1_000_000;
    expect(outcomeOf("[".repeat(2 * half))).toBe("syntax error");
    expect(outcomeOf("[".repeat(half) + "]".repeat(half))).toBe("refused");
    expect(outcomeOf('{"a":'.repeat(half / 5))).toBe("syntax error");
    // Half a second; where each bracket looked back, it would be hours.
    expect(performance.now() - started).toBeLessThan(whenBusy(2_000));
  });
});

describe("scanJson: text and spans", () => {
  test("scanJson removes white space and keeps everything else as sent", () => {
    const source = ' {\r\n\t"b" : [ 1.10 , -0 , 1E2 ],\n"a":"\\u00e9 \\/ é", "1":{ } }\n';
    expect(scanJson(source, OPTIONS).text).toBe('{"b":[1.10,-0,1E2],"a":"\\u00e9 \\/ é","1":{}}');
  });

  test("scanJson returns a text without white space as it is", () => {
    const source = '{"a":[1,"a b"]}';
    expect(scanJson(source, OPTIONS).text).toBe(source);
  });

  test("scanJson gives what JSON.stringify does, however the text was indented", () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 6 }),
        fc.constantFrom(0, 1, 4, "\t"),
        (value, indent) => {
          fc.pre(isStorable(value));
          const json = scanJson(JSON.stringify(value, null, indent), ALL_SPANS);
          expect(json.text).toBe(JSON.stringify(value));
          expectSpans(json, json.root, JSON.parse(json.text));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("rows with the keys of the row before, and rows with other keys, are read right", () => {
    const key = fc.constantFrom(
      "a",
      "b",
      "ab",
      "",
      "__proto__",
      'q"',
      "\\",
      "\n",
      "é",
      "constructor",
    );
    const row = fc
      .uniqueArray(key)
      .map((keys) => keys.map((name, index) => [name, index] as const));
    fc.assert(
      fc.property(fc.array(row), (rows) => {
        const sources = rows.map(
          (row) => `{${row.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`,
        );
        const { root } = scanJson(`[${sources.join()}]`, OPTIONS);
        const keys = root.items?.map((item) => item.members?.map((member) => member.key));
        expect(keys).toEqual(rows.map((row) => row.map(([name]) => name)));
      }),
      { numRuns: 2_000 },
    );
  });

  test("spans end at spanDepth, and heights are counted to the innermost level", () => {
    const { root } = scanJson('{"a":[[[{}]],1]}', { spanDepth: 1, heightMax: 100 });
    expect(root.height).toBe(5);
    const list = findMember(root, "a");
    expect(list).toEqual({
      kind: "array",
      start: 5,
      end: 15,
      height: 4,
      members: undefined,
      items: undefined,
    });
    expect(scanJson("[1]", { spanDepth: 0, heightMax: 1 }).root.items).toBeUndefined();
  });

  test("heights: a scalar 0, an empty container 1, and so on", () => {
    for (const [source, height] of [
      ["1", 0],
      ["{}", 1],
      ["[]", 1],
      ["[[]]", 2],
      ['[{"a":[1]},[]]', 3],
    ] as const) {
      expect(scanJson(source, OPTIONS).root.height).toBe(height);
    }
  });

  test("key order is kept where JavaScript would not keep it", () => {
    const { root } = scanJson('{"2":0,"b":0,"1":0,"__proto__":0}', OPTIONS);
    expect(root.members?.map((member) => member.key)).toEqual(["2", "b", "1", "__proto__"]);
  });

  test("edge rows keep their text and content, or are refused for one of our reasons", () => {
    for (const { kind, case: name, row } of edgeRows) {
      const label = `${kind}: ${name}`;
      const refusal = refusalOf(row);
      expect([label, refusal?.path]).toEqual([label, expectedPointer(kind, name)]);
      if (refusal) continue;
      const json = scanJson(row, OPTIONS);
      expect(json.text).toBe(row);
      expectSpans(json, json.root, JSON.parse(row), 3);
    }
  });
});

describe("scanJson: refusals", () => {
  test.each([
    ['{"rows":[1,"a\\u0000"]}', "/rows/1"],
    ['"\\u0000"', ""],
    ['{"a":{"\\u0000":1}}', "/a"],
    ['["\\ud800"]', "/0"],
    ['["\\udc00\\ud800"]', "/0"],
    ['["\\ud800\\u0041"]', "/0"],
    ['["\\ud800\\ud800\\udc00"]', "/0"],
    ['["\ud800"]', "/0"],
    ['["ok","\ud800\\udc00"]', "/1"],
    ['["\\ud800\udc00"]', "/0"],
    ['{"a/b":{"m~n":1e400}}', "/a~1b/m~0n"],
    ["[0,-1e400]", "/1"],
    ["[1e-400]", "/0"],
    [`[0.${"0".repeat(400)}1]`, "/0"],
    [`[1${"0".repeat(400)}]`, "/0"],
    [`[0.${"1".repeat(999)}]`, "/0"],
    ['{"a":1,"b":2,"a":3}', "/a"],
    ['{"a":1,"\\u0061":2}', "/a"],
    ['{"__proto__":1,"__proto__":2}', "/__proto__"],
    ['{"":1,"":2}', "/"],
    ['[{"a":1,"b":2},{"a":1,"a":2}]', "/1/a"],
    ['[{"a":1,"b":2},{"a":1,"b":2,"b":3}]', "/1/b"],
    ['{"x":{"a":1},"y":{"a":1e999},"x":1}', "/y/a"],
  ])("%s points at %j", (source, pointer) => {
    expect(refusalOf(source)?.path).toBe(pointer);
  });

  test("scanJson refuses a key that comes twice among many", () => {
    const keys = Array.from({ length: 5_000 }, (_, index) => `"k${index}":${index}`);
    expect(refusalOf(`{${keys.join()}}`)).toBeUndefined();
    expect(refusalOf(`{${keys.join()},"k4321":0}`)?.path).toBe("/k4321");
    expect(refusalOf(`[{${keys.join()}},{${keys.join()},"k4321":0}]`)?.path).toBe("/1/k4321");
  });

  test("scanJson accepts the same key in different objects", () => {
    expect(refusalOf('{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}')).toBeUndefined();
  });

  test("scanJson accepts what is long, escaped or just within a bound", () => {
    const sources = [
      '"\\ud83d\\ude00"',
      '"😀"',
      '"\\\\u0000"',
      '"\\uffff"',
      '"\\ufeff"',
      "0e400",
      "-0.0e-999999",
      `0.${"0".repeat(990)}1e700`,
      `0.${"1".repeat(998)}`,
      "5e-324",
      "1.7976931348623157e308",
      `1${"0".repeat(308)}`,
      `0.${"0".repeat(900)}`,
    ];
    for (const source of sources) expect([source, refusalOf(source)]).toEqual([source, undefined]);
  });

  test("scanJson accepts heightMax levels, and refuses one more where it begins", () => {
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    expect(refusalOf(nested(100))).toBeUndefined();
    expect(refusalOf(nested(101))?.path).toBe("/0".repeat(100));
    expect(refusalOf(`[1,${nested(100)}]`)?.path).toBe(`/1${"/0".repeat(99)}`);
    const objects = `${'{"a":'.repeat(101)}[{"b":[{}, {"c":1}]}]${"}".repeat(101)}`;
    expect(refusalOf(objects)?.path).toBe("/a".repeat(100));
  });

  test("the first refusals of a text are described, each value once, and all are counted", () => {
    const source = `[1e999,"\\u0000\\ud800\\u0000",{"a":1,"b":"\\u0000","a":2},${"[".repeat(100)}1e999,["\\u0000"]${"]".repeat(100)},-1e999]`;
    const pointersOf = (refusalsMax?: number) => {
      const options = refusalsMax === undefined ? OPTIONS : { ...OPTIONS, refusalsMax };
      const { refusals, refusalCount } = scanJson(source, options);
      return [refusals.map(({ path }) => path), refusalCount];
    };
    const deep = `/3${"/0".repeat(99)}`;
    expect(pointersOf()).toEqual([["/0"], 6]);
    expect(pointersOf(4)).toEqual([["/0", "/1", "/2/b", "/2/a"], 6]);
    expect(pointersOf(20)).toEqual([["/0", "/1", "/2/b", "/2/a", deep, "/4"], 6]);
  });

  test("keys that come twice are described for each object, also if all objects have the same keys", () => {
    const source = '[{"a":1,"b":1,"a":2},{"a":1,"b":1,"a":2},{"a":1,"b":1,"a":2}]';
    const pointers = scanJson(source, { ...OPTIONS, refusalsMax: 20 }).refusals.map(
      ({ path }) => path,
    );
    expect(pointers).toEqual(["/0/a", "/1/a", "/2/a"]);
  });

  test("a pointer beyond its bound leads to the nearest container that can be named", () => {
    const inside = (key: string) => refusalOf(`{"a":{"${key}":["\\u0000"]}}`)?.path;
    expect(inside("k".repeat(4_000))).toBe(`/a/${"k".repeat(4_000)}/0`);
    expect(inside("k".repeat(5_000))).toBe("/a");
    // Escaped, it is twice as long.
    expect(inside("~".repeat(3_000))).toBe("/a");
    const huge = `{"${"~".repeat(2_000_000)}":[${Array(20).fill('"\\u0000"')}]}`;
    expect(
      scanJson(huge, { ...OPTIONS, refusalsMax: 20 }).refusals.map(({ path }) => path),
    ).toEqual(Array(20).fill(""));
  });

  test("a message shows only the start of a long text", () => {
    const key = `"${"k".repeat(10_000)}"`;
    expect(refusalOf(`{${key}:1,${key}:2}`)?.message.length).toBeLessThan(200);
  });
});

describe("helpers", () => {
  test("pointerTo escapes as RFC 6901 does", () => {
    expect(pointerTo()).toBe("");
    expect(pointerTo("payload", 3, "a/b", "m~n", "", " ")).toBe("/payload/3/a~1b/m~0n// ");
  });

  test("stringOf unescapes, textOf does not", () => {
    const json = scanJson('{"a":"\\u00e9\\n\\"", "b":"é"}', OPTIONS);
    const [first, second] = (json.root.members ?? []).map((member) => member.value);
    expect(stringOf(json, first as JsonSpan)).toBe('é\n"');
    expect(textOf(json, first as JsonSpan)).toBe('"\\u00e9\\n\\""');
    expect(stringOf(json, second as JsonSpan)).toBe("é");
  });
});

/** What RFC 8259 leaves open, decided: bytes that are no UTF-8 never reach the reader. */
const EITHER = new Map([
  ["number_neg_int_huge_exp", "refused"],
  ["number_pos_double_huge_exp", "refused"],
  ["number_real_underflow", "refused"],
  ["number_too_big_pos_int", "accepted"],
  ["string_UTF8_surrogate_U+D800", "syntax error"],
  ["string_incomplete_surrogates_escape_valid", "refused"],
  ["string_invalid_lonely_surrogate", "refused"],
  ["string_invalid_utf-8", "syntax error"],
  ["string_inverted_surrogates_U+1D11E", "refused"],
  ["string_iso_latin_1", "syntax error"],
  ["string_lone_second_surrogate", "refused"],
  ["string_overlong_sequence_2_bytes", "syntax error"],
  ["string_utf16BE_no_BOM", "syntax error"],
  ["structure_500_nested_arrays", "refused"],
  ["structure_UTF-8_BOM_empty_object", "syntax error"],
]);

/** Where an edge row is refused, by decisions 5 and 10; undefined where it is stored. */
function expectedPointer(kind: string, name: string): string | undefined {
  // The arrays lie in a row, which is a level itself.
  const arrays = Number(/^(\d+) arrays$/.exec(name)?.[1] ?? 0);
  if (arrays >= 100) return `/v${"/0".repeat(99)}`;
  const isTooLarge = /1E400|1e131071|10{30}/.test(name);
  if (kind === "number" && isTooLarge) return "/value";
  if (kind === "text" && ["nul escape", "lone low surrogate"].includes(name)) return "/value";
  if (kind === "id" && name.includes("\\x00")) return "/id";
  return kind === "duplicate-key" ? "/a" : undefined;
}

function decode(base64: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(base64, "base64"),
    );
  } catch {
    return undefined;
  }
}

function outcomeOf(source: string | undefined): "accepted" | "refused" | "syntax error" {
  if (source === undefined) return "syntax error";
  try {
    return scanJson(source, OPTIONS).refusalCount === 0 ? "accepted" : "refused";
  } catch (error) {
    if (error instanceof JsonSyntaxError) return "syntax error";
    throw error;
  }
}

function refusalOf(source: string): JsonRefusal | undefined {
  return scanJson(source, OPTIONS).refusals[0];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether a value holds nothing that is refused; `fc.jsonValue` makes no lone surrogates by itself. */
function isStorable(value: unknown): boolean {
  return !JSON.stringify(value).includes("\\u0000") && JSON.stringify(value).isWellFormed();
}

/** Each span's text parses to the value that JSON.parse finds in its place, down to `depth` levels. */
function expectSpans(
  json: JsonText,
  span: JsonSpan,
  value: unknown,
  depth = Number.POSITIVE_INFINITY,
): void {
  expect(JSON.parse(textOf(json, span))).toEqual(value);
  if (depth === 0) return;
  span.items?.forEach((item, index) => {
    expectSpans(json, item, (value as unknown[])[index], depth - 1);
  });
  for (const member of span.members ?? []) {
    const own = Object.getOwnPropertyDescriptor(value, member.key)?.value;
    expectSpans(json, member.value, own, depth - 1);
  }
  const heights = [...(span.items ?? []), ...(span.members ?? []).map((member) => member.value)];
  if (span.items || span.members) {
    expect(span.height).toBe(1 + Math.max(0, ...heights.map((inner) => inner.height)));
    expect(heights).toHaveLength(Object.keys(value as object).length);
  }
}
