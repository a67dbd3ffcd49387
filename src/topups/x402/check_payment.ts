/**
 * Checks whether a payment matches the requirements. Its signature is checked separately (`signature.ts`).
 *
 * @module
 */
import type { X402Config } from "../../config.ts";
import { MS_PER_SECOND } from "../../lib/time_units.ts";
import {
  X402_CLOCK_OFF_SECONDS_MAX,
  X402_PAYMENT_SECONDS_MAX,
  X402_SETTLE_SECONDS_MIN,
} from "../../limits.ts";
import { type Offer, type Requirements, secondsOf } from "./offer.ts";
import type { SentPayment } from "./read_payment.ts";

/** An authorization in canonical spelling: hexadecimal digits in lower case. */
export interface Authorization {
  readonly from: string;
  readonly to: string;
  /** Millionths of a dollar. */
  readonly value: string;
  /** Seconds since 1970. */
  readonly validAfter: string;
  readonly validBefore: string;
  readonly nonce: string;
}

/** Why a payment is refused: x402's code for programs, and a clause for people. */
export interface PaymentFault {
  readonly reason: string;
  readonly detail: string;
}

export function authorizationOf({ payload }: SentPayment): Authorization {
  const { from, to, value, validAfter, validBefore, nonce } = payload.authorization;
  return {
    from: from.toLowerCase(),
    to: to.toLowerCase(),
    value,
    validAfter,
    validBefore,
    nonce: nonce.toLowerCase(),
  };
}

/** Identifies a payment: a payer's nonce is valid once per token. */
export function paymentIdOf(
  { network, asset }: X402Config,
  { from, nonce }: Authorization,
): string {
  return [network, asset.address.toLowerCase(), from, nonce].join(" ");
}

/** What was accepted and signed must match the requirements. Applies to every payment. */
export function findFault(
  payment: SentPayment,
  asked: { readonly requirements: Requirements; readonly resourceUrl: string },
): PaymentFault | undefined {
  const { accepted, resource } = payment;
  const { requirements, resourceUrl } = asked;
  const { to, value } = authorizationOf(payment);
  if (accepted.scheme !== requirements.scheme) {
    return fault("unsupported_scheme", 'scheme must be "exact"');
  }
  if (accepted.network !== requirements.network) {
    return fault("invalid_network", `network must be ${requirements.network}`);
  }
  if (!isSame(accepted.asset, requirements.asset)) {
    return fault("invalid_exact_evm_payload_asset_mismatch", `asset must be ${requirements.asset}`);
  }
  if (!isSame(accepted.payTo, requirements.payTo) || !isSame(to, requirements.payTo)) {
    return fault(
      "invalid_exact_evm_payload_recipient_mismatch",
      `the payment must go to ${requirements.payTo}`,
    );
  }
  if (accepted.amount !== requirements.amount || value !== requirements.amount) {
    const detail = `the amount must be ${requirements.amount}`;
    return fault("invalid_exact_evm_payload_authorization_value_mismatch", detail);
  }
  if (resource !== undefined && resource.url !== resourceUrl) {
    return fault("invalid_resource", `resource.url must be ${resourceUrl}`);
  }
  return undefined;
}

/** Whether there is enough time to settle it. Applies to new payments. */
export function findTimeFault(
  { validAfter, validBefore }: Authorization,
  { expiresAt }: Offer,
  nowMs: number,
): PaymentFault | undefined {
  const now = secondsOf(nowMs);
  if (nowMs > Date.parse(expiresAt)) {
    return fault("invalid_offer", "the offer has expired");
  }
  if (BigInt(validAfter) > now) {
    return fault(
      "invalid_exact_evm_payload_authorization_valid_after",
      "the authorization is not valid yet",
    );
  }
  if (BigInt(validBefore) < now + BigInt(X402_SETTLE_SECONDS_MIN)) {
    const detail = "the authorization has expired, or would expire before it is settled";
    return fault("invalid_exact_evm_payload_authorization_valid_before", detail);
  }
  const secondsMax = X402_PAYMENT_SECONDS_MAX + X402_CLOCK_OFF_SECONDS_MAX;
  if (BigInt(validBefore) > now + BigInt(secondsMax)) {
    const detail = `the authorization is valid for more than ${X402_PAYMENT_SECONDS_MAX} seconds, or the payer's clock is wrong`;
    return fault("invalid_exact_evm_payload_authorization_valid_before", detail);
  }
  return undefined;
}

/** Milliseconds until an authorization expires. Negative afterwards. */
export function msLeft({ validBefore }: Authorization, nowMs: number): number {
  return Number(BigInt(validBefore)) * MS_PER_SECOND - nowMs;
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function fault(reason: string, detail: string): PaymentFault {
  return { reason, detail };
}
