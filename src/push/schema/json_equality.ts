/**
 * Compares JSON values as JSON Schema does: numbers by value, and objects regardless of key order. JSON Schema 2020-12
 * core 4.2.2.
 *
 * Values are compared by look-up, so an `enum` of 20,000 values costs a row no more than one of two.
 *
 * @module
 */
import type { CheckRun } from "./check_run.ts";
import { LongNumber } from "./exact_numbers.ts";

/** Steps for the canonical text of an object or array, and the number of its characters that cost one more step. */
const STEPS_PER_TEXT = 8;
const CHARS_PER_STEP = 4;

/** Returns a test for whether a value is one of the given ones. */
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

/** The canonical text of an object, array, or long number. */
function textOf(value: object, run: CheckRun): string {
  const text = canonicalText(value);
  run.spend(STEPS_PER_TEXT + Math.trunc(text.length / CHARS_PER_STEP));
  return text;
}

function isComposite(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** JSON text with sorted keys. Equal values have equal texts. */
export function canonicalText(value: unknown): string {
  if (!isComposite(value)) return JSON.stringify(value);
  if (value instanceof LongNumber) return value.key;
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalText(member)}`);
  return `{${members.join()}}`;
}
