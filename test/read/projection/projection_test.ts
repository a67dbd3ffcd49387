/**
 * Projections against the compliance suite, a plain model and `jsonpath-plus`.
 *
 * `jsonpath-plus` is asked only where it conforms: plain names, no union of names with other
 * selectors, numbers that a double holds, no integer-like keys, and no strings, since it takes `[0]`
 * of a string for its first character.
 *
 * @module
 */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { JSONPath } from "jsonpath-plus";
import { PROJECTION_BYTES_MAX, PROJECTION_NODES_MAX } from "../../../src/limits.ts";
import { type ProjectionOutcome, project } from "../../../src/read/projection/projection.ts";
import { type Projection, parseProjection } from "../../../src/read/projection/projection_parse.ts";
import suite from "../../fixtures/jsonpath-projection.json";
import { whenBusy } from "../../support/pace.ts";
import { threadMs } from "../../support/thread_time.ts";

const TIME_BOUND_MS = whenBusy(250);
const DOCUMENT_BYTES = 4 * 1_024 * 1_024;

interface SuiteRow {
  readonly name: string;
  readonly selector: string;
  readonly document: unknown;
  readonly result?: readonly unknown[];
  /** Where the order of members is open, any of these. */
  readonly results?: readonly (readonly unknown[])[];
}

describe("project and the compliance suite", () => {
  test.each(suite as readonly SuiteRow[])("$name", ({ selector, document, result, results }) => {
    const projection = parsed(selector);
    const unwraps = projection.path.isSingular;
    const expected = (results ?? [result ?? []]).map((nodes) =>
      JSON.stringify(unwraps ? (nodes[0] ?? null) : nodes),
    );
    expect(expected).toContain(textOf(project(projection, JSON.stringify(document))));
  });
});

describe("project, paths", () => {
  const data = '{"a":{"b":[1,2,3]},"list":[{"a":1},{"a":{"a":2}},[]],"n":null}';

  test.each([
    ["$", data],
    ["$.a.b", "[1,2,3]"],
    ["$.a.b[-1]", "3"],
    ["$.a.b[7]", "null"],
    ["$.a.b.c", "null"],
    ["$.a[0]", "null"],
    ["$.n", "null"],
    ["$.n.x", "null"],
    ["$.a.b[:2]", "[1,2]"],
    ["$.a.b[::-2]", "[3,1]"],
    ["$.a.b[2,0,0]", "[3,1,1]"],
    ["$.missing[*]", "[]"],
    ["$.list[*].a", '[1,{"a":2}]'],
    ["$..a", '[{"b":[1,2,3]},1,{"a":2},2]'],
    ["$.list..*", '[{"a":1},{"a":{"a":2}},[],1,{"a":2},2]'],
    ["$..[0]", '[1,{"a":1}]'],
  ])("%s is %s", (path, expected) => {
    expect(projected(path, data)).toBe(expected);
  });

  test.each(["0", "-1.50", '"a"', "true", "null", "[]", "{}"])("data may be %s", (text) => {
    expect(projected("$", text)).toBe(text);
    expect(projected("$.a", text)).toBe("null");
    expect(projected("$..*", text)).toBe("[]");
  });

  test("what a path does not reach is skipped, whatever brackets and quotes its texts have", () => {
    const text = '{"a":{"b":["]}","\\"]","\\\\",{"c":"{["}],"d":[[],{}]},"e":[{"a":"}"}],"f":7}';
    expect(projected("$.f", text)).toBe("7");
    expect(projected("$.e", text)).toBe('[{"a":"}"}]');
    expect(projected("$.e[0].a", text)).toBe('"}"');
    expect(projected("$.a.d", text)).toBe("[[],{}]");
    expect(projected("{x: a.b[3].c, y: f}", text)).toBe('{"x":"{[","y":7}');
  });

  test("a path finds more rows than room was made for", () => {
    const rows = Array.from({ length: 5_000 }, (_, n) => ({ id: n, deep: { n } }));
    const ids = rows.map(({ id }) => id);
    expect(projected("$[*].id", JSON.stringify(rows))).toBe(JSON.stringify(ids));
    expect(projected("$[*].deep.n", JSON.stringify(rows))).toBe(JSON.stringify(ids));
  });

  test("white space in data is no part of a value", () => {
    expect(projected("$[*].b", ' [ { "a" : 1 ,\n"b" : "x, y" } , {"b":2}\t] ')).toBe('["x, y",2]');
  });
});

