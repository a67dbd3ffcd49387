/**
 * An OpenID Connect provider that lies: each part of its answers can be replaced.
 *
 * @module
 */
import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";

type Json = Readonly<Record<string, unknown>>;
type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

export interface Lies {
  /** Members that replace those of the metadata. */
  metadata?: Json;
  /** Claims that replace those of the ID token. One that is undefined is left out. */
  claims?: Json;
  /** Signs the ID token in place of the published key, or writes the whole token. */
  idToken?: (claims: Json) => string | Promise<string>;
  /** Members that replace those of the token endpoint's answer. */
  tokens?: Json;
  userinfo?: Json;
  /** Answers in place of the provider, by path. */
  answers?: Readonly<Record<string, () => Response | Promise<Response>>>;
}

export interface LyingProvider {
  readonly issuer: string;
  /** What it lies about. Tests set it. */
  lies: Lies;
  /** The paths that were requested. */
  readonly asked: readonly string[];
  /** What the token endpoint was sent. */
  readonly redeemed: readonly {
    readonly form: URLSearchParams;
    readonly authorization: string | null;
  }[];
  /** Where it sends a browser back that was sent to `location`, with parameters that replace others. */
  answer(location: string, replaced?: Readonly<Record<string, string | undefined>>): URL;
  /** Signs with another key from now on, and publishes that one alone. */
  rotateKey(): Promise<void>;
  stop(): Promise<void>;
}

export const CLIENT_ID = "gateway";
export const SUBJECT = "248289761001";
export const EMAIL = "ada@example.com";

/** Shared by all providers, because generating a key takes a tenth of a second. */
let firstKey: ReturnType<typeof newKey> | undefined;

export async function startLyingProvider(port = 0): Promise<LyingProvider> {
  firstKey ??= newKey("first");
  let key = await firstKey;
  const asked: string[] = [];
  const redeemed: { form: URLSearchParams; authorization: string | null }[] = [];
  const nonces = new Map<string, string>();
  const server = Bun.serve({ port, hostname: "127.0.0.1", idleTimeout: 60, fetch: serve });
  const issuer = `http://127.0.0.1:${server.port}`;

  async function serve(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    asked.push(pathname);
    const lie = provider.lies.answers?.[pathname];
    if (lie !== undefined) return lie();
    switch (pathname) {
      case "/.well-known/openid-configuration":
        return Response.json({ ...metadataOf(issuer), ...provider.lies.metadata });
      case "/jwks":
        return Response.json({ keys: [key.jwk] });
      case "/token":
        return tokens(new URLSearchParams(await request.text()), request);
      case "/userinfo":
        return Response.json({ sub: SUBJECT, ...provider.lies.userinfo });
      default:
        return new Response("nothing", { status: 404 });
    }
  }

  async function tokens(form: URLSearchParams, { headers }: Request): Promise<Response> {
    redeemed.push({ form, authorization: headers.get("authorization") });
    const code = form.get("code") ?? "";
    const nonce = nonces.get(code);
    if (!nonces.delete(code)) return Response.json({ error: "invalid_grant" }, { status: 400 });
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: issuer,
      sub: SUBJECT,
      aud: CLIENT_ID,
      iat: now,
      exp: now + 300,
      nonce,
      email: EMAIL,
      email_verified: true,
      name: "Ada",
      ...provider.lies.claims,
    };
    const sign = provider.lies.idToken ?? ((each: Json) => signed(each, key.pair, "first"));
    return Response.json({
      access_token: "SECRET-access-token",
      token_type: "Bearer",
      id_token: await sign(claims),
      ...provider.lies.tokens,
    });
  }

  const provider: LyingProvider = {
    issuer,
    lies: {},
    asked,
    redeemed,
    answer(location, replaced = {}) {
      const { searchParams } = new URL(location);
      const code = crypto.randomUUID();
      nonces.set(code, searchParams.get("nonce") ?? "");
      const url = new URL(searchParams.get("redirect_uri") ?? "");
      const parameters = { code, state: searchParams.get("state") ?? "", iss: issuer, ...replaced };
      for (const [name, value] of Object.entries(parameters)) {
        if (value !== undefined) url.searchParams.set(name, value);
      }
      return url;
    },
    async rotateKey() {
      const next = await newKey("second");
      key = next;
      provider.lies = { ...provider.lies, idToken: (each) => signed(each, next.pair, "second") };
    },
    stop: () => server.stop(true),
  };
  return provider;
}

export async function signed(claims: Json, { privateKey }: KeyPair, kid: string): Promise<string> {
  return new SignJWT({ ...claims }).setProtectedHeader({ alg: "RS256", kid }).sign(privateKey);
}

async function newKey(kid: string): Promise<{ readonly pair: KeyPair; readonly jwk: JWK }> {
  const pair = await generateKeyPair("RS256", { extractable: true });
  return { pair, jwk: { ...(await exportJWK(pair.publicKey)), kid, alg: "RS256", use: "sig" } };
}

function metadataOf(issuer: string): Json {
  return {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    authorization_response_iss_parameter_supported: true,
  };
}
