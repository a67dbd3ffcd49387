import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  mock,
  setSystemTime,
  spyOn,
  test,
} from "bun:test";
import { generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { createLog } from "../../../src/lib/log.ts";
import {
  createOpenId,
  type OpenId,
  type OpenIdOptions,
  type OpenIdRefusal,
  OpenIdRefused,
} from "../../../src/people/openid/openid_sign_in.ts";
import { freePort } from "../../support/free_port.ts";
import { type OpenIdHost, startOpenIdProvider } from "../../support/openid_provider.ts";
import {
  CLIENT_ID,
  EMAIL,
  type Lies,
  type LyingProvider,
  SUBJECT,
  signed,
  startLyingProvider,
} from "./lying_provider.ts";

const CALLBACK = "http://127.0.0.1:3000/console/sign-in/openid/callback";
const SECRET = "the gateways' secret of these tests";
const CLIENT_SECRET = "SECRET of the client: %+&";
const MINUTE_MS = 60_000;
/** Where a connection begins. */
const NEXT = "/oauth/authorize?client_id=https%3A%2F%2Fagent.example";

function openIdAt(issuer: string, options: Partial<OpenIdOptions> = {}): OpenId {
  return createOpenId(
    { issuer, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, name: "Example ID" },
    { redirectUri: () => CALLBACK, secret: SECRET, ...options },
  );
}

async function refusalOf(attempt: Promise<unknown>): Promise<OpenIdRefused> {
  const outcome = await attempt.catch((error: unknown) => error);
  if (outcome instanceof OpenIdRefused) return outcome;
  throw new Error(`not refused: ${Bun.inspect(outcome)}`);
}

async function expectRefused(attempt: Promise<unknown>, reason: OpenIdRefusal, detail: RegExp) {
  const refused = await refusalOf(attempt);
  const { cause } = refused;
  expect([refused.reason, cause instanceof Error && cause.message]).toEqual([
    reason,
    expect.stringMatching(detail),
  ]);
  // One sentence or two of our own for the page, and no token or secret for the log.
  expect(refused.message).toMatch(/^[A-Z][^:<>{}]+\.$/);
  const lines: string[] = [];
  createLog({ level: "info", isReadable: false, write: (line) => lines.push(line) }).warn("x", {
    error: cause,
  });
  expect(lines.join()).not.toMatch(/SECRET|eyJ|ada@example\.com/);
}

describe("at oidc-provider", () => {
  let host: OpenIdHost;
  let openId: OpenId;
  beforeAll(async () => {
    host = await startOpenIdProvider({
      accounts: {
        "grace@example.com": { sub: "grace", email: "grace@example.com", email_verified: false },
        "nobody@example.com": { sub: "nobody" },
      },
    });
    openId = atHost(host);
  });
  afterAll(() => host.stop());

  function atHost({ issuer, clientId, clientSecret }: OpenIdHost): OpenId {
    const oidc = { issuer, clientId, clientSecret, name: "Example ID" };
    return createOpenId(oidc, { redirectUri: () => CALLBACK, secret: SECRET });
  }

  test("a person signs in, and goes where it wanted", async () => {
    const { location, kept } = await openId.begin({ next: NEXT });
    const { origin, searchParams } = new URL(location);
    expect(origin).toBe(host.issuer);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: host.clientId,
      redirect_uri: CALLBACK,
      response_type: "code",
      scope: "openid email profile",
      code_challenge_method: "S256",
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(kept).toMatch(/^[\w-]{20,3800}$/);
    expect(Buffer.from(kept, "base64url").toString()).not.toContain("state");
    const callbackUrl = await host.signIn(location, EMAIL);
    expect(callbackUrl.origin + callbackUrl.pathname).toBe(CALLBACK);
    expect(await openId.finish({ callbackUrl, kept })).toEqual({
      issuer: host.issuer,
      subject: expect.any(String),
      email: EMAIL,
      name: "ada",
      next: NEXT,
    });
  });

  test("the address may be in the ID token", async () => {
    const other = await startOpenIdProvider({ hasClaimsInToken: true });
    const at = atHost(other);
    const { location, kept } = await at.begin({ next: undefined });
    const callbackUrl = await other.signIn(location, EMAIL);
    const identity = await at.finish({ callbackUrl, kept });
    expect(identity).toMatchObject({ email: EMAIL, name: "ada", next: undefined });
    await other.stop();
  });

  test("another process with the same secret finishes what one began, wherever the proxy sent the browser", async () => {
    const { location, kept } = await openId.begin({ next: undefined });
    const { search } = await host.signIn(location, EMAIL);
    const callbackUrl = new URL(search, "http://10.0.0.7:8080/behind-a-proxy");
    expect(await atHost(host).finish({ callbackUrl, kept })).toMatchObject({ email: EMAIL });
  });

  test("a code that is used twice is refused", async () => {
    const { location, kept } = await openId.begin({ next: undefined });
    const callbackUrl = await host.signIn(location, EMAIL);
    await openId.finish({ callbackUrl, kept });
    await expectRefused(openId.finish({ callbackUrl, kept }), "invalid", /invalid_grant/);
  });

  test("who does not agree is not signed in", async () => {
    const { location, kept } = await openId.begin({ next: undefined });
    const callbackUrl = await host.deny(location);
    await expectRefused(openId.finish({ callbackUrl, kept }), "denied", /access_denied/);
  });

  test.each([
    ["grace@example.com", /email_verified is false/],
    ["nobody@example.com", /email_verified is undefined/],
  ])("%s has no verified address", async (email, detail) => {
    const { location, kept } = await openId.begin({ next: undefined });
    const callbackUrl = await host.signIn(location, email);
    await expectRefused(openId.finish({ callbackUrl, kept }), "unverified", detail);
  });

  test("a code of another attempt is of no use, because its verifier is another", async () => {
    const [one, other] = [
      await openId.begin({ next: undefined }),
      await openId.begin({ next: undefined }),
    ];
    const stolen = await host.signIn(other.location, EMAIL);
    const callbackUrl = await host.signIn(one.location, EMAIL);
    callbackUrl.searchParams.set("code", stolen.searchParams.get("code") ?? "");
    await expectRefused(openId.finish({ callbackUrl, kept: one.kept }), "invalid", /invalid_grant/);
  });

  test("a wrong client secret is the operator's to mend", async () => {
    const { issuer, clientId } = host;
    const oidc = { issuer, clientId, clientSecret: "SECRET of another", name: "Example ID" };
    const at = createOpenId(oidc, { redirectUri: () => CALLBACK, secret: SECRET });
    const { location, kept } = await at.begin({ next: undefined });
    const callbackUrl = await host.signIn(location, EMAIL);
    await expectRefused(at.finish({ callbackUrl, kept }), "misconfigured", /invalid_client/);
  });
});

describe("at a provider that lies", () => {
  let provider: LyingProvider;
  let openId: OpenId;
  beforeEach(async () => {
    provider = await startLyingProvider();
    openId = openIdAt(provider.issuer);
  });
  afterEach(async () => {
    mock.restore();
    setSystemTime();
    await provider.stop();
  });

  /** The whole way there and back. */
  async function signIn(
    lies: Lies = {},
    replaced: Readonly<Record<string, string | undefined>> = {},
  ) {
    provider.lies = lies;
    const { location, kept } = await openId.begin({ next: undefined });
    return openId.finish({ callbackUrl: provider.answer(location, replaced), kept });
  }

  const fromNow = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

  test("tells the truth first", async () => {
    expect(await signIn()).toEqual({
      issuer: provider.issuer,
      subject: SUBJECT,
      email: EMAIL,
      name: "Ada",
      next: undefined,
    });
    // The address is in the token, so nothing else is asked.
    expect(provider.asked).toEqual(["/.well-known/openid-configuration", "/token", "/jwks"]);
  });

  test("a redirect of its endpoints is not followed", async () => {
    const asked: string[] = [];
    const inside = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch({ url }) {
        asked.push(url);
        return Response.json({ keys: [] });
      },
    });
    const redirect = () => Response.redirect(`http://127.0.0.1:${inside.port}/`, 302);
    const fresh = () => openIdAt(provider.issuer).begin({ next: undefined });
    for (const path of ["/token", "/jwks"]) {
      await expectRefused(signIn({ answers: { [path]: redirect } }), "invalid", /./);
    }
    provider.lies = { answers: { "/.well-known/openid-configuration": redirect } };
    await expectRefused(fresh(), "misconfigured", /status/);
    expect(asked).toEqual([]);
    await inside.stop(true);
  });

  describe("in the ID token", () => {
    test.each<[string, Lies["claims"], RegExp]>([
      ["wrong issuer", { iss: "https://evil.example" }, /"iss" \(issuer\)/],
      ["wrong audience", { aud: "another client" }, /"aud" \(audience\)/],
      ["another authorized party", { aud: [CLIENT_ID, "b"], azp: "b" }, /azp/],
      ["wrong nonce", { nonce: "of another attempt" }, /"nonce"/],
      ["missing nonce", { nonce: undefined }, /"nonce"/],
      ["missing subject", { sub: undefined }, /"sub"/],
      ["long subject", { sub: "x".repeat(256) }, /subject is not 1 to 255/],
      ["empty subject", { sub: "" }, /"sub"|subject is not 1 to 255/],
      ["subject that can't be stored", { sub: "a\0b" }, /subject is not 1 to 255/],
      ["subject that is not ASCII", { sub: "ä" }, /subject is not 1 to 255/],
      ["missing expiry", { exp: undefined }, /"exp"/],
    ])("%s is refused", async (_, claims, detail) => {
      await expectRefused(signIn({ claims: claims ?? {} }), "invalid", detail);
    });

    test.each<[string, Lies["claims"]]>([
      ["unverified address", { email_verified: false }],
      ["verified as a text", { email_verified: "true" }],
      ["verified as a number", { email_verified: 1 }],
      ["missing address", { email: undefined }],
      ["empty address", { email: "" }],
      ["several addresses", { email: [EMAIL] }],
      ["no word about verification", { email_verified: undefined }],
    ])("%s does not count", async (_, claims) => {
      const attempt = signIn({ claims: claims ?? {} });
      await expectRefused(attempt, "unverified", /email_verified/);
    });

    test("an expired token is refused, and a clock that is 50 s off is fine", async () => {
      const at = (seconds: number) => ({ iat: fromNow(seconds - 300), exp: fromNow(seconds) });
      await expectRefused(signIn({ claims: at(-70) }), "invalid", /"exp"/);
      expect(await signIn({ claims: at(-50) })).toMatchObject({ email: EMAIL });
      const begins = (seconds: number) => ({ nbf: fromNow(seconds), iat: fromNow(seconds) });
      expect(await signIn({ claims: begins(50) })).toMatchObject({ email: EMAIL });
      await expectRefused(signIn({ claims: begins(70) }), "invalid", /"nbf"/);
    });
  });

  describe("in the signature", () => {
    test("a token of another key is refused, with the known key's id or its own", async () => {
      const pair = await generateKeyPair("RS256");
      const by = (kid: string): Lies => ({ idToken: (claims) => signed(claims, pair, kid) });
      await expectRefused(signIn(by("first")), "invalid", /signature/);
      await expectRefused(signIn(by("unknown")), "invalid", /no applicable keys/);
    });

    test("a token without one, or by a shared secret, is refused even if the metadata allows it", async () => {
      const metadata = { id_token_signing_alg_values_supported: ["RS256", "HS256", "none"] };
      const none: Lies = {
        metadata,
        idToken: (claims) => new UnsecuredJWT({ ...claims }).encode(),
      };
      const shared: Lies = {
        metadata,
        idToken: (claims) =>
          new SignJWT({ ...claims })
            .setProtectedHeader({ alg: "HS256" })
            .sign(Buffer.from(CLIENT_SECRET.padEnd(32))),
      };
      for (const lies of [none, shared]) {
        openId = openIdAt(provider.issuer);
        await expectRefused(signIn(lies), "invalid", /./);
      }
    });

    test("a token whose claims were changed is refused", async () => {
      const pair = await generateKeyPair("RS256");
      const idToken: Lies["idToken"] = async (claims) => {
        const [header, , signature] = (await signed(claims, pair, "first")).split(".");
        const changed = Buffer.from(JSON.stringify({ ...claims, email: "eve@example.com" }));
        return [header, changed.toString("base64url"), signature].join(".");
      };
      await expectRefused(signIn({ idToken }), "invalid", /signature/);
    });

    test("a new key is read when a token names it, a minute after the last time", async () => {
      await signIn();
      await provider.rotateKey();
      await expectRefused(signIn(provider.lies), "invalid", /no applicable keys/);
      setSystemTime(Date.now() + MINUTE_MS + 1_000);
      expect(await signIn(provider.lies)).toMatchObject({ email: EMAIL });
    });
  });

  describe("in the browser's answer", () => {
    test.each<[string, Record<string, string | undefined>, OpenIdRefusal, RegExp]>([
      ["wrong state", { state: "x".repeat(43) }, "unknown", /state/],
      ["missing state", { state: undefined }, "unknown", /state/],
      ["wrong issuer (RFC 9207)", { iss: "https://evil.example" }, "invalid", /"iss"/],
      ["missing issuer, though it was announced", { iss: undefined }, "invalid", /"iss"/],
      ["missing code", { code: undefined }, "invalid", /code/],
      ["a made-up code", { code: "x" }, "invalid", /invalid_grant/],
      ["an ID token at once", { id_token: "eyJ.x.y" }, "invalid", /not supported/],
      ["a code and an error", { error: "access_denied" }, "denied", /access_denied/],
      ["a failure", { error: "server_error" }, "unavailable", /server_error/],
      ["trouble with the client", { error: "invalid_scope" }, "misconfigured", /invalid_scope/],
    ])("%s is refused", async (_, replaced, reason, detail) => {
      await expectRefused(signIn({}, replaced), reason, detail);
    });

    test("a parameter that comes twice is refused", async () => {
      const { location, kept } = await openId.begin({ next: undefined });
      for (const name of ["state", "code", "iss"]) {
        const callbackUrl = provider.answer(location);
        callbackUrl.searchParams.append(name, callbackUrl.searchParams.get(name) ?? "");
        const { reason } = await refusalOf(openId.finish({ callbackUrl, kept }));
        expect([name, reason]).toEqual([name, name === "state" ? "unknown" : "invalid"]);
      }
      expect(provider.redeemed).toEqual([]);
    });

    test("a client that is refused with a challenge is the operator's to mend", async () => {
      const challenge = { "www-authenticate": 'Basic realm="SECRET"' };
      const refused = () =>
        Response.json({ error: "invalid_client" }, { status: 401, headers: challenge });
      const attempt = signIn({ answers: { "/token": refused } });
      await expectRefused(attempt, "misconfigured", /WWW-Authenticate HTTP Header: 401/);
    });

    test("a text of the provider is cut, and not shown on the page", async () => {
      const replaced = {
        error: "access_denied",
        error_description: `<script>${"x".repeat(5_000)}`,
      };
      const refused = await refusalOf(signIn({}, replaced));
      expect(refused.message).toBe("The sign-in with Example ID was canceled.");
      expect(String(refused.cause).length).toBeLessThan(400);
    });
  });

  describe("at the UserInfo endpoint", () => {
    const elsewhere = { email: undefined, email_verified: undefined, name: undefined };

    test("an address is taken with its own verification, not with that of the token", async () => {
      const userinfo = { email: EMAIL, email_verified: true, name: "Ada at the endpoint" };
      expect(await signIn({ claims: elsewhere, userinfo })).toMatchObject({
        subject: SUBJECT,
        email: EMAIL,
        name: "Ada at the endpoint",
      });
      const mixed: Lies = {
        claims: { ...elsewhere, email_verified: true },
        userinfo: { email: "eve@example.com" },
      };
      await expectRefused(signIn(mixed), "unverified", /undefined/);
    });

    test("another subject is refused, and issuer and subject are always the token's", async () => {
      const userinfo = { email: EMAIL, email_verified: true };
      const other: Lies = { claims: elsewhere, userinfo: { ...userinfo, sub: "somebody" } };
      await expectRefused(signIn(other), "invalid", /"sub"/);
      const claimed: Lies = {
        claims: elsewhere,
        userinfo: { ...userinfo, iss: "https://evil.example" },
      };
      expect(await signIn(claimed)).toMatchObject({ issuer: provider.issuer, subject: SUBJECT });
    });
  });

  describe("in its metadata", () => {
    test("another issuer is refused", async () => {
      provider.lies = { metadata: { issuer: "https://evil.example" } };
      await expectRefused(openId.begin({ next: undefined }), "misconfigured", /issuer/);
    });

    test("a pattern for many tenants is refused, though openid-client takes it from Microsoft", async () => {
      const tenants = "https://login.microsoftonline.com";
      const metadata = { issuer: `${tenants}/{tenantid}/v2.0` };
      const asked = spyOn(globalThis, "fetch").mockResolvedValue(Response.json(metadata));
      const begun = openIdAt(`${tenants}/common/v2.0`).begin({ next: undefined });
      await expectRefused(begun, "misconfigured", /names another issuer/);
      expect(asked).toHaveBeenCalledTimes(1);
    });

    test.each([
      ["HTML", () => new Response("<h1>Hello</h1>", { headers: { "content-type": "text/html" } })],
      [
        "half of it",
        () => new Response('{"issuer":', { headers: { "content-type": "application/json" } }),
      ],
      ["a list", () => Response.json([])],
      ["nothing", () => new Response(null, { status: 204 })],
      ["404", () => new Response("nothing", { status: 404 })],
      ["no endpoints", () => Response.json({ issuer: provider.issuer })],
      ["too much", () => Response.json({ issuer: "x".repeat(300_000) })],
    ])("%s is refused", async (_, answer) => {
      provider.lies = { answers: { "/.well-known/openid-configuration": answer } };
      await expectRefused(openId.begin({ next: undefined }), "misconfigured", /./);
    });

    test("an endpoint that is missing, or is no address, is refused when it is needed", async () => {
      for (const endpoint of ["token_endpoint", "jwks_uri"]) {
        for (const value of [undefined, "nowhere"]) {
          openId = openIdAt(provider.issuer);
          const attempt = signIn({ metadata: { [endpoint]: value } });
          await expectRefused(attempt, "misconfigured", new RegExp(endpoint));
        }
      }
      provider.lies = { metadata: { authorization_endpoint: "javascript:alert(1)" } };
      const begun = openIdAt(provider.issuer).begin({ next: undefined });
      await expectRefused(begun, "misconfigured", /only HTTP and HTTPS/);
    });

    test("is read once for many, again after a failure, and again after an hour", async () => {
      const away = () => new Response("", { status: 503 });
      provider.lies = { answers: { "/.well-known/openid-configuration": away } };
      await expectRefused(openId.begin({ next: undefined }), "unavailable", /status 503/);
      provider.lies = {};
      await Promise.all(Array.from({ length: 5 }, () => openId.begin({ next: undefined })));
      expect(provider.asked).toHaveLength(2);
      let nowMs = Date.now();
      const aging = openIdAt(provider.issuer, { nowMs: () => nowMs });
      await aging.begin({ next: undefined });
      nowMs += 59 * MINUTE_MS;
      await aging.begin({ next: undefined });
      expect(provider.asked).toHaveLength(3);
      nowMs += 2 * MINUTE_MS;
      await aging.begin({ next: undefined });
      expect(provider.asked).toHaveLength(4);
    });

    test("says how the client's secret is sent: in the body, or else in a header", async () => {
      await signIn();
      openId = openIdAt(provider.issuer);
      await signIn({ metadata: { token_endpoint_auth_methods_supported: ["client_secret_post"] } });
      const [basic, post] = provider.redeemed;
      const encoded = (value: string) => encodeURIComponent(value).replaceAll("%20", "+");
      const pair = `${encoded(CLIENT_ID)}:${encoded(CLIENT_SECRET)}`;
      expect(basic?.authorization).toBe(`Basic ${btoa(pair)}`);
      expect(basic?.form.has("client_secret")).toBe(false);
      expect(post?.authorization).toBeNull();
      expect(post?.form.get("client_secret")).toBe(CLIENT_SECRET);
    });
  });

  describe("or is not there", () => {
    test("at the beginning", async () => {
      const at = openIdAt(`http://127.0.0.1:${freePort()}`);
      await expectRefused(at.begin({ next: undefined }), "unavailable", /openid-configuration/);
    });

    test("when the person is back, in all of its endpoints", async () => {
      const elsewhere = { email: undefined };
      const away = () => new Response("SECRET", { status: 500 });
      for (const path of ["/token", "/jwks", "/userinfo"]) {
        openId = openIdAt(provider.issuer);
        const attempt = signIn({ claims: elsewhere, answers: { [path]: away } });
        await expectRefused(attempt, "unavailable", new RegExp(`${path}: status 500`));
      }
    });

    test.each(["/.well-known/openid-configuration", "/token", "/jwks"])(
      "%s hangs before or within its answer, and is left after the time limit",
      async (path) => {
        const never = new Promise<Response>(() => {});
        const halfway = () =>
          new Response(
            new ReadableStream({
              start: (controller) => controller.enqueue(Buffer.from('{"issuer":')),
            }),
          );
        for (const answer of [() => never, halfway]) {
          openId = openIdAt(provider.issuer, { answerMsMax: 100 });
          await expectRefused(signIn({ answers: { [path]: answer } }), "unavailable", /timed out/);
        }
      },
    );

    test("a token endpoint that answers nonsense is refused", async () => {
      for (const answer of [
        () => new Response("<h1>Hello</h1>"),
        () => Response.json({ id_token: "eyJ.SECRET.x" }),
        () => Response.json({ access_token: "SECRET", token_type: "Bearer" }),
        () => Response.json({ access_token: "SECRET", token_type: "Bearer", id_token: "eyJ.x" }),
        () => new Response("x".repeat(300_000)),
      ]) {
        await expectRefused(signIn({ answers: { "/token": answer } }), "invalid", /./);
      }
    });
  });
});