describe("project, constructions", () => {
  const row = '{"name":"Tea","price":{"value":1.10,"currency":"EUR"},"tags":["a","b"]}';
  const page = `[${row},{"name":"Salt"},7]`;

  test.each([
    [
      "$[*].{title: name, usd: price.value}",
      '[{"title":"Tea","usd":1.10},{"title":"Salt","usd":null},{"title":null,"usd":null}]',
    ],
    ["$[0].{title: name}", '{"title":"Tea"}'],
    ["$[9].{title: name}", "null"],
    ["$[9:].{title: name}", "[]"],
    ["$[0].{all: tags[*], last: tags[-1]}", '{"all":["a","b"],"last":"b"}'],
    ["$[0].{n: ['name'], w: @..value, i: @}", `{"n":"Tea","w":[1.10],"i":${row}}`],
    [
      "$[:2].{name: @.name, first: $[0].name}",
      '[{"name":"Tea","first":"Tea"},{"name":"Salt","first":"Tea"}]',
    ],
    [
      "{count: [*].name, 'the \"first\"': $[0].name}",
      '{"count":["Tea","Salt"],"the \\"first\\"":"Tea"}',
    ],
    ["{self: @[1], same: $[1]}", '{"self":{"name":"Salt"},"same":{"name":"Salt"}}'],
    ["$..price.{value: value}", '[{"value":1.10}]'],
    ["$[0].{2: name}", undefined],
    ["$[0].{'2': name, '1': name}", '{"2":"Tea","1":"Tea"}'],
  ])("%s", (path, expected) => {
    if (expected === undefined) expect(parseProjection(path).kind).toBe("invalid");
    else expect(projected(path, page)).toBe(expected);
  });
});

describe("project, exactness", () => {
  test.each([
    "9007199254740993",
    "-0",
    "1.10",
    "1e5",
    "1E+2",
    `0.${"1".repeat(900)}`,
    "123456789012345678901234567890",
  ])("%s keeps its text", (number) => {
    expect(projected("$.n", `{"n":${number}}`)).toBe(number);
    expect(projected("$..n", `[{"n":${number}}]`)).toBe(`[${number}]`);
    expect(projected("{m: n}", `{"n":${number}}`)).toBe(`{"m":${number}}`);
  });

  test("keys keep their order, integer-like ones too", () => {
    const text = '{"x":{"2":"two","1":"one","b":0,"a":0}}';
    expect(projected("$.x", text)).toBe('{"2":"two","1":"one","b":0,"a":0}');
    expect(projected("$.x.*", text)).toBe('["two","one",0,0]');
    expect(projected("$.x['1','2']", text)).toBe('["one","two"]');
  });

  test("a name matches however the data escapes it, and no name matches a part of it", () => {
    const text = '{"\\u0061":1,"b\\/\\"":2,"c\\\\":3,"dd":4,"\\uD83D\\uDE00":5}';
    expect(projected("$.a", text)).toBe("1");
    expect(projected("$['b/\"']", text)).toBe("2");
    expect(projected("$['c\\\\']", text)).toBe("3");
    expect(projected("$.d", text)).toBe("null");
    expect(projected("$.😀", text)).toBe("5");
    expect(projected("$.u0061", text)).toBe("null");
  });

  test("strings that hold quotes, brackets and colons stay whole", () => {
    const strings = [
      '"a\\"b"',
      '"\\\\"',
      '"\\\\\\""',
      '"[{"',
      '"}],:"',
      '"\\u005c"',
      '"😀名"',
      '""',
    ];
    const text = `[${strings.map((string) => `{"k":${string}}`).join(",")}]`;
    expect(projected("$[*].k", text)).toBe(`[${strings.join(",")}]`);
  });
});

