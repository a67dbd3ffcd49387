/**
 * What a read of a feed's data asks of admission, by the feed and the request's headers. The headers are the same
 * for pages and for followers. Interface 4.4, beyond 1.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import type { Claim, LoggedOperation, TierLimits } from "../../admission/claims.ts";
import type { Feed } from "../../feeds/find.ts";
import { weakTag } from "../../http/etag.ts";
import { Expected } from "../../lib/typebox.ts";
import { nanosOfCredits } from "../../money/money.ts";

/** An `Idempotency-Key`, and what it does on the route. */
export const idempotencyKeyHeader = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: "^[\\x21-\\x7e]{1,255}$",
      [Expected]: "1 to 255 visible ASCII characters",
      description,
    }),
  );

/** Headers that a claim is made of, as a route checks them. */
export const CLAIM_HEADERS = {
  "idempotency-key": idempotencyKeyHeader(
    "For 24 hours, and while the feed's data has not changed, repeats of the same read are charged once and share one `_origin`.",
  ),
  "feedgate-max-credits": Type.Optional(
    Type.String({
      pattern: "^\\d+(?:\\.\\d{1,3})?$",
      [Expected]: "a decimal of at least 0 with at most 3 digits behind the point",
      description: "Credits: a call that costs more is 402 and not charged.",
    }),
  ),
};

interface DataClaim {
  readonly operation: Extract<LoggedOperation, "data" | "stream" | "export">;
  readonly feed: Feed;
  readonly limits: TierLimits;
  /** The query in a canonical form, which an Idempotency-Key is bound to. */
  readonly query: string;
}

/** The route has checked the form of the headers. */
export function claimOf({ operation, feed, limits, query }: DataClaim, headers: Headers): Claim {
  const key = headers.get("idempotency-key");
  const priceNanosMax = nanosOfCredits(headers.get("feedgate-max-credits") ?? "");
  return {
    operation,
    feed,
    limits,
    ...(key !== null && { idempotency: { key, queryHash: weakTag(query) } }),
    ...(priceNanosMax !== undefined && { priceNanosMax }),
  };
}