describe("what the browser keeps", () => {
  let provider: LyingProvider;
  beforeAll(async () => {
    provider = await startLyingProvider();
  });
  afterAll(() => provider.stop());

  test("belongs to its own attempt, browser, gateway and provider", async () => {
    const openId = openIdAt(provider.issuer);
    const [mine, other] = [
      await openId.begin({ next: undefined }),
      await openId.begin({ next: undefined }),
    ];
    const callbackUrl = provider.answer(mine.location);
    const { kept } = mine;
    const forged = `${kept.slice(0, -1)}${kept.endsWith("A") ? "B" : "A"}`;
    for (const given of [undefined, "", "x", other.kept, forged]) {
      await expectRefused(openId.finish({ callbackUrl, kept: given }), "unknown", /cookie|state/);
    }
    const elsewhere = openIdAt(provider.issuer, { secret: "the secret of another gateway" });
    const reconfigured = openIdAt("http://127.0.0.1:9");
    for (const at of [elsewhere, reconfigured]) {
      await expectRefused(at.finish({ callbackUrl, kept }), "unknown", /cookie/);
    }
    // Nothing was requested for any of them, and the code still works.
    expect(provider.redeemed).toEqual([]);
    expect(await openId.finish({ callbackUrl, kept })).toMatchObject({ email: EMAIL });
  });

  test("works for 10 minutes", async () => {
    let nowMs = Date.now();
    const openId = openIdAt(provider.issuer, { nowMs: () => nowMs });
    const { location, kept } = await openId.begin({ next: undefined });
    nowMs += 10 * MINUTE_MS;
    expect(await openId.finish({ callbackUrl: provider.answer(location), kept })).toMatchObject({
      email: EMAIL,
    });
    nowMs += 1;
    const late = openId.finish({ callbackUrl: provider.answer(location), kept });
    await expectRefused(late, "expired", /ago|early/);
  });

  test("fits into a cookie: a longer way on is dropped", async () => {
    const openId = openIdAt(provider.issuer);
    for (const [length, isKept] of [
      [2_500, true],
      [8_000, false],
    ] as const) {
      const next = `/oauth/authorize?${"x".repeat(length)}`;
      const { location, kept } = await openId.begin({ next });
      expect(kept).toMatch(/^[\w-]{20,3800}$/);
      const identity = await openId.finish({ callbackUrl: provider.answer(location), kept });
      expect(identity.next).toBe(isKept ? next : undefined);
    }
  });
});

describe("a name", () => {
  test.each<[unknown, string | undefined]>([
    ["  Ada\n Lovelace\u202e ", "Ada Lovelace"],
    ["\u200b", undefined],
    ["x".repeat(201), undefined],
    [{ first: "Ada" }, undefined],
  ])("%j is %j", async (given, name) => {
    const provider = await startLyingProvider();
    provider.lies = { claims: { name: given } };
    const openId = openIdAt(provider.issuer);
    const { location, kept } = await openId.begin({ next: undefined });
    const identity = await openId.finish({ callbackUrl: provider.answer(location), kept });
    expect(identity.name).toBe(name);
    await provider.stop();
  });
});

test("a gateway without a provider does not load openid-client", async () => {
  const script = `
    await import("./src/server.ts");
    await import("./src/cli/command_table.ts");
    const loaded = Object.keys(require.cache).filter((path) => /openid-client|oauth4webapi/.test(path));
    console.log(JSON.stringify(loaded));`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
  expect(JSON.parse(await new Response(child.stdout).text())).toEqual([]);
});
