/**
 * USDC on the networks where it takes authorizations (EIP-3009): its contract, and its name and version, which payers
 * sign (EIP-712). From Circle's list of contracts; a test compares them with the official x402 library's. Beside them, the
 * public nodes of networks.
 *
 * @module
 */

/** A dollar that is paid. It has six decimals. */
export interface Asset {
  /** Its contract, `0x` and 40 digits. */
  readonly address: string;
  readonly name: string;
  readonly version: string;
}

/** By CAIP-2 id. Other networks need `FEEDGATE_X402_ASSET`. */
export const USDC: ReadonlyMap<string, Asset> = new Map([
  // Base
  ["eip155:8453", usdCoin("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913")],
  // Base Sepolia, for trials
  ["eip155:84532", { ...usdCoin("0x036CbD53842c5426634e7929541eC2318f3dCF7e"), name: "USDC" }],
  // Ethereum
  ["eip155:1", usdCoin("0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48")],
  // Polygon
  ["eip155:137", usdCoin("0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359")],
  // Arbitrum One
  ["eip155:42161", usdCoin("0xaf88d065e77c8cC2239327C5EDb3A432268e5831")],
  // Avalanche C-Chain
  ["eip155:43114", usdCoin("0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E")],
]);

/** Nodes that their networks have for everybody, by CAIP-2 id: for trials, since a node says what was paid. */
export const PUBLIC_NODES: ReadonlyMap<string, string> = new Map([
  ["eip155:8453", "https://mainnet.base.org"],
  ["eip155:84532", "https://sepolia.base.org"],
]);

function usdCoin(address: string): Asset {
  return { address, name: "USD Coin", version: "2" };
}
