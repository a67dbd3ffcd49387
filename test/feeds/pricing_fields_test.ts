import { describe, expect, test } from "bun:test";
import { decidePricing, type GivenPricing } from "../../src/feeds/pricing_fields.ts";

const FREE = { priceType: "free", callPriceNanos: 0n, oneTimePriceCents: null };
const METERED = { priceType: "metered", callPriceNanos: 1_000n, oneTimePriceCents: null };
const ONE_TIME = { priceType: "one_time", callPriceNanos: null, oneTimePriceCents: 500n };

/** Given pricing and what it becomes, or the paths of its mistakes. */
const TABLE: readonly (readonly [GivenPricing, object])[] = [
  [{}, FREE],
  [{ priceType: "free" }, FREE],
  [{ priceType: "free", pricePer1k: "0", oneTimePriceCents: null }, FREE],
  [{ priceType: "free", pricePer1k: null, oneTimePriceCents: 0n }, FREE],
  [{ priceType: "free", pricePer1k: "0.001" }, ["/price_per_1k"]],
  [{ priceType: "free", oneTimePriceCents: 500n }, ["/one_time_price_cents"]],
  [
    { priceType: "free", pricePer1k: "1", oneTimePriceCents: 500n },
    ["/price_per_1k", "/one_time_price_cents"],
  ],
  [{ priceType: "metered", pricePer1k: "0.001" }, METERED],
  [{ priceType: "metered", pricePer1k: "0.001", oneTimePriceCents: 0n }, METERED],
  [{ priceType: "metered", pricePer1k: "0.001", oneTimePriceCents: null }, METERED],
  [{ priceType: "metered" }, ["/price_per_1k"]],
  [{ priceType: "metered", pricePer1k: "0" }, ["/price_per_1k"]],
  [{ priceType: "metered", pricePer1k: null }, ["/price_per_1k"]],
  [
    { priceType: "metered", pricePer1k: "0.001", oneTimePriceCents: 500n },
    ["/one_time_price_cents"],
  ],
  [{ priceType: "one_time", oneTimePriceCents: 500n }, ONE_TIME],
  [{ priceType: "one_time", oneTimePriceCents: 500n, pricePer1k: "0" }, ONE_TIME],
  [{ priceType: "one_time", oneTimePriceCents: 500n, pricePer1k: null }, ONE_TIME],
  [
    { priceType: "one_time", oneTimePriceCents: 100n },
    { ...ONE_TIME, oneTimePriceCents: 100n },
  ],
  [{ priceType: "one_time" }, ["/one_time_price_cents"]],
  [{ priceType: "one_time", oneTimePriceCents: 99n }, ["/one_time_price_cents"]],
  [{ priceType: "one_time", oneTimePriceCents: 0n }, ["/one_time_price_cents"]],
  [{ priceType: "one_time", oneTimePriceCents: 500n, pricePer1k: "0.1" }, ["/price_per_1k"]],
  // Without a type: the one-time price goes before the metered one. Interface 4.7.
  [{ oneTimePriceCents: 500n }, ONE_TIME],
  [{ oneTimePriceCents: 500n, pricePer1k: "0.001" }, ["/price_per_1k"]],
  [{ oneTimePriceCents: 0n }, ["/one_time_price_cents"]],
  [{ oneTimePriceCents: null, pricePer1k: "0.001" }, METERED],
  [{ pricePer1k: "0.001" }, METERED],
  [{ pricePer1k: "0" }, FREE],
  [{ pricePer1k: null }, FREE],
  // Bounds.
  [{ pricePer1k: "0.000001" }, { ...METERED, callPriceNanos: 1n }],
  [{ pricePer1k: "0.0000001" }, ["/price_per_1k"]],
  [{ pricePer1k: "1000000" }, { ...METERED, callPriceNanos: 1_000_000_000_000n }],
  [{ pricePer1k: "1000000.000001" }, ["/price_per_1k"]],
  [{ pricePer1k: "-0.5" }, ["/price_per_1k"]],
  [{ oneTimePriceCents: 1_000_000n }, { ...ONE_TIME, oneTimePriceCents: 1_000_000n }],
  [{ oneTimePriceCents: 1_000_001n }, ["/one_time_price_cents"]],
  [{ oneTimePriceCents: -1n }, ["/one_time_price_cents"]],
  [
    { priceType: "free", pricePer1k: "-1", oneTimePriceCents: -1n },
    ["/price_per_1k", "/one_time_price_cents"],
  ],
];

describe("decidePricing", () => {
  for (const [given, expected] of TABLE) {
    const shown = Bun.inspect(given, { compact: true });
    test(`${shown} is ${Bun.inspect(expected, { compact: true })}`, () => {
      const outcome = decidePricing(given);
      if (outcome.kind === "decided") expect<object>(outcome.pricing).toEqual(expected);
      else expect<object>(outcome.errors.map(({ path }) => path)).toEqual(expected);
    });
  }
});
