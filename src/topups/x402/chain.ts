/**
 * Reads the chain through a node's JSON-RPC: blocks, whether an authorization was used, and its events (EIP-3009).
 *
 * @module
 */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import type { X402Config } from "../../config.ts";
import { X402_RPC_MS_MAX } from "../../limits.ts";
import { askJson } from "./ask_json.ts";

/** The first four bytes of the Keccak-256 of `authorizationState(address,bytes32)`. */
const AUTHORIZATION_STATE = "0xe94a0102";
/** The first four bytes for `name()`, `version()`, and `decimals()`. */
const NAME = "0x06fdde03";
const VERSION = "0x54fd4d50";
const DECIMALS = "0x313ce567";
/** Keccak-256 of `AuthorizationUsed(address,bytes32)`, and likewise for the others. */
export const AUTHORIZATION_USED =
  "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5";
export const AUTHORIZATION_CANCELED =
  "0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81";
export const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

const HEX = Type.String({ pattern: "^0x[0-9a-fA-F]*$" });
const QUANTITY = Type.String({ pattern: "^0x[0-9a-fA-F]{1,16}$" });
const HASH = Type.String({ pattern: "^0x[0-9a-fA-F]{64}$" });
const LogShape = Type.Object({
  address: HEX,
  topics: Type.Array(HASH),
  data: HEX,
  blockHash: HASH,
  blockNumber: QUANTITY,
  transactionHash: HASH,
  logIndex: QUANTITY,
});
const ANSWER = TypeCompiler.Compile(Type.Object({ result: Type.Unknown() }));
const CHAIN_ID = TypeCompiler.Compile(QUANTITY);
const BLOCK = TypeCompiler.Compile(Type.Object({ number: QUANTITY, timestamp: QUANTITY }));
const STATE = TypeCompiler.Compile(HASH);
const TEXT = TypeCompiler.Compile(HEX);
const LOGS = TypeCompiler.Compile(Type.Array(LogShape));
const RECEIPT = TypeCompiler.Compile(
  Type.Object({ status: QUANTITY, blockHash: HASH, logs: Type.Array(LogShape) }),
);

/** An event of the chain. */
export type ChainLog = Static<typeof LogShape>;
export type Receipt = Static<typeof RECEIPT extends TypeCheck<infer Shape> ? Shape : never>;

export interface Block {
  readonly number: bigint;
  /** Seconds since 1970. */
  readonly timestamp: bigint;
}

/** A token's description of itself. */
export interface Token {
  readonly name: string;
  readonly version: string;
  readonly decimals: number;
}

/** A payer's authorization, by its nonce. */
export interface Nonce {
  readonly from: string;
  readonly nonce: string;
}

export type Chain = ReturnType<typeof createChain>;

export function createChain({ rpcUrl, network, asset }: X402Config) {
  let isRightChain = false;

  async function ask(method: string, params: readonly unknown[]): Promise<unknown> {
    const body = { jsonrpc: "2.0", id: 1, method, params };
    const answer = await askJson({ url: rpcUrl, body, msMax: X402_RPC_MS_MAX });
    if (ANSWER.Check(answer)) return answer.result;
    throw new Error(`the chain's node refused ${method}`);
  }

  async function read<Shape extends TSchema>(
    shape: TypeCheck<Shape>,
    method: string,
    params: readonly unknown[],
  ): Promise<Static<Shape>> {
    const result = await ask(method, params);
    if (shape.Check(result)) return result;
    throw new Error(`the chain's node returned an invalid result for ${method}`);
  }

  return {
    /** Checks the network, because a node of another chain would report that nothing was paid. @throws */
    async requireNetwork(): Promise<void> {
      if (isRightChain) return;
      const chainId = BigInt(await read(CHAIN_ID, "eth_chainId", []));
      if (`eip155:${chainId}` !== network) {
        throw new Error(`FEEDGATE_X402_RPC_URL is a node of eip155:${chainId}, not ${network}`);
      }
      isRightChain = true;
    },

    /** The newest block, the newest one that can't be reorganized anymore, or the one with a number. */
    async findBlock(named: bigint | "latest" | "finalized"): Promise<Block> {
      const which = typeof named === "bigint" ? hexOf(named) : named;
      const block = await read(BLOCK, "eth_getBlockByNumber", [which, false]);
      return { number: BigInt(block.number), timestamp: BigInt(block.timestamp) };
    },

    /** Reads the token's description of itself. */
    async describeToken(): Promise<Token> {
      const call = (data: string) => [{ to: asset.address, data }, "latest"];
      return {
        name: textOf(await read(TEXT, "eth_call", call(NAME))),
        version: textOf(await read(TEXT, "eth_call", call(VERSION))),
        decimals: Number(BigInt(await read(STATE, "eth_call", call(DECIMALS)))),
      };
    },

    /** Whether the authorization was used or cancelled by the end of a block. */
    async isSpent({ from, nonce }: Nonce, blockNumber: bigint): Promise<boolean> {
      const data = AUTHORIZATION_STATE + wordOf(from) + nonce.slice(2);
      const call = [{ to: asset.address, data }, hexOf(blockNumber)];
      return BigInt(await read(STATE, "eth_call", call)) !== 0n;
    },

    /** Events of its use and cancellation in a range of blocks, inclusive. */
    findSpending(
      { from, nonce }: Nonce,
      range: { readonly first: bigint; readonly last: bigint },
    ): Promise<ChainLog[]> {
      const topics = [[AUTHORIZATION_USED, AUTHORIZATION_CANCELED], `0x${wordOf(from)}`, nonce];
      const blocks = { fromBlock: hexOf(range.first), toBlock: hexOf(range.last) };
      return read(LOGS, "eth_getLogs", [{ address: asset.address, topics, ...blocks }]);
    },

    /** Undefined if the transaction is not in a block. */
    async findReceipt(transaction: string): Promise<Receipt | undefined> {
      const found = await ask("eth_getTransactionReceipt", [transaction]);
      if (found === null) return undefined;
      if (RECEIPT.Check(found)) return found;
      throw new Error("the chain's node returned an invalid receipt");
    },
  };
}

/** Decodes a string in the ABI's format: its offset, its length, its bytes. */
function textOf(hex: string): string {
  const bytes = Buffer.from(hex.slice(2), "hex");
  return bytes.subarray(64, 64 + Number(BigInt(`0x${hex.slice(66, 130) || "0"}`))).toString();
}

function hexOf(number: bigint): string {
  return `0x${number.toString(16)}`;
}

/** An address as a 32-byte word, the chain's unit for all values. */
export function wordOf(address: string): string {
  return address.slice(2).toLowerCase().padStart(64, "0");
}
