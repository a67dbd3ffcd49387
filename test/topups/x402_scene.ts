/**
 * A gateway that takes x402, a facilitator and a payer, on a chain of the test's own.
 *
 * @module
 */
import { x402Client } from "@x402/core/client";
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from "@x402/core/http";
import type { PaymentPayload, PaymentRequired } from "@x402/core/types";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment } from "@x402/fetch";
import { finishTopups } from "../../src/topups/finish.ts";
import { openWays } from "../../src/topups/open_ways.ts";
import { recheckTopups } from "../../src/topups/recheck.ts";
import type { Authorization, Chain, Wallet } from "../support/chain/chain.ts";
import { type Facilitator, startFacilitator } from "../support/chain/facilitator.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";

export interface PaymentScene {
  readonly chain: Chain;
  readonly facilitator: Facilitator;
  readonly gateway: TestGateway;
  /** Where the money goes. */
  readonly payTo: `0x${string}`;
  stop(): Promise<void>;
}

/** @param index of the facilitator's account on the chain */
export async function openScene(
  chain: Chain,
  { index = 1, settings = {} }: { index?: number; settings?: Record<string, string> } = {},
): Promise<PaymentScene> {
  const facilitator = startFacilitator(chain, index);
  const { address: payTo } = await chain.createWallet(0n);
  const gateway = await startTestGateway({
    ...settingsOf(chain, facilitator.url, payTo),
    ...settings,
  });
  return {
    chain,
    facilitator,
    gateway,
    payTo,
    async stop() {
      await gateway.stop();
      await facilitator.stop();
    },
  };
}

/** Another gateway of the installation: its clients see the same address. @returns where it listens itself */
export async function startPeer(
  { chain, facilitator, gateway, payTo }: PaymentScene,
  settings: Record<string, string> = {},
): Promise<string> {
  const { port } = await gateway.startPeer({
    ...settingsOf(chain, facilitator.url, payTo),
    FEEDGATE_BASE_URL: gateway.baseUrl,
    ...settings,
  });
  return `http://127.0.0.1:${port}`;
}

/** A read key of a new account. */
export async function createReader({ gateway }: PaymentScene): Promise<string> {
  return gateway.createKey(await gateway.createAccount(), "read");
}

export function settingsOf(chain: Chain, facilitatorUrl: string, payTo: string) {
  return {
    FEEDGATE_X402_PAY_TO: payTo,
    FEEDGATE_X402_NETWORK: chain.network,
    FEEDGATE_X402_ASSET: chain.assetSetting,
    FEEDGATE_X402_FACILITATOR_URL: facilitatorUrl,
    FEEDGATE_X402_RPC_URL: chain.rpcUrl,
    // A block comes with each transaction, and no other.
    FEEDGATE_X402_CONFIRMATIONS: "1",
    FEEDGATE_X402_WAIT_SECONDS: "1",
  };
}

/** `fetch` by the official client, which pays what it is asked for. */
export function payingFetch(wallet: Wallet) {
  const client = new x402Client().register("eip155:*", new ExactEvmScheme(wallet));
  // It would only pay with tokens that it knows, and little.
  client.setSpendControls(false);
  return wrapFetchWithPayment(fetch, client);
}

/** Where calls go; a scene, or less. */
export interface PaidScene {
  readonly chain: Chain;
  readonly gateway: { readonly baseUrl: string };
}

export interface TopupCall {
  readonly usd: number;
  readonly key?: string | undefined;
  readonly payment?: PaymentPayload | undefined;
  /** An `Idempotency-Key`. */
  readonly once?: string | undefined;
  readonly baseUrl?: string;
  readonly signal?: AbortSignal;
}

/** One call of `POST /v1/topups`. */
export function postTopup({ gateway }: PaidScene, call: TopupCall): Promise<Response> {
  const { baseUrl = gateway.baseUrl, signal = null } = call;
  return fetch(`${baseUrl}/v1/topups`, { ...requestOf(call), signal });
}

export function requestOf({ usd, key, payment, once }: TopupCall): RequestInit {
  return {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      ...(key !== undefined && { "x-api-key": key }),
      ...(once !== undefined && { "Idempotency-Key": once }),
      ...(payment && { "PAYMENT-SIGNATURE": encodePaymentSignatureHeader(payment) }),
    },
    body: JSON.stringify({ usd }),
  };
}

/** What a 402 asks for. */
export async function askTerms(scene: PaidScene, call: TopupCall): Promise<PaymentRequired> {
  const response = await postTopup(scene, call);
  const header = response.headers.get("PAYMENT-REQUIRED");
  if (response.status !== 402 || header === null) {
    throw new Error(`${response.status} ${await response.text()}`);
  }
  return decodePaymentRequiredHeader(header);
}

/** A payment of the terms. What is changed of the authorization is signed, too. */
export async function signPayment(
  { chain }: Pick<PaidScene, "chain">,
  wallet: Wallet,
  { accepts, resource }: PaymentRequired,
  changes: Partial<Authorization> = {},
): Promise<PaymentPayload> {
  const [accepted] = accepts;
  if (accepted === undefined) throw new Error("nothing is accepted");
  const now = Math.floor(Date.now() / 1_000);
  const authorization: Authorization = {
    from: wallet.address,
    to: accepted.payTo as `0x${string}`,
    value: BigInt(accepted.amount),
    validAfter: BigInt(now - 600),
    validBefore: BigInt(now + accepted.maxTimeoutSeconds),
    nonce: `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex")}`,
    ...changes,
  };
  const signature = await chain.signTransfer(wallet, authorization);
  const { value, validAfter, validBefore, ...rest } = authorization;
  return {
    x402Version: 2,
    resource,
    accepted,
    payload: {
      signature,
      authorization: {
        ...rest,
        value: String(value),
        validAfter: String(validAfter),
        validBefore: String(validBefore),
      },
    },
  } as PaymentPayload;
}

/** The authorization in a payment, as the chain takes it. */
export function signedOf({ payload }: PaymentPayload) {
  const { authorization, signature } = payload as {
    authorization: Record<string, string>;
    signature: `0x${string}`;
  };
  const { value = "", validAfter = "", validBefore = "", ...rest } = authorization;
  return {
    signature,
    authorization: {
      ...rest,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
    } as Authorization,
  };
}

/** Credits of an account, as its key sees them. */
export async function creditsOf({ gateway }: PaymentScene, key: string): Promise<number> {
  const response = await gateway.get("/v1/account", key);
  const { balance } = (await response.json()) as { balance: { credits: number } };
  return balance.credits;
}

/** What the job does that asks again about what was granted, when all of it is due. */
export async function recheckAll({ gateway }: PaymentScene): Promise<void> {
  const { services } = gateway.gateway;
  await gateway.sql`update topups set due_at = now() where status = 'granted'`;
  const { x402 } = openWays(services);
  if (x402 === undefined) throw new Error("the gateway takes no x402");
  const job = recheckTopups(x402, services.log, 0);
  while (await job.step(services.database));
}

/** What the job does when everything is due. */
export async function finishAll({ gateway }: PaymentScene): Promise<void> {
  const { services } = gateway.gateway;
  await gateway.sql`update topups set due_at = now() where status = 'waiting'`;
  const job = finishTopups(openWays(services), services.log);
  while (await job.step(services.database));
}
