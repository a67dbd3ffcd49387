/**
 * Options of `feed init` and `feed edit` that need parsing: price and interval.
 *
 * @module
 */
import type { NewFeed } from "../../client/mod.ts";
import { SYNC_INTERVAL_MINS_MAX } from "../../limits.ts";
import { type Option, UsageError } from "../command.ts";
import { duration } from "../options.ts";

/** The complete pricing of a feed, as members of the request body. */
export type Price = Required<Pick<NewFeed, "price_type">> &
  Pick<NewFeed, "price_per_1k" | "one_time_price_cents">;

const PRICE = /^(?:(\d{1,7}(?:\.\d{1,6})?)\/1k|(\d{1,5})(?:\.(\d\d))?\/once)$/;
const SECONDS_PER_MINUTE = 60;

/** `free`, `0.5/1k` or `5/once`. The gateway validates the amount. */
export const PRICE_OPTION: Option<Price> = {
  placeholder: "free|USD/1k|USD/once",
  about: "price: free, USD per 1,000 reads (0.5/1k), or a one-time price in USD (5/once)",
  isRequired: false,
  read(given, name) {
    if (given === "free") return { price_type: "free" };
    const [, per1k, dollars, cents = "00"] = PRICE.exec(given) ?? [];
    if (per1k !== undefined) return { price_type: "metered", price_per_1k: Number(per1k) };
    if (dollars !== undefined) {
      return { price_type: "one_time", one_time_price_cents: Number(dollars + cents) };
    }
    throw new UsageError(
      `${name} must be free, USD per 1,000 reads such as 0.5/1k, or a one-time price in USD such as 5/once, got "${given}"`,
    );
  },
};

const INTERVAL = duration(
  "maximum time between pushes, such as 30m, 24h or 7d",
  SYNC_INTERVAL_MINS_MAX * SECONDS_PER_MINUTE,
);

/** Maximum time between pushes, in minutes. */
export const INTERVAL_OPTION: Option<number> = {
  ...INTERVAL,
  read(given, name) {
    const minutes = INTERVAL.read(given, name) / SECONDS_PER_MINUTE;
    if (minutes >= 1) return minutes;
    throw new UsageError(`${name} must be at least 1m, got "${given}"`);
  },
};
