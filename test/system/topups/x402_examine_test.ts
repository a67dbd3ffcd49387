import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readConfig } from "../../../src/config.ts";
import { present } from "../../../src/lib/assert.ts";
import { examineX402 } from "../../../src/topups/x402/examine_x402.ts";
import { type Chain, hasChain, startChain } from "../../support/chain/chain.ts";
import { type Facilitator, startFacilitator } from "../../support/chain/facilitator.ts";
import { settingsOf } from "../../topups/x402_scene.ts";

describe.skipIf(!hasChain())("doctor: x402", () => {
  let chain: Chain;
  let facilitator: Facilitator;
  beforeAll(async () => {
    chain = await startChain();
    facilitator = startFacilitator(chain, 1);
  });
  afterAll(async () => {
    await facilitator.stop();
    await chain.stop();
  });

  function examine(settings: Record<string, string> = {}) {
    const given = settingsOf(chain, facilitator.url, `0x${"0f".repeat(20)}`);
    const { topups } = readConfig({ ...given, ...settings });
    return examineX402(present(topups?.x402));
  }

  test("what works is said, and nothing is settled", async () => {
    expect(await examine()).toEqual({
      name: "x402",
      health: "ok",
      found: "Test Dollar on eip155:31337, 1 confirmations",
    });
    expect(facilitator.calls).toEqual(["/supported"]);
  });

  const NODE = "FEEDGATE_X402_RPC_URL";
  const TOKEN = "FEEDGATE_X402_ASSET";
  for (const [what, settings, hint] of [
    ["a node that is down", () => ({ [NODE]: "http://127.0.0.1:9" }), NODE],
    ["a node of another network", () => ({ FEEDGATE_X402_NETWORK: "eip155:8453" }), NODE],
    ["a node that is none", () => ({ [NODE]: facilitator.url }), NODE],
    ["a token of another name", () => ({ [TOKEN]: `${chain.asset},USD Coin,2` }), TOKEN],
    ["a token that is none", () => ({ [TOKEN]: `0x${"aa".repeat(20)},Test Dollar,2` }), undefined],
    ["a facilitator that is down", () => ({ FEEDGATE_X402_FACILITATOR_URL: "http://127.0.0.1:9" })],
    ["a facilitator of something else", () => ({ FEEDGATE_X402_FACILITATOR_URL: chain.rpcUrl })],
  ] as const) {
    test(`${what} is bad`, async () => {
      const hinted = expect.stringContaining(hint ?? "");
      expect(await examine(settings())).toMatchObject({ health: "bad", hint: hinted });
    });
  }
});
