/**
 * A local OpenID Connect provider: `oidc-provider` with a page that accepts any address. Browsers sign in on the page,
 * other tests call `signIn`.
 *
 * @module
 */
import { generateKeyPairSync } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import Provider from "oidc-provider";

export interface OpenIdClaims {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
}

export interface OpenIdHost {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The settings of a gateway that uses this provider. */
  readonly variables: {
    readonly FEEDGATE_OIDC_ISSUER: string;
    readonly FEEDGATE_OIDC_CLIENT_ID: string;
    readonly FEEDGATE_OIDC_CLIENT_SECRET: string;
    readonly FEEDGATE_OIDC_NAME: string;
  };
  /**
   * Does what a user does whose browser is sent to `location`: enters the address on the page and agrees. Returns the
   * address to which the browser is sent back, without requesting it.
   */
  signIn(location: string, email: string): Promise<URL>;
  /** The same for a user who does not agree. */
  deny(location: string): Promise<URL>;
  stop(): Promise<void>;
}

export interface OpenIdHostOptions {
  /** The provider's claims about a user, by the address entered. @default a verified address, for any */
  readonly accounts?: Readonly<Record<string, OpenIdClaims>>;
  /** Whether the address is in the ID token, not only at the UserInfo endpoint. @default false */
  readonly hasClaimsInToken?: boolean;
  /** The allowed redirect addresses. @default any address of this machine */
  readonly redirectUris?: readonly string[];
  /** @default a free port */
  readonly port?: number;
}

const CLIENT = { id: "feedgate", secret: "a secret of the tests' client: %+&" };
const HOUR_SECONDS = 3_600;

export async function startOpenIdProvider(options: OpenIdHostOptions = {}): Promise<OpenIdHost> {
  const { accounts = {}, hasClaimsInToken = false, redirectUris, port: wantedPort = 0 } = options;
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.statusCode = 500;
      response.end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(wantedPort, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const issuer = `http://127.0.0.1:${address.port}`;
  const provider = createProvider(issuer, { accounts, hasClaimsInToken, redirectUris });
  const serve = provider.callback();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!request.url?.startsWith("/interaction/")) return serve(request, response);
    if (request.method !== "POST") {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(SIGN_IN_PAGE);
      return;
    }
    const form = new URLSearchParams(await text(request));
    const email = form.get("email")?.trim() ?? "";
    const isDenied = form.get("act") === "deny" || email === "";
    await provider.interactionFinished(
      request,
      response,
      isDenied
        ? { error: "access_denied", error_description: "The person did not agree" }
        : { login: { accountId: claimsOf(accounts, email).sub, remember: false } },
    );
  }

  return {
    issuer,
    clientId: CLIENT.id,
    clientSecret: CLIENT.secret,
    variables: {
      FEEDGATE_OIDC_ISSUER: issuer,
      FEEDGATE_OIDC_CLIENT_ID: CLIENT.id,
      FEEDGATE_OIDC_CLIENT_SECRET: CLIENT.secret,
      FEEDGATE_OIDC_NAME: "Example ID",
    },
    signIn: (location, email) => visit(location, issuer, { act: "agree", email }),
    deny: (location) => visit(location, issuer, { act: "deny", email: "" }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const SIGN_IN_PAGE = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Example ID</title><link rel="icon" href="data:,">
<h1>Example ID</h1>
<form method="post">
  <label>Address <input name="email" type="email" autofocus></label>
  <button name="act" value="agree">Agree</button>
  <button name="act" value="deny">Deny</button>
</form></html>`;

function createProvider(
  issuer: string,
  {
    accounts,
    hasClaimsInToken,
    redirectUris,
  }: {
    readonly accounts: Readonly<Record<string, OpenIdClaims>>;
    readonly hasClaimsInToken: boolean;
    readonly redirectUris: readonly string[] | undefined;
  },
): Provider {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = { ...privateKey.export({ format: "jwk" }), kid: "tests", alg: "RS256", use: "sig" };
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        token_endpoint_auth_method: "client_secret_post",
        redirect_uris: redirectUris ?? ["http://127.0.0.1/callback"],
        grant_types: ["authorization_code"],
        response_types: ["code"],
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    conformIdTokenClaims: !hasClaimsInToken,
    cookies: { keys: ["of the tests"] },
    features: { devInteractions: { enabled: false } },
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: () => ({
        ...(Object.values(accounts).find((each) => each.sub === sub) ?? anybody(sub)),
      }),
    }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    jwks: { keys: [key] },
    // Users who sign in here agree to everything.
    async loadExistingGrant({ oidc: { client, session } }) {
      const { clientId } = client;
      const grant = new provider.Grant({ clientId, accountId: session.accountId });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
    pkce: { required: () => true },
    ttl: {
      AccessToken: HOUR_SECONDS,
      AuthorizationCode: 60,
      Grant: HOUR_SECONDS,
      IdToken: HOUR_SECONDS,
      Interaction: HOUR_SECONDS,
      Session: HOUR_SECONDS,
    },
  });
  if (redirectUris === undefined) {
    provider.Client.prototype.redirectUriAllowed = (redirectUri) =>
      ["127.0.0.1", "localhost"].includes(new URL(redirectUri).hostname);
  }
  return provider;
}

function claimsOf(accounts: Readonly<Record<string, OpenIdClaims>>, email: string): OpenIdClaims {
  return accounts[email] ?? anybody(Buffer.from(email).toString("base64url"));
}

/** The claims of a user without settings. The address is the subject. */
function anybody(sub: string): OpenIdClaims {
  const email = Buffer.from(sub, "base64url").toString();
  return { sub, email, email_verified: true, name: email.split("@")[0] ?? "" };
}

/** Follows redirects like a browser with cookies, fills in the page, and stops at the first address of another host. */
async function visit(
  location: string,
  issuer: string,
  form: Readonly<Record<string, string>>,
): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = new URL(location);
  let body: URLSearchParams | undefined;
  for (let step = 0; step < 10; step += 1) {
    if (url.origin !== issuer) return url;
    const response = await fetch(url, {
      method: body === undefined ? "GET" : "POST",
      headers: { cookie: [...cookies].map((pair) => pair.join("=")).join("; ") },
      redirect: "manual",
      ...(body !== undefined && { body }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = "", value = ""] = (cookie.split(";")[0] ?? "").split(/=(.*)/s);
      cookies.set(name, value);
    }
    const next = response.headers.get("location");
    const page = await response.text();
    if (next !== null) {
      url = new URL(next, url);
      body = undefined;
    } else if (response.status === 200) {
      body = new URLSearchParams(form);
    } else {
      throw new Error(`${url.pathname} of the provider answers with ${response.status}: ${page}`);
    }
  }
  throw new Error("the provider never sends the browser back");
}
