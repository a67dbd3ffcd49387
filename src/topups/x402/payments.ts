/**
 * Payments by x402, from the intent to the grant.
 *
 *     intent stored → verified → settled → confirmed by the chain → granted
 *
 * The intent is stored before anyone else sees the payment. After that, the waiting caller and the job that finishes
 * top-ups query the chain, until it shows that the money has arrived or never will. The facilitator's answers only
 * trigger a query. A second caller with the same payment takes the same steps, and nothing is granted twice. See
 * `src/spec/beyond.md`, section 15.
 *
 * @module
 */
import type { X402Config } from "../../config.ts";
import { messageOf } from "../../lib/error_fields.ts";
import { isObject } from "../../lib/records.ts";
import { MS_PER_SECOND } from "../../lib/time_units.ts";
import {
  X402_POLL_MS,
  X402_REFUSED_MS_MAX,
  X402_REORGANISED_BLOCKS_MAX,
  X402_SETTLE_SECONDS_MIN,
} from "../../limits.ts";
import type { Services } from "../../services.ts";
import {
  alertTopup,
  type BegunTopup,
  beginTopup,
  type DayLimits,
  expireTopup,
  findTopup,
  grantTopup,
  PAYMENT,
} from "../store_topup.ts";
import type { Finality, Standing, Topup } from "../way.ts";
import { createChain } from "./chain.ts";
import { type Authorization, msLeft, paymentIdOf } from "./check_payment.ts";
import { type Evidence, findEvidence, findFinality, type Paid } from "./evidence.ts";
import { createFacilitator, type FacilitatorOutcome } from "./facilitator.ts";
import { requirementsOf, resourceOf } from "./offer.ts";

/**
 * The payment's details that are stored with a top-up. The signature is not stored, because it can be used to take the
 * money until the payment is settled.
 */
interface PaymentDetails {
  readonly network: string;
  readonly asset: string;
  readonly authorization: Authorization;
  /** The id of the accepted offer. Only the payer knows the offer's token. */
  readonly offer: string;
  /** The authorization can't have been used in an earlier block. */
  readonly first_block: string;
}

/** A payment that was parsed and checked. */
export interface CheckedPayment {
  readonly authorization: Authorization;
  readonly signature: string;
  readonly offerId: string;
  readonly amountNanos: bigint;
  /** Null without a key. */
  readonly accountId: string | null;
  readonly keyId: string | null;
  /** For calls with an account's key. Under it, only one payment is accepted. */
  readonly idempotencyKey: string | undefined;
  /** The caller's network. Undefined if it is not known. */
  readonly network: string | undefined;
}

/** The outcome of a payment. `waiting`: it may still arrive. */
export type PaymentOutcome =
  | { readonly kind: "granted"; readonly topup: Topup; readonly isNew: boolean }
  | { readonly kind: "waiting"; readonly topup: Topup }
  | { readonly kind: "refused"; readonly topup: Topup; readonly reason: string }
  /** It was used before, or belongs to another caller. */
  | { readonly kind: "taken" }
  | { readonly kind: "limited"; readonly by: Exclude<BegunTopup["kind"], "begun" | "repeated"> }
  /** The chain or the facilitator can't be reached. This call settled nothing. */
  | { readonly kind: "unreachable" };

export type Payments = ReturnType<typeof createPayments>;

