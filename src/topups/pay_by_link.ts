/**
 * A top-up that a person pays for on a page of a payment provider.
 *
 * @module
 */
import { unavailable } from "../http/problem_details.ts";
import { present } from "../lib/assert.ts";
import { TOPUP_LINK_MS } from "../limits.ts";
import { withoutGroups } from "../money/money.ts";
import type { Services } from "../services.ts";
import { dayLimits, problemOfBegin } from "./order_limits.ts";
import { beginTopup, expireTopup, notePayPage, type TopupOrder } from "./store_topup.ts";
import { readAmount } from "./topup_body.ts";
import { type LinkWay, type Topup, WayFailed } from "./way.ts";

type LinkOrder = Pick<
  TopupOrder,
  "accountId" | "keyId" | "amountNanos" | "idempotencyKey" | "network"
>;

/**
 * Creates a top-up with a payment page, or returns the one with the same Idempotency-Key.
 * @throws {Problem} 403, 409, 503
 */
export async function payByLink(
  services: Services,
  way: LinkWay,
  linkOrder: LinkOrder,
): Promise<{ readonly topup: Topup; readonly isNew: boolean }> {
  const { database, log } = services;
  const { idempotencyKey } = linkOrder;
  const order = { ...linkOrder, way: "card", lifetimeMs: TOPUP_LINK_MS } as const;
  const begun = await beginTopup(database, order, dayLimits(services));
  if (begun.kind !== "begun" && begun.kind !== "repeated") throw problemOfBegin(begun.kind);
  let { topup } = begun;
  // An earlier call with the same Idempotency-Key may have ended before the page was created.
  if (topup.payment_id === null && topup.status === "waiting") {
    try {
      topup = await notePayPage(database, topup, await way.begin(topup));
    } catch (error) {
      if (!(error instanceof WayFailed)) throw error;
      const { topup_id: topupId } = topup;
      log.error("a payment provider failed", {
        way: "card",
        topup_id: topupId,
        reason: error.message,
      });
      // No page was created, so it can't be paid. A repeat with the same Idempotency-Key tries again.
      if (idempotencyKey === undefined) await expireTopup(services, topupId);
      throw unavailable("Card payments are temporarily unavailable. Try again later.");
    }
  }
  return { topup, isNew: begun.kind === "begun" };
}

/** Top-ups by card for the console, which gets the amount as a person typed it. */
export function createCardTopups(services: Services, card: LinkWay) {
  return async (payer: Pick<LinkOrder, "accountId" | "keyId">, typed: string | undefined) => {
    const { usdMax } = present(services.config.topups);
    const amount = readAmount(typed && withoutGroups(typed), usdMax);
    if (amount.kind === "refused") return amount;
    const { nanos: amountNanos } = amount;
    const { topup } = await payByLink(services, card, { ...payer, amountNanos });
    return { kind: "begun", amountNanos, payUrl: present(topup.pay_url) } as const;
  };
}
