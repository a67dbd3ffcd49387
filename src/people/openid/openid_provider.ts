/**
 * An OpenID Connect provider: the address where people sign in, and the identity in its response.
 *
 * openid-client does the protocol (OpenID Connect Core 1.0 and Discovery 1.0, RFC 6749, RFC 7636, RFC 9207). By
 * default, it trusts the token endpoint's TLS, so the check of the ID token's signature is enabled here. It keeps the
 * provider's keys for 5 minutes, and reads them again for an unknown key, at most once a minute.
 *
 * @module
 */
import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from "openid-client";
import type { OidcConfig } from "../../config.ts";
import { excerpt, hasAtMost } from "../../lib/code_points.ts";
import { codeOf } from "../../lib/error_fields.ts";
import { withoutInvisible } from "../../lib/invisible_text.ts";
import { MS_PER_SECOND } from "../../lib/time_units.ts";
import { NAME_LENGTH_MAX, OPENID_CLOCK_TOLERANCE_MS } from "../../limits.ts";
import type { OpenIdAttempt } from "./openid_attempt.ts";
import { type OpenIdRefusal, OpenIdRefused } from "./openid_refused.ts";
import { fetchFromProvider, ProviderUnavailable } from "./provider_fetch.ts";

/** A person, as the provider knows it. */
export interface OpenIdIdentity {
  readonly issuer: string;
  /** The person's id there. No other person has it, and it never changes. */
  readonly subject: string;
  /** Verified by the provider. */
  readonly email: string;
  readonly name: string | undefined;
}

export interface OpenIdProvider {
  /** Where the browser goes. */
  authorizationUrl(attempt: OpenIdAttempt, redirectUri: string): Promise<URL>;
  /** Redeems the code of the answer. @throws {OpenIdRefused} */
  identify(callbackUrl: URL, attempt: OpenIdAttempt): Promise<OpenIdIdentity>;
}

const SCOPE = "openid email profile";
/** ASCII, by OpenID Connect Core 1.0, section 2. A control character such as NUL could not even be stored. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;
/** Codes of openid-client for an endpoint that is missing from the metadata, or is not one of https. */
const METADATA_FAULTS: ReadonlySet<string> = new Set([
  "OAUTH_MISSING_SERVER_METADATA",
  "OAUTH_INVALID_SERVER_METADATA",
  "OAUTH_HTTP_REQUEST_FORBIDDEN",
  "OAUTH_REQUEST_PROTOCOL_FORBIDDEN",
]);

/**
 * Reads the provider's metadata.
 *
 * @throws {OpenIdRefused} also if the metadata names another issuer
 */
export async function discoverProvider(
  oidc: OidcConfig,
  { answerMsMax }: { readonly answerMsMax: number },
): Promise<OpenIdProvider> {
  const issuer = new URL(oidc.issuer);
  const refuse = refuserOf(oidc);
  const configuration = await discovery(
    issuer,
    oidc.clientId,
    { [clockTolerance]: OPENID_CLOCK_TOLERANCE_MS / MS_PER_SECOND },
    clientSecretAuth(oidc.clientSecret),
    {
      [customFetch]: fetchFromProvider,
      timeout: answerMsMax / MS_PER_SECOND,
      execute: [
        enableNonRepudiationChecks,
        // The configuration allows http only for this machine.
        ...(issuer.protocol === "http:" ? [allowInsecureRequests] : []),
      ],
    },
  ).catch((error: unknown) => refuse(error, "misconfigured"));
  const named = configuration.serverMetadata().issuer;
  // For some Microsoft addresses, openid-client accepts an issuer pattern that matches every tenant. The owner of any
  // tenant could then vouch for any address.
  if (new URL(named).href !== issuer.href) {
    refuse(
      new Error(`the provider's metadata names another issuer: ${excerpt(named)}`),
      "misconfigured",
    );
  }
  return {
    async authorizationUrl({ state, nonce, verifier }, redirectUri) {
      const parameters = {
        redirect_uri: redirectUri,
        response_type: "code",
        scope: SCOPE,
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      };
      try {
        return buildAuthorizationUrl(configuration, parameters);
      } catch (error) {
        return refuse(error, "misconfigured");
      }
    },
    async identify(callbackUrl, attempt) {
      const claims = await readClaims(configuration, callbackUrl, attempt).catch((error: unknown) =>
        refuse(error, "invalid"),
      );
      const { iss, sub, email, email_verified, name } = claims;
      if (!SUBJECT.test(sub)) {
        refuse(new Error("the subject is not 1 to 255 characters of ASCII"), "invalid");
      }
      if (typeof email !== "string" || email === "" || email_verified !== true) {
        const verified = JSON.stringify(email_verified)?.slice(0, 20);
        return refuse(new Error(`email_verified is ${verified}`), "unverified");
      }
      return { issuer: iss, subject: sub, email, name: nameOf(name) };
    },
  };
}

