/**
 * x402 version 2 over HTTP: a call without a payment gets the terms (402), and a call with one gets credits for it.
 *
 * A caller without a key pays for a new account, and gets its read key once, or repeatedly under the same
 * Idempotency-Key. See `src/spec/beyond.md`, section 15.
 *
 * @module
 */
import { deriveKey, generateKey, hashKey, startOf } from "../../accounts/key_format.ts";
import { KeyedLimit } from "../../api/callers/keyed_limit.ts";
import type { X402Config } from "../../config.ts";
import { type Answer, privateJson } from "../../http/answer.ts";
import type { Call } from "../../http/call.ts";
import { Problem, unavailable } from "../../http/problem_details.ts";
import { unreachable } from "../../lib/assert.ts";
import { networkOf } from "../../lib/public_address.ts";
import { createSemaphore } from "../../lib/semaphore.ts";
import { intervalOf } from "../../lib/time_units.ts";
import {
  IDEMPOTENCY_TTL_MS,
  X402_KEYLESS_ADDRESSES_MAX,
  X402_KEYLESS_CENTS_MIN,
  X402_KEYLESS_PER_ADDRESS,
  X402_KEYLESS_WAITING_MAX,
  X402_PAYMENTS_MAX,
  X402_PAYMENTS_OF_ONE_MAX,
  X402_PAYMENTS_WAIT_MS_MAX,
} from "../../limits.ts";
import { NANOS_PER_CENT } from "../../money/money_units.ts";
import type { Services } from "../../services.ts";
import { dayLimits, networkOfCaller, problemOfBegin } from "../order_limits.ts";
import { findTopupOfOrder, PAYMENT } from "../store_topup.ts";
import { topupText } from "../topup_shapes.ts";
import type { DirectPay, DirectWay, Topup } from "../way.ts";
import { authorizationOf, findFault, findTimeFault, type PaymentFault } from "./check_payment.ts";
import { makeOffer, openOffer, requirementsOf, resourceOf } from "./offer.ts";
import { type CheckedPayment, createPayments, type PaymentOutcome } from "./payments.ts";
import { readPayment } from "./read_payment.ts";
import { isSignedByPayer } from "./signature.ts";

const KEY_NAME = "paid by x402";

