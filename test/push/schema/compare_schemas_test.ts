import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Compatibility } from "../../../src/feeds/schema_changes.ts";
import { isObject, type JsonObject } from "../../../src/lib/records.ts";
import { CheckRun } from "../../../src/push/schema/check_run.ts";
import { compareSchemas } from "../../../src/push/schema/compare_schemas.ts";
import { compileSchema } from "../../../src/push/schema/compile_schema.ts";

/** `bun run fuzz` sets more. */
const CASES = Number(process.env.FUZZ_CASES ?? 200);
const DRAFT_07 = "http://json-schema.org/draft-07/schema#";

type Pair = readonly [name: string, before: unknown, after: unknown, verdict: Compatibility];

/** Of rows with one property `a`. */
const a = (schema: unknown, more: object = {}) => ({
  type: "object",
  properties: { a: schema },
  ...more,
});
const ab = (more: object = {}) => a({ type: "string" }, { ...more });
const two = (more: object = {}) => ({
  type: "object",
  properties: { a: { type: "string" }, b: { type: "number" } },
  ...more,
});

const PAIRS: readonly Pair[] = [
  // Same: nothing that is checked has changed.
  ["no schema before and after", null, null, "same"],
  ["no schema, and one that says nothing", null, {}, "same"],
  ["the same schema", ab(), ab(), "same"],
  [
    "a description, a title and examples",
    ab(),
    a({ type: "string", description: "x", examples: ["y"] }, { title: "t" }),
    "same",
  ],
  [
    "the order of properties and of required",
    two({ required: ["a", "b"] }),
    {
      required: ["b", "a"],
      properties: { b: { type: "number" }, a: { type: "string" } },
      type: "object",
    },
    "same",
  ],
  ["the order of an enum", a({ enum: [1, 2] }), a({ enum: [2, 1] }), "same"],
  ["the order of types", a({ type: ["string", "null"] }), a({ type: ["null", "string"] }), "same"],
  ["one type in a list", ab(), a({ type: ["string"] }), "same"],
  [
    "format is an annotation",
    a({ type: "string", format: "date" }),
    a({ type: "string", format: "date-time" }),
    "same",
  ],
  ["const and an enum of one", a({ const: 1 }), a({ enum: [1] }), "same"],
  ["an unknown keyword", ab(), a({ type: "string", colour: "red" }), "same"],
  [
    "a description below anyOf",
    a({ anyOf: [{ type: "string" }, { type: "null" }] }),
    a({ anyOf: [{ type: "string", title: "x" }, { type: "null" }] }),
    "same",
  ],
  ["additionalProperties true, or left out", ab(), ab({ additionalProperties: true }), "same"],
  ["minLength 0, or left out", ab(), a({ type: "string", minLength: 0 }), "same"],
  [
    "at least 1, and above 0, of integers",
    a({ type: "integer", minimum: 1 }),
    a({ type: "integer", exclusiveMinimum: 0 }),
    "same",
  ],
  [
    "booleans, and both of them as a list",
    a({ type: "boolean" }),
    a({ enum: [true, false] }),
    "same",
  ],
  // Compatible: a property added, or anything narrowed.
  ["a first schema", null, ab(), "compatible"],
  ["a property added", ab(), two(), "compatible"],
  ["a required property added", ab(), two({ required: ["b"] }), "compatible"],
  [
    "a property added to a closed object",
    ab({ additionalProperties: false }),
    two({ additionalProperties: false }),
    "compatible",
  ],
  ["a property added below another", a(ab()), a(two()), "compatible"],
  ["a property made required", two(), two({ required: ["a"] }), "compatible"],
  [
    "a type narrowed from number to integer",
    a({ type: "number" }),
    a({ type: "integer" }),
    "compatible",
  ],
  [
    "a type narrowed from two",
    a({ type: ["string", "null"] }),
    a({ type: "string" }),
    "compatible",
  ],
  ["a first type", a({}), a({ type: "string" }), "compatible"],
  ["an enum narrowed", a({ enum: ["x", "y"] }), a({ enum: ["x"] }), "compatible"],
  ["a first enum of the right type", a({ type: "string" }), a({ enum: ["x", "y"] }), "compatible"],
  ["a const out of an enum", a({ enum: ["x", "y"] }), a({ const: "y" }), "compatible"],
  [
    "a minimum raised and a maximum lowered",
    a({ type: "number", minimum: 0, maximum: 9 }),
    a({ type: "number", minimum: 1, maximum: 8 }),
    "compatible",
  ],
  [
    "a minimum made exclusive",
    a({ type: "number", minimum: 0 }),
    a({ type: "number", exclusiveMinimum: 0 }),
    "compatible",
  ],
  [
    "lengths narrowed",
    a({ type: "string", maxLength: 9 }),
    a({ type: "string", minLength: 1, maxLength: 5 }),
    "compatible",
  ],
  [
    "items narrowed",
    a({ type: "array", items: { type: "number" } }),
    a({ type: "array", items: { type: "integer" }, maxItems: 3, uniqueItems: true }),
    "compatible",
  ],
  [
    "first items",
    a({ type: "array" }),
    a({ type: "array", items: { type: "string" } }),
    "compatible",
  ],
  [
    "a multiple of more",
    a({ type: "number", multipleOf: 0.5 }),
    a({ type: "number", multipleOf: 1.5 }),
    "compatible",
  ],
  ["a first pattern", ab(), a({ type: "string", pattern: "^x" }), "compatible"],
  [
    "an object opened: other properties are left aside",
    ab({ additionalProperties: false }),
    ab(),
    "compatible",
  ],
  ["an object closed", ab(), ab({ additionalProperties: false }), "compatible"],
  [
    "a map of numbers that gets a named one",
    { additionalProperties: { type: "number" } },
    { properties: { a: { type: "integer" } }, additionalProperties: { type: "number" } },
    "compatible",
  ],
  [
    "numbers that are whole, and integers",
    a({ type: "integer" }),
    a({ type: "number", multipleOf: 2 }),
    "compatible",
  ],
  [
    "a bound of a type that has gone",
    a({ type: ["string", "number"], minLength: 3 }),
    a({ type: "number" }),
    "compatible",
  ],
  ["a property below another made required", a(two()), a(two({ required: ["b"] })), "compatible"],
  ["at least one property", { type: "object" }, { type: "object", minProperties: 1 }, "compatible"],
  // Breaking: a property removed or no longer required, or anything widened.
  ["the schema taken away", ab(), {}, "breaking"],
  ["a property removed", two(), ab(), "breaking"],
  [
    "a property removed from a closed object",
    two({ additionalProperties: false }),
    ab({ additionalProperties: false }),
    "breaking",
  ],
  [
    "a property forbidden",
    two(),
    { type: "object", properties: { a: { type: "string" }, b: false } },
    "breaking",
  ],
  [
    "a property renamed",
    ab(),
    { type: "object", properties: { c: { type: "string" } } },
    "breaking",
  ],
  ["a property removed below another", a(two()), a(ab()), "breaking"],
  [
    "a property no longer required",
    two({ required: ["a", "b"] }),
    two({ required: ["a"] }),
    "breaking",
  ],
  [
    "a type widened from integer to number",
    a({ type: "integer" }),
    a({ type: "number" }),
    "breaking",
  ],
  ["a type that may be null now", ab(), a({ type: ["string", "null"] }), "breaking"],
  ["another type", ab(), a({ type: "number" }), "breaking"],
  ["a type left out", ab(), a({}), "breaking"],
  ["an enum widened", a({ enum: ["x"] }), a({ enum: ["x", "y"] }), "breaking"],
  ["an enum left out", a({ type: "string", enum: ["x"] }), a({ type: "string" }), "breaking"],
  ["a first enum of another type", ab(), a({ enum: ["x", 1] }), "breaking"],
  [
    "a maximum raised",
    a({ type: "number", maximum: 9 }),
    a({ type: "number", maximum: 10 }),
    "breaking",
  ],
  ["a minimum left out", a({ type: "number", minimum: 0 }), a({ type: "number" }), "breaking"],
  [
    "a maximum no longer exclusive",
    a({ type: "number", exclusiveMaximum: 9 }),
    a({ type: "number", maximum: 9 }),
    "breaking",
  ],
  [
    "a longer text",
    a({ type: "string", maxLength: 5 }),
    a({ type: "string", maxLength: 6 }),
    "breaking",
  ],
  ["more items", a({ type: "array", maxItems: 3 }), a({ type: "array", maxItems: 4 }), "breaking"],
  [
    "items of another type",
    a({ type: "array", items: { type: "string" } }),
    a({ type: "array", items: { type: "number" } }),
    "breaking",
  ],
  [
    "items left out",
    a({ type: "array", items: { type: "string" } }),
    a({ type: "array" }),
    "breaking",
  ],
  [
    "items that may come twice",
    a({ type: "array", uniqueItems: true }),
    a({ type: "array" }),
    "breaking",
  ],
  [
    "a multiple of less",
    a({ type: "number", multipleOf: 1 }),
    a({ type: "number", multipleOf: 0.5 }),
    "breaking",
  ],
  ["a pattern left out", a({ type: "string", pattern: "^x" }), ab(), "breaking"],
  [
    "a map of other values",
    { additionalProperties: { type: "number" } },
    { additionalProperties: { type: "string" } },
    "breaking",
  ],
  [
    "a named property that is no number in a map of numbers",
    { additionalProperties: { type: "number" } },
    { properties: { a: { type: "string" } }, additionalProperties: { type: "number" } },
    "breaking",
  ],
  [
    "one property added and one removed",
    two(),
    { type: "object", properties: { a: { type: "string" }, c: {} } },
    "breaking",
  ],
  [
    "something certain beside something that can't be compared",
    a({ pattern: "a" }, { required: ["a"] }),
    a({ pattern: "b" }),
    "breaking",
  ],
  // Unknown: composition, references, patterns.
  [
    "another pattern",
    a({ type: "string", pattern: "^x" }),
    a({ type: "string", pattern: "^y" }),
    "unknown",
  ],
  [
    "anyOf in place of a type",
    ab(),
    a({ anyOf: [{ type: "string" }, { type: "null" }] }),
    "unknown",
  ],
  [
    "another anyOf",
    a({ anyOf: [{ type: "string" }] }),
    a({ anyOf: [{ type: "number" }] }),
    "unknown",
  ],
  ["allOf left out", a({ allOf: [{ minLength: 1 }] }), a({}), "unknown"],
  [
    "another if",
    { if: { required: ["a"] }, else: { required: ["b"] } },
    { if: { required: ["c"] }, else: { required: ["b"] } },
    "unknown",
  ],
  [
    "a definition that is referred to",
    a({ $ref: "#/$defs/x" }, { $defs: { x: { type: "string" } } }),
    a({ $ref: "#/$defs/x" }, { $defs: { x: { type: "number" } } }),
    "unknown",
  ],
  [
    "another reference",
    a({ $ref: "#/$defs/x" }, { $defs: { x: {}, y: {} } }),
    a({ $ref: "#/$defs/y" }, { $defs: { x: {}, y: {} } }),
    "unknown",
  ],
  [
    "a reference to a place that has changed",
    { properties: { a: { type: "string" }, b: { $ref: "#/properties/a" } } },
    { properties: { a: { type: "string", maxLength: 1 }, b: { $ref: "#/properties/a" } } },
    "unknown",
  ],
  [
    "other patternProperties",
    { patternProperties: { "^x": { type: "string" } } },
    { patternProperties: { "^x": { type: "number" } } },
    "unknown",
  ],
  [
    "another tuple",
    a({ prefixItems: [{ type: "string" }] }),
    a({ prefixItems: [{ type: "number" }] }),
    "unknown",
  ],
  ["another draft", { ...ab(), $schema: DRAFT_07 }, ab(), "unknown"],
  [
    "a property moved into allOf",
    two(),
    ab({ allOf: [{ properties: { b: { type: "number" } } }] }),
    "unknown",
  ],
  // References that mean the same don't stand in the way.
  [
    "a property added beside an equal reference",
    a({ $ref: "#/$defs/x" }, { $defs: { x: { type: "string" } } }),
    {
      type: "object",
      properties: { a: { $ref: "#/$defs/x" }, b: {} },
      $defs: { x: { type: "string" } },
    },
    "compatible",
  ],
  [
    "a property added beside an equal anyOf",
    ab({ anyOf: [{ required: ["a"] }] }),
    two({ anyOf: [{ required: ["a"] }] }),
    "compatible",
  ],
];

