/**
 * An attempt to sign in at an OpenID Connect provider, encrypted in a cookie of the browser that began it, so that the
 * gateway stores nothing until the person returns.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { openToken, sealToken, type TokenOptions } from "../../lib/sealed_token.ts";
import { OPENID_ATTEMPT_LENGTH_MAX } from "../../limits.ts";

export interface OpenIdAttempt {
  /** Ties the answer to the browser (RFC 6749, section 10.12). */
  readonly state: string;
  /** Ties the ID token to the attempt. */
  readonly nonce: string;
  /** Ties the code to the attempt (PKCE, RFC 7636). */
  readonly verifier: string;
  /** Where the sign-in leads. */
  readonly next: string | undefined;
  /** When it began, in ms since 1970. */
  readonly begunMs: number;
}

const Sealed = Type.Object({
  state: Type.String(),
  nonce: Type.String(),
  verifier: Type.String(),
  next: Type.Optional(Type.String()),
  begunMs: Type.Number(),
});

/** Drops `next` if a browser would not keep a cookie of that length. */
export function sealAttempt(attempt: OpenIdAttempt, options: TokenOptions): string {
  const seal = (value: OpenIdAttempt) => sealToken(Buffer.from(JSON.stringify(value)), options);
  const kept = seal(attempt);
  if (kept.length <= OPENID_ATTEMPT_LENGTH_MAX) return kept;
  return seal({ ...attempt, next: undefined });
}

/** Undefined if it was not sealed with these options. */
export function openAttempt(kept: string, options: TokenOptions): OpenIdAttempt | undefined {
  const payload = openToken(kept, options);
  if (payload === undefined) return undefined;
  const value: unknown = JSON.parse(payload.toString());
  return Value.Check(Sealed, value) ? { ...value, next: value.next } : undefined;
}
