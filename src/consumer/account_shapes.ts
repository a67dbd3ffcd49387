/**
 * The bodies of the account routes. Decisions 10.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { UsageEventShape } from "../accounts/usage_event.ts";
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
    agents: Type.Array(
      Type.Object({
        key_id: uuid("Of the agent's key. `DELETE /v1/account/agents/{key_id}` ends it."),
        name: nullable(Type.String({ description: "As the agent's program calls itself." })),
        spent: amount("What it has spent today."),
        expires_at: nullable(time("When its key ends.")),
      }),
      { description: "Agents that were connected by OAuth and still hold, the newest first." },
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

export const UsageShape = Type.Object(
  {
    usage: Type.Array(UsageEventShape, { description: "The newest come first." }),
    limit: page.limit,
    has_more: page.has_more,
    next_cursor: nextCursor,
  },
  { $id: "Usage", description: "A page of the usage log." },
);