function takerOf(schema: unknown): (value: unknown) => boolean {
  const compiled = compileSchema(schema ?? {});
  const run = new CheckRun({ stepsMax: 1_000_000, isExplaining: false });
  return (value) => compiled.isValid(value, run);
}

/** A schema that does not mind properties that it doesn't name. */
function opened(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(opened);
  if (!isObject(schema)) return schema;
  const kept = Object.entries(schema).filter(
    ([name, value]) => name !== "additionalProperties" || value !== false,
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, opened(value)]));
}

const anything = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    1,
    2,
    1.5,
    3,
    -1,
    9,
    10,
    "",
    "x",
    "xy",
    "y",
    "abcdef",
  ),
  fc.array(fc.constantFrom<unknown>(null, 1, 1.5, "x"), { maxLength: 4 }),
  fc.dictionary(fc.constantFrom("a", "b", "c"), fc.constantFrom<unknown>(null, 1, "x"), {
    noNullPrototype: true,
  }),
);

/** Values that a schema may well take, and others. */
function valuesLike(schema: unknown): fc.Arbitrary<unknown> {
  if (!isObject(schema)) return anything;
  const { properties = {}, items } = schema;
  const listed = Array.isArray(schema.enum)
    ? schema.enum
    : [schema.const].filter((each) => each !== undefined);
  const members = Object.entries(Object(properties)).map(([name, each]) => [
    name,
    valuesLike(each),
  ]);
  const record = fc.record(Object.fromEntries(members), {
    requiredKeys: [],
    noNullPrototype: true,
  });
  const extra = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), anything, {
    maxKeys: 2,
    noNullPrototype: true,
  });
  const rows = fc.tuple(extra, record).map(([others, row]): unknown => ({ ...others, ...row }));
  const types = [schema.type].flat();
  return fc.oneof(
    ...(types.includes("string") ? [{ weight: 8, arbitrary: fc.constantFrom("", "x", "xy") }] : []),
    ...(members.length > 0 ? [{ weight: 8, arbitrary: rows }] : [{ weight: 1, arbitrary: extra }]),
    ...(listed.length > 0 ? [{ weight: 4, arbitrary: fc.constantFrom<unknown>(...listed) }] : []),
    ...(items === undefined
      ? []
      : [{ weight: 4, arbitrary: fc.array(valuesLike(items), { maxLength: 4 }) }]),
    { weight: 2, arbitrary: anything },
  );
}

