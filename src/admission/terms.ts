/**
 * The terms of a read or a purchase: whether the feed is closed to the account, the price, the rate limit, whether it
 * requires a purchase, and the window of the account that counts it. Every read and purchase is decided here.
 * `find_own_access.sql` only shows an account its access to a feed.
 *
 * See `src/spec/interface.md`, section 8.
 *
 * @module
 */
import { NANOS_PER_CENT } from "../money/money_units.ts";
import type { Claim, FeedTerms, LoggedOperation, PriceType, TierLimits } from "./claims.ts";
import type { AccessGrant } from "./known_accounts.ts";

/** The parts of an account that its terms depend on. */
export interface Reader {
  readonly accountId: string;
  /** The account's grant for the claim's feed, if it has one. */
  readonly grant: AccessGrant | undefined;
  /** Whether it has bought the claim's feed. */
  readonly isPurchased: boolean;
}

/**
 * Whether the feed is closed to the account. What it has bought stays readable. All accounts see the metadata of a feed
 * that they may ask for.
 */
export function isClosedTo({ operation, feed }: Claim, reader: Reader): boolean {
  if (feed === undefined || feed.access === "open" || feed.accountId === reader.accountId) {
    return false;
  }
  if (feed.access === "by_request" && operation === "metadata") return false;
  return reader.grant === undefined && !reader.isPurchased;
}

/**
 * Price of a purchase or call, in nano-dollars. Of calls, only data reads of metered feeds cost anything. Owners pay
 * nothing, nor do those whose grant is free.
 */
export function priceOf(
  { operation, feed, units = 1n }: Claim,
  reader: Omit<Reader, "isPurchased">,
): bigint {
  if (feed === undefined || feed.accountId === reader.accountId) return 0n;
  if (operation === "purchase") return (feed.oneTimePriceCents ?? 0n) * NANOS_PER_CENT;
  const isCharged =
    showsData(operation) && feed.priceType === "metered" && reader.grant?.isFree !== true;
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
 * if no purchase is required, or if it was made.
 */
export function purchasePriceOf(
  { operation, feed }: Claim,
  { accountId, grant, isPurchased }: Reader,
): bigint | undefined {
  const isSold =
    showsData(operation) && feed?.priceType === "one_time" && feed.accountId !== accountId;
  const isPaid = isPurchased || grant?.isFree === true;
  return isSold && !isPaid ? (feed.oneTimePriceCents ?? 0n) : undefined;
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
