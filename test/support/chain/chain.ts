/**
 * A local test chain: `anvil` with a dollar that can be paid by authorization (EIP-3009), like USDC.
 *
 * @module
 */
import { existsSync } from "node:fs";
import {
  type Abi,
  createTestClient,
  encodeFunctionData,
  type Hex,
  http,
  publicActions,
  walletActions,
} from "viem";
import { generatePrivateKey, mnemonicToAccount, privateKeyToAccount } from "viem/accounts";
import { anvil as chainOfAnvil } from "viem/chains";
import contracts from "../../fixtures/chain/contracts.json" with { type: "json" };
import { freePort } from "../free_port.ts";
import { TRANSFER_TYPES } from "./transfer_types.ts";

/** A well-known mnemonic, whose accounts own the chain's coin from the start. */
const MNEMONIC = "test test test test test test test test test test test junk";
const STARTS_MAX = 5;
const START_MS = 60_000;
const POLL_MS = 20;
const PLATFORMS: Readonly<Record<string, string>> = {
  "linux x64": "linux-amd64",
  "linux arm64": "linux-arm64",
  "darwin x64": "darwin-amd64",
  "darwin arm64": "darwin-arm64",
};

export type Chain = Awaited<ReturnType<typeof startChain>>;
export type Wallet = ReturnType<typeof privateKeyToAccount>;

/** The message that a payer signs. Numbers are seconds, or millionths of a dollar. */
export interface Authorization {
  readonly from: Hex;
  readonly to: Hex;
  readonly value: bigint;
  readonly validAfter: bigint;
  readonly validBefore: bigint;
  readonly nonce: Hex;
}

/** The path of anvil, which is part of a package of the platform; undefined if there is none. */
function findAnvil(): string | undefined {
  const platform = PLATFORMS[`${process.platform} ${process.arch}`];
  const path = `../../../node_modules/@foundry-rs/anvil-${platform}/bin/anvil`;
  const program = Bun.fileURLToPath(new URL(path, import.meta.url));
  return existsSync(program) ? program : undefined;
}

/** Whether the chain can run here. If it can't, prints so, because its tests are then skipped. */
export function hasChain(): boolean {
  const isThere = findAnvil() !== undefined;
  if (!isThere)
    console.warn(`# no anvil for ${process.platform} ${process.arch}: chain tests skipped`);
  return isThere;
}

