/**
 * Opaque tokens that only this gateway can issue: a short payload, signed and bound to what it is for.
 *
 * Base64url (RFC 4648 section 5, no padding) of 16 bytes of HMAC-SHA256 (RFC 2104) and the payload. The
 * binding is signed but not carried: whoever opens the token must know it. The payload is readable by
 * anyone, so it holds no secret.
 *
 * @module
 */
import { createHmac, timingSafeEqual } from "node:crypto";

export interface TokenOptions {
  /** The key of the signature. */
  readonly secret: string;
  /** What the token is good for: an account, a feed, a query. */
  readonly binding: string;
}

/** Half of SHA-256, which RFC 2104 section 5 allows: a forger needs 2^128 tries. */
const SIGNATURE_BYTES = 16;
/** The length of a base64url text of `n` bytes modulo 4 is never this. */
const IMPOSSIBLE_REMAINDER = 1;
const FORM = /^[A-Za-z0-9_-]+$/;

/** The token of a payload. */
export function signToken(payload: string, options: TokenOptions): string {
  const bytes = Buffer.from(payload, "utf8");
  return Buffer.concat([signatureOf(bytes, options), bytes]).toString("base64url");
}

/** The payload; undefined where the token was not issued for this binding with this secret. */
export function openToken(token: string, options: TokenOptions): string | undefined {
  if (!FORM.test(token) || token.length % 4 === IMPOSSIBLE_REMAINDER) return undefined;
  const bytes = Buffer.from(token, "base64url");
  // The last character has spare bits: only one spelling of a token is the one that was issued.
  if (bytes.toString("base64url") !== token || bytes.length < SIGNATURE_BYTES) return undefined;
  const payload = bytes.subarray(SIGNATURE_BYTES);
  const isOurs = timingSafeEqual(bytes.subarray(0, SIGNATURE_BYTES), signatureOf(payload, options));
  return isOurs ? payload.toString("utf8") : undefined;
}

/** The binding's length goes first, so that no part of it can pass for the payload. */
function signatureOf(payload: Uint8Array, { secret, binding }: TokenOptions): Buffer {
  const bound = Buffer.from(binding, "utf8");
  return createHmac("sha256", secret)
    .update(`${bound.length}:`)
    .update(bound)
    .update(payload)
    .digest()
    .subarray(0, SIGNATURE_BYTES);
}
