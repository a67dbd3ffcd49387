/**
 * The requirements of x402 version 2, which a 402 contains.
 *
 * Nothing is stored for an offer. It includes a sealed token in `extra.offer`, which clients return unchanged. The
 * token contains the account that the offer was made for and its amount. It never reaches the chain or the facilitator,
 * so someone who has seen a payment there can't present it as their own. See `src/spec/beyond.md`, section 15.
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import type { X402Config } from "../../config.ts";
import { openToken, sealToken } from "../../lib/sealed_token.ts";
import { MS_PER_SECOND } from "../../lib/time_units.ts";
import { X402_OFFER_MS_MAX, X402_PAYMENT_SECONDS_MAX } from "../../limits.ts";
import { NANOS_PER_CREDIT } from "../../money/money_units.ts";

/** The part of the requirements that the specification leaves to the scheme. */
interface Extra {
  /** The domain that payers sign for (EIP-712). */
  readonly name: string;
  readonly version: string;
  readonly assetTransferMethod: "eip3009";
  readonly offer?: string;
}

/** `PaymentRequirements` of x402 version 2, section 5.1. */
export interface Requirements {
  readonly scheme: "exact";
  readonly network: string;
  /** Millionths of a dollar. Each is one credit. */
  readonly amount: string;
  readonly asset: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  readonly extra: Extra;
}

/** `ResourceInfo` of x402 version 2, section 5.1. */
export interface Resource {
  readonly url: string;
  readonly description: string;
  readonly mimeType: string;
}

/** The contents of an offer's token. */
export interface Offer {
  readonly id: string;
  readonly amountNanos: bigint;
  /** RFC 3339. */
  readonly expiresAt: string;
}

/** The account that an offer is for, and the gateway. */
interface OfferContext {
  readonly config: X402Config;
  readonly secret: string;
  /** Undefined for a caller without a key. */
  readonly accountId: string | undefined;
}

export function resourceOf(baseUrl: string): Resource {
  return {
    url: `${baseUrl}/v1/topups`,
    description: "Credits for this gateway's feeds.",
    mimeType: "application/json",
  };
}

/** @param offer omitted in requests to the facilitator */
export function requirementsOf(
  { asset, network, payTo }: X402Config,
  amountNanos: bigint,
  offer?: string,
): Requirements {
  const { address, name, version } = asset;
  return {
    scheme: "exact",
    network,
    amount: String(amountNanos / NANOS_PER_CREDIT),
    asset: address,
    payTo,
    maxTimeoutSeconds: X402_PAYMENT_SECONDS_MAX,
    extra: { name, version, assetTransferMethod: "eip3009", ...(offer !== undefined && { offer }) },
  };
}

/** Creates an offer of credits. @param nowMs current wall-clock time */
export function makeOffer(context: OfferContext, amountNanos: bigint, nowMs: number): Requirements {
  const expiresAt = new Date(nowMs + X402_OFFER_MS_MAX).toISOString();
  const payload = JSON.stringify([randomUUID(), String(amountNanos), expiresAt]);
  const token = sealToken(Buffer.from(payload), sealingOf(context));
  return requirementsOf(context.config, amountNanos, token);
}

/** The offer in a token. Undefined if the token was not issued by this gateway, or if it is for another account. */
export function openOffer(context: OfferContext, token: string): Offer | undefined {
  const payload = openToken(token, sealingOf(context));
  if (payload === undefined) return undefined;
  const [id, amount, expiresAt]: [string, string, string] = JSON.parse(payload.toString());
  return { id, amountNanos: BigInt(amount), expiresAt };
}

function sealingOf({ config, secret, accountId = "nobody" }: OfferContext) {
  const { network, asset, payTo } = config;
  const binding = [accountId, network, asset.address, payTo].join(" ").toLowerCase();
  return { secret, purpose: "x402 offer", binding };
}

/** Seconds since 1970, the unit of authorizations. */
export function secondsOf(ms: number): bigint {
  return BigInt(Math.floor(ms / MS_PER_SECOND));
}
