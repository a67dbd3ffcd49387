import { expect, test } from "bun:test";
import { getDefaultAsset } from "@x402/evm";
import { USDC } from "../../src/money/usdc.ts";

test("USDC is where the official library has it", () => {
  for (const [network, { address, name, version }] of USDC) {
    expect(getDefaultAsset(network as `eip155:${string}`)).toMatchObject({
      asset: address,
      name,
      version,
      decimals: 6,
    });
  }
});
