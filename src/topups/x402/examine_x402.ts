/**
 * Checks the settings of x402: whether the node is on the network and up to date, whether the token is the one that
 * payers sign for, and whether the facilitator settles there. No payment is made.
 *
 * @module
 */
import type { X402Config } from "../../config.ts";
import { messageOf } from "../../lib/error_fields.ts";
import { X402_NODE_SECONDS_BEHIND_LOW } from "../../limits.ts";
import { PUBLIC_NODES } from "../../money/usdc.ts";
import type { Check } from "../../operator/examine.ts";
import { createChain } from "./chain.ts";
import { createFacilitator } from "./facilitator.ts";
import { secondsOf } from "./offer.ts";

const NAME = "x402";
const DECIMALS = 6;

/** The first fault, or if there is none, a description of what is paid. */
export async function examineX402(x402: X402Config): Promise<Check> {
  const { asset, network, confirmations } = x402;
  const node = await examineNode(x402);
  if (node !== undefined) return node;
  try {
    if (!(await createFacilitator(x402).isSupported())) {
      return bad(
        `the facilitator does not support the scheme exact of x402 version 2 on ${network}`,
        "set FEEDGATE_X402_FACILITATOR_URL to one that does",
      );
    }
  } catch (error) {
    return bad(`the facilitator is unreachable: ${messageOf(error)}`, "check that it is running");
  }
  const found = `${asset.name} on ${network}, ${confirmations} confirmations`;
  if (x402.rpcUrl === PUBLIC_NODES.get(network)) {
    return {
      name: NAME,
      health: "low",
      found: `${found}; payments are verified by a public node`,
      hint: "set FEEDGATE_X402_RPC_URL to a node that you trust",
    };
  }
  return { name: NAME, health: "ok", found };
}

async function examineNode(x402: X402Config): Promise<Check | undefined> {
  const { asset } = x402;
  const chain = createChain(x402);
  try {
    await chain.requireNetwork();
    const { name, version, decimals } = await chain.describeToken();
    if (name !== asset.name || version !== asset.version || decimals !== DECIMALS) {
      return bad(
        `the token is "${name}", version "${version}", with ${decimals} decimals, so signatures for "${asset.name}", version "${asset.version}", with ${DECIMALS} decimals are invalid`,
        "check FEEDGATE_X402_ASSET and FEEDGATE_X402_NETWORK",
      );
    }
    await chain.findBlock("finalized");
    const { timestamp } = await chain.findBlock("latest");
    const behind = Number(secondsOf(Date.now()) - timestamp);
    if (behind <= X402_NODE_SECONDS_BEHIND_LOW) return undefined;
    const found = `the node's newest block is ${behind} seconds old`;
    return { name: NAME, health: "low", found, hint: "payments wait until the node has caught up" };
  } catch (error) {
    return bad(`the node does not work: ${messageOf(error)}`, "check FEEDGATE_X402_RPC_URL");
  }
}

function bad(found: string, hint: string): Check {
  return { name: NAME, health: "bad", found, hint };
}
