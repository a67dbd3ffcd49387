/**
 * Determines the state of an authorization from the chain alone.
 *
 * Using it emits two consecutive events: `AuthorizationUsed` with the payer's nonce, and the `Transfer` that it
 * authorized. The transfer must be the very next event. Otherwise a payer could use the nonce to pay themselves, and
 * point to another payment in the same transaction.
 *
 * A payment is final only after enough blocks follow it. An authorization will never be used if it is still unused in a
 * block that is deep enough and later than its end.
 *
 * @module
 */
import { X402_LOG_BLOCKS_MAX, X402_LOG_STEPS_MAX } from "../../limits.ts";
import type { Finality } from "../way.ts";
import {
  AUTHORIZATION_USED,
  type Block,
  type Chain,
  type ChainLog,
  type Receipt,
  TRANSFER,
  wordOf,
} from "./chain.ts";
import type { Authorization } from "./check_payment.ts";

export type Evidence =
  /** Money has arrived. */
  | ({ readonly kind: "paid"; readonly isFinal: boolean } & Paid)
  /** It was used for something else, or cancelled. With an alert, the payee may still have received something. */
  | { readonly kind: "spent"; readonly isFinal: boolean; readonly alert?: string }
  /** It can no longer be used, and was not. */
  | { readonly kind: "over" }
  | { readonly kind: "open" };

/** Where the money arrived. */
export interface Paid {
  readonly transaction: string;
  /** Whether the transaction contains no other payment by authorization. */
  readonly isAlone: boolean;
  /** The event's index in its block. */
  readonly logIndex: number;
}

interface EvidenceOptions {
  /** It can't have been used in an earlier block. */
  readonly firstBlock: bigint;
  /** Blocks from its own to the newest, both counted. */
  readonly confirmations: number;
}

/** @throws if the node does not answer, or if its answers are inconsistent */
export async function findEvidence(
  chain: Chain,
  authorization: Authorization,
  { firstBlock, confirmations }: EvidenceOptions,
): Promise<Evidence> {
  await chain.requireNetwork();
  const newest = await chain.findBlock("latest");
  const deepNumber = newest.number - BigInt(confirmations - 1);
  const log = await findUse(chain, authorization, { firstBlock, newest });
  if (log !== undefined) {
    const isFinal = BigInt(log.blockNumber) <= deepNumber;
    if (log.topics[0] !== AUTHORIZATION_USED) return { kind: "spent", isFinal };
    const receipt = await chain.findReceipt(log.transactionHash);
    // The chain has changed between the two requests.
    if (receipt === undefined || receipt.blockHash !== log.blockHash) return { kind: "open" };
    const paid = findPaid(receipt, log, authorization);
    if (paid !== undefined) return { kind: "paid", isFinal, ...paid };
    const hasPaid = receipt.logs.some((each) => isTransfer(each, log, authorization));
    const alert = `the events of transaction ${log.transactionHash} are not in the order in which USDC emits them`;
    return { kind: "spent", isFinal, ...(hasPaid && { alert }) };
  }
  if (deepNumber < firstBlock) return { kind: "open" };
  const deep = await chain.findBlock(deepNumber);
  if (deep.timestamp < BigInt(authorization.validBefore)) return { kind: "open" };
  // A node may know that it was used without having the events yet. If it is unused now, it was never used.
  return (await chain.isSpent(authorization, newest.number)) ? { kind: "open" } : { kind: "over" };
}

/** Whether a granted payment is in a block that can't be reorganized anymore, or in none. */
export async function findFinality(
  chain: Chain,
  authorization: Authorization,
  firstBlock: bigint,
): Promise<Finality> {
  await chain.requireNetwork();
  const newest = await chain.findBlock("latest");
  const final = await chain.findBlock("finalized");
  const log = await findUse(chain, authorization, { firstBlock, newest });
  if (log !== undefined) {
    if (BigInt(log.blockNumber) > final.number) return "open";
    const receipt = await chain.findReceipt(log.transactionHash);
    if (receipt === undefined || receipt.blockHash !== log.blockHash) return "open";
    const isUse = log.topics[0] === AUTHORIZATION_USED;
    return isUse && findPaid(receipt, log, authorization) !== undefined ? "final" : "undone";
  }
  if (final.timestamp < BigInt(authorization.validBefore)) return "open";
  return (await chain.isSpent(authorization, newest.number)) ? "open" : "undone";
}

/** The event of its use or cancellation, up to the last block in which it could be used. */
async function findUse(
  chain: Chain,
  authorization: Authorization,
  { firstBlock, newest }: { readonly firstBlock: bigint; readonly newest: Block },
): Promise<ChainLog | undefined> {
  let first = firstBlock;
  for (let steps = 0; first <= newest.number; steps += 1) {
    if (steps === X402_LOG_STEPS_MAX)
      throw new Error("the block in which an authorization expires was not found");
    const end = first + X402_LOG_BLOCKS_MAX - 1n;
    const last = end < newest.number ? end : newest.number;
    const [found] = await chain.findSpending(authorization, { first, last });
    if (found !== undefined) return found;
    if (last === newest.number) return undefined;
    const { timestamp } = await chain.findBlock(last);
    if (timestamp >= BigInt(authorization.validBefore)) return undefined;
    first = last + 1n;
  }
  return undefined;
}

/** Undefined if the nonce was used for something other than the payment. */
function findPaid(
  { status, logs }: Receipt,
  used: ChainLog,
  authorization: Authorization,
): Paid | undefined {
  if (BigInt(status) !== 1n) return undefined;
  const place = BigInt(used.logIndex);
  const next = logs.find((log) => BigInt(log.logIndex) === place + 1n);
  if (next === undefined || !isTransfer(next, used, authorization)) return undefined;
  if (BigInt(next.data) !== BigInt(authorization.value)) return undefined;
  const uses = logs.filter((log) => isOfAsset(log, used) && log.topics[0] === AUTHORIZATION_USED);
  return {
    transaction: used.transactionHash,
    isAlone: uses.length === 1,
    logIndex: Number(place),
  };
}

/** Whether an event moves the same token from the payer to the payee, in any amount. */
function isTransfer(log: ChainLog, used: ChainLog, { from, to }: Authorization): boolean {
  const [event, payer, payee] = log.topics;
  return (
    isOfAsset(log, used) &&
    event === TRANSFER &&
    payer === `0x${wordOf(from)}` &&
    payee === `0x${wordOf(to)}` &&
    log.data !== "0x"
  );
}

function isOfAsset(log: ChainLog, used: ChainLog): boolean {
  return log.address.toLowerCase() === used.address.toLowerCase();
}
