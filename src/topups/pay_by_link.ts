/**
 * A top-up that a person pays for on a page of a payment provider.
 *
 * @module
 */
import type { Principal } from "../api/callers/callers.ts";
import { type Answer, privateJson } from "../http/answer.ts";
import type { Call } from "../http/call.ts";
import { unavailable } from "../http/problem_details.ts";
import { TOPUP_LINK_MS } from "../limits.ts";
import type { Services } from "../services.ts";
import { dayLimits, problemOfBegin } from "./order_limits.ts";
import { beginTopup, expireTopup, notePayPage } from "./store_topup.ts";
import { topupText } from "./topup_shapes.ts";
import { type LinkWay, WayFailed } from "./way.ts";

interface LinkOrder {
  readonly call: Call;
  readonly principal: Principal;
  readonly amountNanos: bigint;
  readonly network: string | undefined;
}

/** Creates a top-up, or returns the one with the same Idempotency-Key. @throws {Problem} 403, 409, 503 */
export async function payByLink(
  services: Services,
  way: LinkWay,
  { call, principal, amountNanos, network }: LinkOrder,
): Promise<Answer> {
  const { database, log } = services;
  const idempotencyKey = call.request.headers.get("idempotency-key") ?? undefined;
  const order = {
    accountId: principal.accountId,
    keyId: principal.keyId,
    way: "card",
    amountNanos,
    lifetimeMs: TOPUP_LINK_MS,
    idempotencyKey,
    network,
  } as const;
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
  return {
    status: begun.kind === "begun" ? 201 : 200,
    headers: privateJson(),
    body: topupText(topup),
  };
}
