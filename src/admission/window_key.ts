/**
 * Which calls share a window: those of one account and operation, and for reads of data and pushes of
 * one feed. The same rule as `admit.sql`'s `window_feed_id`, and `admit_push.sql`'s.
 *
 * @module
 */
import type { Claim } from "./admission.ts";

/** What says whose window it is; pushes are not admitted with all else (`push_admission.ts`). */
export interface WindowClaim {
  readonly accountId: string;
  readonly operation: Claim["operation"] | "push";
  readonly feedId?: string;
}

export function windowKeyOf(claim: WindowClaim): string {
  const isFeeds = claim.operation === "data" || claim.operation === "push";
  return `${claim.accountId}${claim.operation}${isFeeds ? claim.feedId : ""}`;
}
