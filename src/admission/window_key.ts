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

/** Which of its account's windows a call is counted in; one that is a feed's goes by the feed alone. */
export function windowOfAccount({ operation, feedId }: WindowClaim): string {
  const isFeeds = operation === "data" || operation === "push";
  return isFeeds && feedId !== undefined ? feedId : operation;
}
