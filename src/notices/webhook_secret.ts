/**
 * Secrets of webhooks, and signatures by Standard Webhooks.
 *
 * A secret is shown once. The sender needs it, so it is stored sealed with the gateway's own secret, and valid for one
 * address only.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
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

/** The headers of a signed call. Each secret makes a signature. */
export function signedHeaders(
  secrets: readonly string[],
  { id, sentAt, body }: Signed,
): Record<string, string> {
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1_000)),
    "webhook-signature": secrets
      .map((secret) => new Webhook(secret).sign(id, sentAt, body))
      .join(" "),
  };
}

function bindingOf({ secret, webhookId }: SealedFor) {
  return { secret, purpose: PURPOSE, binding: webhookId };
}