export function createPayments(services: Services, x402: X402Config, limits: DayLimits) {
  const { database, log, http, config } = services;
  const chain = createChain(x402);
  const facilitator = createFacilitator(x402);

  /** The top-up of a payment that was sent before. Undefined if the payment is new. */
  async function findKnown({ authorization }: CheckedPayment): Promise<Topup | undefined> {
    const paymentId = paymentIdOf(x402, authorization);
    const known = await database.row("find_topup_of_payment", {
      way: "x402",
      payment_id: paymentId,
    });
    return known && findTopup(database, known.topup_id);
  }

  /** Stores the intent. A payment that is already on the chain belongs to no one, because its signature is public. */
  async function begin(
    payment: CheckedPayment,
  ): Promise<BegunTopup | { readonly kind: "taken" | "unreachable" }> {
    const { authorization } = payment;
    const state = await lookBefore(authorization);
    if (state.kind === "unreachable") return state;
    if (state.kind === "spent") {
      // Unless the same call was faster at another gateway.
      const topup = await findKnown(payment);
      return topup === undefined ? { kind: "taken" } : { kind: "repeated", topup };
    }
    const firstBlock = state.newest - BigInt(X402_REORGANISED_BLOCKS_MAX);
    const details: PaymentDetails = {
      network: x402.network,
      asset: x402.asset.address.toLowerCase(),
      authorization,
      offer: payment.offerId,
      first_block: String(firstBlock > 0n ? firstBlock : 0n),
    };
    const order = {
      accountId: payment.accountId,
      keyId: payment.keyId,
      way: "x402",
      amountNanos: payment.amountNanos,
      lifetimeMs: Math.max(msLeft(authorization, Date.now()), 0),
      paymentId: paymentIdOf(x402, authorization),
      details,
      idempotencyKey: payment.idempotencyKey,
      network: payment.network,
    } as const;
    return beginTopup(database, order, limits);
  }

  /** Whether an authorization that is unknown here is already on the chain. */
  async function lookBefore(authorization: Authorization) {
    try {
      await chain.requireNetwork();
      const { number: newest } = await chain.findBlock("latest");
      const isSpent = await chain.isSpent(authorization, newest);
      return isSpent ? ({ kind: "spent" } as const) : ({ kind: "unspent", newest } as const);
    } catch (error) {
      return unreachableChain(error);
    }
  }

  function unreachableChain(error: unknown): { readonly kind: "unreachable" } {
    log.error("the chain is unreachable", { reason: messageOf(error) });
    return { kind: "unreachable" };
  }

  async function look({ authorization, first_block }: PaymentDetails): Promise<Evidence> {
    const { confirmations } = x402;
    return findEvidence(chain, authorization, { firstBlock: BigInt(first_block), confirmations });
  }

  /** Grants what has arrived. A payer without a key gets an account. */
  async function grant(topup: Topup, paid: Paid): Promise<Topup> {
    const { topup_id: topupId } = topup;
    await adopt(topup);
    await grantTopup(services, topupId, paymentOf(topup, paid));
    return (await findTopup(database, topupId)) ?? topup;
  }

  async function adopt({ topup_id: topupId, account_id: accountId, details }: Topup) {
    if (accountId !== null) return;
    const { from } = detailsOf(details).authorization;
    await database.row("adopt_topup", {
      topup_id: topupId,
      account_name: `paid by ${from}`,
      max_feeds_allowed: config.limits.maxFeeds,
      actor: PAYMENT,
    });
  }

  function paymentOf({ amount_nanos: paidNanos }: Topup, paid: Paid) {
    const { transaction, isAlone, logIndex } = paid;
    const reference = `x402:${x402.network}:${transaction}${isAlone ? "" : `:${logIndex}`}`;
    return { reference, paidNanos, details: { transaction } };
  }

  /** Queries the chain until it has decided, or until the time is up. Undefined if the chain can't be reached. */
  async function waitForEnd(details: PaymentDetails, msMax: number): Promise<Evidence | undefined> {
    const endMs = performance.now() + msMax;
    let evidence: Evidence | undefined;
    for (;;) {
      try {
        evidence = await look(details);
        if (isDecided(evidence)) return evidence;
      } catch (error) {
        log.warn("the chain is unreachable", { reason: messageOf(error) });
      }
      if (performance.now() >= endMs || http.isDraining()) return evidence;
      await Bun.sleep(X402_POLL_MS);
    }
  }

  async function end(
    topup: Topup,
    evidence: Evidence | undefined,
  ): Promise<PaymentOutcome | undefined> {
    if (evidence === undefined || !isDecided(evidence)) return undefined;
    if (evidence.kind === "paid") {
      const granted = await grant(topup, evidence);
      if (granted.status === "granted") return { kind: "granted", topup: granted, isNew: true };
      return { kind: "waiting", topup: granted };
    }
    if (evidence.kind === "spent" && evidence.alert !== undefined) {
      await alertTopup(services, topup.topup_id, evidence.alert);
    }
    await expireTopup(services, topup.topup_id);
    const reason = evidence.kind === "over" ? "expired" : "authorization_used_elsewhere";
    return { kind: "refused", topup, reason };
  }

  /** Verifies and settles, and returns the state according to the chain. */
  async function settle(topup: Topup, { signature }: CheckedPayment): Promise<PaymentOutcome> {
    const details = detailsOf(topup.details);
    const { authorization } = details;
    let before: Evidence;
    try {
      before = await look(details);
    } catch (error) {
      return unreachableChain(error);
    }
    const ended = await end(topup, before);
    if (ended !== undefined) return ended;
    const hasTime = msLeft(authorization, Date.now()) > X402_SETTLE_SECONDS_MIN * MS_PER_SECOND;
    if (before.kind !== "open" || !hasTime) return confirm(topup, details, { kind: "done" });
    const settlement = {
      requirements: requirementsOf(x402, topup.amount_nanos),
      resource: resourceOf(http.baseUrl()),
      authorization,
      signature,
    };
    const verified = await facilitator.verify(settlement);
    if (verified.kind === "lost") {
      log.error("the facilitator is unreachable", { reason: messageOf(verified.error) });
      return { kind: "unreachable" };
    }
    if (verified.kind === "refused") return confirm(topup, details, verified);
    const settled = await facilitator.settle(settlement);
    if (settled.kind === "lost") {
      const { topup_id: topupId } = topup;
      log.warn("the response to a settlement was lost", {
        topup_id: topupId,
        reason: messageOf(settled.error),
      });
    }
    return confirm(topup, details, settled);
  }

  /** Waits for the chain, but only briefly if the facilitator has refused. */
  async function confirm(
    topup: Topup,
    details: PaymentDetails,
    said: FacilitatorOutcome,
  ): Promise<PaymentOutcome> {
    const isRefused = said.kind === "refused";
    const msMax = isRefused ? X402_REFUSED_MS_MAX : x402.waitMs;
    const evidence = await waitForEnd(details, msMax);
    const ended = await end(topup, evidence);
    if (ended !== undefined) return ended;
    // If the chain can't be reached, a refusal is not trusted.
    return isRefused && evidence?.kind === "open"
      ? { kind: "refused", topup, reason: said.reason }
      : { kind: "waiting", topup };
  }

  /** @throws if the payment is on another chain than the configured one */
  function ownDetailsOf({ details: text }: Topup): PaymentDetails {
    const details = detailsOf(text);
    if (details.network === x402.network && details.asset === x402.asset.address.toLowerCase()) {
      return details;
    }
    throw new Error(`payments on ${details.network} are no longer configured`);
  }

  return {
    findKnown,

    /** Whether a known top-up belongs to this payment and this caller. */
    isOf(topup: Topup, { accountId, amountNanos, offerId }: CheckedPayment): boolean {
      if (topup.amount_nanos !== amountNanos) return false;
      // Without a key, the offer identifies the payer: only the payer knows it, unlike the payment itself, which is
      // public on the chain.
      return accountId === null
        ? detailsOf(topup.details).offer === offerId
        : topup.account_id === accountId;
    },

    standOf,

    /** Handles a payment that is new, or an earlier one that is not decided. */
    async take(payment: CheckedPayment, known: Topup | undefined): Promise<PaymentOutcome> {
      if (known?.status === "granted") return { kind: "granted", topup: known, isNew: false };
      if (known?.status === "expired") return { kind: "refused", topup: known, reason: "expired" };
      if (known !== undefined) return settle(known, payment);
      const begun = await begin(payment);
      if (begun.kind === "taken" || begun.kind === "unreachable") return begun;
      if (begun.kind !== "begun" && begun.kind !== "repeated") {
        return begun.kind === "payment_taken"
          ? { kind: "taken" }
          : { kind: "limited", by: begun.kind };
      }
      if (begun.topup.payment_id !== paymentIdOf(x402, payment.authorization)) {
        return standOf(begun.topup);
      }
      if (!this.isOf(begun.topup, payment)) return { kind: "taken" };
      if (begun.kind === "repeated") return this.take(payment, begun.topup);
      return settle(begun.topup, payment);
    },

    /** For the job that finishes top-ups. @throws if the chain can't be reached */
    async ask(topup: Topup): Promise<Standing> {
      const evidence = await look(ownDetailsOf(topup));
      if (!isDecided(evidence)) return { kind: "open" };
      if (evidence.kind === "spent" && evidence.alert !== undefined) {
        return { kind: "strange", alert: evidence.alert };
      }
      if (evidence.kind !== "paid") return { kind: "void" };
      await adopt(topup);
      return { kind: "paid", payment: paymentOf(topup, evidence) };
    },

    /** Whether a granted payment is still on the chain. @throws if the chain can't be reached */
    async recheck(topup: Topup): Promise<Finality> {
      const details = ownDetailsOf(topup);
      return findFinality(chain, details.authorization, BigInt(details.first_block));
    },

    /** The transaction that paid it. Undefined if there is none yet. */
    transactionOf({ details }: Topup): string | undefined {
      const kept: unknown = JSON.parse(details);
      const transaction = isObject(kept) ? kept.transaction : undefined;
      return typeof transaction === "string" ? transaction : undefined;
    },
    payerOf: ({ details }: Topup): string => detailsOf(details).authorization.from,
  };
}

/** The state of an earlier payment that another one can't replace. */
function standOf(topup: Topup): PaymentOutcome {
  return topup.status === "granted"
    ? { kind: "granted", topup, isNew: false }
    : { kind: "waiting", topup };
}

/** Whether the state can no longer change. */
function isDecided(evidence: Evidence): boolean {
  return evidence.kind === "over" || (evidence.kind !== "open" && evidence.isFinal);
}

function detailsOf(text: string): PaymentDetails {
  return JSON.parse(text);
}
