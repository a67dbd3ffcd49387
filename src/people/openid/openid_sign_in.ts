/**
 * Signs people in through an OpenID Connect provider: the authorization code flow with PKCE, `state` and `nonce`
 * (OpenID Connect Core 1.0, section 3.1). The browser keeps the attempt in an encrypted cookie, so the gateway stores
 * nothing until the person returns. The provider ensures that each code works only once.
 *
 * Nothing is loaded or requested before the first person signs in. See `src/spec/beyond.md`, section 16.
 *
 * @module
 */
import type { OidcConfig } from "../../config.ts";
import { newToken } from "../../lib/token.ts";
import { OPENID_ANSWER_MS, OPENID_ATTEMPT_MS, OPENID_METADATA_MS } from "../../limits.ts";
import { type OpenIdAttempt, openAttempt, sealAttempt } from "./openid_attempt.ts";
import type { OpenIdIdentity, OpenIdProvider } from "./openid_provider.ts";
import { type OpenIdRefusal, OpenIdRefused } from "./openid_refused.ts";

export type { OpenIdIdentity } from "./openid_provider.ts";
export { type OpenIdRefusal, OpenIdRefused } from "./openid_refused.ts";

export interface OpenIdOptions {
  /** The address at the gateway to which the provider sends people back. It is registered there. */
  readonly redirectUri: () => string;
  /** Seals attempts. All processes must have the same one. */
  readonly secret: string;
  /** For each request to the provider, in ms. @default OPENID_ANSWER_MS */
  readonly answerMsMax?: number;
  /** In ms since 1970. @default Date.now */
  readonly nowMs?: () => number;
}

export interface OpenId {
  readonly redirectUri: () => string;
  /**
   * Begins an attempt. `location` is where the browser goes, and `kept` is for a cookie of that browser. `next` comes
   * back from `finish`; if it is too long for a cookie, it is dropped.
   *
   * @throws {OpenIdRefused}
   */
  begin(attempt: {
    readonly next: string | undefined;
  }): Promise<{ location: string; kept: string }>;
  /**
   * Checks the provider's answer. `kept` is the cookie's value.
   *
   * @throws {OpenIdRefused}
   */
  finish(answer: {
    readonly callbackUrl: URL;
    readonly kept: string | undefined;
  }): Promise<OpenIdIdentity & { readonly next: string | undefined }>;
}

export function createOpenId(oidc: OidcConfig, options: OpenIdOptions): OpenId {
  const { redirectUri, secret, answerMsMax = OPENID_ANSWER_MS, nowMs = Date.now } = options;
  const sealing = {
    secret,
    purpose: "OpenID Connect sign-in",
    // An attempt is of no use after the configuration has changed.
    binding: `${oidc.issuer} ${oidc.clientId}`,
  };
  let known: { readonly provider: Promise<OpenIdProvider>; readonly untilMs: number } | undefined;

  /** The provider, whose metadata is read again after a while, and after a failure. */
  function provider(): Promise<OpenIdProvider> {
    if (known !== undefined && known.untilMs > nowMs()) return known.provider;
    const discovered = discover(oidc, answerMsMax);
    const entry = { provider: discovered, untilMs: nowMs() + OPENID_METADATA_MS };
    known = entry;
    discovered.catch(() => {
      if (known === entry) known = undefined;
    });
    return discovered;
  }

  function refused(reason: OpenIdRefusal, why: string): OpenIdRefused {
    return new OpenIdRefused(reason, oidc.name, { cause: new Error(why) });
  }

  return {
    redirectUri,
    async begin({ next }) {
      const attempt: OpenIdAttempt = {
        state: newToken(),
        nonce: newToken(),
        verifier: newToken(),
        next,
        begunMs: nowMs(),
      };
      const { href } = new URL(redirectUri());
      const location = await (await provider()).authorizationUrl(attempt, href);
      return { location: location.href, kept: sealAttempt(attempt, sealing) };
    },
    async finish({ callbackUrl, kept }) {
      if (kept === undefined) throw refused("unknown", "there is no cookie");
      const attempt = openAttempt(kept, sealing);
      if (attempt === undefined) throw refused("unknown", "the cookie can't be opened");
      if (nowMs() - attempt.begunMs > OPENID_ATTEMPT_MS)
        throw refused("expired", "the sign-in began too long ago");
      // Before anything is requested from the provider.
      const states = callbackUrl.searchParams.getAll("state");
      if (states.length !== 1 || states[0] !== attempt.state) {
        throw refused("unknown", "the state is of another attempt");
      }
      // The redirect address must be the same as at the beginning, whatever proxies did to the request's.
      const answer = new URL(redirectUri());
      answer.search = callbackUrl.search;
      const identity = await (await provider()).identify(answer, attempt);
      return { ...identity, next: attempt.next };
    },
  };
}

/** Loads openid-client when it is first needed, so a gateway without OpenID Connect never loads it. */
async function discover(oidc: OidcConfig, answerMsMax: number): Promise<OpenIdProvider> {
  const { discoverProvider } = await import("./openid_provider.ts");
  return discoverProvider(oidc, { answerMsMax });
}
