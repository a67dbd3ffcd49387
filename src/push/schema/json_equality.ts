/**
 * Values of JSON compared as JSON Schema compares them: numbers by value, objects whatever the order of
 * their keys, and multiples by their decimal digits. JSON Schema 2020-12 core 4.2.2, validation 6.
 *
 * Values are compared by look-up: an `enum` of 20,000 costs a row no more than one of two. Numbers are
 * JavaScript doubles here: a row's 9007199254740993 is checked as 9007199254740992, though it is stored
 * and served as pushed.
 *
 * @module
 */
import type { CheckRun } from "./check_run.ts";

/** Steps for the canonical text of an object or array, and characters of it that are one more. */
const STEPS_PER_TEXT = 8;
const CHARS_PER_STEP = 4;

/** Whether a value is one of the given ones. */
export function matcherOf(values: readonly unknown[]): (value: unknown, run: CheckRun) => boolean {
  const scalars = new Set(values.filter((value) => !isComposite(value)));
  const composites = new Set(values.filter(isComposite).map(canonicalText));
  return (value, run) =>
    isComposite(value)
      ? composites.size > 0 && composites.has(textOf(value, run))
      : scalars.has(value);
}

export function hasUniqueItems(items: readonly unknown[], run: CheckRun): boolean {
  run.spend(items.length);
  const composites = items.filter(isComposite);
  const scalars = new Set(items.filter((item) => !isComposite(item)));
  const texts = new Set(composites.map((item) => textOf(item, run)));
  return scalars.size + texts.size === items.length;
}

/** The canonical text of an object or array. */
function textOf(value: object, run: CheckRun): string {
  const text = canonicalText(value);
  run.spend(STEPS_PER_TEXT + Math.trunc(text.length / CHARS_PER_STEP));
  return text;
}

function isComposite(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** JSON text with sorted keys: the same for equal values. */
export function canonicalText(value: unknown): string {
  if (!isComposite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalText(member)}`);
  return `{${members.join()}}`;
}

/** By the decimal digits of both, as people write prices: 19.99 is a multiple of 0.01. */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const quotient = value / divisor;
  // Far from a whole number the rounding of a double can't matter, so the exact division is spared.
  const isClearlyBetween =
    Math.abs(quotient) < 1e9 && Math.abs(quotient - Math.round(quotient)) > 1e-6;
  if (isClearlyBetween) return false;
  const [valueDigits, valueExponent] = decimalOf(value);
  const [divisorDigits, divisorExponent] = decimalOf(divisor);
  // Doubles have exponents of three digits, so the powers have some 650 digits at most.
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
