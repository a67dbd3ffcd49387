/**
 * Response shapes of the account routes.
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
    balance: amount("The remaining balance."),
    budget: Type.Optional(
      Type.Object(
        {
          daily: amount("The key's budget per UTC day."),
          spent: amount("What it has spent today."),
          left: amount("The rest of today's budget."),
          resets_at: time("When the budget resets."),
        },
        { description: "The key's budget, if it has one." },
      ),
    ),
    agents: Type.Array(
      Type.Object({
        key_id: uuid(
          "The agent's key. `DELETE /v1/account/agents/{key_id}` disconnects the agent.",
        ),
        name: nullable(Type.String({ description: "The name given by the agent's program." })),
        spent: amount("What it has spent today."),
        expires_at: nullable(time("When its key expires.")),
      }),
      { description: "Agents connected through OAuth, newest first." },
    ),
    limits: Type.Array(
      Type.Object({
        operation: Type.String({ description: "The limited operation." }),
        tier: oneOf(["free", "paid", "all"], {
          description: "For data, the limit depends on the feed's pricing.",
        }),
        limit: Type.Integer({ minimum: 1, description: "Calls in a window." }),
        window_seconds: Type.Integer({ minimum: 1, description: "Length of the window." }),
      }),
      { description: "All limits that apply to consumers." },
    ),
  },
  { $id: "Account", description: "The account that owns the key." },
);

export const UsageShape = Type.Object(
  {
    usage: Type.Array(UsageEventShape, { description: "Newest first." }),
    limit: page.limit,
    has_more: page.has_more,
    next_cursor: nextCursor,
  },
  { $id: "Usage", description: "A page of the usage log." },
);