export function createX402Way(services: Services, x402: X402Config): DirectWay {
  const { database, http, cursorSecret: secret } = services;
  const payments = createPayments(services, x402, dayLimits(services));
  const keyless = new KeyedLimit({
    limit: X402_KEYLESS_PER_ADDRESS,
    of: "top-ups without a key",
    keysMax: X402_KEYLESS_ADDRESSES_MAX,
  });
  const working = createSemaphore({
    runningMax: X402_PAYMENTS_MAX,
    ownerRunningMax: () => X402_PAYMENTS_OF_ONE_MAX,
    waitingMax: X402_PAYMENTS_MAX,
    waitMsMax: X402_PAYMENTS_WAIT_MS_MAX,
  });

  /** 402 with an offer, in the header and in the body. x402 version 2, 5.1. */
  function ask(
    { principal, amountNanos }: DirectPay,
    code: "PAYMENT_REQUIRED" | "PAYMENT_REFUSED",
    {
      error,
      detail,
      extras,
      headers,
    }: {
      readonly error: string;
      readonly detail: string;
      readonly extras?: object;
      readonly headers?: Readonly<Record<string, string>>;
    },
  ): Problem {
    const context = { config: x402, secret, accountId: principal?.accountId };
    const required = {
      x402Version: 2,
      error,
      resource: resourceOf(http.baseUrl()),
      accepts: [makeOffer(context, amountNanos, Date.now())],
    };
    return new Problem(code, {
      detail,
      extras: { ...extras, ...required },
      headers: { "PAYMENT-REQUIRED": base64Of(required), ...headers },
    });
  }

  /** The payment of a call, as far as it can be checked locally. */
  function check(order: DirectPay, header: string): DatedPayment | Problem {
    const { principal, amountNanos } = order;
    const read = readPayment(header);
    if (read.kind === "invalid")
      return paymentInvalid(`PAYMENT-SIGNATURE can't be read: ${read.reason}.`);
    const { payment } = read;
    const context = { config: x402, secret, accountId: principal?.accountId };
    const token = payment.accepted.extra?.offer;
    const offer = token === undefined ? undefined : openOffer(context, token);
    const requirements = requirementsOf(x402, amountNanos);
    const resourceUrl = resourceOf(http.baseUrl()).url;
    const fault = findFault(payment, { requirements, resourceUrl });
    if (fault !== undefined) return refuse(order, fault);
    if (offer === undefined || offer.amountNanos !== amountNanos) {
      const detail = "extra.offer is not an offer of this gateway for this call";
      return refuse(order, { reason: "invalid_offer", detail });
    }
    const authorization = authorizationOf(payment);
    const { signature } = payment.payload;
    if (!isSignedByPayer(x402, authorization, signature)) {
      const detail = "the signature was not made with the payer's own key";
      return refuse(order, { reason: "invalid_exact_evm_payload_signature", detail });
    }
    return {
      authorization,
      signature,
      offerId: offer.id,
      amountNanos,
      accountId: principal?.accountId ?? null,
      keyId: principal?.keyId ?? null,
      idempotencyKey: principal && orderKeyOf(order.call),
      network: networkOfCaller(order.address),
      timeFault: findTimeFault(authorization, offer, Date.now()),
    };
  }

  function refuse(
    order: DirectPay,
    { reason, detail }: PaymentFault,
    extras: object = {},
  ): Problem {
    return ask(order, "PAYMENT_REFUSED", {
      error: reason,
      detail: `This payment was refused, and no money was transferred: ${detail}. Sign a new payment for the new offer.`,
      extras: { reason, ...extras },
    });
  }

  async function pay(order: DirectPay): Promise<Answer | Problem> {
    const { call, principal, address, amountNanos } = order;
    if (principal === undefined) {
      keyless.take(networkOf(address));
      if (amountNanos < X402_KEYLESS_CENTS_MIN * NANOS_PER_CENT) return tooLittle();
    }
    const earlier = await findEarlier(order);
    if (earlier instanceof Problem) return earlier;
    const header = call.request.headers.get("payment-signature");
    if (header === null) {
      return earlier === undefined ? terms(order) : answer(order, payments.standOf(earlier));
    }
    const payment = check(order, header);
    if (payment instanceof Problem) return payment;
    const known = await payments.findKnown(payment);
    if (known !== undefined && !payments.isOf(known, payment)) return paymentTaken();
    if (earlier !== undefined && known?.topup_id !== earlier.topup_id) {
      return answer(order, payments.standOf(earlier));
    }
    if (known === undefined) {
      if (payment.timeFault !== undefined) return refuse(order, payment.timeFault);
      if (principal === undefined && (await isKeylessFull())) {
        return unavailable(
          "Too many payments without a key are in progress. Try again in a minute.",
        );
      }
    }
    using permit = await working.acquire(principal?.accountId ?? networkOf(address));
    if (permit === undefined) {
      return unavailable(
        "Too many payments are in progress. Repeat the call with the same payment.",
      );
    }
    return answer(order, await payments.take(payment, known));
  }

  /** The answer to a call without a payment. */
  function terms(order: DirectPay): Problem {
    if (order.call.request.headers.has("x-payment")) {
      return paymentInvalid(
        "X-PAYMENT belongs to x402 version 1. Use version 2 and send the payment in PAYMENT-SIGNATURE.",
      );
    }
    return ask(order, "PAYMENT_REQUIRED", {
      error: "PAYMENT-SIGNATURE header is required",
      detail:
        "Pay with x402 version 2: sign the requirements in accepts, then repeat the call over HTTP with PAYMENT-SIGNATURE.",
    });
  }

  /**
   * The payment that was made, or is in progress, under the same Idempotency-Key. A client library that is called again
   * signs another payment, which would be paid in addition to the first.
   */
  async function findEarlier(order: DirectPay): Promise<Topup | Problem | undefined> {
    const { call, principal, amountNanos } = order;
    const idempotencyKey = orderKeyOf(call);
    if (principal === undefined || idempotencyKey === undefined) return undefined;
    const earlier = await findTopupOfOrder(database, principal.accountId, idempotencyKey);
    if (earlier === undefined) return undefined;
    if (earlier.way !== "x402" || earlier.amount_nanos !== amountNanos) {
      return problemOfBegin("key_reused");
    }
    return earlier.status === "expired" ? undefined : earlier;
  }

  async function isKeylessFull(): Promise<boolean> {
    const row = await database.row("count_keyless_topups", { limit: X402_KEYLESS_WAITING_MAX });
    return row !== undefined && row.waiting >= BigInt(X402_KEYLESS_WAITING_MAX);
  }

  async function answer(order: DirectPay, outcome: PaymentOutcome): Promise<Answer | Problem> {
    switch (outcome.kind) {
      case "granted":
        return granted(order, outcome);
      case "waiting":
        return {
          status: 202,
          headers: {
            ...privateJson(),
            ...(order.principal && { Location: addressOf(outcome.topup) }),
          },
          body: topupText(outcome.topup),
        };
      case "refused":
        return refused(order, outcome);
      case "taken":
        return paymentTaken();
      case "limited":
        return problemOfBegin(outcome.by);
      case "unreachable":
        return unavailable(
          "Payments can't be settled at the moment, and this call did not submit the payment. Repeat the call with the same payment.",
        );
      default:
        return unreachable(outcome);
    }
  }

  async function granted(
    { call, principal }: DirectPay,
    { topup, isNew }: PaymentOutcome & { kind: "granted" },
  ): Promise<Answer> {
    const transaction = payments.transactionOf(topup) ?? "";
    const settlement = {
      success: true,
      transaction,
      network: x402.network,
      payer: payments.payerOf(topup),
    };
    const more =
      principal === undefined
        ? { account_id: topup.account_id, ...(await giveKey(call, topup)), transaction }
        : { transaction };
    return {
      status: isNew ? 201 : 200,
      headers: { ...privateJson(), "PAYMENT-RESPONSE": base64Of(settlement) },
      body: topupText(topup, more),
    };
  }

  /**
   * The key of an account that was just created. It is not returned again, except under the same Idempotency-Key: this
   * is known only to the payer, because it appears neither on the chain nor at the facilitator.
   */
  async function giveKey(
    call: Call,
    { topup_id: topupId }: Topup,
  ): Promise<{ readonly key?: string }> {
    // The client has disconnected. The key can be requested with the same payment again.
    if (call.request.signal.aborted) return {};
    const idempotencyKey = orderKeyOf(call);
    const key =
      idempotencyKey === undefined
        ? generateKey("read")
        : deriveKey("read", secret, `x402 ${topupId} ${idempotencyKey}`);
    const given = await database.row("give_topup_key", {
      topup_id: topupId,
      key_hash: hashKey(key),
      key_start: startOf(key),
      name: KEY_NAME,
      repeated_for: intervalOf(IDEMPOTENCY_TTL_MS),
      actor: PAYMENT,
    });
    return given?.outcome === "given" ? { key } : {};
  }

  /** The payment did not arrive, as far as is known. */
  function refused(
    order: DirectPay,
    { topup, reason }: PaymentOutcome & { kind: "refused" },
  ): Problem {
    const { network } = x402;
    const payer = payments.payerOf(topup);
    const settlement = { success: false, errorReason: reason, transaction: "", network, payer };
    return ask(order, "PAYMENT_REFUSED", {
      error: reason,
      detail: `This payment has not arrived (${reason}). If it arrives by ${topup.expires_at}, its credits are still granted; to check, repeat the call with the same payment.`,
      extras: { reason, topup_id: topup.topup_id, expires_at: topup.expires_at },
      headers: { "PAYMENT-RESPONSE": base64Of(settlement) },
    });
  }

  return {
    pay,
    ask: (topup) => payments.ask(topup),
    recheck: (topup) => payments.recheck(topup),
  };
}

interface DatedPayment extends CheckedPayment {
  /** Why the payment is refused if it is new. */
  readonly timeFault: PaymentFault | undefined;
}

/** The Idempotency-Key of a call. */
function orderKeyOf({ request }: Call): string | undefined {
  return request.headers.get("idempotency-key") ?? undefined;
}

function addressOf({ topup_id: topupId }: Topup): string {
  return `/v1/topups/${topupId}`;
}

function base64Of(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64");
}

/** 422 */
function tooLittle(): Problem {
  return new Problem("VALIDATION_FAILED", {
    detail:
      "Without a key, a payment creates an account and must be at least 1 USD. Request a larger amount, or send your read key.",
    errors: [{ path: "/usd", message: "usd must be at least 1 without a key" }],
  });
}

/** 400 */
function paymentInvalid(detail: string): Problem {
  return new Problem("PAYMENT_INVALID", { detail });
}

/** 409 */
function paymentTaken(): Problem {
  return new Problem("PAYMENT_TAKEN", {
    detail:
      "This payment was already used, by another call or elsewhere. Sign a new one, or, if you paid but received no credits, send the transaction to the operator.",
  });
}
