/**
 * The keywords that check a value as a whole and contain no subschemas: a test for each, and the message for a value
 * that fails it. JSON Schema 2020-12 validation 6. Draft-07 has the same keywords.
 *
 * @module
 */
import { codePointsOf } from "../../lib/code_points.ts";
import { counted } from "../../lib/counted.ts";
import type { JsonObject } from "../../lib/records.ts";
import type { CheckRun, Validate } from "./check_run.ts";
import {
  compareNumbers,
  isInteger,
  isMultipleOf,
  isNumeric,
  isObject,
  type Numeric,
} from "./exact_numbers.ts";
import { hasUniqueItems, matcherOf } from "./json_equality.ts";

/** Characters counted, or names looked up, per step. */
const CHARS_PER_STEP = 64;
const NAMES_PER_STEP = 8;
/** Values of an `enum` that a message shows, and characters of each. */
const SAMPLE_MAX = 5;
const SAMPLE_CHARS_MAX = 60;

const TYPE_NAMES: Readonly<Record<string, string>> = {
  array: "an array",
  boolean: "true or false",
  integer: "an integer",
  number: "a number",
  object: "an object",
  string: "a string",
};

/** By keyword, for values that `schema_keywords.ts` allows. */
const ASSERTIONS = {
  const: (value: unknown) => holds(`must be ${sampleOf([value])}`, matcherOf([value])),
  enum: (values: unknown[]) => holds(`must be one of ${sampleOf(values)}`, matcherOf(values)),
  exclusiveMaximum: (bound: Numeric) =>
    ofNumber(`must be below ${bound}`, (n) => compareNumbers(n, bound) < 0),
  exclusiveMinimum: (bound: Numeric) =>
    ofNumber(`must be above ${bound}`, (n) => compareNumbers(n, bound) > 0),
  maxItems: (most: Numeric) =>
    ofArray(`must have at most ${counted(most, "item")}`, (n) => compareNumbers(n, most) <= 0),
  maxLength: (most: Numeric) =>
    ofLength(
      `must have at most ${counted(most, "character")}`,
      (n) => compareNumbers(n, most) <= 0,
    ),
  maxProperties: (most: Numeric) =>
    ofSize(
      `must have at most ${counted(most, "property", "properties")}`,
      (n) => compareNumbers(n, most) <= 0,
    ),
  maximum: (most: Numeric) =>
    ofNumber(`must be at most ${most}`, (n) => compareNumbers(n, most) <= 0),
  minItems: (least: Numeric) =>
    ofArray(`must have at least ${counted(least, "item")}`, (n) => compareNumbers(n, least) >= 0),
  minLength: (least: Numeric) =>
    ofLength(
      `must have at least ${counted(least, "character")}`,
      (n) => compareNumbers(n, least) >= 0,
    ),
  minProperties: (least: Numeric) =>
    ofSize(
      `must have at least ${counted(least, "property", "properties")}`,
      (n) => compareNumbers(n, least) >= 0,
    ),
  minimum: (least: Numeric) =>
    ofNumber(`must be at least ${least}`, (n) => compareNumbers(n, least) >= 0),
  multipleOf: (factor: Numeric) =>
    ofNumber(`must be a multiple of ${factor}`, (n) => isMultipleOf(n, factor)),
  required: (names: string[]) => required(names),
  type: ofType,
  uniqueItems: (isOn: boolean) =>
    holds(
      "must not have the same item twice",
      (value, run) => !isOn || !Array.isArray(value) || hasUniqueItems(value, run),
    ),
};

/** The validators of a subschema's assertions. */
export function assertionsOf(schema: JsonObject): Validate[] {
  return Object.entries(ASSERTIONS).flatMap(([name, make]) =>
    // The table of keywords has checked the value's type.
    schema[name] === undefined ? [] : [make(schema[name] as never)],
  );
}

/** `condition` says when the names are required, for the message. */
export function required(names: readonly string[], condition = ""): Validate {
  return (value, run) => {
    if (!isObject(value)) return true;
    run.spend(Math.trunc(names.length / NAMES_PER_STEP));
    let isValid = true;
    for (const name of names) {
      if (Object.hasOwn(value, name)) continue;
      if (!run.isExplaining) return false;
      isValid = run.fail(`must have the property ${JSON.stringify(name)}${condition}`);
    }
    return isValid;
  };
}

function ofType(type: string | readonly string[]): Validate {
  const types = [type].flat();
  const takesIntegers = types.includes("integer");
  const names = types.map((name) => TYPE_NAMES[name] ?? name);
  return holds(`must be ${names.join(" or ")}`, (value) => {
    return types.includes(typeOf(value)) || (takesIntegers && isInteger(value));
  });
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return isNumeric(value) ? "number" : typeof value;
}

function holds(message: string, test: (value: unknown, run: CheckRun) => boolean): Validate {
  return (value, run) => test(value, run) || run.fail(message);
}

function ofNumber(message: string, test: (value: Numeric) => boolean): Validate {
  return (value, run) => !isNumeric(value) || test(value) || run.fail(message);
}

/** In Unicode code points. */
function ofLength(message: string, test: (length: number) => boolean): Validate {
  return (value, run) => {
    if (typeof value !== "string") return true;
    run.spend(Math.trunc(value.length / CHARS_PER_STEP));
    return test(codePointsOf(value)) || run.fail(message);
  };
}

function ofArray(message: string, test: (length: number) => boolean): Validate {
  return (value, run) => !Array.isArray(value) || test(value.length) || run.fail(message);
}

function ofSize(message: string, test: (size: number) => boolean): Validate {
  return (value, run) => !isObject(value) || test(Object.keys(value).length) || run.fail(message);
}

/** A few of the values, for a message. */
function sampleOf(values: readonly unknown[]): string {
  const texts = values
    .slice(0, SAMPLE_MAX)
    .map((value) => JSON.stringify(value).slice(0, SAMPLE_CHARS_MAX));
  const rest = values.length - texts.length;
  return texts.join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}
