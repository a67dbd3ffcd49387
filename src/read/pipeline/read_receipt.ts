/**
 * `_origin`: the receipt of a read that was logged.
 *
 * @module
 */

import type { Receipt } from "../../admission/claims.ts";
import { creditsText } from "../../money/money.ts";

/** As JSON text. */
export function originText(receipt: Receipt, feedId: string | null): string {
  const { usageId, timestamp, chargeNanos } = receipt;
  const feed = feedId === null ? "null" : `"${feedId}"`;
  return `{"usage_id":"${usageId}","timestamp":"${timestamp}","feed_id":${feed},"credits_charged":${creditsText(chargeNanos)}}`;
}
