/**
 * The terms of a read: what it costs, how often it may be made, whether it must be bought first, and which of
 * its account's windows counts it. Interface 8, decisions 7. Nobody else decides these.
 *
 * @module
 */
import type { Claim, FeedTerms, LoggedOperation } from "./types.ts";

/** Price of a call in nano-dollars. Only data costs anything, and only of metered feeds. */
export function priceOf({ operation, feed }: Pick<Claim, "operation" | "feed">): bigint {
  return operation === "data" && feed?.priceType === "metered" ? (feed.callPriceNanos ?? 0n) : 0n;
}

/** Calls in a window. */
export function limitOf({ operation, feed, limits }: Claim): number {
  const isPaid = operation === "data" && feed !== undefined && feed.priceType !== "free";
  return isPaid ? limits.paid : limits.free;
}

/** Whether the data, or whether they have changed, are told only to accounts that bought the feed. */
export function needsPurchase({ operation, feed }: Pick<Claim, "operation" | "feed">): boolean {
  return operation === "data" && feed?.priceType === "one_time";
}

/** Reads of data are counted by feed, all else by operation. `window_feed_of.sql` has the same rule. */
export function windowOf(operation: LoggedOperation, feed: Pick<FeedTerms, "feedId"> | undefined) {
  return operation === "data" && feed !== undefined ? feed.feedId : operation;
}