/** How many rows the new schema takes; none of them may be refused by the old one. */
function takenByBoth(before: unknown, after: unknown, cases: number): number {
  let taken = 0;
  const [wasTaken, isTaken] = [takerOf(opened(before)), takerOf(after)];
  fc.assert(
    fc.property(valuesLike(after), (row) => {
      if (!isTaken(row)) return;
      taken += 1;
      expect([row, wasTaken(row)]).toEqual([row, true]);
    }),
    { numRuns: cases },
  );
  return taken;
}

describe("compareSchemas", () => {
  test("the table has at least 60 pairs, each named once", () => {
    expect(PAIRS.length).toBeGreaterThanOrEqual(60);
    expect(new Set(PAIRS.map(([name]) => name)).size).toBe(PAIRS.length);
  });

  test.each([...PAIRS])("%s", (_name, before, after, verdict) => {
    const { compatibility, changes } = compareSchemas(before, after);
    expect([compatibility, changes]).toEqual([verdict, expect.anything()]);
    expect(changes.length === 0).toBe(verdict === "same");
    if (verdict === "compatible" || verdict === "same") {
      expect(takenByBoth(before, after, CASES)).toBeGreaterThan(0);
    }
  });

  test("a change has the place inside the schema, what it is, and why it matters", () => {
    const { changes } = compareSchemas(two({ required: ["a"] }), {
      type: "object",
      properties: { a: { type: ["string", "null"] }, "c/d": {} },
    });
    expect(changes).toEqual([
      { path: "/properties/a/type", change: "type widened", why: "values may now be of type null" },
      { path: "/properties/a", change: "no longer required", why: "rows may lack it now" },
      {
        path: "/properties/b",
        change: "property removed",
        why: "readers rely on it, and rows may now lack it",
      },
      {
        path: "/properties/c~1d",
        change: "property added",
        why: "readers that don't know it ignore it",
      },
    ]);
  });

  test("the first 100 changes are listed, the breaking ones first", () => {
    const named = (prefix: string, size: number) =>
      Object.fromEntries(Array.from({ length: size }, (_, index) => [prefix + index, {}]));
    const { compatibility, changes } = compareSchemas(
      { properties: named("old", 10) },
      { properties: named("new", 500) },
    );
    expect(compatibility).toBe("breaking");
    expect(changes).toHaveLength(100);
    expect(changes.slice(0, 10).every(({ change }) => change === "property removed")).toBe(true);
  });

  test("no row that a compatible schema takes is refused by the old one, for schemas made at random", () => {
    const count = fc.integer({ min: 0, max: 3 });
    const { schema } = fc.letrec<{ schema: JsonObject | boolean }>((tie) => {
      const inner = tie("schema");
      const name = fc.constantFrom("a", "b", "c");
      const keyword: fc.Arbitrary<JsonObject> = fc.oneof(
        fc.record({
          type: fc.uniqueArray(
            fc.constantFrom("null", "boolean", "integer", "number", "string", "array", "object"),
            { minLength: 1, maxLength: 3 },
          ),
        }),
        fc.record({ type: fc.constantFrom("string", "number", "object") }),
        fc.record({
          enum: fc.uniqueArray(fc.constantFrom<unknown>(null, true, false, 1, 1.5, "x", "xy"), {
            minLength: 1,
          }),
        }),
        fc.record({ const: fc.constantFrom<unknown>(null, true, 1, "x") }),
        fc.record({ minimum: count, exclusiveMaximum: count }, { requiredKeys: [] }),
        fc.record({ exclusiveMinimum: count, maximum: count }, { requiredKeys: [] }),
        fc.record({ multipleOf: fc.constantFrom(0.5, 1, 1.5, 3) }),
        fc.record({ minLength: count, maxLength: count }, { requiredKeys: [] }),
        fc.record(
          { minItems: count, maxItems: count, uniqueItems: fc.boolean() },
          { requiredKeys: [] },
        ),
        fc.record({ minProperties: count, maxProperties: count }, { requiredKeys: [] }),
        fc.record({ pattern: fc.constantFrom("^x", "y$") }),
        fc.record({ required: fc.uniqueArray(name, { maxLength: 2 }) }),
        fc.record({
          properties: fc.dictionary(name, inner, { maxKeys: 3, noNullPrototype: true }),
        }),
        fc.record({ additionalProperties: inner }),
        fc.record({ items: inner }),
        fc.record({ anyOf: fc.array(inner, { minLength: 1, maxLength: 2 }) }),
      );
      const several = fc
        .array(keyword, { maxLength: 3 })
        .map((each): JsonObject => Object.assign({}, ...each));
      return {
        schema: fc.oneof(
          { maxDepth: 3 },
          { weight: 9, arbitrary: several },
          { weight: 1, arbitrary: fc.boolean() },
        ),
      };
    });
    let compatible = 0;
    fc.assert(
      fc.property(schema, schema, fc.boolean(), (before, more, isNarrowed) => {
        // Half of them are the old schema with more keywords, which is often compatible.
        const after =
          isNarrowed && isObject(before) && isObject(more) ? { ...before, ...more } : more;
        const { compatibility } = compareSchemas(before, after);
        if (compatibility !== "compatible" && compatibility !== "same") return;
        compatible += 1;
        takenByBoth(before, after, 20);
      }),
      { numRuns: 5 * CASES },
    );
    expect(compatible).toBeGreaterThan(CASES / 4);
  });
});