/** Claims of the ID token, and of the provider's UserInfo endpoint if the token does not have the address. */
async function readClaims(
  configuration: Configuration,
  callbackUrl: URL,
  { state, nonce, verifier }: OpenIdAttempt,
) {
  const tokens = await authorizationCodeGrant(configuration, callbackUrl, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new Error("there is no ID token");
  const hasAddress = claims.email !== undefined && claims.email_verified !== undefined;
  if (hasAddress || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
  // The address and whether it is verified are always taken from the same place.
  const { iss, sub } = claims;
  const told = await fetchUserInfo(configuration, tokens.access_token, sub);
  return { ...told, name: told.name ?? claims.name, iss, sub };
}

/** Sends the secret in the body if the provider supports that, else in a header, which is the protocol's default. */
function clientSecretAuth(clientSecret: string): ClientAuth {
  const post = ClientSecretPost(clientSecret);
  const basic = ClientSecretBasic(clientSecret);
  return (server, ...rest) => {
    const takesPost = server.token_endpoint_auth_methods_supported?.includes("client_secret_post");
    return (takesPost ? post : basic)(server, ...rest);
  };
}

/** Undefined if there is none that could be shown. */
function nameOf(claim: unknown): string | undefined {
  if (typeof claim !== "string") return undefined;
  const name = withoutInvisible(claim).replace(/\s+/gu, " ").trim();
  return name !== "" && hasAtMost(name, NAME_LENGTH_MAX) ? name : undefined;
}

/** Turns what openid-client throws into a refusal, for `otherwise` if nothing more is known. */
function refuserOf({ name }: OidcConfig) {
  return (error: unknown, otherwise: OpenIdRefusal): never => {
    // Errors of openid-client contain tokens and claims, so only their messages are kept.
    const cause = new Error(causesOf(error).map(detailOf).join(": "));
    throw new OpenIdRefused(reasonOf(error) ?? otherwise, name, { cause });
  };
}

function reasonOf(error: unknown): OpenIdRefusal | undefined {
  if (causesOf(error).some((each) => each instanceof ProviderUnavailable)) return "unavailable";
  if (error instanceof AuthorizationResponseError) {
    // RFC 6749, section 4.1.2.1.
    if (error.error === "access_denied") return "denied";
    const isAway = ["server_error", "temporarily_unavailable"].includes(error.error);
    return isAway ? "unavailable" : "misconfigured";
  }
  // RFC 6749, section 5.2: everything but a bad code is about the client.
  if (error instanceof ResponseBodyError && error.error !== "invalid_grant") return "misconfigured";
  // A client that authenticates in a header is refused with a challenge, whatever the body says.
  if (error instanceof WWWAuthenticateChallengeError) return "misconfigured";
  const isOfMetadata = causesOf(error).some((each) => METADATA_FAULTS.has(codeOf(each) ?? ""));
  return isOfMetadata ? "misconfigured" : undefined;
}

/** The error and the errors that caused it. */
function causesOf(error: unknown): readonly Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}

function detailOf(error: Error): string {
  if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) {
    const { error: code, error_description: description = "" } = error;
    return [error.message, excerpt(code), excerpt(description)].filter(Boolean).join(": ");
  }
  if (error instanceof WWWAuthenticateChallengeError) return `${error.message}: ${error.status}`;
  return error.message;
}
