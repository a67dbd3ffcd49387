/**
 * What a client is told of a decision: the `_origin` of a grant, the problem of a refusal.
 *
 * @module
 */
import { creditsText, exactNumber, usdText } from "../credit/money.ts";
import { Problem, unavailable } from "../http/errors.ts";
import { rateHeaders, rateLimited } from "../http/rate_headers.ts";
import type { Permission } from "../key/key_format.ts";
import { keyInvalid } from "../key/keys.ts";
import { unreachable } from "../lib/assert.ts";
import type { Decision, Grant } from "./admission.ts";

export interface RefusalContext {
  readonly permission: Permission;
  /** Where a 402 points. */
  readonly billingUrl: string;
  /** Unix epoch milliseconds, for the seconds that the rate headers count. */
  readonly nowMs: number;
}

/** The problem of a decision that is no grant. `stale` is the caller's to repeat, not a refusal. */
export function refusalOf(
  decision: Exclude<Decision, Grant | { kind: "stale" }>,
  context: RefusalContext,
): Problem {
  const { permission, billingUrl, nowMs } = context;
  switch (decision.kind) {
    case "limited":
      return rateLimited(decision, nowMs);
    case "unpaid": {
      const { priceNanos, balanceNanos } = decision;
      return new Problem("INSUFFICIENT_CREDITS", {
        detail: `This call costs ${creditsText(priceNanos)} credits and the balance is ${creditsText(balanceNanos)}; add credits at ${billingUrl}.`,
        extras: {
          billing_url: billingUrl,
          price_credits: exactNumber(creditsText(priceNanos)),
          balance_credits: exactNumber(creditsText(balanceNanos)),
          shortfall_credits: exactNumber(creditsText(priceNanos - balanceNanos)),
          price_usd: exactNumber(usdText(priceNanos)),
        },
        headers: rateHeaders(decision.window, nowMs),
      });
    }
    case "not_purchased":
      return new Problem("PURCHASE_REQUIRED", {
        detail: `This feed is sold once and this account has not bought it; buy it at ${billingUrl}.`,
        extras: { billing_url: billingUrl },
        headers: rateHeaders(decision.window, nowMs),
      });
    case "key_refused":
      return keyInvalid(permission);
    case "feed_closed":
      return feedNotFound();
    case "key_reused":
      return new Problem("IDEMPOTENCY_KEY_REUSED", {
        detail:
          "This Idempotency-Key was used for another query in the last 24 hours; send a new one.",
      });
    case "overloaded":
      return unavailable("More reads wait than the gateway can serve; try again in a second.");
    default:
      return unreachable(decision);
  }
}

/** 404 for an unknown, draft or inactive feed: one body for all three. */
export function feedNotFound(): Problem {
  return new Problem("FEED_NOT_FOUND", {
    detail: "No active feed has this id or endpoint_path; find one with GET /v1/catalog.",
  });
}

/** 503: what was planned, `PLANS_MAX` times, was of a feed that had changed since. */
export function feedKeepsChanging(): Problem {
  return unavailable("The feed is being changed again and again; try again in a second.");
}

/** `_origin` as JSON text: the receipt of a logged read. Interface 2.6. */
export function originText(grant: Grant, feedId: string | null): string {
  const feed = feedId === null ? "null" : `"${feedId}"`;
  return `{"usage_id":"${grant.usageId}","timestamp":"${grant.timestamp}","feed_id":${feed},"credits_charged":${creditsText(grant.chargeNanos)}}`;
}
