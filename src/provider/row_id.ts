/**
 * The id of a row, in the one form that is stored, compared and asked for. Decisions 5.
 *
 * In goes the span of a row's `id`; out comes its text, or why it is none. A string is its own id. A
 * number's id is its shortest decimal form without exponent, all digits kept, so that `1`, `"1"`, `1.0`
 * and `1e0` are one id and no digit is lost to a double.
 *
 * @module
 */
import { hasAtMost } from "../lib/code_points.ts";
import { type JsonSpan, type JsonText, stringOf, textOf } from "../lib/json_text.ts";

export type RowIdOutcome =
  | { readonly kind: "valid"; readonly id: string }
  | { readonly kind: "invalid"; readonly message: string };

/** Unicode code points of a row id that is a string. Decisions 5. */
export const ROW_ID_LENGTH_MAX = 256;

/** The id that the value at `span` stands for. */
export function canonicalRowId(json: JsonText, span: JsonSpan): RowIdOutcome {
  if (span.kind === "number") return { kind: "valid", id: plainDecimal(textOf(json, span)) };
  if (span.kind !== "string") return invalid(span.kind);
  const id = stringOf(json, span);
  if (id === "") return invalid("an empty string");
  if (!hasAtMost(id, ROW_ID_LENGTH_MAX)) return invalid("a longer string");
  return { kind: "valid", id };
}

/**
 * A JSON number's shortest decimal form without exponent: `-1.50e1` is `-15`, `-0` is `0`.
 *
 * The number is one that a double can hold roughly (`scanJson` refuses others), which bounds the result
 * to some 1,300 characters.
 */
export function plainDecimal(text: string): string {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const digits = (whole + fraction).replace(/^0+/, "");
  // Zero first: its exponent may be of any size.
  if (digits === "") return "0";
  /** Of `digits`, those before the point; below zero, so many zeros stand between. */
  const wholeLength = digits.length - fraction.length + Number(exponent);
  const wholeDigits = digits.slice(0, Math.max(wholeLength, 0)).padEnd(wholeLength, "0") || "0";
  const fractionDigits = digits.slice(Math.max(wholeLength, 0)).replace(/0+$/, "");
  const sign = text.startsWith("-") ? "-" : "";
  if (fractionDigits === "") return sign + wholeDigits;
  return `${sign}${wholeDigits}.${"0".repeat(Math.max(-wholeLength, 0))}${fractionDigits}`;
}

function invalid(got: string): RowIdOutcome {
  const message = `id must be a string of 1 to ${ROW_ID_LENGTH_MAX} characters or a number, got ${got}`;
  return { kind: "invalid", message };
}
