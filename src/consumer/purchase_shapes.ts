/**
 * The bodies of the purchase routes. Beyond 13.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { nullable, oneOf } from "../lib/typebox.ts";
import { amount, nextCursor, OriginShape, page, time, uuid } from "../shapes.ts";

export const BuyShape = Type.Object(
  {
    max_credits: Type.Number({
      minimum: 0,
      description:
        "The most that you are willing to pay, in credits with at most three decimals. A feed that costs more is not bought.",
    }),
  },
  { additionalProperties: false },
);

const PURCHASE = {
  purchase_id: uuid("If it was paid from the balance, the same as `usage_id`."),
  feed_id: uuid("What was bought."),
  account_id: uuid("Who bought it."),
  purchased_at: time("When it was bought."),
  price: amount("What it cost at that moment."),
};

export const BoughtShape = Type.Object(
  {
    ...PURCHASE,
    balance: amount("What the account has left now."),
    _origin: Type.Object(
      {
        ...OriginShape.properties,
        usage_id: nullable(
          uuid("The usage event that paid for it; null if the operator has recorded a payment."),
        ),
        credits_charged: Type.Number({
          minimum: 0,
          description: "What this call has charged: 0 if the feed was bought before.",
        }),
      },
      { description: "The receipt." },
    ),
  },
  { $id: "Bought", description: "A feed that the account has bought, now or before." },
);

export const PurchasesShape = Type.Object(
  {
    purchases: Type.Array(
      Type.Object(
        {
          ...PURCHASE,
          endpoint_path: nullable(
            Type.String({ description: "The feed's slug; null once it is deleted and free." }),
          ),
          paid_from: oneOf(["balance", "elsewhere"], {
            description: "The balance, or a payment that the operator has recorded.",
          }),
        },
        { $id: "Purchase", description: "A feed that the account has bought." },
      ),
      { description: "The newest come first. Those that were undone are not among them." },
    ),
    limit: page.limit,
    has_more: page.has_more,
    next_cursor: nextCursor,
  },
  { $id: "Purchases", description: "A page of what the account has bought." },
);
