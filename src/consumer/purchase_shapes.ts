/**
 * Request and response shapes of the purchase routes.
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
        "The maximum price in credits, with at most three decimal places. A more expensive feed is not bought.",
    }),
  },
  { additionalProperties: false },
);

const PURCHASE = {
  purchase_id: uuid("If it was paid from the balance, the same as `usage_id`."),
  feed_id: uuid("The feed that was bought."),
  account_id: uuid("The account that bought it."),
  purchased_at: time("When it was bought."),
  price: amount("The price at the time of purchase."),
};

export const BoughtShape = Type.Object(
  {
    ...PURCHASE,
    balance: amount("The account's current balance."),
    _origin: Type.Object(
      {
        ...OriginShape.properties,
        usage_id: nullable(
          uuid("The usage event that paid for it. Null if the operator recorded a payment."),
        ),
        credits_charged: Type.Number({
          minimum: 0,
          description: "Credits charged by this call: 0 if the feed had already been bought.",
        }),
      },
      { description: "The receipt." },
    ),
  },
  { $id: "Bought", description: "A feed that the account has bought, with this call or earlier." },
);

export const PurchasesShape = Type.Object(
  {
    purchases: Type.Array(
      Type.Object(
        {
          ...PURCHASE,
          endpoint_path: nullable(
            Type.String({
              description:
                "The feed's slug. Null once the feed is deleted and the slug is available again.",
            }),
          ),
          paid_from: oneOf(["balance", "elsewhere"], {
            description: "The balance, or a payment recorded by the operator.",
          }),
        },
        { $id: "Purchase", description: "A feed that the account has bought." },
      ),
      { description: "Newest first, without purchases that were undone." },
    ),
    limit: page.limit,
    has_more: page.has_more,
    next_cursor: nextCursor,
  },
  { $id: "Purchases", description: "A page of the account's purchases." },
);
