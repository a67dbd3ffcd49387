/**
 * A failed sign-in through an OpenID Connect provider: a sentence for the page, and the cause for the log.
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
      return `The sign-in with ${provider} was canceled.`;
    case "unavailable":
      return `${provider} can't be reached at the moment. Try again in a few minutes.`;
    case "misconfigured":
      return `Sign-in with ${provider} is not working at the moment. Contact the operator of this gateway.`;
    case "unverified":
      return `${provider} has not verified your email address. Verify it there, then sign in again.`;
    case "expired":
      return "This sign-in took more than 10 minutes. Sign in again.";
    case "unknown":
      return "This sign-in was started in a different browser, or a newer one has replaced it. Sign in again.";
    case "invalid":
      return `The response from ${provider} is not valid. Sign in again.`;
  }
}
