/**
 * Numbers in rows and schemas, with all their digits.
 *
 * A number is a double if that has the same shortest decimal form. The few numbers that a double would change are
 * `LongNumber`s. Scanning for them takes 1 ms for 1 MB of typical rows, 9 ms if they are full of long decimals, and 50
 * ms if a double would change one, because each number is then parsed from its text. See `src/spec/decisions.md`,
 * section 5.
 *
 * @module
 */
import { decimalKeyOf, isDouble, parseJsonNumbers } from "../../lib/json_numbers.ts";
import { plainDecimal } from "../../lib/plain_decimal.ts";
import { isObject as isAnyObject, type JsonObject } from "../../lib/records.ts";

/** A number that may be long: 16 digits, or so small that a double has fewer. Shorter ones always fit a double. */
const LONG = /(?:^|[[:,])\s*(-?(?:\d[\d.]{15,}(?:[eE][+-]?\d+)?|\d[\d.]*[eE]-\d{3,}))/g;

/** `digits` times ten to the `exponent`. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** A number that a double would change. It equals no double. */
export class LongNumber {
  /** Equal numbers have equal keys, and different numbers different ones. */
  readonly key: string;
  readonly #source: string;

  /** @param source a JSON number */
  constructor(source: string) {
    this.key = decimalKeyOf(source);
    this.#source = source;
  }

  get decimal(): Decimal {
    return decimalOfKey(this.key);
  }

  get isInteger(): boolean {
    return !this.key.includes("e-");
  }

  toString(): string {
    return plainDecimal(this.#source);
  }

  toJSON(): unknown {
    return JSON.rawJSON(this.#source);
  }
}

/** A JSON number. */
export type Numeric = number | LongNumber;

/** Parses JSON without changing a number. */
export function parseExactly(text: string): unknown {
  for (const [, source = ""] of text.matchAll(LONG)) {
    if (!isDouble(source)) return parseJsonNumbers(text, numericOf);
  }
  return JSON.parse(text);
}

export function isNumeric(value: unknown): value is Numeric {
  return typeof value === "number" || value instanceof LongNumber;
}

/** Whether it is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return isAnyObject(value) && !(value instanceof LongNumber);
}

export function isInteger(value: unknown): boolean {
  return value instanceof LongNumber ? value.isInteger : Number.isInteger(value);
}

/** Negative if `a` is less than `b`, positive if it is greater. */
export function compareNumbers(a: Numeric, b: Numeric): number {
  const isExact =
    (typeof a === "number" && typeof b === "number") || !isBounded(a) || !isBounded(b);
  if (isExact) return Math.sign(Number(a) - Number(b)) || 0;
  const { first, second } = aligned(a, b);
  return first < second ? -1 : first > second ? 1 : 0;
}

/** Compares decimal digits, as people write prices: 19.99 is a multiple of 0.01. */
export function isMultipleOf(value: Numeric, divisor: Numeric): boolean {
  if (typeof value === "number" && typeof divisor === "number") {
    if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
    const quotient = value / divisor;
    // Far from an integer, the rounding of a double can't matter, so the exact division is skipped.
    const isClearlyBetween =
      Math.abs(quotient) < 1e9 && Math.abs(quotient - Math.round(quotient)) > 1e-6;
    if (isClearlyBetween) return false;
  }
  const { first, second } = aligned(value, divisor);
  return second !== 0n && first % second === 0n;
}

/** The smallest integer that is at least the value, or greater than it if `isAbove`. */
export function wholeFrom(value: Numeric, isAbove: boolean): Numeric {
  if (!isBounded(value)) return value;
  if (typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER) {
    return isAbove ? Math.floor(value) + 1 : Math.ceil(value);
  }
  const { digits, exponent } = decimalOf(value);
  const unit = 10n ** BigInt(Math.max(-exponent, 0));
  const scaled = digits * 10n ** BigInt(Math.max(exponent, 0));
  const floor = scaled / unit - (scaled % unit < 0n ? 1n : 0n);
  return numericOf(String(isAbove || floor * unit < scaled ? floor + 1n : floor));
}

/** The number with its sign reversed. */
export function negated(value: Numeric): Numeric {
  return typeof value === "number" ? -value : numericOf(`-${value}`.replace("--", ""));
}

/** @param source a JSON number */
function numericOf(source: string): Numeric {
  return isDouble(source) ? Number(source) : new LongNumber(source);
}

function isBounded(value: Numeric): boolean {
  return typeof value !== "number" || Number.isFinite(value);
}

/** Both as integers scaled to the same power of ten. They have at most about 2,000 digits. */
function aligned(a: Numeric, b: Numeric): { readonly first: bigint; readonly second: bigint } {
  const [first, second] = [decimalOf(a), decimalOf(b)];
  const exponent = Math.min(first.exponent, second.exponent);
  const scaled = (each: Decimal) => each.digits * 10n ** BigInt(each.exponent - exponent);
  return { first: scaled(first), second: scaled(second) };
}

function decimalOf(value: Numeric): Decimal {
  return typeof value === "number" ? decimalOfKey(decimalKeyOf(String(value))) : value.decimal;
}

function decimalOfKey(key: string): Decimal {
  const [digits = "0", exponent = "0"] = key.split("e");
  return { digits: BigInt(digits), exponent: Number(exponent) };
}
