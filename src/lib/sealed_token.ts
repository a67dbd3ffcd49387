/**
 * Opaque tokens: a short payload that only this gateway can write, and only this gateway can read.
 *
 * A token is base64url (RFC 4648 section 5, no padding) of a version, a nonce, the payload under AES-256-GCM (NIST SP
 * 800-38D), and its tag. The keys are derived (HKDF, RFC 5869) from the secret for one purpose. The binding is
 * authenticated but not included, so a caller that opens the token must know it. The length of a payload is visible, so
 * a caller that must hide it uses payloads of the same length.
 *
 * The nonce is not random but an HMAC of the binding and the payload (as in RFC 8452). So a payload has the same token
 * in every process. This matters because the cursor of a page is part of the next page's cache key, `ETag`, and
 * `Idempotency-Key` hash. A nonce is never reused, except for the identical token.
 *
 * @module
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from "node:crypto";

export interface TokenOptions {
  /** Every process that opens the token must have the same one. */
  readonly secret: string;
  /** The kind of token, such as `usage cursor`. A token of one kind can't be opened as another. */
  readonly purpose: string;
  /** What the token is valid for: an account, a feed, a query. */
  readonly binding: string;
}

/** Changes with the format of tokens, so that older formats are refused. */
const VERSION = 1;
const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PAYLOAD_START = 1 + NONCE_BYTES;

/** Creates the token of a payload: 4 characters for each 3 bytes of the payload, and 39 more. */
export function sealToken(payload: Uint8Array, options: TokenOptions): string {
  const { cipherKey, nonceKey } = keysOf(options);
  const binding = Buffer.from(options.binding, "utf8");
  const nonce = createHmac("sha256", nonceKey)
    // The binding's length comes first, so that no part of the binding can pass for the payload.
    .update(`${binding.length}:`)
    .update(binding)
    .update(payload)
    .digest()
    .subarray(0, NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, cipherKey, nonce, { authTagLength: TAG_BYTES });
  const sealed = [cipher.setAAD(binding).update(payload), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat([Uint8Array.of(VERSION), nonce, ...sealed]).toString("base64url");
}

/** The payload. Undefined if the token was not created with this secret, purpose, and binding. */
export function openToken(token: string, options: TokenOptions): Buffer | undefined {
  const bytes = Buffer.from(token, "base64url");
  // The decoder skips characters that are not base64url. Requiring the canonical form gives each token a single
  // spelling.
  if (bytes.toString("base64url") !== token) return undefined;
  if (bytes[0] !== VERSION || bytes.length < PAYLOAD_START + TAG_BYTES) return undefined;
  const nonce = bytes.subarray(1, PAYLOAD_START);
  const { cipherKey } = keysOf(options);
  const decipher = createDecipheriv(CIPHER, cipherKey, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(options.binding, "utf8")).setAuthTag(bytes.subarray(-TAG_BYTES));
  const payload = decipher.update(bytes.subarray(PAYLOAD_START, -TAG_BYTES));
  try {
    return Buffer.concat([payload, decipher.final()]);
  } catch {
    // `final` throws only if the tag does not match.
    return undefined;
  }
}

function keysOf({ secret, purpose }: TokenOptions): {
  cipherKey: Uint8Array;
  nonceKey: Uint8Array;
} {
  const info = `feedgate token ${VERSION}: ${purpose}`;
  const bytes = new Uint8Array(hkdfSync("sha256", secret, "", info, 2 * KEY_BYTES));
  return { cipherKey: bytes.subarray(0, KEY_BYTES), nonceKey: bytes.subarray(KEY_BYTES) };
}
