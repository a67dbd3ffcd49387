/**
 * What a feed costs, decided from the three pricing fields of a body. Interface 4.7, decisions 10.
 *
 * In go the fields as given, already of the right JSON type; out comes the whole pricing, or every
 * mistake in it. A given field that contradicts the type is a mistake; 0 and null never contradict.
 *
 * @module
 */

import { callPriceNanos } from "../accounts/money.ts";
import type { PriceType } from "../admission/types.ts";
import { unreachable } from "../lib/assert.ts";
import type { FieldError } from "../lib/field_error.ts";
import { ONE_TIME_PRICE_CENTS_MIN, PRICE_PER_1K_USD_MAX } from "../limits.ts";

/** The pricing fields of a body; undefined if one is not given. */
export interface GivenPricing {
  readonly priceType?: PriceType;
  /** USD per 1,000 calls, in decimal text without exponent. */
  readonly pricePer1k?: string | null;
  readonly oneTimePriceCents?: bigint | null;
}

/** What is stored. */
export interface Pricing {
  readonly priceType: PriceType;
  /** Price of one call; null where calls are not what is paid for. */
  readonly callPriceNanos: bigint | null;
  readonly oneTimePriceCents: bigint | null;
}

export type PricingOutcome =
  | { readonly kind: "decided"; readonly pricing: Pricing }
  /** 422 `PRICING_INVALID`. */
  | { readonly kind: "invalid"; readonly errors: readonly FieldError[] };

/** Upper bound of both price fields, each in its own unit. Decisions 10. */
const PRICE_MAX = PRICE_PER_1K_USD_MAX;
const NANOS_PER_USD_PER_1K = 1_000_000n;
const PRICE_PER_1K = "/price_per_1k";
const ONE_TIME_PRICE_CENTS = "/one_time_price_cents";

/** Pricing as at creation: what is not given is not there. */
export function decidePricing(given: GivenPricing): PricingOutcome {
  const call = readCallPrice(given.pricePer1k ?? null);
  const once = readOneTimePrice(given.oneTimePriceCents ?? null);
  if (isMistake(call) || isMistake(once)) {
    return { kind: "invalid", errors: [call, once].filter(isMistake) };
  }
  return decideFor(typeOf(given, call), { call, once });
}

function isMistake(price: bigint | null | FieldError): price is FieldError {
  return typeof price === "object" && price !== null;
}

/** Interface 4.7: what an omitted `price_type` means. */
function typeOf(given: GivenPricing, call: bigint | null): PriceType {
  if (given.priceType !== undefined) return given.priceType;
  if (given.oneTimePriceCents != null) return "one_time";
  return call !== null && call > 0n ? "metered" : "free";
}

interface Prices {
  readonly call: bigint | null;
  readonly once: bigint | null;
}

function decideFor(priceType: PriceType, { call, once }: Prices): PricingOutcome {
  const errors: FieldError[] = [];
  const mustBeAbsent = (path: string, price: bigint | null) => {
    if (!price) return;
    const message = `${path.slice(1)} contradicts the price_type ${priceType}; leave it out, or send 0 or null`;
    errors.push({ path, message });
  };
  const decided = (pricing: Omit<Pricing, "priceType">): PricingOutcome =>
    errors.length > 0
      ? { kind: "invalid", errors }
      : { kind: "decided", pricing: { priceType, ...pricing } };
  switch (priceType) {
    case "free":
      mustBeAbsent(PRICE_PER_1K, call);
      mustBeAbsent(ONE_TIME_PRICE_CENTS, once);
      return decided({ callPriceNanos: 0n, oneTimePriceCents: null });
    case "metered":
      if (!call) {
        const message = "price_per_1k must be above 0 where price_type is metered";
        errors.push({ path: PRICE_PER_1K, message });
      }
      mustBeAbsent(ONE_TIME_PRICE_CENTS, once);
      return decided({ callPriceNanos: call, oneTimePriceCents: null });
    case "one_time":
      if (once === null || once < ONE_TIME_PRICE_CENTS_MIN) {
        const message = `one_time_price_cents must be at least ${ONE_TIME_PRICE_CENTS_MIN} where the feed is sold once`;
        errors.push({ path: ONE_TIME_PRICE_CENTS, message });
      }
      mustBeAbsent(PRICE_PER_1K, call);
      return decided({ callPriceNanos: null, oneTimePriceCents: once });
    default:
      return unreachable(priceType);
  }
}

/** Nano-dollars of one call: exact, since a price has at most 6 decimals. */
function readCallPrice(pricePer1k: string | null): bigint | null | FieldError {
  if (pricePer1k === null) return null;
  const nanos = callPriceNanos(pricePer1k);
  if (nanos !== undefined && nanos >= 0n && nanos <= BigInt(PRICE_MAX) * NANOS_PER_USD_PER_1K) {
    return nanos;
  }
  const message = `price_per_1k must be from 0 to ${PRICE_MAX} USD with at most 6 decimals`;
  return { path: PRICE_PER_1K, message };
}

function readOneTimePrice(cents: bigint | null): bigint | null | FieldError {
  if (cents === null || (cents >= 0n && cents <= BigInt(PRICE_MAX))) return cents;
  const message = `one_time_price_cents must be from ${ONE_TIME_PRICE_CENTS_MIN} to ${PRICE_MAX}`;
  return { path: ONE_TIME_PRICE_CENTS, message };
}
