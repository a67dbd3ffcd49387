/**
 * The problems of calls that admission refuses: reads, purchases, and whatever a key or an account may not do.
 *
 * See `src/spec/decisions.md`, section 2.
 *
 * @module
 */

import type { Refusal, Suspended } from "../../admission/claims.ts";
import type { Caller } from "../../admission/known_accounts.ts";
import type { FaceWords } from "../../http/face_words.ts";
import { Problem, unavailable } from "../../http/problem_details.ts";
import { unreachable } from "../../lib/assert.ts";
import { MS_PER_SECOND, US_PER_MS } from "../../lib/time_units.ts";
import { WAITS_PER_ACCOUNT_MAX } from "../../limits.ts";
import {
  amountOf,
  creditsNumber,
  creditsText,
  creditsWords,
  usdOfCents,
} from "../../money/money.ts";
import { NANOS_PER_CENT } from "../../money/money_units.ts";
import { rateHeaders, rateLimited } from "../callers/rate_headers.ts";

/** When a refused follower should retry. */
const WAITS_RETRY_MS = 5_000;

interface RefusalContext {
  /** The caller. */
  readonly principal: { readonly permission: Caller["permission"]; readonly accountId: string };
  /** The requested operation. */
  readonly operation?: string;
  /** The feed that is read, if any. */
  readonly feedId?: string | undefined;
  /** The address for payments in a 402. Account and feed are added to its query. */
  readonly billingUrl: string;
  /** Whether accounts can pay for credits by themselves. @default false */
  readonly canTopUp?: boolean;
  /** Unix epoch milliseconds, for the seconds in the rate headers. */
  readonly nowMs: number;
}

/** The problem of a refusal. */
export function refusalOf(decision: Refusal, context: RefusalContext): Problem {
  const { principal, nowMs } = context;
  const isPurchase = context.operation === "purchase";
  const what = isPurchase ? "This feed" : "This call";
  switch (decision.kind) {
    case "limited":
      return rateLimited(decision, nowMs);
    case "unpaid": {
      const { priceNanos, balanceNanos } = decision;
      const payment = paymentOf(decision, context, priceNanos);
      return new Problem("INSUFFICIENT_CREDITS", {
        detail: (words) =>
          `${what} costs ${creditsWords(priceNanos)} and the balance is ${creditsText(balanceNanos)}. Add credits ${placeOf(payment, context, words)}.`,
        extras: payment,
        headers: rateHeaders(decision.window, nowMs),
      });
    }
    case "not_purchased": {
      const { priceCents, balanceNanos } = decision;
      const priceNanos = priceCents * NANOS_PER_CENT;
      const payment = paymentOf(decision, context, priceNanos);
      const credits = creditsText(priceNanos);
      const topUp = (words: FaceWords) =>
        priceNanos > balanceNanos
          ? `Add credits ${placeOf(payment, context, words)} (the balance is ${creditsText(balanceNanos)}), then buy`
          : "Buy";
      return new Problem("PURCHASE_REQUIRED", {
        detail: (words) =>
          `This feed has a one-time price of $${usdOfCents(priceCents)}, and this account has not bought it. ${topUp(words)} it with ${words.buy(context.feedId, credits)}; after that, all reads of it are free.`,
        extras: payment,
        headers: rateHeaders(decision.window, nowMs),
      });
    }
    case "above_max": {
      const { priceNanos, priceNanosMax } = decision;
      return new Problem("PRICE_ABOVE_MAX", {
        detail({ maxCredits, aboveMaxCredits: remedy }) {
          // A purchase has the limit in its body, in every interface.
          const named = isPurchase ? "max_credits" : maxCredits;
          return `${what} costs ${creditsWords(priceNanos)} and ${named} allows ${creditsText(priceNanosMax)}. ${isPurchase ? remedy.purchase : remedy.read}`;
        },
        extras: {
          ...paymentOf(decision, context, priceNanos),
          max_credits: creditsNumber(priceNanosMax),
        },
        headers: rateHeaders(decision.window, nowMs),
      });
    }
    case "budget_spent": {
      const { priceNanos, budgetNanos, spentNanos, resetUs } = decision;
      const resetsAt = new Date(resetUs / US_PER_MS).toISOString();
      const remedy =
        priceNanos > budgetNanos
          ? "The price exceeds the full daily budget: ask whoever gave you the key for a larger one."
          : `Wait until ${resetsAt}, or ask whoever gave you the key for more.`;
      return new Problem("KEY_BUDGET_SPENT", {
        detail: `${what} costs ${creditsWords(priceNanos)}, and the key has spent ${creditsText(spentNanos)} of ${creditsText(budgetNanos)} today. ${remedy}`,
        extras: {
          ...paymentOf(decision, context, priceNanos),
          budget: amountOf(budgetNanos),
          spent: amountOf(spentNanos),
          resets_at: resetsAt,
        },
        headers: rateHeaders(decision.window, nowMs),
      });
    }
    case "out_of_scope":
      return new Problem("KEY_SCOPE", {
        detail:
          "This key may not read this feed. Send a key that may read it, or ask whoever gave you the key.",
      });
    case "not_granted":
      return accessRequired(context.feedId);
    case "grant_unknown":
      throw new Error("a grant is proven before a call is refused");
    case "key_refused":
      return keyInvalid(principal.permission);
    case "suspended":
      return accountSuspended(decision);
    case "key_reused":
      return new Problem("IDEMPOTENCY_KEY_REUSED", {
        detail: (words) =>
          `This ${words.idempotencyKey} was used for a different request in the last 24 hours. Send a new one.`,
      });
    case "key_stale":
      return new Problem("IDEMPOTENCY_KEY_STALE", {
        detail: ({ idempotencyKey }) =>
          isPurchase
            ? `The purchase with this ${idempotencyKey} was undone, and nothing was charged again. Send a new one to buy the feed again.`
            : `The feed's data has changed since this ${idempotencyKey} was used, and nothing was charged again. Send a new one to read the feed's current data.`,
        extras: { usage_id: decision.usageId },
      });
    case "overloaded":
      return unavailable("Too many reads are waiting. Try again in a second.");
    default:
      return unreachable(decision);
  }
}

