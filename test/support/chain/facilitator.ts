/**
 * A local facilitator based on the official library, over HTTP on loopback. Tests can change its behavior.
 *
 * @module
 */
import { x402Facilitator } from "@x402/core/facilitator";
import type { PaymentPayload, PaymentRequirements } from "@x402/core/types";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { ExactEvmScheme } from "@x402/evm/exact/facilitator";
import type { Chain } from "./chain.ts";

export interface Asked {
  readonly paymentPayload: PaymentPayload;
  readonly paymentRequirements: PaymentRequirements;
}

/** The outcome of a call. `honest` behaves like the library. */
export type Answering = (
  path: "/verify" | "/settle",
  honest: () => Promise<object>,
  asked: Asked,
) => Promise<object | Response>;

export interface Facilitator {
  readonly url: string;
  /** The paths called so far. */
  readonly calls: string[];
  /** The requests received so far. */
  readonly asked: Asked[];
  /** Sets how it responds from now on; undefined means honestly. */
  answering: Answering | undefined;
  stop(): Promise<void>;
}

/** @param index of the account that pays for its transactions; each facilitator needs its own */
export function startFacilitator(chain: Chain, index: number): Facilitator {
  const account = chain.account(index);
  const { client } = chain;
  const signer = toFacilitatorEvmSigner({
    address: account.address,
    getCode: (given) => client.getCode(given),
    readContract: (given) => client.readContract({ ...given, args: given.args ?? [] } as never),
    verifyTypedData: (given) => client.verifyTypedData(given as never),
    writeContract: (given) => client.writeContract({ ...given, account } as never),
    sendTransaction: (given) => client.sendTransaction({ ...given, account } as never),
    waitForTransactionReceipt: (given) => client.waitForTransactionReceipt(given),
  });
  const library = new x402Facilitator().register(
    chain.network as `${string}:${string}`,
    new ExactEvmScheme(signer),
  );
  const facilitator = {
    calls: [] as string[],
    asked: [] as Asked[],
    answering: undefined as Answering | undefined,
  };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const path = new URL(request.url).pathname;
      facilitator.calls.push(path);
      if (path !== "/verify" && path !== "/settle") return Response.json(library.getSupported());
      const asked = (await request.json()) as Asked;
      facilitator.asked.push(asked);
      const { paymentPayload, paymentRequirements } = asked;
      const honest = (): Promise<object> =>
        path === "/verify"
          ? library.verify(paymentPayload, paymentRequirements)
          : library.settle(paymentPayload, paymentRequirements);
      const answer = await (facilitator.answering?.(path, honest, asked) ?? honest());
      return answer instanceof Response ? answer : Response.json(answer);
    },
  });
  return Object.assign(facilitator, {
    url: server.url.href.replace(/\/$/, ""),
    stop: () => server.stop(true),
  });
}
