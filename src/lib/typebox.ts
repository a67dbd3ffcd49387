/**
 * Additional TypeBox types, and messages for values that don't match their schema.
 *
 * In the OpenAPI document, they are plain JSON Schema. At run time, lengths count Unicode code points, as JSON Schema
 * requires, unlike those of TypeBox's own strings.
 *
 * @module
 */
import {
  Kind,
  KindGuard,
  type SchemaOptions,
  type TNull,
  type TSchema,
  type TUnion,
  type TUnsafe,
  Type,
  TypeRegistry,
} from "@sinclair/typebox";
import { codePointsOf, excerpt } from "./code_points.ts";
import { isObject } from "./records.ts";

interface Bounds extends SchemaOptions {
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** What a value must be, as the words after "must be", for types that TypeBox can't describe. */
export const Expected = Symbol("Expected");

TypeRegistry.Set<Bounds>("Text", ({ minLength = 0, maxLength = Infinity }, value) => {
  if (typeof value !== "string") return false;
  const length = codePointsOf(value);
  return length >= minLength && length <= maxLength;
});
TypeRegistry.Set<{ enum: readonly unknown[] }>("OneOf", (schema, value) =>
  schema.enum.includes(value),
);

/** A string whose length counts Unicode code points. */
export function text(options: Bounds): TUnsafe<string> {
  return Type.Unsafe<string>({
    [Kind]: "Text",
    [Expected]: expectedText(options),
    type: "string",
    ...options,
  });
}

function expectedText({ minLength = 0, maxLength }: Bounds): string {
  if (maxLength === undefined) return minLength > 0 ? "a string that is not empty" : "a string";
  const range = minLength > 0 ? `${minLength} to ${maxLength}` : `at most ${maxLength}`;
  return `a string of ${range} characters`;
}

/** One of a few texts. */
export function oneOf<const Choice extends string>(
  choices: readonly Choice[],
  options: SchemaOptions = {},
): TUnsafe<Choice> {
  return Type.Unsafe<Choice>({
    [Kind]: "OneOf",
    [Expected]: `one of ${choices.join(", ")}`,
    type: "string",
    enum: choices,
    ...options,
  });
}

/** The type, or null. */
export function nullable<Schema extends TSchema>(schema: Schema): TUnion<[Schema, TNull]> {
  return Type.Union([schema, Type.Null()]);
}

/** The type without null. A type that is not nullable is returned unchanged. */
export function notNull(schema: TSchema): TSchema {
  if (!KindGuard.IsUnion(schema)) return schema;
  return schema.anyOf.find((each) => !KindGuard.IsNull(each)) ?? schema;
}

/** The message for a value that does not match its schema: "must be …, got …". */
export function mismatchOf(nullable: TSchema, value: unknown): string {
  const schema = Expected in nullable ? nullable : notNull(nullable);
  return `must be ${expectedOf(schema)}, got ${gotOf(schema, value)}`;
}

function expectedOf(schema: TSchema): string {
  const expected: unknown = Reflect.get(schema, Expected);
  if (typeof expected === "string") return expected;
  if (KindGuard.IsBoolean(schema)) return "true or false";
  const { minimum, maximum, type } = schema;
  const name = `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
  if (!KindGuard.IsInteger(schema) && !KindGuard.IsNumber(schema)) return name;
  if (maximum !== undefined) return `${name} from ${minimum} to ${maximum}`;
  return minimum === undefined ? name : `${name} of at least ${minimum}`;
}

/** The value if showing it helps the reader, else its length or kind. */
function gotOf(schema: TSchema, value: unknown): string {
  if (schema[Kind] === "Text") {
    return typeof value === "string" ? lengthOf(value) : kindOf(value);
  }
  // The kind is right, but it has too many items, too few, or duplicates.
  if (KindGuard.IsArray(schema) && Array.isArray(value)) return `${value.length}`;
  if (KindGuard.IsRecord(schema) && isObject(value)) return `${Object.keys(value).length}`;
  const isKindWrong = KindGuard.IsNumber(schema) && typeof value !== "number";
  return isKindWrong || typeof value === "object" ? kindOf(value) : excerpt(JSON.stringify(value));
}

/** The length of a text, in words. */
export function lengthOf(value: string): string {
  const length = codePointsOf(value);
  return length === 1 ? "1 character" : `${length} characters`;
}

/** JSON's name for the kind of a value. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