describe("project, prototype names", () => {
  const NAMES = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "length"];

  test.each(NAMES)("%s is missing where data has no such member", (name) => {
    expect(projected(`$.${name}`, "{}")).toBe("null");
    expect(projected(`$.${name}`, "[1]")).toBe("null");
    expect(projected(`$.${name}`, '"text"')).toBe("null");
    expect(projected(`$..${name}`, '[{"a":[]}]')).toBe("[]");
  });

  test.each(NAMES)("%s comes back as data, and is an alias like any", (name) => {
    expect(projected(`$.${name}.x`, `{"${name}":{"x":1}}`)).toBe("1");
    expect(projected(`{${name}: a}`, '{"a":{"polluted":1}}')).toBe(`{"${name}":{"polluted":1}}`);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe("project, bounds", () => {
  const onesOf = (count: number) => `[${new Array(count).fill(1).join(",")}]`;

  test("100,000 nodes pass and one more does not", () => {
    expect(outcomeOf("$[*]", onesOf(PROJECTION_NODES_MAX)).kind).toBe("projected");
    expect(detailOf("$[*]", onesOf(PROJECTION_NODES_MAX + 1))).toContain("at most 100000 nodes");
  });

  test("the nodes of a construction's members count, missing ones too", () => {
    const members = "abcdefghij".replaceAll(/./g, "$&: $&, ").slice(0, -2);
    expect(outcomeOf(`$[*].{${members}}`, onesOf(9_000)).kind).toBe("projected");
    expect(detailOf(`$[*].{${members}}`, onesOf(10_000))).toContain("at most 100000 nodes");
  });

  test("8 MiB pass and one byte more does not, in UTF-8", () => {
    const twice = (length: number) => JSON.stringify("é".repeat(length));
    const brackets = '[""]'.length;
    const fits = (PROJECTION_BYTES_MAX - brackets) / 2;
    expect(outcomeOf("$[*]", `[${twice(fits)}]`).kind).toBe("projected");
    expect(detailOf("$[*]", `[${twice(fits + 1)}]`)).toContain("at most 8388608 bytes");
  });

  test("data repeated for each row ends at the bytes", () => {
    const page = `[${new Array(100).fill(JSON.stringify("t".repeat(50_000))).join(",")}]`;
    expect(detailOf("$[*].{all: $}", page)).toContain("bytes");
  });

  test("nodes within nodes end at the bytes, before their texts are joined", () => {
    const data = "[".repeat(90) + JSON.stringify("t".repeat(4_000_000)) + "]".repeat(90);
    const startedMs = threadMs();
    expect(detailOf("$..*", data)).toContain("bytes");
    expect(threadMs() - startedMs).toBeLessThan(TIME_BOUND_MS);
  });

  test("a path that goes over the data again and again ends at the visits", () => {
    const deep = `[${new Array(2_000).fill("[".repeat(98) + "]".repeat(98)).join(",")}]`;
    expect(detailOf("$..*..*..*..zz", deep)).toContain("look at no more than");
    const names = new Array(200).fill("'a'").join(",");
    const wide = `{${Array.from({ length: 100_000 }, (_, at) => `"k${at}":0`).join(",")}}`;
    expect(detailOf(`$[${names}]`, wide)).toContain("look at no more than");
  });

  test("indices and slices beyond any array cost nothing", () => {
    expect(projected("$[9007199254740991]", "[1]")).toBe("null");
    expect(projected("$[-9007199254740991]", "[1]")).toBe("null");
    expect(projected("$[-9007199254740991:9007199254740991:9007199254740991]", "[1,2]")).toBe(
      "[1]",
    );
    expect(projected("$[9007199254740991:-9007199254740991:-9007199254740991]", "[1,2]")).toBe(
      "[2]",
    );
  });

  const row = (id: number) =>
    JSON.stringify({
      id,
      a: { b: id },
      list: [1, 2, 3],
      nested: { x: [{ y: id }] },
      text: "t".repeat(100),
    });
  test.each([
    ["rows", row],
    ["small objects", (at: number) => `{"b":${at}}`],
    ["numbers alone", () => "1"],
    ["empty objects", () => "{}"],
    ["escaped names", () => '{"\\n":1}'],
    ["100 levels", () => `${'{"b":'.repeat(98)}1${"}".repeat(98)}`],
  ])("$..a on 4 MB of %s within 250 ms", (_, piece) => {
    const data = filled(piece);
    const projection = parsed("$..a");
    // The best of three: what else the machine does slows this thread, too.
    const times = [1, 2, 3].map(() => {
      const startedMs = threadMs();
      expect(project(projection, data).kind).toBe("projected");
      return threadMs() - startedMs;
    });
    expect(Math.min(...times)).toBeLessThan(TIME_BOUND_MS);
  });

  test("nesting is bounded by nothing of ours", () => {
    const depth = 100_000;
    const data = "[".repeat(depth) + "]".repeat(depth);
    expect(projected("$..a", data)).toBe("[]");
  });

  /** An array of as many pieces as 4 MB hold. */
  function filled(piece: (at: number) => string): string {
    const pieces: string[] = [];
    for (let length = 2, at = 0; ; at++) {
      const text = piece(at);
      length += text.length + 1;
      if (length > DOCUMENT_BYTES) return `[${pieces.join(",")}]`;
      pieces.push(text);
    }
  }
});

/** A selector, and what it selects of a parsed value. */
interface ModelSelector {
  readonly kind: "name" | "position" | "wildcard";
  readonly text: string;
  /** The same for `jsonpath-plus`, which has slices for negative indices. */
  readonly plus: string;
  readonly children: (value: unknown) => readonly unknown[];
}

interface ModelSegment {
  readonly descends: boolean;
  readonly selectors: readonly ModelSelector[];
}

const PLAIN_NAMES = ["a", "b", "c d", "é"];
const NAMES = [
  ...PLAIN_NAMES,
  "__proto__",
  "constructor",
  "toString",
  "a'",
  'b"',
  "\\",
  "\n",
  "a]",
];
const LEAF = fc.oneof(fc.integer(), fc.boolean(), fc.constant(null));
const MODEL_RUNS = 3_000;

describe("project against models", () => {
  test("any path selects what a plain model over parsed data selects, in its order", () => {
    fc.assert(
      fc.property(
        segmentsOf(NAMES),
        containerOf(NAMES, fc.oneof(LEAF, fc.string())),
        (segments, text) => {
          const nodes = modelNodes(segments, JSON.parse(text));
          expect(nodesOf(spelled(segments, "text"), text)).toEqual(nodes);
        },
      ),
      { numRuns: MODEL_RUNS },
    );
  });

  test("a path on which jsonpath-plus conforms selects what jsonpath-plus selects", () => {
    const conforming = segmentsOf(PLAIN_NAMES).filter((segments) =>
      segments.every(({ selectors }) => new Set(selectors.map(({ kind }) => kind)).size === 1),
    );
    fc.assert(
      fc.property(conforming, containerOf(PLAIN_NAMES, LEAF), (segments, text) => {
        const path = spelled(segments, "plus");
        const oracle = JSONPath({ path, json: JSON.parse(text), eval: false, wrap: true });
        expect(nodesOf(spelled(segments, "text"), text)).toEqual(oracle);
      }),
      { numRuns: MODEL_RUNS },
    );
  });
});

function modelNodes(segments: readonly ModelSegment[], root: unknown): unknown[] {
  let nodes = [root];
  for (const { descends, selectors } of segments) {
    nodes = nodes
      .flatMap((node) => (descends ? withDescendants(node) : [node]))
      .flatMap((node) => selectors.flatMap(({ children }) => children(node)));
  }
  return nodes;
}

function withDescendants(node: unknown): unknown[] {
  return [node, ...valuesOf(node).flatMap(withDescendants)];
}

function valuesOf(node: unknown): unknown[] {
  return typeof node === "object" && node !== null ? Object.values(node) : [];
}

/** JSON text of an array or object. */
function containerOf(names: readonly string[], leaf: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  const { container } = fc.letrec<{ container: string; value: string }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      leaf.map((value) => JSON.stringify(value)),
      tie("container"),
    ),
    container: fc.oneof(
      fc.array(tie("value"), { maxLength: 5 }).map((values) => `[${values.join(",")}]`),
      fc
        .uniqueArray(fc.tuple(fc.constantFrom(...names), tie("value")), {
          maxLength: 5,
          selector: ([name]) => name,
        })
        .map((members) => members.map(([name, value]) => `${JSON.stringify(name)}:${value}`))
        .map((members) => `{${members.join(",")}}`),
    ),
  }));
  return container;
}

