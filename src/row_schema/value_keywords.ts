/**
 * The keywords that need more than a comparison: `enum`, `const`, `uniqueItems`, `multipleOf`, `pattern`.
 *
 * They replace ajv's own, which compare item by item (25,000 unique objects take it seconds), throw on
 * a row like `{"valueOf": 1}`, and say that 19.99 is no multiple of 0.01. Equality is JSON's: numbers by
 * value, objects whatever the order of their keys. JSON Schema 2020-12 validation 6.1 to 6.4.
 *
 * @module
 */
import { _, type CodeKeywordDefinition, Name, str } from "ajv";
import type { Budget } from "./budget.ts";
import type { PatternCompiler } from "./linear_pattern.ts";

/** Whether a value passes one keyword of one subschema. */
export type Check = (value: never) => boolean;

/** The list of checks, by this name in the generated code. ajv's own names all end in a digit. */
export const CHECKS_NAME = "checks";

/** Steps for the canonical text of an object or array, and characters of it that are one more. */
const STEPS_PER_TEXT = 8;
const CHARS_PER_STEP = 4;

export interface ValueKeywordsOptions {
  readonly budget: Budget;
  readonly patterns: PatternCompiler;
  /**
   * Filled by compiling, read by the generated code. One list, since ajv takes time quadratic in the
   * number of values that it is told to hold.
   */
  readonly checks: Check[];
}

/** Definitions for `addKeyword`, after the built-in ones are removed. */
export function valueKeywords(options: ValueKeywordsOptions): CodeKeywordDefinition[] {
  const { budget, patterns, checks } = options;

  function textOf(value: unknown): string {
    const text = canonicalText(value);
    budget.spend(STEPS_PER_TEXT + Math.trunc(text.length / CHARS_PER_STEP));
    return text;
  }

  function code(prepare: (schema: never) => Check): CodeKeywordDefinition["code"] {
    return (context) => {
      const index = checks.push(prepare(context.schema as never)) - 1;
      context.fail(_`!${new Name(CHECKS_NAME)}[${index}](${context.data})`);
    };
  }

  return [
    {
      keyword: "enum",
      schemaType: "array",
      code: code((values: unknown[]) => matcherOf(values, textOf)),
      error: { message: ({ schema }) => str`must be one of ${sampleOf(schema)}` },
    },
    {
      keyword: "const",
      code: code((value: unknown) => matcherOf([value], textOf)),
      error: { message: ({ schema }) => str`must be ${sampleOf([schema])}` },
    },
    {
      keyword: "uniqueItems",
      type: "array",
      schemaType: "boolean",
      code: code((isOn: boolean) => (items: readonly unknown[]) => {
        if (!isOn || items.length < 2) return true;
        budget.spend(items.length);
        return hasUniqueItems(items, textOf);
      }),
      error: { message: "must not have the same item twice" },
    },
    {
      keyword: "multipleOf",
      type: "number",
      schemaType: "number",
      code: code((divisor: number) => (value: number) => isMultipleOf(value, divisor)),
      error: { message: ({ schema }) => str`must be a multiple of ${schema}` },
    },
    {
      keyword: "pattern",
      type: "string",
      schemaType: "string",
      code: code((pattern: string) => patterns.compile(pattern).test),
      error: { message: ({ schema }) => str`must match the pattern ${schema}` },
    },
  ];
}

type TextOf = (value: unknown) => string;

/** One look-up, however many values: an `enum` of 20,000 costs a row no more than one of two. */
function matcherOf(values: readonly unknown[], textOf: TextOf): (value: unknown) => boolean {
  const primitives = new Set(values.filter((value) => !isComposite(value)));
  const composites = new Set(values.filter(isComposite).map((value) => canonicalText(value)));
  return (value) => {
    if (!isComposite(value)) return primitives.has(value);
    return composites.size > 0 && composites.has(textOf(value));
  };
}

function hasUniqueItems(items: readonly unknown[], textOf: TextOf): boolean {
  const seen = new Set<unknown>();
  for (const item of items) {
    // Canonical text of an object or array begins with a bracket, so it is marked off from strings.
    const key = isComposite(item)
      ? `o${textOf(item)}`
      : typeof item === "string"
        ? `s${item}`
        : item;
    if (seen.has(key)) return false;
    seen.add(key);
  }
  return true;
}

function isComposite(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** JSON text with sorted keys: the same for equal values. */
function canonicalText(value: unknown): string {
  if (!isComposite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  const members = value as Record<string, unknown>;
  const texts = Object.keys(members)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalText(members[key])}`);
  return `{${texts.join()}}`;
}

/** By the decimal digits of both, as people write prices: 19.99 is a multiple of 0.01. */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const quotient = value / divisor;
  // Far from a whole number the rounding of a double cannot matter, so the exact division is spared.
  const isClearlyBetween =
    Math.abs(quotient) < 1e9 && Math.abs(quotient - Math.round(quotient)) > 1e-6;
  if (isClearlyBetween) return false;
  const [valueDigits, valueExponent] = decimalOf(value);
  const [divisorDigits, divisorExponent] = decimalOf(divisor);
  // Doubles have exponents of three digits: the powers are of some 650 digits at most.
  const exponent = Math.min(valueExponent, divisorExponent);
  const scaledValue = valueDigits * 10n ** BigInt(valueExponent - exponent);
  const scaledDivisor = divisorDigits * 10n ** BigInt(divisorExponent - exponent);
  return scaledDivisor !== 0n && scaledValue % scaledDivisor === 0n;
}

/** A double as the shortest `digits` times ten to the `exponent`. */
function decimalOf(value: number): [digits: bigint, exponent: number] {
  const [mantissa = "0", exponent = "0"] = value.toExponential().split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}

/** A few of the values, for a message. */
function sampleOf(values: unknown): string {
  const list = Array.isArray(values) ? values : [];
  const shown = list.slice(0, 5).map((value) => JSON.stringify(value).slice(0, 60));
  const rest = list.length - shown.length;
  return rest > 0 ? `${shown.join(", ")} and ${rest} more` : shown.join(", ");
}
