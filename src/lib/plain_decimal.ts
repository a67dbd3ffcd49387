/**
 * JSON numbers as plain decimals.
 *
 * @module
 */

/**
 * The shortest decimal form of a JSON number without exponent, with all its digits: `-1.50e1` is `-15`, `-0` is `0`.
 *
 * The number must be within the range of a double (`scanJson` refuses others), which limits the result to about 1,300
 * characters.
 */
export function plainDecimal(text: string): string {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const digits = (whole + fraction).replace(/^0+/, "");
  // Zero is handled first, because its exponent may have any size.
  if (digits === "") return "0";
  /** Digits before the point. A negative number counts zeros between the point and the digits. */
  const wholeLength = digits.length - fraction.length + Number(exponent);
  const wholeDigits = digits.slice(0, Math.max(wholeLength, 0)).padEnd(wholeLength, "0") || "0";
  const fractionDigits = digits.slice(Math.max(wholeLength, 0)).replace(/0+$/, "");
  const sign = text.startsWith("-") ? "-" : "";
  if (fractionDigits === "") return sign + wholeDigits;
  return `${sign}${wholeDigits}.${"0".repeat(Math.max(-wholeLength, 0))}${fractionDigits}`;
}