function segmentsOf(names: readonly string[]): fc.Arbitrary<ModelSegment[]> {
  const bound = fc.option(fc.integer({ min: -6, max: 6 }), { nil: undefined });
  const selector = fc.oneof(
    { arbitrary: fc.constantFrom(...names).map(nameModel), weight: 3 },
    fc.integer({ min: -6, max: 6 }).map(indexModel),
    fc.record({ start: bound, end: bound, step: fc.integer({ min: -3, max: 3 }) }).map(sliceModel),
    fc.constant<ModelSelector>({ kind: "wildcard", text: "*", plus: "*", children: valuesOf }),
  );
  const selectors = fc.oneof(
    { arbitrary: fc.tuple(selector), weight: 3 },
    fc.array(selector, { minLength: 2, maxLength: 3 }),
  );
  return fc.array(fc.record({ descends: fc.boolean(), selectors }), { minLength: 1, maxLength: 4 });
}

function nameModel(name: string): ModelSelector {
  const text = `'${JSON.stringify(name).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  const children = (value: unknown) =>
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.hasOwn(value, name)
      ? [(value as Record<string, unknown>)[name]]
      : [];
  return { kind: "name", text, plus: text, children };
}

function indexModel(index: number): ModelSelector {
  const children = (value: unknown) =>
    Array.isArray(value) && index < value.length && index >= -value.length ? [value.at(index)] : [];
  const plus = index < 0 ? `${index}:${index === -1 ? "" : index + 1}` : String(index);
  return { kind: "position", text: String(index), plus, children };
}

/** Every position that the step reaches from the start, kept where it is before the end. */
function sliceModel(slice: {
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly step: number;
}): ModelSelector {
  const { start, end, step } = slice;
  const text = `${start ?? ""}:${end ?? ""}:${step}`;
  const children = (value: unknown) => {
    if (!Array.isArray(value) || step === 0) return [];
    const length = value.length;
    const fromStart = (bound: number) => (bound < 0 ? bound + length : bound);
    const first = start === undefined ? (step > 0 ? 0 : length - 1) : fromStart(start);
    const beyond = end === undefined ? (step > 0 ? length : -1) : fromStart(end);
    const inside = step > 0 ? Math.max(first, 0) : Math.min(first, length - 1);
    const found: unknown[] = [];
    for (let at = inside; step > 0 ? at < beyond : at > beyond; at += step) {
      if (at < 0 || at >= length) break;
      found.push(value[at]);
    }
    return found;
  };
  return { kind: "position", text, plus: text, children };
}

function spelled(segments: readonly ModelSegment[], dialect: "text" | "plus"): string {
  const spellings = segments.map(
    ({ descends, selectors }) =>
      `${descends ? ".." : ""}[${selectors.map((selector) => selector[dialect]).join(",")}]`,
  );
  return `$${spellings.join("")}`;
}

/** The nodes of a path as an array, also of a singular one. */
function nodesOf(path: string, text: string): unknown {
  const projection = parsed(path);
  const plural: Projection = { ...projection, path: { ...projection.path, isSingular: false } };
  return JSON.parse(textOf(project(plural, text)));
}

function parsed(text: string): Projection {
  const parse = parseProjection(text);
  if (parse.kind !== "parsed") throw new Error(`${text}: ${parse.detail}`);
  return parse.projection;
}

function outcomeOf(path: string, data: string): ProjectionOutcome {
  return project(parsed(path), data);
}

function projected(path: string, data: string): string {
  return textOf(outcomeOf(path, data));
}

function textOf(outcome: ProjectionOutcome): string {
  if (outcome.kind !== "projected") throw new Error(JSON.stringify(outcome));
  return outcome.text;
}

function detailOf(path: string, data: string): string {
  const outcome = outcomeOf(path, data);
  return outcome.kind === "too_large" ? outcome.detail : outcome.kind;
}
