/**
 * The bodies of the top-up routes.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { oneOf } from "../lib/typebox.ts";
import { TOPUP_USD_MAX } from "../limits.ts";
import { creditsNumber, usdNumber } from "../money/money.ts";
import { TOPUP_STATUSES, TOPUP_WAYS, time, uuid } from "../shapes.ts";
import type { Topup } from "./way.ts";

export const TopupOrderShape = Type.Object(
  {
    usd: Type.Number({
      minimum: 0.5,
      maximum: TOPUP_USD_MAX,
      multipleOf: 0.01,
      description: "The amount to pay, exact to the cent. The operator may set a lower maximum.",
    }),
    way: Type.Optional(
      oneOf(TOPUP_WAYS, {
        description:
          "The payment method. `card`: with a link for the user. `x402`: with the headers of the call. Default: `card` if the gateway accepts cards, otherwise `x402`.",
      }),
    ),
  },
  { additionalProperties: false },
);

export const TopupShape = Type.Object(
  {
    topup_id: uuid("Use it to check the status of the payment."),
    usd: Type.Number({ minimum: 0, description: "The amount to pay." }),
    credits: Type.Number({ minimum: 0, description: "The credits it adds to the balance." }),
    way: oneOf(TOPUP_WAYS, { description: "The payment method." }),
    status: oneOf(TOPUP_STATUSES, {
      description:
        "`granted`: the credits are in the balance. `expired`: it was not paid in time and can no longer be paid.",
    }),
    pay_url: Type.Optional(
      Type.String({
        format: "uri",
        description: "While it is waiting: the payment link for your user.",
      }),
    ),
    created_at: time("When it was created."),
    expires_at: time("When it expires."),
    ended_at: Type.Optional(time("When it was granted or expired.")),
  },
  { $id: "TopUp", description: "A top-up." },
);

export const PaidTopupShape = Type.Object(
  {
    ...TopupShape.properties,
    transaction: Type.Optional(
      Type.String({ description: "With x402: the transaction on the chain." }),
    ),
    account_id: Type.Optional(
      uuid("Without a key: the account that the payment created. Repeats return the same account."),
    ),
    key: Type.Optional(
      Type.String({
        description:
          "Without a key: the account's read key, returned only once, or again for the same payment with the same `Idempotency-Key`. Store it.",
      }),
    ),
  },
  {
    $id: "PaidTopUp",
    description: "A top-up that is waiting to be paid, or was paid by this call.",
  },
);

/** A top-up in the API's format, as JSON text. `more` adds the members that only the answer to a payment has. */
export function topupText(topup: Topup, more: object = {}): string {
  const { status, pay_url: payUrl, ended_at: endedAt } = topup;
  return JSON.stringify({
    topup_id: topup.topup_id,
    usd: usdNumber(topup.amount_nanos),
    credits: creditsNumber(topup.amount_nanos),
    way: topup.way,
    status,
    ...(status === "waiting" && payUrl !== null && { pay_url: payUrl }),
    created_at: topup.created_at,
    expires_at: topup.expires_at,
    ...(endedAt !== null && { ended_at: endedAt }),
    ...more,
  });
}
