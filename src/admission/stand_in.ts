/**
 * What HEAD shows of a read that it does not make.
 *
 * @module
 */

import { WINDOW_US } from "../limits.ts";
import type { Database } from "../postgres/client/query.ts";
import { type Claim, type Grant, windowOf } from "./admission.ts";
import { feedNotFound } from "./refusal.ts";

const NIL_UUID = "00000000-0000-0000-0000-000000000000";

/** The window that a GET would be counted in, and its charge. @throws {Problem} 404 where the feed has gone */
export async function lookAtWindow(
  database: Pick<Database, "row">,
  claim: Claim,
): Promise<Pick<Grant, "window" | "chargeNanos">> {
  const { accountId, operation, limit, limitPaid = limit } = claim;
  // What is no read of data costs the same, whatever the feed.
  const feedId = operation === "data" ? claim.feedId : undefined;
  const seen = await database.row("look_at_window", [
    accountId,
    operation,
    feedId ?? null,
    limit,
    limitPaid,
    WINDOW_US,
  ]);
  if (seen === undefined || (feedId !== undefined && !seen.has_feed)) throw feedNotFound();
  return {
    chargeNanos: seen.charge_nanos,
    window: windowOf({
      windowLimit: seen.window_limit,
      windowUsed: seen.used,
      oldestUs: Number(seen.oldest_us + WINDOW_US),
    }),
  };
}

/**
 * What a GET would be granted now, without counting one: so a HEAD has its headers, length included.
 * Decisions 10.
 *
 * @param claim of the GET
 * @param revalidated what the HEAD itself was granted
 * @throws {Problem} 404 where the feed has gone since
 */
export async function standInGrant(
  database: Pick<Database, "row">,
  claim: Claim,
  revalidated: Grant,
): Promise<Grant> {
  return { ...revalidated, ...(await lookAtWindow(database, claim)), usageId: NIL_UUID };
}
