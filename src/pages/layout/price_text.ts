/**
 * A feed's price in the wording of pages. Responses for programs use `pricingText`.
 *
 * @module
 */
import { type Priced, pricePer1kText, usdOfCents } from "../../money/money.ts";
import { dollars } from "./parts.tsx";

/** `free`, `0.001 USD per 1,000 calls`, `5.00 USD once`. */
export function priceText(feed: Priced): string {
  switch (feed.price_type) {
    case "metered":
      return `${dollars(pricePer1kText(feed.call_price_nanos ?? 0n))} USD per 1,000 calls`;
    case "one_time":
      return `${dollars(usdOfCents(feed.one_time_price_cents ?? 0n))} USD once`;
    default:
      return "free";
  }
}
