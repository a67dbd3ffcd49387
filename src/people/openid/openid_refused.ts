/**
 * Why a sign-in through an OpenID Connect provider failed: a sentence for the page, and the cause for the log.
 *
 * @module
 */

export type OpenIdRefusal =
  /** The person did not agree at the provider. */
  | "denied"
  /** The provider can't be reached, is too slow, or has a failure of its own. */
  | "unavailable"
  /** The provider and the gateway don't fit: another issuer, a wrong client or secret, or metadata that can't be read. */
  | "misconfigured"
  /** The provider does not vouch for an address. */
  | "unverified"
  /** The sign-in began too long ago. */
  | "expired"
  /** The sign-in began in another browser, or another one has begun in this browser since. */
  | "unknown"
  /** The answer is forged, was used before, or is not one that the provider may give. */
  | "invalid";

const STATUS: Readonly<Record<OpenIdRefusal, number>> = {
  denied: 403,
  unavailable: 503,
  misconfigured: 503,
  unverified: 403,
  expired: 403,
  unknown: 403,
  invalid: 403,
};

export class OpenIdRefused extends Error {
  override readonly name = "OpenIdRefused";
  readonly reason: OpenIdRefusal;
  /** Of the page. */
  readonly status: number;

  /** The message is for the page, the cause for the log. Neither contains a secret or a token. */
  constructor(reason: OpenIdRefusal, provider: string, options?: { readonly cause: Error }) {
    super(sentenceOf(reason, provider), options);
    this.reason = reason;
    this.status = STATUS[reason];
  }
}

function sentenceOf(reason: OpenIdRefusal, provider: string): string {
  switch (reason) {
    case "denied":
      return `You did not allow the sign-in at ${provider}.`;
    case "unavailable":
      return `${provider} can't be reached at the moment. Try again in a few minutes.`;
    case "misconfigured":
      return `Signing in with ${provider} does not work at the moment. Contact the operator of this gateway.`;
    case "unverified":
      return `${provider} has not verified an email address of yours. Verify it there, then sign in again.`;
    case "expired":
      return "This sign-in began more than 10 minutes ago. Sign in again.";
    case "unknown":
      return "This sign-in did not begin in this browser, or a newer one has replaced it. Sign in again.";
    case "invalid":
      return `The answer of ${provider} can't be accepted. Sign in again.`;
  }
}
