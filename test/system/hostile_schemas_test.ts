/**
 * Schemas that are built to stall the server. While each is checked and run, the main thread must not
 * work for 50 ms on end: that is how long another request could have waited.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createRowSchemas } from "../../src/push/schema/row_schemas.ts";
import { CALLER, IDLE_MACHINE } from "../push/schema/caller.ts";
import { threadMs } from "../support/thread_time.ts";

const STALL_MAX_MS = 50;
/** The hard bounds of both calls together, and some for a loaded machine. */
const CASE_TIMEOUT_MS = 30_000;

const rowSchemas = createRowSchemas(IDLE_MACHINE);
afterAll(() => rowSchemas.close());

/** The longest that this thread worked between two looks of a timer, in milliseconds of its own time. */
async function measureStall(work: () => Promise<void>): Promise<number> {
  let stallMs = 0;
  let lastMs = threadMs();
  const look = () => {
    const nowMs = threadMs();
    stallMs = Math.max(stallMs, nowMs - lastMs);
    lastMs = nowMs;
  };
  const timer = setInterval(look, 1);
  await work();
  clearInterval(timer);
  look();
  return stallMs;
}

function repeat<Value>(count: number, make: (index: number) => Value): Value[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Each level applies the next one twice: 2 to the 40th power applications. */
function doubling(keyword: string): unknown {
  const levels = 40;
  const $defs = Object.fromEntries(
    repeat(levels + 1, (level) => {
      const next = { $ref: `#/$defs/${level + 1}` };
      return [level, level === levels ? { type: "number" } : { [keyword]: [next, next] }];
    }),
  );
  return { $ref: "#/$defs/0", $defs };
}

function nested(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let schema: unknown = {};
  for (let level = 0; level < depth; level += 1) schema = wrap(schema);
  return schema;
}

const DEEP_ROW = `${'{"a":'.repeat(90)}1${"}".repeat(90)}`;
const OBJECTS = JSON.stringify(repeat(25_000, (index) => ({ a: index, b: `x${index}` })));

interface Case {
  readonly name: string;
  readonly schema: unknown;
  readonly rows: readonly string[];
  /** Several where it is a matter of time: what is compiled in it may be valid, or take too long. */
  readonly outcomes: readonly string[];
}

const CASES: readonly Case[] = [
  {
    name: "a pattern that backtracks exponentially, on 500 rows of 4,000 characters",
    schema: { pattern: "^(a+)+$" },
    rows: repeat(500, () => JSON.stringify(`${"a".repeat(4_000)}!`)),
    outcomes: ["invalid"],
  },
  {
    name: "4,000 patterns with large repeats",
    schema: { allOf: repeat(4_000, (index) => ({ pattern: `[a-z]{1,1000}${index}` })) },
    rows: ['"a"'],
    outcomes: ["invalid_schema"],
  },
  {
    name: "patterns whose automata grow with the text",
    schema: { anyOf: repeat(400, (index) => ({ pattern: `[ab]*a[ab]{14}[c-y]${index}` })) },
    rows: repeat(20, (row) =>
      JSON.stringify(repeat(4_000, (at) => ((at * 7 + row) ** 3 % 11 < 5 ? "a" : "b")).join("")),
    ),
    outcomes: ["over_budget", "invalid"],
  },
  {
    name: "a $ref chain that doubles by allOf",
    schema: doubling("allOf"),
    rows: ["1"],
    outcomes: ["over_budget"],
  },
  {
    name: "a $ref chain that doubles by anyOf",
    schema: doubling("anyOf"),
    rows: ['"a"'],
    outcomes: ["over_budget"],
  },
  {
    name: "a recursive $ref that doubles with the row's depth",
    schema: { properties: { a: { allOf: [{ $ref: "#" }, { $ref: "#" }] } } },
    rows: [DEEP_ROW],
    outcomes: ["over_budget"],
  },
  {
    name: "a recursive $dynamicRef that doubles with the row's depth",
    schema: {
      $dynamicAnchor: "node",
      properties: { a: { allOf: [{ $dynamicRef: "#node" }, { $dynamicRef: "#node" }] } },
    },
    rows: [DEEP_ROW],
    outcomes: ["over_budget"],
  },
  {
    name: "a circular $ref",
    schema: { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
    rows: ["1"],
    outcomes: ["invalid_schema"],
  },
  {
    name: "dynamic anchors in many scopes",
    schema: {
      $id: "http://x/root",
      $ref: "s0",
      $defs: Object.fromEntries(
        repeat(14, (index) => [
          index,
          {
            $id: `s${index}`,
            $defs: { x: { $dynamicAnchor: `a${index}` } },
            properties: { p: { $dynamicRef: `#a${index}` } },
            anyOf: repeat(13, (other) => ({
              properties: { q: { $ref: `s${(index + other + 1) % 14}` } },
            })),
          },
        ]),
      ),
    },
    rows: ["{}", `${'{"q":'.repeat(90)}1${"}".repeat(90)}`],
    outcomes: ["valid"],
  },
  {
    name: "3,000 levels of properties",
    schema: nested(3_000, (inner) => ({ properties: { a: inner } })),
    rows: ["{}"],
    outcomes: ["invalid_schema", "valid", "over_budget"],
  },
  {
    name: "6,000 levels of not",
    schema: nested(6_000, (not) => ({ not })),
    rows: ["{}"],
    outcomes: ["invalid_schema"],
  },
  {
    name: "an enum of 20,000",
    schema: { enum: repeat(20_000, (index) => `v${index}`) },
    rows: repeat(500, () => '"w"'),
    outcomes: ["invalid"],
  },
  {
    name: "an enum of 8,000 objects",
    schema: { enum: repeat(8_000, (a) => ({ a })) },
    rows: repeat(500, () => JSON.stringify({ a: "x".repeat(3_000) })),
    outcomes: ["invalid"],
  },
  {
    name: "uniqueItems on 25,000 objects",
    schema: { uniqueItems: true },
    rows: [OBJECTS],
    outcomes: ["valid"],
  },
  {
    name: "uniqueItems on 25,000 objects, 500 times",
    schema: { allOf: repeat(500, () => ({ uniqueItems: true })) },
    rows: [OBJECTS],
    outcomes: ["over_budget"],
  },
  {
    name: "4,000 branches on each of 25,000 items",
    schema: { contains: { anyOf: repeat(4_000, (index) => ({ const: `q${index}` })) } },
    rows: [OBJECTS],
    outcomes: ["over_budget", "invalid_schema"],
  },
  {
    name: "an error for each of 2,000,000 items",
    schema: { contains: { type: "string" } },
    rows: [`[${"0,".repeat(2_000_000)}0]`],
    // A slow machine does not come to its end.
    outcomes: ["invalid", "over_budget"],
  },
  {
    name: "4,000 looks at each of 2,000,000 items",
    schema: { allOf: repeat(4_000, () => ({ items: true })) },
    rows: [`[${"0,".repeat(2_000_000)}0]`],
    outcomes: ["over_budget"],
  },
  {
    name: "256 KiB of properties",
    schema: {
      properties: Object.fromEntries(repeat(4_900, (at) => [`p${at}`, { minLength: at }])),
    },
    rows: repeat(500, () => '{"p1":"a"}'),
    outcomes: ["valid", "invalid_schema", "over_budget"],
  },
  {
    name: "more subschemas than are allowed",
    schema: { allOf: repeat(6_000, () => ({ type: "object" })) },
    rows: ["{}"],
    outcomes: ["invalid_schema"],
  },
  {
    name: "more text than is allowed",
    schema: { title: "a".repeat(262_144) },
    rows: ["{}"],
    outcomes: ["invalid_schema"],
  },
  {
    name: "15,000 required properties",
    schema: { required: repeat(15_000, (index) => `p${index}`) },
    rows: repeat(500, () => "{}"),
    outcomes: ["invalid"],
  },
  {
    name: "800 branches that each evaluate a property",
    schema: {
      allOf: repeat(800, (index) => ({
        anyOf: [{ properties: { [`a${index}`]: true } }, { properties: { [`b${index}`]: true } }],
      })),
      unevaluatedProperties: false,
    },
    rows: repeat(500, () => '{"a1":1}'),
    outcomes: ["valid", "over_budget"],
  },
];

describe("the main thread goes on while a worker has", () => {
  beforeAll(async () => {
    await rowSchemas.checkSchema("{}", CALLER);
    await rowSchemas.validateRows("{}", ["1"], CALLER);
  });

  for (const { name, schema, rows, outcomes } of CASES) {
    test(
      `the main thread goes on while a worker has ${name}`,
      async () => {
        const text = JSON.stringify(schema);
        let kind = "";
        const stallMs = await measureStall(async () => {
          await rowSchemas.checkSchema(text, CALLER);
          ({ kind } = await rowSchemas.validateRows(text, rows, CALLER));
        });
        expect(outcomes).toContain(kind);
        expect(stallMs).toBeLessThan(STALL_MAX_MS);
        // The next push is served.
        const next = await rowSchemas.validateRows("{}", ["1"], CALLER);
        expect(next).toEqual({ kind: "valid" });
      },
      CASE_TIMEOUT_MS,
    );
  }
});
