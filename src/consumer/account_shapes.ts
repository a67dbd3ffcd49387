/**
 * The bodies of the account routes. Decisions 10.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { nullable, oneOf } from "../lib/typebox.ts";
import { amount, nextCursor, page, time, uuid } from "../shapes.ts";

export const AccountShape = Type.Object(
  {
    id: uuid("Of the account."),
    name: Type.String({ description: "The account's name." }),
    balance: amount("What is left to spend."),
    budget: Type.Optional(
      Type.Object(
        {
          daily: amount("What the key may spend in a UTC day."),
          spent: amount("What it has spent today."),
          left: amount("What it may still spend today."),
          resets_at: time("When the next day begins."),
        },
        { description: "Of the key, if it has one." },
      ),
    ),
    limits: Type.Array(
      Type.Object({
        operation: Type.String({ description: "What is limited." }),
        tier: oneOf(["free", "paid", "all"], {
          description: "The feed's pricing decides for data.",
        }),
        limit: Type.Integer({ minimum: 1, description: "Calls in a window." }),
        window_seconds: Type.Integer({ minimum: 1, description: "Length of the window." }),
      }),
      { description: "Every limit of a consumer." },
    ),
  },
  { $id: "Account", description: "The account that owns the key." },
);

const UsageEventShape = Type.Object(
  {
    usage_id: uuid("The same as in the answer's `_origin`."),
    timestamp: time("When the call was admitted."),
    operation: oneOf(["catalog", "search", "metadata", "data", "stream", "purchase"], {
      description: "What was read, or that a feed was bought.",
    }),
    feed_id: nullable(uuid("Null for catalog and search.")),
    credits_charged: Type.Number({ minimum: 0, description: "0 after a refund." }),
    key_id: nullable(uuid("The key that the call came with.")),
  },
  { $id: "UsageEvent", description: "A logged call." },
);

export const UsageShape = Type.Object(
  {
    usage: Type.Array(UsageEventShape, { description: "The newest come first." }),
    limit: page.limit,
    has_more: page.has_more,
    next_cursor: nextCursor,
  },
  { $id: "Usage", description: "A page of the usage log." },
);
