/**
 * Money: whole nano-dollars in a bigint, from SQL to the edge. 1 credit = 0.000001 USD = 1,000 of them.
 *
 * At the edge they are printed as exact JSON numbers, never through a float.
 *
 * @module
 */
import { parseJsonNumbers } from "../lib/json_numbers.ts";

const CREDIT_DECIMALS = 3;
const USD_DECIMALS = 9;
const PRICE_DECIMALS = 6;

/** Credits as exact decimal text, e.g. `1.5`. */
export function creditsText(nanos: bigint): string {
  return decimalText(nanos, CREDIT_DECIMALS);
}

/** Credits for a reader: `1 credit`, `1.5 credits`. */
export function creditsWords(nanos: bigint): string {
  return inCredits(creditsNumber(nanos));
}

/** The same of credits that are a number already. */
export function inCredits({ rawJSON: text }: ExactNumber): string {
  return `${text} ${text === "1" ? "credit" : "credits"}`;
}

/** USD as exact decimal text, e.g. `0.0000015`. */
export function usdText(nanos: bigint): string {
  return decimalText(nanos, USD_DECIMALS);
}

/**
 * `price_per_1k` in USD, as decimal text, of a call's price in nano-dollars: a thousand calls at a
 * nano-dollar each are a micro-dollar.
 */
export function pricePer1kText(callPriceNanos: bigint): string {
  return decimalText(callPriceNanos, PRICE_DECIMALS);
}

/** Price of one call in nano-dollars; undefined if the price has more than 6 decimals. */
export function callPriceNanos(pricePer1kText: string): bigint | undefined {
  return parseDecimal(pricePer1kText, PRICE_DECIMALS);
}

/** Nano-dollars of an amount of credits given as text; undefined if it has more than 3 decimals. */
export function nanosOfCredits(text: string): bigint | undefined {
  return parseDecimal(text, CREDIT_DECIMALS);
}

/** An amount as a person types it, such as `5,000`, without its commas. Any other text stays as it is. */
export function withoutGroups(text: string): string {
  return /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text) ? text.replaceAll(",", "") : text;
}

/** Nano-dollars of an amount of USD given as text; undefined if it has more than 9 decimals. */
export function nanosOfUsd(text: string): bigint | undefined {
  return parseDecimal(text, USD_DECIMALS);
}

/** USD of cents, with two decimals: `5.00`. */
export function usdOfCents(cents: bigint): string {
  return `${cents / 100n}.${String(cents % 100n).padStart(2, "0")}`;
}

declare global {
  interface JSON {
    /** ECMAScript's own since 2025, and not yet among the types. */
    rawJSON(text: string): ExactNumber;
    isRawJSON(value: unknown): value is ExactNumber;
  }
}

/** A number that `JSON.stringify` prints as its text has it, digit for digit. */
export interface ExactNumber {
  readonly rawJSON: string;
}

/** @param text a JSON number */
export function toExactNumber(text: string): ExactNumber {
  return JSON.rawJSON(text);
}

/** Parses JSON. `JSON.stringify` prints its numbers as they stood there. */
export function parseExact(text: string): unknown {
  return parseJsonNumbers(text, toExactNumber);
}

/** Credits for `JSON.stringify`. */
export function creditsNumber(nanos: bigint): ExactNumber {
  return toExactNumber(creditsText(nanos));
}

/** USD for `JSON.stringify`. */
export function usdNumber(nanos: bigint): ExactNumber {
  return toExactNumber(usdText(nanos));
}

/** An amount of nano-dollars in both units, for `JSON.stringify`. */
export function amountOf(nanos: bigint) {
  return { credits: creditsNumber(nanos), usd: usdNumber(nanos) };
}

/** A whole number of 10^-decimals as the shortest decimal text. */
function decimalText(amount: bigint, decimals: number): string {
  const sign = amount < 0n ? "-" : "";
  const digits = String(amount < 0n ? -amount : amount).padStart(decimals + 1, "0");
  const fraction = digits.slice(-decimals).replace(/0+$/, "");
  return `${sign}${digits.slice(0, -decimals)}${fraction && `.${fraction}`}`;
}

/** A JSON number's text as a whole number of 10^-decimals; undefined if it is none. */
function parseDecimal(text: string, decimals: number): bigint | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const digits = whole + fraction;
  const shift = Number(exponent) - fraction.length + decimals;
  if (shift < 0) {
    const cut = digits.padStart(1 - shift, "0");
    if (/[1-9]/.test(cut.slice(shift))) return undefined;
    return BigInt(`${sign}${cut.slice(0, shift)}`);
  }
  return BigInt(sign + digits + "0".repeat(shift));
}

/** The columns of a feed that say what it costs. */
export interface Priced {
  readonly price_type: string | null;
  readonly call_price_nanos: bigint | null;
  readonly one_time_price_cents: bigint | null;
}

/** `free`, `$0.001 per 1,000 calls`, `$5.00 one-time`. */
export function pricingText(feed: Priced): string {
  switch (feed.price_type) {
    case "metered":
      return `$${pricePer1kText(feed.call_price_nanos ?? 0n)} per 1,000 calls`;
    case "one_time":
      return `$${usdOfCents(feed.one_time_price_cents ?? 0n)} one-time`;
    default:
      return "free";
  }
}
