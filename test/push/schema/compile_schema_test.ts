import { describe, expect, test } from "bun:test";
import { CheckRun } from "../../../src/push/schema/check_run.ts";
import { compileSchema } from "../../../src/push/schema/compile_schema.ts";
import { SchemaRefused } from "../../../src/push/schema/schema_refused.ts";

function errorsOf(schema: unknown, value: unknown) {
  const run = new CheckRun({ stepsMax: 1_000_000, isExplaining: true });
  compileSchema(schema).isValid(value, run);
  return run.errors;
}

function refusalOf(schema: unknown): { pointer: string; message: string } | undefined {
  try {
    compileSchema(schema);
    return undefined;
  } catch (error) {
    if (!(error instanceof SchemaRefused)) throw error;
    return { pointer: error.pointer, message: error.message };
  }
}

describe("compileSchema", () => {
  test("compileSchema refuses a keyword's value with what it must be, and its place in the schema", () => {
    expect(refusalOf({ properties: { "a/b": { type: "text" } } })).toEqual({
      pointer: "/properties/a~1b/type",
      message:
        'type must be one of array, boolean, integer, null, number, object, string, or an array of some of them, got "text"',
    });
    expect(refusalOf({ items: [{}] })).toEqual({
      pointer: "/items",
      message: "items must be a schema: an object, true or false, got [{}]",
    });
    expect(refusalOf({ anyOf: [{ required: ["a", "a"] }] })?.pointer).toBe("/anyOf/0/required");
    expect(refusalOf({ properties: { a: { $ref: "#/$defs/b" } } })).toEqual({
      pointer: "/properties/a/$ref",
      message:
        'the reference "#/$defs/b" points to nothing in this schema, and references to other documents are not supported',
    });
    expect(refusalOf({ patternProperties: { "(?=a)": {} } })?.pointer).toBe(
      "/patternProperties/(?=a)",
    );
  });

  test("a mistake in a row has its keyword's message and its place", () => {
    const cases: [schema: unknown, value: unknown, pointer: string, message: string][] = [
      [{ type: ["string", "null"] }, 1, "", "must be a string or null"],
      [{ required: ["a"] }, {}, "", 'must have the property "a"'],
      [{ minimum: 0 }, -1, "", "must be at least 0"],
      [{ maxLength: 1 }, "ab", "", "must have at most 1 character"],
      [{ enum: ["x", 1] }, 2, "", 'must be one of "x", 1'],
      [{ items: { multipleOf: 0.01 } }, [0.5, 0.005], "/1", "must be a multiple of 0.01"],
      [{ properties: { a: false } }, { a: 1 }, "/a", "is not allowed"],
      [
        { additionalProperties: false },
        { a: 1 },
        "/a",
        "is not allowed: the schema has no such property",
      ],
      [
        { propertyNames: { maxLength: 1 } },
        { ab: 1 },
        "/ab",
        "its name must have at most 1 character",
      ],
      [
        { dependentRequired: { a: ["b"] } },
        { a: 1 },
        "",
        'must have the property "b" if it has "a"',
      ],
    ];
    for (const [each, one, pointer, message] of cases) {
      expect(errorsOf(each, one)).toEqual([{ pointer, message }]);
    }
  });

  test("mistakes in the branches of anyOf are listed only if none of them matches", () => {
    const either = { anyOf: [{ type: "string" }, { type: "number" }] };
    expect(errorsOf(either, null).map(({ message }) => message)).toEqual([
      "must be a string",
      "must be a number",
      "must match a schema in anyOf",
    ]);
    expect(errorsOf({ properties: { a: either, b: { type: "null" } } }, { a: 1, b: 1 })).toEqual([
      { pointer: "/b", message: "must be null" },
    ]);
  });
});
