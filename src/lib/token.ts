/**
 * Secret tokens, and the digests that are stored in their place.
 *
 * @module
 */
import { randomBytes } from "node:crypto";

const TOKEN_BYTES = 32;

/** A random token for a link, a code or a cookie. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/** SHA-256 of a text. A token needs no slower hash, because it can't be guessed. */
export function sha256(text: string): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(text).digest();
}
