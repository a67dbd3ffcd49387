import { describe, expect, test } from "bun:test";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { X402Config } from "../../src/config.ts";
import type { Authorization } from "../../src/topups/x402/check_payment.ts";
import { isSignedByPayer } from "../../src/topups/x402/signature.ts";
import { TRANSFER_TYPES } from "../support/chain/transfer_types.ts";

const ASSET = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

const config = (changes: Partial<X402Config["asset"]> = {}, network = "eip155:8453") =>
  ({
    network,
    asset: { address: ASSET, name: "USD Coin", version: "2", ...changes },
  }) as X402Config;

/** As a wallet of the reference library signs. */
async function signed() {
  const wallet = privateKeyToAccount(generatePrivateKey());
  const authorization: Authorization = {
    from: wallet.address.toLowerCase(),
    to: "0x00000000000000000000000000000000000000aa",
    value: "5000000",
    validAfter: "0",
    validBefore: "1795000000",
    nonce: `0x${"ab".repeat(32)}`,
  };
  const signature = await wallet.signTypedData({
    domain: { name: "USD Coin", version: "2", chainId: 8_453, verifyingContract: ASSET },
    types: TRANSFER_TYPES,
    primaryType: "TransferWithAuthorization",
    message: authorization as never,
  });
  return { authorization, signature };
}

describe("isSignedByPayer", () => {
  test("takes what a wallet of another library has signed, in either spelling of v", async () => {
    for (let count = 0; count < 20; count++) {
      const { authorization, signature } = await signed();
      const parity = Number.parseInt(signature.slice(-2), 16) - 27;
      for (const each of [signature, `${signature.slice(0, -2)}0${parity}`]) {
        expect(isSignedByPayer(config(), authorization, each)).toBe(true);
      }
    }
  });

  test("refuses anything else that was signed, or another signature", async () => {
    const { authorization, signature } = await signed();
    const others: Partial<Authorization>[] = [
      { from: authorization.to },
      { to: authorization.from },
      { value: "5000001" },
      { validAfter: "1" },
      { validBefore: "1795000001" },
      { nonce: `0x${"ac".repeat(32)}` },
    ];
    for (const change of others) {
      expect(isSignedByPayer(config(), { ...authorization, ...change }, signature)).toBe(false);
    }
    for (const other of [
      config({ name: "Other" }),
      config({ version: "1" }),
      config({ address: authorization.to }),
      config({}, "eip155:1"),
    ]) {
      expect(isSignedByPayer(other, authorization, signature)).toBe(false);
    }
    const s = BigInt(`0x${signature.slice(66, 130)}`);
    const high = (ORDER - s).toString(16).padStart(64, "0");
    const flipped = signature.endsWith("1b") ? "1c" : "1b";
    for (const forged of [
      `${signature.slice(0, 66)}${high}${flipped}`,
      `${signature.slice(0, -2)}${flipped}`,
      `${signature.slice(0, -2)}1d`,
      signature.slice(0, -2),
      `${signature}00`,
      `0x${"00".repeat(64)}1b`,
      `0x${"ff".repeat(64)}1b`,
      "0x",
    ]) {
      expect(isSignedByPayer(config(), authorization, forged)).toBe(false);
    }
  });
});
