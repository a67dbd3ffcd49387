/**
 * Secrets of webhooks, and signatures according to Standard Webhooks.
 *
 * A secret is shown once. The sender needs it, so it is stored encrypted with the gateway's own secret, and can be
 * decrypted only for its webhook.
 *
 * @module
 */
import { createHmac, randomBytes } from "node:crypto";
import { openToken, sealToken } from "../lib/sealed_token.ts";

const SECRET_BYTES = 32;
const PREFIX = "whsec_";
const PURPOSE = "webhook secret";

interface SealedFor {
  /** The gateway's own. */
  readonly secret: string;
  readonly webhookId: string;
}

/** A new secret: as it is shown, and as it is stored. */
export function makeWebhookSecret(sealedFor: SealedFor) {
  const bytes = randomBytes(SECRET_BYTES);
  return {
    shown: PREFIX + bytes.toString("base64"),
    sealed: sealToken(bytes, bindingOf(sealedFor)),
  };
}

/** The secret as it was shown. Undefined if it was sealed with another secret. */
export function openWebhookSecret(sealed: string, sealedFor: SealedFor): string | undefined {
  const bytes = openToken(sealed, bindingOf(sealedFor));
  return bytes && PREFIX + bytes.toString("base64");
}

interface Signed {
  readonly id: string;
  readonly sentAt: Date;
  readonly body: string;
}

/** The headers of a signed call: HMAC-SHA-256 of id, time, and body. Each secret makes a signature. */
export function signedHeaders(
  secrets: readonly string[],
  { id, sentAt, body }: Signed,
): Record<string, string> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}

function bindingOf({ secret, webhookId }: SealedFor) {
  return { secret, purpose: PURPOSE, binding: webhookId };
}
