/**
 * A facilitator and a node of a chain that say what a test needs and do nothing: for answers that depend on neither.
 *
 * @module
 */

/** What a node answers of a chain on which nothing ever happens. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  eth_chainId: "0x14a34",
  eth_getBlockByNumber: { number: "0x64", timestamp: "0x1" },
  eth_call: `0x${"00".repeat(32)}`,
  eth_getLogs: [],
};

/** It claims that it has settled each payment, of which the chain knows nothing. */
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

/** A payment of what a 402 asks for, with a signature that is none. */
export function unsignedPayment({ accepts: [accepted] }: { accepts: readonly [Accepted] }): string {
  const now = Math.floor(Date.now() / 1_000);
  const authorization = {
    from: `0x${"a1".repeat(20)}`,
    to: accepted.payTo,
    value: accepted.amount,
    validAfter: "0",
    validBefore: String(now + 60),
    nonce: `0x${"00".repeat(16)}${crypto.randomUUID().replaceAll("-", "")}`,
  };
  const payload = { signature: `0x${"00".repeat(65)}`, authorization };
  return Buffer.from(JSON.stringify({ x402Version: 2, accepted, payload })).toString("base64");
}

interface Accepted {
  readonly payTo: string;
  readonly amount: string;
}
