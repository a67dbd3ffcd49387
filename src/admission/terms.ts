/**
 * The terms of a read: its price, its rate limit, whether it requires a purchase, and which of the account's windows
 * counts it. All of this is decided here and nowhere else.
 *
 * See `src/spec/interface.md`, section 8.
 *
 * @module
 */
import { NANOS_PER_CENT } from "../money/money_units.ts";
import type { Claim, FeedTerms, LoggedOperation, PriceType, TierLimits } from "./claims.ts";

/**
 * Price of a purchase or call, in nano-dollars. Of calls, only data reads of metered feeds cost anything. Owners pay
 * nothing.
 */
export function priceOf({ operation, feed, units = 1n }: Claim, accountId: string): bigint {
  if (feed === undefined || feed.accountId === accountId) return 0n;
  if (operation === "purchase") return (feed.oneTimePriceCents ?? 0n) * NANOS_PER_CENT;
  const isCharged = showsData(operation) && feed.priceType === "metered";
  return isCharged ? (feed.callPriceNanos ?? 0n) * units : 0n;
}

/** Calls per window. */
export function limitOf({ operation, feed, limits }: Claim): number {
  return isOfData(operation) && feed !== undefined
    ? dataLimitOf(feed.priceType, limits)
    : limits.free;
}

/** Reads per window for a feed of this price type. */
export function dataLimitOf(priceType: PriceType, limits: TierLimits): number {
  return priceType === "free" ? limits.free : limits.paid;
}

/**
 * Price in USD cents of a feed that must be bought before its data, or a conditional read of it, is answered. Undefined
 * if no purchase is required.
 */
export function purchasePriceOf({ operation, feed }: Claim, accountId: string): bigint | undefined {
  const isSold =
    showsData(operation) && feed?.priceType === "one_time" && feed.accountId !== accountId;
  return isSold ? (feed.oneTimePriceCents ?? 0n) : undefined;
}

/** Whether the operation returns rows of the feed, which must be paid for. */
function showsData(operation: LoggedOperation): boolean {
  return isOfData(operation) || operation === "export";
}

/** A follower's page of a stream counts as data: it has the same price and the same window. */
function isOfData(operation: LoggedOperation): boolean {
  return operation === "data" || operation === "stream";
}

/** Data reads are counted by feed, all others by operation. `account_news.sql` has the same rule. */
export function windowOf(operation: LoggedOperation, feed: Pick<FeedTerms, "feedId"> | undefined) {
  return isOfData(operation) && feed !== undefined ? feed.feedId : operation;
}
