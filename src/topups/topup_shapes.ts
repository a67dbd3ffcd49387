/**
 * The bodies of the top-up routes.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { oneOf } from "../lib/typebox.ts";
import { TOPUP_USD_MAX } from "../limits.ts";
import { creditsNumber, usdNumber } from "../money/money.ts";
import { time, uuid } from "../shapes.ts";
import type { Topup } from "./way.ts";

export const WAYS = ["card", "x402"] as const;

export const TopupOrderShape = Type.Object(
  {
    usd: Type.Number({
      minimum: 0.5,
      maximum: TOPUP_USD_MAX,
      multipleOf: 0.01,
      description: "What is to be paid, exact to the cent. The operator may allow less.",
    }),
    way: Type.Optional(
      oneOf(WAYS, {
        description:
          "`card`: by a link for a person. `x402`: by the headers of the call. Default: `card` where the gateway takes cards, else `x402`.",
      }),
    ),
  },
  { additionalProperties: false },
);

export const TopupShape = Type.Object(
  {
    topup_id: uuid("Ask with it what became of the payment."),
    usd: Type.Number({ minimum: 0, description: "What is to be paid." }),
    credits: Type.Number({ minimum: 0, description: "What it adds to the balance." }),
    way: oneOf(WAYS, { description: "How it is paid." }),
    status: oneOf(["waiting", "granted", "expired"], {
      description:
        "`granted`: the credits are in the balance. `expired`: nobody has paid in time, and nobody can any more.",
    }),
    pay_url: Type.Optional(
      Type.String({
        format: "uri",
        description: "While it waits: where a person pays by card. Give it to yours.",
      }),
    ),
    created_at: time("When it was asked for."),
    expires_at: time("Until when it can be paid."),
    ended_at: Type.Optional(time("When it was granted, or expired.")),
  },
  { $id: "TopUp", description: "Credits that are to be paid, or were." },
);

export const PaidTopupShape = Type.Object(
  {
    ...TopupShape.properties,
    transaction: Type.Optional(
      Type.String({ description: "By x402: where the chain has the payment." }),
    ),
    account_id: Type.Optional(
      uuid("Without a key: the account that the payment has made. It is the same for repeats."),
    ),
    key: Type.Optional(
      Type.String({
        description:
          "Without a key: the account's read key, shown this once, or again to the same payment under the same `Idempotency-Key`. Keep it.",
      }),
    ),
  },
  { $id: "PaidTopUp", description: "Credits that are to be paid, or that this call has paid." },
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
