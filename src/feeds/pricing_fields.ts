/**
 * Checks the three pricing fields of a body. What a read or a purchase costs is in `admission/terms.ts`.
 *
 * Takes the given fields, whose JSON types were checked, and returns the complete pricing or every mistake in it. A
 * field that contradicts the price type is a mistake. 0 and null never contradict. See `src/spec/decisions.md`, section
 * 10.
 *
 * @module
 */

import type { PriceType } from "../admission/claims.ts";
import type { FieldError } from "../lib/field_error.ts";
import { ONE_TIME_PRICE_CENTS_MIN, PRICE_PER_1K_USD_MAX } from "../limits.ts";
import { callPriceNanos } from "../money/money.ts";

/** The pricing fields of a body. A missing field means the same as null. */
export interface GivenPricing {
  readonly priceType?: PriceType | undefined;
  /** USD per 1,000 calls, in decimal text without exponent. */
  readonly pricePer1k?: string | null;
  readonly oneTimePriceCents?: bigint | null;
}

/** The pricing to store. */
export interface Pricing {
  readonly priceType: PriceType;
  /** Price of one call. Null if calls are not charged. */
  readonly callPriceNanos: bigint | null;
  readonly oneTimePriceCents: bigint | null;
}

export type PricingOutcome =
  | { readonly kind: "decided"; readonly pricing: Pricing }
  | { readonly kind: "pricing_invalid"; readonly errors: readonly FieldError[] };

/** Upper bound of both price fields, each in its own unit. */
const PRICE_MAX = BigInt(PRICE_PER_1K_USD_MAX);
const CALL_PRICE_NANOS_MAX = PRICE_MAX * 1_000_000n;

/** Decides pricing as at creation: fields that are not given are absent. */
export function decidePricing(given: GivenPricing): PricingOutcome {
  const { pricePer1k = null, oneTimePriceCents: once = null } = given;
  const errors: FieldError[] = [];
  const refuse = (field: "price_per_1k" | "one_time_price_cents", rest: string) =>
    errors.push({ path: `/${field}`, message: `${field} ${rest}` });
  // Exact, because a price has at most 6 decimals.
  const call = pricePer1k === null ? null : callPriceNanos(pricePer1k);
  if (call === undefined || !isWithin(call, CALL_PRICE_NANOS_MAX)) {
    refuse("price_per_1k", `must be from 0 to ${PRICE_MAX} USD with at most 6 decimals`);
  }
  if (!isWithin(once, PRICE_MAX)) {
    refuse("one_time_price_cents", `must be from ${ONE_TIME_PRICE_CENTS_MIN} to ${PRICE_MAX}`);
  }
  if (call === undefined || errors.length > 0) return { kind: "pricing_invalid", errors };

  const priceType = given.priceType ?? typeOf(call, once);
  const contradiction = `contradicts the price_type ${priceType}; leave it out, or send 0 or null`;
  if (priceType === "metered" && !call) {
    refuse("price_per_1k", "must be above 0 if price_type is metered");
  }
  if (priceType === "one_time" && (once === null || once < ONE_TIME_PRICE_CENTS_MIN)) {
    const rest = `must be at least ${ONE_TIME_PRICE_CENTS_MIN} if price_type is one_time`;
    refuse("one_time_price_cents", rest);
  }
  if (priceType !== "metered" && call) refuse("price_per_1k", contradiction);
  if (priceType !== "one_time" && once) refuse("one_time_price_cents", contradiction);
  if (errors.length > 0) return { kind: "pricing_invalid", errors };

  const callPrice = { free: 0n, metered: call, one_time: null }[priceType];
  const oneTimePriceCents = priceType === "one_time" ? once : null;
  return { kind: "decided", pricing: { priceType, callPriceNanos: callPrice, oneTimePriceCents } };
}

function isWithin(price: bigint | null, most: bigint): boolean {
  return price === null || (price >= 0n && price <= most);
}

/** The price type that is meant if `price_type` is omitted. */
function typeOf(call: bigint | null, once: bigint | null): PriceType {
  if (once !== null) return "one_time";
  return call !== null && call > 0n ? "metered" : "free";
}