export async function startChain() {
  const { child, rpcUrl } = await startAnvil();
  const client = createTestClient({
    mode: "anvil",
    chain: chainOfAnvil,
    transport: http(rpcUrl, { retryCount: 0 }),
    pollingInterval: POLL_MS,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions);
  const account = (index: number) => mnemonicToAccount(MNEMONIC, { addressIndex: index });
  const miner = account(0);

  const deploy = async ({
    abi,
    bytecode,
  }: {
    readonly abi: readonly unknown[];
    bytecode: string;
  }) => {
    const hash = await client.deployContract({
      account: miner,
      abi: abi as Abi,
      bytecode: bytecode as Hex,
      args: [],
    });
    const { contractAddress } = await client.waitForTransactionReceipt({ hash });
    if (!contractAddress) throw new Error("the contract was not deployed");
    return contractAddress;
  };
  const asset = await deploy(contracts.TestDollar);
  const batch = await deploy(contracts.Batch);
  const abi = contracts.TestDollar.abi as Abi;

  const send = async (to: Hex, of: Abi, functionName: string, args: readonly unknown[]) => {
    const hash = await client.writeContract({
      account: miner,
      address: to,
      abi: of,
      functionName,
      args,
    });
    return client.waitForTransactionReceipt({ hash });
  };
  const sign = async (wallet: Wallet, primaryType: string, types: object, message: object) => {
    const domain = { name: "Test Dollar", version: "2", chainId: 31_337, verifyingContract: asset };
    return wallet.signTypedData({ domain, types, primaryType, message } as never);
  };
  const partsOf = (signature: Hex) =>
    [
      Number.parseInt(signature.slice(130), 16),
      signature.slice(0, 66),
      `0x${signature.slice(66, 130)}`,
    ] as const;

  return {
    rpcUrl,
    client,
    asset,
    /** The value of `FEEDGATE_X402_ASSET`. */
    assetSetting: `${asset},Test Dollar,2`,
    network: "eip155:31337",
    /** An account with the chain's own coin. The first one deploys and mints. */
    account,
    /** A new wallet with this many millionths of a dollar. */
    async createWallet(micros = 1_000_000_000n): Promise<Wallet> {
      const wallet = privateKeyToAccount(generatePrivateKey());
      if (micros > 0n) await send(asset, abi, "mint", [wallet.address, micros]);
      return wallet;
    },
    /** The wallet's balance in millionths of a dollar. */
    async balanceOf(address: Hex): Promise<bigint> {
      const args = [address];
      return (await client.readContract({
        address: asset,
        abi,
        functionName: "balanceOf",
        args,
      })) as bigint;
    },
    signTransfer: (wallet: Wallet, authorization: Authorization): Promise<Hex> =>
      sign(wallet, "TransferWithAuthorization", TRANSFER_TYPES, authorization),
    /** Submits authorizations to the dollar without a facilitator, in one transaction. */
    transfer(...transfers: readonly { authorization: Authorization; signature: Hex }[]) {
      const calls = transfers.map(({ authorization, signature }) => {
        const { from, to, value, validAfter, validBefore, nonce } = authorization;
        const args = [from, to, value, validAfter, validBefore, nonce, ...partsOf(signature)];
        return encodeFunctionData({ abi, functionName: "transferWithAuthorization", args });
      });
      return send(batch, contracts.Batch.abi as Abi, "run", [asset, calls]);
    },
    /** Cancels an authorization. */
    async cancel(wallet: Wallet, nonce: Hex) {
      const message = { authorizer: wallet.address, nonce };
      const signature = await sign(wallet, "CancelAuthorization", CANCEL_TYPES, message);
      return send(asset, abi, "cancelAuthorization", [
        wallet.address,
        nonce,
        ...partsOf(signature),
      ]);
    },
    /** Mines empty blocks. */
    mine: (blocks = 1) => client.mine({ blocks }),
    /** Drops the newest blocks with their transactions, and mines others in their place. */
    async reorganise(blocks: number): Promise<void> {
      const head = await client.getBlockNumber({ cacheTime: 0 });
      await client.request({ method: "anvil_rollback" as never, params: [blocks] as never });
      await client.mine({ blocks: blocks + 1 });
      const now = await client.getBlockNumber({ cacheTime: 0 });
      if (now !== head + 1n) throw new Error(`the chain went from block ${head} to ${now}`);
    },
    /** Sets the clock of later blocks forward. */
    async passTime(seconds: number): Promise<void> {
      await client.increaseTime({ seconds });
      await client.mine({ blocks: 1 });
    },
    async stop(): Promise<void> {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

const CANCEL_TYPES = {
  CancelAuthorization: [
    { name: "authorizer", type: "address" },
    { name: "nonce", type: "bytes32" },
  ],
};

/** Retries with the next port if another process takes this one first. */
async function startAnvil() {
  const program = findAnvil();
  if (program === undefined) throw new Error("there is no anvil here: ask hasChain() first");
  for (let starts = 0; starts < STARTS_MAX; starts += 1) {
    const port = freePort();
    const command = [program, "--host", "127.0.0.1", "--port", `${port}`, "--silent"];
    const child = Bun.spawn(command, { stdout: "ignore", stderr: "ignore", stdin: "ignore" });
    const rpcUrl = `http://127.0.0.1:${port}`;
    if (await answers(rpcUrl, child)) return { child, rpcUrl };
    child.kill("SIGKILL");
  }
  throw new Error("anvil did not start");
}

async function answers(rpcUrl: string, child: { readonly exitCode: number | null }) {
  const until = Date.now() + START_MS;
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] });
  const headers = { "Content-Type": "application/json" };
  while (Date.now() < until && child.exitCode === null) {
    const answer = await fetch(rpcUrl, { method: "POST", headers, body }).catch(() => undefined);
    if (answer?.ok && child.exitCode === null) return true;
    await Bun.sleep(POLL_MS);
  }
  return false;
}
