/**
 * Cards: a page of Stripe Checkout on which a person pays.
 *
 * The page and its payment carry the top-up's id, so every message and every query leads back to the top-up without any
 * state of ours.
 *
 * @module
 */

import { MS_PER_SECOND } from "../../lib/time_units.ts";
import { parseUuid } from "../../lib/uuid.ts";
import { creditsText } from "../../money/money.ts";
import { NANOS_PER_CENT } from "../../money/money_units.ts";
import type { LinkWay, PayPage, Standing, Topup } from "../way.ts";
import { WayFailed } from "../way.ts";
import type { Session, StripeClient } from "./stripe_client.ts";

/** The currency of top-ups. */
const CURRENCY = "usd";
/** The member of Stripe's metadata with the top-up's id. */
const MARK = "feedgate_topup";

/** @param baseUrl the public address, to which the person returns */
export function createCardWay(stripe: StripeClient, baseUrl: () => string): LinkWay {
  return {
    async begin(topup) {
      const { topup_id: topupId } = topup;
      const page = `${baseUrl()}/billing`;
      const marked = { metadata: { [MARK]: topupId } };
      const session = await stripe.createSession(
        {
          mode: "payment",
          line_items: [
            {
              quantity: 1,
              price_data: {
                currency: CURRENCY,
                unit_amount: Number(topup.amount_nanos / NANOS_PER_CENT),
                product_data: { name: `${creditsText(topup.amount_nanos)} credits` },
              },
            },
          ],
          client_reference_id: topupId,
          ...marked,
          payment_intent_data: marked,
          // The granted amount must be the amount that is paid.
          adaptive_pricing: { enabled: false },
          allow_promotion_codes: false,
          expires_at: Math.floor(Date.parse(topup.expires_at) / MS_PER_SECOND),
          success_url: `${page}/paid`,
          cancel_url: page,
        },
        `feedgate topup ${topupId}`,
      );
      return pageOf(session);
    },
    ask: async ({ payment_id: sessionId }: Topup) =>
      standingOf(await stripe.findSession(sessionId ?? "")),
  };
}

function pageOf({ id, url, expires_at: expiresAt }: Session): PayPage {
  if (url === null) throw new WayFailed("Stripe failed: the session has no URL");
  return {
    paymentId: id,
    payUrl: url,
    expiresAt: new Date(expiresAt * MS_PER_SECOND).toISOString(),
  };
}

/** The state of a page's payment. */
export function standingOf(session: Session): Standing {
  const { id, payment_status: paid, amount_total: cents, currency, status } = session;
  const intent = session.payment_intent;
  if (paid === "paid") {
    if (currency !== CURRENCY || cents === null) {
      return { kind: "strange", alert: `${id} was paid as ${cents} ${currency}` };
    }
    return {
      kind: "paid",
      payment: {
        reference: `stripe:${id}`,
        paidNanos: BigInt(cents) * NANOS_PER_CENT,
        paymentId: id,
        details: { payment_intent: typeof intent === "object" ? intent?.id : intent },
      },
    };
  }
  if (status === "expired") return { kind: "void" };
  if (paid === "no_payment_required") {
    return { kind: "strange", alert: `${id} required no payment` };
  }
  // A page is complete while a slow payment is in progress, and stays complete if the payment fails.
  const hasFailed =
    status === "complete" &&
    typeof intent === "object" &&
    (intent?.status === "canceled" || intent?.status === "requires_payment_method");
  return { kind: hasFailed ? "void" : "open" };
}

/** The top-up id of a Stripe object. Undefined if the object is not ours. */
export function topupIdOf({
  metadata,
}: {
  readonly metadata: Readonly<Record<string, string>> | null;
}): string | undefined {
  return parseUuid(metadata?.[MARK] ?? "");
}
