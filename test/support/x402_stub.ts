/**
 * A facilitator and a chain's node with fixed responses, for tests that depend on neither.
 *
 * @module
 */
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { TRANSFER_TYPES } from "./chain/transfer_types.ts";

/** The responses of a node whose chain is always empty. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  eth_chainId: "0x14a34",
  eth_getBlockByNumber: { number: "0x64", timestamp: "0x1" },
  eth_call: `0x${"00".repeat(32)}`,
  eth_getLogs: [],
};

/** Claims to have settled each payment, although the chain knows nothing of it. */
export function startX402Stub() {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { method } = (await request.json()) as { method?: string };
      return Response.json(
        method === undefined
          ? { isValid: true, success: true }
          : { jsonrpc: "2.0", id: 1, result: ANSWERS[method] },
      );
    },
  });
  return {
    environment: {
      FEEDGATE_X402_PAY_TO: `0x${"0f".repeat(20)}`,
      FEEDGATE_X402_NETWORK: "eip155:84532",
      FEEDGATE_X402_FACILITATOR_URL: server.url.href,
      FEEDGATE_X402_RPC_URL: server.url.href,
      FEEDGATE_X402_WAIT_SECONDS: "1",
    },
    stop: () => server.stop(true),
  };
}

/** A payment that fulfills a 402, by a wallet that no chain knows. */
export async function signedPayment({
  accepts: [accepted],
}: {
  accepts: readonly [Accepted];
}): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  const wallet = privateKeyToAccount(generatePrivateKey());
  const authorization = {
    from: wallet.address,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: "0",
    validBefore: String(now + 60),
    nonce: `0x${"00".repeat(16)}${crypto.randomUUID().replaceAll("-", "")}`,
  };
  const signature = await wallet.signTypedData({
    domain: {
      ...{ name: accepted.extra.name, version: accepted.extra.version },
      chainId: Number(accepted.network.replace("eip155:", "")),
      verifyingContract: accepted.asset,
    },
    types: TRANSFER_TYPES,
    primaryType: "TransferWithAuthorization",
    message: authorization as never,
  });
  const payload = { signature, authorization };
  return Buffer.from(JSON.stringify({ x402Version: 2, accepted, payload })).toString("base64");
}

interface Accepted {
  readonly payTo: string;
  readonly network: string;
  readonly asset: `0x${string}`;
  readonly extra: { readonly name: string; readonly version: string };
  readonly amount: string;
}
