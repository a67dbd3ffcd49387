/**
 * JSON numbers that may have more digits than a double.
 *
 * @module
 */

/** Converts a number, given its text in the document and its value as a double. */
type NumberOf = (source: string, value: number) => unknown;

/** Parses JSON, and converts each number with `numberOf`. */
export function parseJsonNumbers(text: string, numberOf: NumberOf): unknown {
  // The third argument is part of ECMAScript since 2025, but not yet of the types.
  return JSON.parse(text, (_: string, value: unknown, context?: { readonly source?: string }) => {
    const source = context?.source;
    return typeof value === "number" && source !== undefined ? numberOf(source, value) : value;
  });
}

const WHOLE = /^-?\d+$/;
const ZERO = 0x30;

/** Whether a double has all of the number's digits. */
export function isDouble(source: string): boolean {
  const shortest = String(Number(source));
  if (shortest === source) return true;
  // Two integers without exponents are equal only if their texts are.
  const areWhole = WHOLE.test(source) && WHOLE.test(shortest);
  return !areWhole && decimalKeyOf(shortest) === decimalKeyOf(source);
}

/** A number's digits without zeros at either end, and its exponent. As text, because it is mostly compared. */
export function decimalKeyOf(source: string): string {
  const sign = source.startsWith("-") ? "-" : "";
  const e = source.search(/e/i);
  const end = e < 0 ? source.length : e;
  const mantissa = source.slice(sign.length, end);
  const dot = mantissa.indexOf(".");
  const places = dot < 0 ? 0 : mantissa.length - dot - 1;
  const digits = dot < 0 ? mantissa : mantissa.slice(0, dot) + mantissa.slice(dot + 1);
  let first = 0;
  while (digits.charCodeAt(first) === ZERO) first += 1;
  let last = digits.length;
  while (last > first && digits.charCodeAt(last - 1) === ZERO) last -= 1;
  if (first === last) return "0e0";
  const exponent = e < 0 ? 0 : Number(source.slice(e + 1));
  return `${sign}${digits.slice(first, last)}e${exponent - places + digits.length - last}`;
}
