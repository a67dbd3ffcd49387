/**
 * Parts that the bodies of several routes share.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { nullable } from "./lib/typebox.ts";
import { PAGE_LIMIT_MAX } from "./limits.ts";
import type { ExactNumber } from "./money/money.ts";

export const uuid = (description: string) => Type.String({ format: "uuid", description });
export const time = (description: string) => Type.String({ format: "date-time", description });
/** A number that is printed digit for digit. */
export const exact = (description: string) =>
  Type.Unsafe<ExactNumber>(Type.Number({ description }));
export const count = (description: string) => Type.Integer({ minimum: 0, description });

/** Payment methods and states of a top-up. */
export const TOPUP_WAYS = ["card", "x402"] as const;
export const TOPUP_STATUSES = ["waiting", "granted", "expired"] as const;

/** An amount of money in both units. */
export const amount = (description: string) =>
  Type.Object(
    {
      credits: Type.Number({ minimum: 0, description: "Exact to three decimals." }),
      usd: Type.Number({ minimum: 0, description: "Exact to nine decimals." }),
    },
    { description },
  );

/** Members of every list by `limit` and `offset`. */
export const page = {
  limit: Type.Integer({
    minimum: 1,
    maximum: PAGE_LIMIT_MAX,
    description: "The page size that was applied.",
  }),
  offset: count("Items skipped."),
  has_more: Type.Boolean({ description: "Whether there are more items after this page." }),
};

export const nextCursor = nullable(
  Type.String({ description: "Pass it as `cursor`; null on the last page." }),
);

export const OriginShape = Type.Object(
  {
    usage_id: uuid(
      "UUIDv7 of the entry in the usage log, committed before this response was sent.",
    ),
    timestamp: time("When the call was admitted."),
    feed_id: nullable(uuid("The feed that was read. Null if the call is not about a feed.")),
    credits_charged: Type.Number({
      minimum: 0,
      description: "Credits of 0.000001 USD, exact to three decimals.",
    }),
  },
  { $id: "Origin", description: "The receipt of a logged call." },
);
