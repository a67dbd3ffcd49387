/**
 * The terms of a read: what it costs, how often it may be made, whether it must be bought first, and which of
 * its account's windows counts it. Interface 8, decisions 7, beyond 11. All of this is decided here and nowhere else.
 *
 * @module
 */
import { NANOS_PER_CENT } from "../money/money_units.ts";
import type { Claim, FeedTerms, LoggedOperation, PriceType, TierLimits } from "./claims.ts";

/**
 * Price in nano-dollars of a purchase, or of a call: only data costs anything, only of metered feeds. An owner pays
 * nothing.
 */
export function priceOf({ operation, feed, units = 1n }: Claim, accountId: string): bigint {
  if (feed === undefined || feed.accountId === accountId) return 0n;
  if (operation === "purchase") return (feed.oneTimePriceCents ?? 0n) * NANOS_PER_CENT;
  const isCharged = showsData(operation) && feed.priceType === "metered";
  return isCharged ? (feed.callPriceNanos ?? 0n) * units : 0n;
}

/** Calls in a window. */
export function limitOf({ operation, feed, limits }: Claim): number {
  return isOfData(operation) && feed !== undefined
    ? dataLimitOf(feed.priceType, limits)
    : limits.free;
}

/** Reads in a window of a feed that is sold like this. */
export function dataLimitOf(priceType: PriceType, limits: TierLimits): number {
  return priceType === "free" ? limits.free : limits.paid;
}

/**
 * Price in USD cents of a feed that must be bought before its data are read, or before a conditional read says whether
 * they have changed; undefined: nothing must be bought.
 */
export function purchasePriceOf({ operation, feed }: Claim, accountId: string): bigint | undefined {
  const isSold =
    showsData(operation) && feed?.priceType === "one_time" && feed.accountId !== accountId;
  return isSold ? (feed.oneTimePriceCents ?? 0n) : undefined;
}

/** Whether rows of the feed are answered, so that they are paid for. */
function showsData(operation: LoggedOperation): boolean {
  return isOfData(operation) || operation === "export";
}

/** A follower's page of a stream is data, too: the same price and the same window. Beyond 3. */
function isOfData(operation: LoggedOperation): boolean {
  return operation === "data" || operation === "stream";
}

/** Reads of data are counted by feed, all else by operation. `account_news.sql` has the same rule. */
export function windowOf(operation: LoggedOperation, feed: Pick<FeedTerms, "feedId"> | undefined) {
  return isOfData(operation) && feed !== undefined ? feed.feedId : operation;
}
