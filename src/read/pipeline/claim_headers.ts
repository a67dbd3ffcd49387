/**
 * Builds the claim of a data read from the feed and the request's headers. The headers are the same for pages and for
 * followers.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import type { Claim, LoggedOperation, TierLimits } from "../../admission/claims.ts";
import type { Feed } from "../../feeds/find.ts";
import { weakTag } from "../../http/etag.ts";
import { Expected } from "../../lib/typebox.ts";
import { nanosOfCredits } from "../../money/money.ts";

/** The `Idempotency-Key` header, and its effect on the route. */
export const idempotencyKeyHeader = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: "^[\\x21-\\x7e]{1,255}$",
      [Expected]: "1 to 255 visible ASCII characters",
      description,
    }),
  );

/** Headers that the claim depends on, as routes validate them. */
export const CLAIM_HEADERS = {
  "idempotency-key": idempotencyKeyHeader(
    "For 24 hours, and while the feed's data has not changed, repeats of the same read are charged once and share one `_origin`.",
  ),
  "feedgate-max-credits": Type.Optional(
    Type.String({
      pattern: "^\\d+(?:\\.\\d{1,3})?$",
      [Expected]: "a decimal of at least 0 with at most 3 decimal places",
      description: "Credits: a more expensive call returns 402 and is not charged.",
    }),
  ),
};

interface DataClaim {
  readonly operation: Extract<LoggedOperation, "data" | "stream" | "export">;
  readonly feed: Feed;
  readonly limits: TierLimits;
  /** The query in a canonical form. An Idempotency-Key is bound to it. */
  readonly query: string;
}

/** The route has already validated the headers. */
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
