/**
 * The current price of a read of a feed for an account, computed by the function that prices the read itself.
 *
 * @module
 */
import type { OwnAccess } from "../../../access/account_access.ts";
import { priceOf, purchasePriceOf } from "../../../admission/terms.ts";
import { seekerOf } from "../../../feeds/find.ts";
import type { Services } from "../../../services.ts";

/** An account, and how it stands to a feed. */
export interface Reading {
  readonly accountId: string;
  readonly feedId: string;
  readonly grant: OwnAccess["grant"];
  readonly isPurchased: boolean;
}

export interface ReadPrice {
  /** Of one read. */
  readonly readNanos: bigint;
  /** Whether the feed must be bought first. */
  readonly isForSale: boolean;
}

/** Undefined if the account can't see the feed. */
export async function findReadPrice(
  { config, feeds }: Pick<Services, "config" | "feeds">,
  { accountId, feedId, grant: standing, isPurchased }: Reading,
): Promise<ReadPrice | undefined> {
  const feed = await feeds.findFresh(seekerOf(accountId), feedId);
  if (feed === undefined) return undefined;
  const limits = { free: config.limits.readsFree, paid: config.limits.readsPaid };
  const claim = { operation: "data", feed, limits } as const;
  // Of a grant that has not ended, only whether it is free counts.
  const grant = standing && { isFree: standing.isFree, endUs: null };
  return {
    readNanos: priceOf(claim, { accountId, grant }),
    isForSale: purchasePriceOf(claim, { accountId, grant, isPurchased }) !== undefined,
  };
}