/** 403 for a feed whose provider decides who reads it. */
function accessRequired(feedId: string | undefined): Problem {
  return new Problem("ACCESS_REQUIRED", {
    detail: (words) =>
      `The provider of this feed decides who can read it, and this account has no access. Request it with ${words.requestAccess(feedId)}.`,
    extras: { request_path: `/v1/feed/${feedId}/access-requests` },
  });
}

/**
 * The members of every 402 of admission: where to pay, the price, and the balance. Those of x402 are in
 * `topups/x402/x402_way.ts`.
 */
function paymentOf(
  { balanceNanos }: { readonly balanceNanos: bigint },
  { billingUrl, principal: { accountId }, feedId }: RefusalContext,
  priceNanos: bigint,
) {
  return {
    billing_url: billingUrlOf(billingUrl, { accountId, feedId }),
    price: amountOf(priceNanos),
    balance: amountOf(balanceNanos),
  };
}

/** Where to get credits. */
function placeOf(
  { billing_url: url }: { readonly billing_url: string },
  { canTopUp = false }: RefusalContext,
  { topUp }: FaceWords,
): string {
  return canTopUp ? `with ${topUp}, or at ${url}` : `at ${url}`;
}

/** The payment page, with the account that pays and the feed that it pays for. */
export function billingUrlOf(
  billingUrl: string,
  {
    accountId,
    feedId,
  }: { readonly accountId: string | undefined; readonly feedId: string | undefined },
): string {
  const url = new URL(billingUrl);
  if (accountId !== undefined) url.searchParams.set("account_id", accountId);
  if (feedId !== undefined) url.searchParams.set("feed_id", feedId);
  return url.href;
}

/** 404 for an unknown, draft, or inactive feed, which all look the same. `nearest` is a listed slug that is similar. */
export function feedNotFound(nearest?: string): Problem {
  return new Problem("FEED_NOT_FOUND", {
    detail({ findFeeds, reference }) {
      const remedy =
        nearest === undefined ? `Find one with ${findFeeds}.` : `Did you mean "${nearest}"?`;
      return `No active feed has this ${reference}. ${remedy}`;
    },
  });
}

/** 404 for an active feed without data. */
export function feedNotSynced(): Problem {
  return new Problem("FEED_NOT_SYNCED", {
    detail: "The feed is active, but its provider has pushed no data yet. Try again later.",
  });
}

/** 503: the data that the call depends on changed during each try. */
export function keepsChanging(noun: string): Problem {
  return unavailable(`${noun} is being changed repeatedly. Try again in a second.`);
}

/** 429: the account, or all accounts together, have too many waiting calls. */
export function tooManyWaits(): Problem {
  const nowMs = Date.now();
  const resetSeconds = Math.ceil((nowMs + WAITS_RETRY_MS) / MS_PER_SECOND);
  return new Problem("TOO_MANY_WAITS", {
    detail: `An account can have at most ${WAITS_PER_ACCOUNT_MAX} waiting followers. Close one, or read without waiting.`,
    extras: { retry_after_ms: WAITS_RETRY_MS },
    headers: {
      ...rateHeaders({ limit: WAITS_PER_ACCOUNT_MAX, remaining: 0, resetSeconds }, nowMs),
      "Retry-After": String(WAITS_RETRY_MS / MS_PER_SECOND),
    },
  });
}

/** 403 for every key of the account. */
export function accountSuspended({ reason }: Suspended): Problem {
  return new Problem("ACCOUNT_SUSPENDED", {
    detail: `This account is suspended: ${reason}. Ask the operator to resume it.`,
    extras: { reason },
  });
}

/** For a key that is unknown or no longer valid. */
export function keyInvalid(
  permission: Caller["permission"],
  { isQuoted = false }: { readonly isQuoted?: boolean } = {},
): Problem {
  return new Problem("KEY_INVALID", {
    // For a wrong key, provider routes return 401 and consumer routes 403.
    status: permission === "read" ? 403 : 401,
    detail: isQuoted
      ? "The key is in quotes. Send it without them."
      : "The key is unknown, revoked or expired. Check it, or ask the operator for a new one.",
  });
}
