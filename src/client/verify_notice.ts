/**
 * Verifies the notices that a gateway sends to webhooks, which are signed as specified by Standard Webhooks.
 *
 * @module
 */

/** A verified notice. */
export interface Notice {
  /** The same in every attempt, so ignore ids that you have already processed. */
  readonly id: string;
  /** The type of the notice, such as `feed.updated`. */
  readonly type: string;
  /** The time of the event, RFC 3339. */
  readonly timestamp: string;
  /** The fields of the type, which the OpenAPI document describes under `webhooks`. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** A received request to verify. */
export interface VerifyNotice {
  /** The webhook's secret, `whsec_…`. For 24 hours after a rotation, the previous secret also works. */
  readonly secret: string;
  /** The request's body, exactly as it was received. */
  readonly body: string;
  /** The request's headers. */
  readonly headers: Headers;
  /** The current time in milliseconds since the Unix epoch. @default Date.now() */
  readonly nowMs?: number;
}

/** The notice was not signed with the secret, was changed, or is too old. Does not extend `FeedgateError`. */
export class NoticeSignatureError extends Error {
  override readonly name = "NoticeSignatureError";
}

const PREFIX = "whsec_";
const VERSION = "v1,";
/** How much older or newer than now a notice may be, in seconds. */
const TOLERANCE_SECONDS = 5 * 60;

/**
 * Returns the notice if one of its signatures matches.
 *
 * @throws {NoticeSignatureError} if none matches, if a header is missing, if `secret` is not a webhook's, or if the
 *   notice was sent more than 5 minutes before or after `nowMs`
 */
export async function verifyNotice(notice: VerifyNotice): Promise<Notice> {
  const { secret, body, headers, nowMs = Date.now() } = notice;
  const id = headers.get("webhook-id");
  const timestamp = headers.get("webhook-timestamp");
  const signatures = headers.get("webhook-signature");
  if (id === null || timestamp === null || signatures === null) {
    throw new NoticeSignatureError("A Standard Webhooks header is missing.");
  }
  const ageSeconds = Math.abs(nowMs / 1_000 - Number(timestamp));
  if (!(ageSeconds <= TOLERANCE_SECONDS)) {
    throw new NoticeSignatureError(
      "The notice was sent more than 5 minutes ago, or a clock is wrong.",
    );
  }
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const bytes = bytesOf(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  if (bytes === undefined) throw new NoticeSignatureError("The secret is not a webhook secret.");
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"]);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const each of signatures.split(" ")) {
    const signature = each.startsWith(VERSION) ? bytesOf(each.slice(VERSION.length)) : undefined;
    if (signature === undefined) continue;
    if (await crypto.subtle.verify("HMAC", key, signature, signed)) {
      const { type, timestamp: happenedAt, data } = JSON.parse(body);
      return { id, type, timestamp: happenedAt, data };
    }
  }
  throw new NoticeSignatureError("No signature matches the secret.");
}

/** Undefined if the text is not base64. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}
