/**
 * Values as tools give them to a model: numbers with all their digits, and texts without what a person would not see.
 *
 * @module
 */
import { toExactNumber } from "../accounts/money.ts";
import { assert } from "../lib/assert.ts";
import { withoutInvisible } from "../lib/invisible_text.ts";
import { parseJsonNumbers } from "../lib/json_numbers.ts";
import { isWithinDouble, NUMBER_LENGTH_MAX } from "../lib/json_text.ts";
import { plainDecimal } from "../lib/plain_decimal.ts";
import { isObject } from "../lib/records.ts";

/** Parses JSON. `JSON.stringify` prints its numbers as they stood there. */
export function parseExact(text: string): unknown {
  return parseJsonNumbers(text, toExactNumber);
}

/** The same of an answer that is an object. */
export function parseExactObject(text: string): Record<string, unknown> {
  const parsed = parseExact(text);
  assert(isObject(parsed), "the answer is an object");
  return parsed;
}

/** Fewer digits fit a double, unless it is nearly 0. */
const MANY_DIGITS = /[\d.]{16}/;

/**
 * Parses JSON. A number that would lose digits as a double is its text: as the value of a filter it means the same, and
 * no other argument takes such a number.
 */
export function parseDigits(text: string): unknown {
  // To look at each number takes three times as long.
  if (!MANY_DIGITS.test(text)) return JSON.parse(text);
  return parseJsonNumbers(text, (source, value) => (isExact(source, value) ? value : source));
}

function isExact(source: string, value: number): boolean {
  const shown = String(value);
  if (shown === source) return true;
  return (
    source.length <= NUMBER_LENGTH_MAX &&
    isWithinDouble(source) &&
    plainDecimal(shown) === plainDecimal(source)
  );
}

/**
 * The value with every text and name in it as a person sees them. It is done before the value becomes JSON, which
 * would hide control characters in escapes.
 */
export function visible(value: unknown): unknown {
  if (typeof value === "string") return withoutInvisible(value);
  if (Array.isArray(value)) return value.map(visible);
  if (!isObject(value) || JSON.isRawJSON(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [withoutInvisible(name), visible(each)]),
  );
}
