/**
 * Random schemas and values: `compileSchema` must agree with ajv, which is the reference here. Excludes cases in which
 * ajv deviates from the drafts: multiples of decimals, names of Object.prototype, and properties evaluated by a failed
 * branch.
 */
import { expect, test } from "bun:test";
import { Ajv2020, type AnySchema } from "ajv/dist/2020.js";
import fc from "fast-check";
import { CheckRun } from "../../src/push/schema/check_run.ts";
import { compileSchema } from "../../src/push/schema/compile_schema.ts";

/** `bun run fuzz` sets a higher number. */
const CASES = Number(process.env.FUZZ_CASES ?? 400);
/** A constant, because the linter takes an object literal with this key for a promise. */
const THEN = "then";

function check(schema: unknown, value: unknown, isExplaining: boolean) {
  const run = new CheckRun({ stepsMax: 1_000_000, isExplaining });
  const isValid = compileSchema(schema).isValid(value, run);
  return { isValid, errorCount: run.errorCount };
}

const name = fc.constantFrom("a", "b", "c");
const scalar = fc.constantFrom<unknown>(null, true, 0, 1, 2.5, "", "a", "ab", "😀");
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));
const count = fc.integer({ min: 0, max: 3 });
const { schema } = fc.letrec((tie) => {
  const inner = tie("schema");
  const list = fc.array(inner, { minLength: 1, maxLength: 3 });
  const map = fc.dictionary(name, inner, { maxKeys: 3, noNullPrototype: true });
  const keyword = fc.oneof(
    fc.record({ type: fc.constantFrom("null", "integer", "number", "string", "array", "object") }),
    fc.record({ enum: fc.array(value, { minLength: 1, maxLength: 3 }) }),
    fc.record({ const: value }),
    fc.record({ minimum: count, exclusiveMaximum: count }),
    fc.record({ minLength: count, maxLength: count }),
    fc.record({ minItems: count, uniqueItems: fc.boolean() }),
    fc.record({ minProperties: count, maxProperties: count }),
    fc.record({ pattern: fc.constantFrom("^a", "b$", "^$") }),
    fc.record({ required: fc.uniqueArray(name, { maxLength: 2 }) }),
    fc.record({ properties: map, additionalProperties: inner }),
    fc.record({ properties: map, patternProperties: fc.record({ "^[ab]": inner }) }),
    fc.record({ propertyNames: inner }),
    fc.record({ prefixItems: list, items: inner }),
    fc.record({ items: inner }),
    fc.record({ contains: inner, minContains: count, maxContains: count }),
    fc.record({ allOf: list }),
    fc.record({ anyOf: list }),
    fc.record({ oneOf: list }),
    fc.record({ not: inner }),
    fc.tuple(inner, inner, inner).map(([condition, whenTrue, whenFalse]) =>
      Object.fromEntries([
        ["if", condition],
        [THEN, whenTrue],
        ["else", whenFalse],
      ]),
    ),
    fc.record({ dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 })) }),
    fc.record({ dependentSchemas: map }),
    fc.record({ unevaluatedProperties: fc.boolean(), anyOf: list, properties: map }),
  );
  return {
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.boolean(),
      fc.array(keyword, { maxLength: 3 }).map((parts) => {
        const { contains, ...others } = Object.assign({}, ...parts);
        // If an "if" fails, ajv counts the properties that its unevaluatedProperties examined as evaluated.
        if ("unevaluatedProperties" in others) delete others.if;
        // ajv skips contains if items is false.
        return contains === undefined || "items" in others ? others : { ...others, contains };
      }),
    ),
  };
});

const ajv = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true });

/** Errors of invalid code that ajv generates, for example for some patternProperties in two branches. */
const BROKEN_CODE = [TypeError, SyntaxError, ReferenceError];

/** The result of ajv. Cases for which it generates invalid code are skipped. */
function ajvSays(each: AnySchema, value: unknown): boolean {
  try {
    return ajv.compile(each)(value) === true;
  } catch (error) {
    fc.pre(!BROKEN_CODE.some((kind) => error instanceof kind));
    throw error;
  }
}

test("compileSchema says the same as ajv of random schemas and values", () => {
  fc.assert(
    fc.property(schema, fc.array(value, { minLength: 1, maxLength: 4 }), (each, values) => {
      const text = JSON.stringify(each);
      // ajv counts properties matched by patternProperties in a failed branch as evaluated.
      fc.pre(!text.includes('"unevaluatedProperties"') || !text.includes('"patternProperties"'));
      for (const one of values) {
        const expected = ajvSays(each as AnySchema, one);
        expect(check(each, one, false)).toEqual({ isValid: expected, errorCount: 0 });
        const explained = check(each, one, true);
        expect([explained.isValid, explained.errorCount > 0]).toEqual([expected, !expected]);
      }
      // Otherwise, ajv would cache all schemas.
      if (typeof each === "object" && each !== null) ajv.removeSchema(each);
    }),
    { numRuns: CASES },
  );
});
