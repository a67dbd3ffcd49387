/**
 * A feed's price, as pages write it. Answers for programs write it as `pricingText` does.
 *
 * @module
 */
import { type Priced, pricePer1kText, usdOfCents } from "../../money/money.ts";
import { digits } from "./parts.tsx";

/** `free`, `0.001 USD per 1,000 calls`, `5.00 USD once`. */
export function priceText(feed: Priced): string {
  switch (feed.price_type) {
    case "metered":
      return `${digits(pricePer1kText(feed.call_price_nanos ?? 0n))} USD per 1,000 calls`;
    case "one_time":
      return `${digits(usdOfCents(feed.one_time_price_cents ?? 0n))} USD once`;
    default:
      return "free";
  }
}
