/**
 * Which calls share a window: those of one account and operation, and for reads of data and pushes of
 * one feed. The same rule as `admit.sql`'s `window_feed_id`.
 *
 * @module
 */
import type { Claim } from "./admission.ts";

export function windowKeyOf(claim: Claim): string {
  const isFeeds = claim.operation === "data" || claim.operation === "push";
  return `${claim.accountId}${claim.operation}${isFeeds ? claim.feedId : ""}`;
}
