import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Chain, hasChain, startChain } from "../../support/chain/chain.ts";
import { CONTRACTS, compileContracts } from "../../support/chain/compile.ts";

describe.skipIf(!hasChain())("test chain", () => {
  let chain: Chain;
  beforeAll(async () => {
    chain = await startChain();
  });
  afterAll(() => chain.stop());

  test("what is deployed is what the source says", async () => {
    expect(await compileContracts()).toEqual(await Bun.file(CONTRACTS).json());
  });

  test("an authorization moves money once, and not after the chain forgot it", async () => {
    const [payer, payee] = [await chain.createWallet(5_000_000n), await chain.createWallet(0n)];
    const authorization = {
      from: payer.address,
      to: payee.address,
      value: 2_000_000n,
      validAfter: 0n,
      validBefore: BigInt(Math.floor(Date.now() / 1_000) + 600),
      nonce: `0x${"ab".repeat(32)}` as const,
    };
    const signature = await chain.signTransfer(payer, authorization);
    const { status } = await chain.transfer({ authorization, signature });
    expect(status).toBe("success");
    expect(await chain.balanceOf(payee.address)).toBe(2_000_000n);
    await expect(chain.transfer({ authorization, signature })).rejects.toThrow();
    await chain.reorganise(1);
    expect(await chain.balanceOf(payee.address)).toBe(0n);
    await chain.cancel(payer, authorization.nonce);
    await expect(chain.transfer({ authorization, signature })).rejects.toThrow();
  });
});
