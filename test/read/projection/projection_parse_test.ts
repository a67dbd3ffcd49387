import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { JSONPATH_LENGTH_MAX } from "../../../src/limits.ts";
import {
  type ProjectionParse,
  parseProjection,
} from "../../../src/read/projection/projection_parse.ts";
import accepted from "../../fixtures/jsonpath-projection.json";
import refused from "../../fixtures/jsonpath-refuse.json";
import { threadMs } from "../../support/thread_time.ts";

/** Rows of the suite whose form our own grammar decides. Decisions 6. */
const CONSTRUCTION = "object construction";
const FILTER_REASON = /filter|function|script|type selector/;

describe("parseProjection and the compliance suite", () => {
  test.each(accepted)("takes: $name", ({ selector }) => {
    expect(parseProjection(selector).kind).toBe("parsed");
  });

  test.each(refused.filter((row) => row.reason !== CONSTRUCTION))(
    "refuses: $name",
    ({ selector, reason }) => {
      const kind = FILTER_REASON.test(reason) ? "filter_disabled" : "invalid";
      expect(parseProjection(selector).kind).toBe(kind);
    },
  );
});

describe("parseProjection", () => {
  test.each([
    "$",
    "$.a.b",
    "$.items[0].x",
    "$[0:5]",
    "$[*].a.b",
    "$..*",
    "$..['a', 0]",
    "$ .a\n[ 'b' ]",
    "$.ünï.名前.😀",
    "$['\\'\"\\\\\\u263A\\uD83D\\uDE00']",
    "{a: $.b}",
    "{ 'first name' : a.b , \"n\":@ , c:['d'], d: *, e: @..f, f: $..g }",
    "$.{a: b}",
    "$[*] .{a: b}",
    "$..x.{__proto__: y}",
  ])("takes %j", (text) => {
    expect(parseProjection(text).kind).toBe("parsed");
  });

  test.each([
    "",
    " ",
    "a",
    "@.a",
    " $",
    "$ ",
    "$.a ",
    "$.",
    "$..",
    "$...a",
    "$.['a']",
    "$.a b",
    "$[",
    "$[]",
    "$[a]",
    "$[0",
    "$[0,]",
    "$[,0]",
    "$[01]",
    "$[-]",
    "$[9007199254740992]",
    "$[:-9007199254740992]",
    "$['a",
    "$['a\"]",
    "$['\\\"']",
    "$['\ud800']",
    "$.\ud800",
    "$['\\uD800\\u0041']",
    "$.a^",
    "$.a~",
    "{}",
    "{",
    "{a}",
    "{a:}",
    "{a: }",
    "{a: b,}",
    "{a: b",
    "{a: b} ",
    " {a: b}",
    "{1: b}",
    "{a: 1}",
    "{a: .b}",
    "{a: ..b}",
    "{a: {b: c}}",
    "{a: $.b.{c: d}}",
    "$[*]{a: b}",
    "$[*]. {a: b}",
    "$..{a: b}",
    "$[*].{a: b}.c",
    "@.{a: b}",
  ])("refuses %j as no path", (text) => {
    expect(parseProjection(text).kind).toBe("invalid");
  });

  test.each([
    "$[?@.a]",
    "$[?(@.x < 3)]",
    "$[0,?@.a]",
    "$.?a",
    "$.a.length()",
    "$[(@.length-1)]",
    "length($.a)",
    "$['a)'][?@['b']=='?']",
    "{a: $[?@.b]}",
    "{a: (b)}",
  ])("refuses %j as a filter", (text) => {
    expect(parseProjection(text).kind).toBe("filter_disabled");
  });

  test("a question mark or parenthesis in quotes is no filter", () => {
    expect(parseProjection("$['a?(b)']").kind).toBe("parsed");
    expect(parseProjection("{'is it (really)?': a}").kind).toBe("parsed");
    expect(parseProjection("$['[?(a)]'").kind).toBe("invalid");
  });

  test("an alias may stand once, however it is written", () => {
    expect(detailOf(parseProjection("{a: b, 'a': c}"))).toContain("must not repeat an alias");
    expect(parseProjection("{a: b, A: c}").kind).toBe("parsed");
  });

  test("1,024 characters pass and 1,025 do not, counted in code points", () => {
    const longest = `$.${"😀".repeat(JSONPATH_LENGTH_MAX - 2)}`;
    expect(parseProjection(longest).kind).toBe("parsed");
    expect(detailOf(parseProjection(`${longest}a`))).toContain("at most 1024 characters");
  });

  test("a detail is one sentence with the place, counted in code points", () => {
    expect(detailOf(parseProjection("$.😀[01]"))).toBe(
      "jsonpath can't be parsed from character 4 on, got \"[01]\". Write $ and segments (.name, ['any name'], [0], [0:5], [*], ..name), or {alias: path}.",
    );
    expect(detailOf(parseProjection("$.a."))).toContain('from character 4 on, got "."');
    expect(detailOf(parseProjection("$[*].{a: b, 1: c}"))).toContain(
      'character 12 on, got " 1: c}"',
    );
    expect(detailOf(parseProjection("{"))).toContain("from character 2 on, got nothing");
  });

  // The whole grammar is one expression, which must not try all ways to divide white space.
  test.each([
    ["slices full of white space", `$${`[${" ".repeat(20)}:${" ".repeat(20)}]`.repeat(20)}!`],
    ["one such slice", `$[${" ".repeat(500)}:${" ".repeat(500)}!`],
    ["long names", `$${".abcdefghijklmno".repeat(60)}!`],
    ["quoted names with escapes", `$${"['\\\\\\\\']".repeat(60)}!`],
    ["unions", `$[${"0 , ".repeat(250)}!`],
    ["members", `{${"a : b [ 0 : 1 ] , ".repeat(55)}!`],
  ])("refuses %s within 20 ms", (_, text) => {
    expect(text.length).toBeLessThanOrEqual(JSONPATH_LENGTH_MAX);
    const startMs = threadMs();
    expect(parseProjection(text).kind).toBe("invalid");
    expect(threadMs() - startMs).toBeLessThan(20);
  });

  test("never throws, whatever the text", () => {
    const token = fc.constantFrom(
      ..."$@.*:,[]{}()?'\"\\ \n-019aü😀",
      "..",
      "u0041",
      "\ud800",
      "__proto__",
    );
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(token, { maxLength: 40 }).map((tokens) => tokens.join("")),
      fc.array(token, { maxLength: 40 }).map((tokens) => `$${tokens.join("")}`),
    );
    fc.assert(
      fc.property(text, (input) => {
        const parse = parseProjection(input);
        expect(parse.kind === "parsed" || parse.detail.endsWith(".")).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe("parseProjection, isSingular", () => {
  test.each([
    ["$", true],
    ["$.a['b'][0][-1]", true],
    ["$[0:1]", false],
    ["$['a','b']", false],
    ["$..a", false],
    ["$.*", false],
  ])("%s: %p", (text, singular) => {
    const parse = parseProjection(text);
    expect(parse).toMatchObject({ kind: "parsed", projection: { path: { isSingular: singular } } });
  });
});

describe("parseProjection, key", () => {
  test.each([
    { spellings: ["$.a", "$['a']", '$ ["\\u0061"]'] },
    { spellings: ["$.*", "$[*]", "$[ * ]"] },
    { spellings: ["$..a", "$..['a']"] },
    { spellings: ["$[0:2]", "$[:2]", "$[ 0 : 2 : 1 ]", "$[0:2:]"] },
    { spellings: ["$['\\/']", '$["/"]'] },
    { spellings: ["{a: b}", "{'a': $.b}", "$.{a: @.b}", '{"a":["b"]}'] },
    { spellings: ["$[*].{a: b, c: $}", "$.*.{ 'a': @['b'] , c: $ }"] },
  ])("equal for equal $spellings", ({ spellings }) => {
    expect(new Set(spellings.map(keyOf)).size).toBe(1);
  });

  test.each([
    { spellings: ["$.a", "$.A", "$..a", "$[0]", "$['0']", "$[*]", "$[:]", "$[::-1]", "$[0::-1]"] },
    {
      spellings: [
        "{a: b}",
        "{b: b}",
        "$[*].{a: b}",
        "$[*].{a: $.b}",
        "{a: b, c: d}",
        "{c: d, a: b}",
      ],
    },
    { spellings: ["$['a','b']", "$['b','a']", "$['a\\',\\'b']", "$.a.b", "$['a.b']"] },
  ])("different for each of $spellings", ({ spellings }) => {
    expect(new Set(spellings.map(keyOf)).size).toBe(spellings.length);
  });

  test.each(accepted)("is itself a spelling: $name", ({ selector }) => {
    expect(keyOf(keyOf(selector))).toBe(keyOf(selector));
  });
});

function keyOf(text: string): string {
  const parse = parseProjection(text);
  if (parse.kind !== "parsed") throw new Error(`${text}: ${parse.detail}`);
  return parse.projection.key;
}

function detailOf(parse: ProjectionParse): string {
  return parse.kind === "invalid" ? parse.detail : parse.kind;
}
