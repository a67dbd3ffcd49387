/**
 * Checks whether the payer has signed a payment: typed data (EIP-712) of `transferWithAuthorization` (EIP-3009), by the
 * key of the payer's address.
 *
 * The signature is checked before anything is stored or sent to the chain or the facilitator, so that a forged payment
 * costs nothing. A wallet that is a contract has no such key, and is refused.
 *
 * @module
 */
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import type { X402Config } from "../../config.ts";
import { wordOf } from "./chain.ts";
import type { Authorization } from "./check_payment.ts";

const DOMAIN_TYPE = hashOf(
  "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)",
);
const TRANSFER_TYPE = hashOf(
  "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)",
);
/** In hexadecimal: r and s, 32 bytes each, and v. */
const SIGNATURE_FORM = /^0x(?<point>[0-9a-f]{128})(?<v>1b|1c|00|01)$/i;

/** @param signature in hexadecimal, with `0x` */
export function isSignedByPayer(
  { network, asset }: X402Config,
  authorization: Authorization,
  signature: string,
): boolean {
  const { point = "", v = "" } = SIGNATURE_FORM.exec(signature)?.groups ?? {};
  if (point === "") return false;
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const domain = hashOfWords(
    DOMAIN_TYPE,
    hashOf(asset.name),
    hashOf(asset.version),
    numberWord(network.replace("eip155:", "")),
    wordOf(asset.address),
  );
  const transfer = hashOfWords(
    TRANSFER_TYPE,
    wordOf(from),
    wordOf(to),
    numberWord(value),
    numberWord(validAfter),
    numberWord(validBefore),
    nonce.slice(2),
  );
  const digest = keccak_256(Buffer.from(`1901${domain}${transfer}`, "hex"));
  const parity = Number.parseInt(v, 16) % 27;
  return addressOf(digest, Buffer.from(point, "hex"), parity) === from.toLowerCase();
}

/** The address of the key that signed. Undefined if the signature is invalid. */
function addressOf(digest: Uint8Array, point: Uint8Array, parity: number): string | undefined {
  try {
    const signed = secp256k1.Signature.fromBytes(point).addRecoveryBit(parity);
    // The dollar's contract accepts only the lower of the two forms (EIP-2).
    if (signed.hasHighS()) return undefined;
    const key = signed.recoverPublicKey(digest).toBytes(false);
    return `0x${Buffer.from(keccak_256(key.subarray(1)).subarray(12)).toString("hex")}`;
  } catch {
    return undefined;
  }
}

function hashOf(text: string): string {
  return Buffer.from(keccak_256(Buffer.from(text))).toString("hex");
}

function hashOfWords(...words: readonly string[]): string {
  return Buffer.from(keccak_256(Buffer.from(words.join(""), "hex"))).toString("hex");
}

function numberWord(digits: string): string {
  return BigInt(digits).toString(16).padStart(64, "0");
}
