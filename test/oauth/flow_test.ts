/**
 * OAuth of agents over HTTP, a step at a time, and the attacks on it. `test/system/connect_test.ts` has the same with the
 * official client and a browser.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { shellActor } from "../../src/accounts/actor.ts";
import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/lib/log.ts";
import { REGISTRATIONS_OF_NETWORK_LIMIT, UNUSED_CLIENTS_MAX } from "../../src/limits.ts";
import { suspendAccount } from "../../src/operator/accounts.ts";
import { editKey, revokeKey } from "../../src/operator/keys.ts";
import { createSignInLink } from "../../src/operator/sign_in_links.ts";
import { arrayLiteral } from "../../src/postgres/client/array_literal.ts";
import { startGateway } from "../../src/server.ts";
import { problemOf, startTestGateway, type TestGateway } from "../support/gateway.ts";
import { seedFeed } from "../support/seed.ts";
import { signIn, signInByLink } from "../support/session.ts";

const VERIFIER = "a-verifier-of-forty-three-characters-or-more";
const CHALLENGE = createHash("sha256").update(VERIFIER).digest("base64url");
const BACK = "https://agent.example/back?tenant=1";
const ACTOR = shellActor("test");

let gateway: TestGateway;
let accountId: string;
let key: string;
let cookie: string;
let clientId: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  accountId = await gateway.createAccount({ credits: 1_000, name: "Research" });
  key = await gateway.createKey(accountId, "read");
  cookie = await signIn(gateway, key);
  clientId = await register({ redirect_uris: [BACK], client_name: "Agent" });
});
afterAll(() => gateway.stop());

interface Body {
  readonly [name: string]: unknown;
}

function postJson(path: string, body: unknown, headers: Record<string, string> = {}) {
  return fetch(gateway.baseUrl + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** A client's id, made without the limit of the address. */
async function register(metadata: { redirect_uris: string[]; client_name?: string }) {
  const [row] = await gateway.sql`
    insert into connect_clients (client_name, redirect_uris)
    values (${metadata.client_name ?? "Agent"}, ${`{${metadata.redirect_uris.map((each) => `"${each}"`).join(",")}}`}::text[])
    returning client_id`;
  return row?.client_id as string;
}

/** The query of an authorization request. Undefined leaves a parameter out. */
function queryOf(changes: Record<string, string | undefined> = {}) {
  const all: Record<string, string | undefined> = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: BACK,
    state: "s t&a=te",
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    resource: `${gateway.baseUrl}/mcp/connect`,
    scope: "feeds",
    ...changes,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(all)) if (value !== undefined) query.set(name, value);
  return query.toString();
}

function show(query = queryOf(), headers: Record<string, string> = { Cookie: cookie }) {
  return fetch(`${gateway.baseUrl}/oauth/authorize?${query}`, { headers, redirect: "manual" });
}

function tokenOf(html: string): string {
  return /name="token" value="([^"]+)"/.exec(html)?.[1] ?? "";
}

interface Decision {
  readonly query?: string;
  readonly fields?: Record<string, string>;
  readonly cookie?: string;
  readonly token?: string;
}

function decide({ query = queryOf(), fields = {}, cookie: as = cookie, token = "" }: Decision) {
  return fetch(`${gateway.baseUrl}/oauth/authorize?${query}`, {
    method: "POST",
    redirect: "manual",
    headers: { Cookie: as, "Content-Type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({
      token,
      decision: "agree",
      daily_usd: "0.00002",
      days: "30",
      feeds: "all",
      ...fields,
    }),
  });
}

/** Looks at the page and agrees. */
async function agree(query = queryOf(), fields: Record<string, string> = {}) {
  const page = await show(query);
  expect(page.status).toBe(200);
  return decide({ query, fields, token: tokenOf(await page.text()) });
}

/** The code that the program is answered with. */
async function codeFor(query = queryOf(), fields: Record<string, string> = {}) {
  const answered = await agree(query, fields);
  expect(answered.status).toBe(303);
  return new URL(answered.headers.get("location") ?? "").searchParams.get("code") ?? "";
}

function exchange(code: string, changes: Record<string, string> = {}) {
  return fetch(`${gateway.baseUrl}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code,
      client_id: clientId,
      redirect_uri: BACK,
      code_verifier: VERIFIER,
      resource: `${gateway.baseUrl}/mcp/connect`,
      ...changes,
    }),
  });
}

async function bodyOf(response: Response): Promise<Body> {
  return (await response.json()) as Body;
}

const CALL = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "search_feeds", arguments: {} },
};
const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const MCP = { Accept: "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25" };

function callMcp(token: string | undefined, message: unknown = CALL, path = "/mcp/connect") {
  return postJson(path, message, {
    ...MCP,
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  });
}

async function accessToken(fields: Record<string, string> = {}): Promise<string> {
  return String((await bodyOf(await exchange(await codeFor(queryOf(), fields)))).access_token);
}

describe("what a program finds", () => {
  test("a call without a token is 401, and the challenge leads to everything else", async () => {
    const refused = await callMcp(undefined);
    expect(await problemOf(refused)).toMatchObject({ status: 401, code: "KEY_REQUIRED" });
    const challenge = refused.headers.get("www-authenticate") ?? "";
    expect(challenge).toStartWith("Bearer resource_metadata=");
    const address = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? "";
    expect(address).toBe(`${gateway.baseUrl}/.well-known/oauth-protected-resource/mcp/connect`);
    const resource = await bodyOf(await fetch(address));
    expect(resource).toMatchObject({
      resource: `${gateway.baseUrl}/mcp/connect`,
      authorization_servers: [gateway.baseUrl],
    });
    const server = await bodyOf(await gateway.get("/.well-known/oauth-authorization-server"));
    expect(server).toMatchObject({
      issuer: gateway.baseUrl,
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    });
  });

  test("/mcp stays as it is, and names no OAuth", async () => {
    const answers = [await callMcp(undefined, CALL, "/mcp"), await callMcp("x", LIST, "/mcp")];
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(answer.headers.has("www-authenticate")).toBe(false);
      expect(await answer.text()).not.toMatch(/oauth|resource_metadata|authorize/i);
    }
  });

  test("every message needs a good token, and a pasted read key is one", async () => {
    for (const message of [LIST, CALL, { ...LIST, method: "ping" }]) {
      expect((await callMcp(undefined, message)).status).toBe(401);
      const wrong = await callMcp(`${key.slice(0, -1)}${key.endsWith("x") ? "y" : "x"}`, message);
      expect(wrong.status).toBe(401);
      expect(wrong.headers.get("www-authenticate")).toContain('error="invalid_token"');
      expect((await callMcp(key, message)).status).toBe(200);
    }
    const write = await gateway.createKey(accountId, "write");
    expect((await callMcp(write)).status).toBe(401);
  });

  test("other methods are 405, as at /mcp", async () => {
    for (const method of ["GET", "DELETE"]) {
      const response = await fetch(`${gateway.baseUrl}/mcp/connect`, { method });
      expect([method, response.status]).toEqual([method, 405]);
    }
  });

  test("a suspended account is 403, without a challenge, from the next call on", async () => {
    const suspended = await gateway.createAccount({ name: "Suspended" });
    const own = await gateway.createKey(suspended, "read");
    expect((await callMcp(own)).status).toBe(200);
    const { database, config } = gateway.gateway.services;
    const operator = { database, limits: config.limits };
    await suspendAccount(operator, { account_id: suspended, reason: "a test" }, ACTOR);
    for (const message of [CALL, LIST]) {
      const refused = await callMcp(own, message);
      expect(refused.headers.has("www-authenticate")).toBe(false);
      expect(await problemOf(refused)).toMatchObject({ status: 403, code: "ACCOUNT_SUSPENDED" });
    }
  });
});

describe("registration", () => {
  test("makes every program a public client, whatever it wishes", async () => {
    const made = await postJson("/oauth/register", {
      redirect_uris: [BACK, "http://127.0.0.1/callback"],
      client_name: "Agent",
      token_endpoint_auth_method: "client_secret_basic",
      grant_types: ["authorization_code", "refresh_token"],
      software_id: "x",
    });
    expect(made.status).toBe(201);
    expect(made.headers.get("cache-control")).toBe("no-store");
    const body = await bodyOf(made);
    expect(body).toMatchObject({
      client_name: "Agent",
      redirect_uris: [BACK, "http://127.0.0.1/callback"],
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code"],
    });
    expect(body).not.toHaveProperty("client_secret");
    expect((await show(queryOf({ client_id: String(body.client_id) }))).status).toBe(200);
  });

  test("keeps the addresses that can be used, and says which", async () => {
    // Through a gateway that has counted none of this address.
    const other = await gateway.startPeer();
    const registered = (redirect_uris: readonly string[]) =>
      fetch(`${other.baseUrl}/oauth/register`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ redirect_uris }),
      });
    const mine = "cursor://anysphere.cursor-mcp/oauth/callback";
    const made = await registered(["javascript:alert(1)", mine, "http://agent.example/", BACK]);
    const body = await bodyOf(made);
    expect(made.status).toBe(201);
    expect(body).toMatchObject({
      redirect_uris: [mine, BACK],
      client_name: "anysphere.cursor-mcp",
    });
    const client_id = String(body.client_id);
    expect((await show(queryOf({ client_id, redirect_uri: mine }))).status).toBe(200);
    for (const redirect_uri of ["javascript:alert(1)", "http://agent.example/"]) {
      expect((await show(queryOf({ client_id, redirect_uri }))).status).toBe(400);
    }
    const mistaken = await show(queryOf({ client_id, redirect_uri: mine, response_type: "token" }));
    expect(await mistaken.text()).toContain("Go back to the program");
    const none = await registered(["javascript:alert(1)", "http://agent.example/"]);
    expect([none.status, (await bodyOf(none)).error]).toEqual([400, "invalid_redirect_uri"]);
  });

  test("a flood from one address is 429, and what can't be used is refused as RFC 7591 has it", async () => {
    const refusals: unknown[] = [];
    for (const body of [
      "{",
      [],
      {},
      { redirect_uris: [] },
      { redirect_uris: ["http://agent.example/"] },
      { redirect_uris: ["https://user@agent.example/"] },
      { redirect_uris: ["https://agent.example/#part"] },
      { redirect_uris: [BACK], client_name: 7 },
    ]) {
      const response = await postJson("/oauth/register", body);
      refusals.push([response.status, (await bodyOf(response)).error]);
    }
    expect(refusals).toEqual([
      [400, "invalid_client_metadata"],
      [400, "invalid_client_metadata"],
      [400, "invalid_redirect_uri"],
      [400, "invalid_redirect_uri"],
      [400, "invalid_redirect_uri"],
      [400, "invalid_redirect_uri"],
      [400, "invalid_redirect_uri"],
      [400, "invalid_client_metadata"],
    ]);
    const flood = await Promise.all(
      Array.from({ length: 2 * REGISTRATIONS_OF_NETWORK_LIMIT }, () =>
        postJson("/oauth/register", { redirect_uris: [BACK] }),
      ),
    );
    const limited = flood.find(({ status }) => status === 429);
    expect(limited?.headers.get("retry-after")).toMatch(/^\d+$/);
    expect((await bodyOf(limited as Response)).error).toBe("temporarily_unavailable");
  });

  test("registrations that nobody used give way to a new one, but for those of the last minutes", async () => {
    // Through a gateway that has counted none of this address.
    const other = await gateway.startPeer();
    const register = () =>
      fetch(`${other.baseUrl}/oauth/register`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ redirect_uris: [BACK] }),
      });
    await gateway.sql`
      insert into connect_clients (client_name, redirect_uris, happened_at)
      select 'flood', ${arrayLiteral([BACK])}::text[], now() - interval '9 minutes'
      from generate_series(1, ${UNUSED_CLIENTS_MAX})`;
    expect((await register()).status).toBe(503);
    await gateway.sql`
      update connect_clients set happened_at = now() - interval '11 minutes'
      where client_name = 'flood'`;
    expect((await register()).status).toBe(201);
    await gateway.sql`delete from connect_clients where client_name = 'flood'`;
  });

  test("a large body, or one of another type, is refused", async () => {
    const large = await fetch(`${gateway.baseUrl}/oauth/token`, {
      method: "POST",
      body: new URLSearchParams({ code: "x".repeat(20_000) }),
    });
    expect([large.status, (await bodyOf(large)).error]).toEqual([413, "invalid_request"]);
    const json = await postJson("/oauth/token", {});
    expect([json.status, (await bodyOf(json)).error]).toEqual([415, "invalid_request"]);
  });
});

describe("the consent", () => {
  test("says who asks, where the answer goes, and what is agreed to", async () => {
    const page = await show();
    expect(page.status).toBe(200);
    const html = await page.text();
    for (const words of [
      "Connect Agent?",
      "A program called",
      "agent.example",
      "Research",
      'value="2.00"',
      "USD",
      "30",
    ]) {
      expect(html).toContain(words);
    }
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
  });

  test("becomes a key with exactly these limits, named after the client", async () => {
    const feed = await seedFeed(gateway, accountId, { type: "collection", rows: [{ id: 1 }] });
    const fields = { daily_usd: "0.0010125", days: "7", feeds: "some", other_feeds: feed.slug };
    const answered = await exchange(await codeFor(queryOf(), fields));
    expect(answered.status).toBe(200);
    expect(answered.headers.get("cache-control")).toBe("no-store");
    const token = await bodyOf(answered);
    expect(token).toMatchObject({ token_type: "Bearer", scope: "feeds" });
    expect(Number(token.expires_in)).toBeWithin(7 * 86_400 - 30, 7 * 86_400 + 1);
    const [row] = await gateway.sql`
      select name, daily_nanos::int as daily, array_to_string(feed_ids, ',') as feeds, permission
      from api_keys where account_id = ${accountId} order by created_at desc limit 1`;
    expect(row).toMatchObject({
      name: "Agent",
      daily: 1_012_500,
      feeds: feed.feedId,
      permission: "read",
    });
    expect((await callMcp(String(token.access_token))).status).toBe(200);
  });

  test("answers with code, state and iss at the program's own address", async () => {
    const answered = await agree();
    const address = answered.headers.get("location") ?? "";
    expect(address).toStartWith(`${BACK}&code=`);
    const query = new URL(address).searchParams;
    expect([query.get("state"), query.get("iss")]).toEqual(["s t&a=te", gateway.baseUrl]);
    expect(answered.headers.get("referrer-policy")).toBe("no-referrer");
  });

  test("ends with the key that agreed; signing out of a link's session ends nothing, revoking its key does", async () => {
    const { database, config } = gateway.gateway.services;
    const operator = { database, limits: config.limits };
    const consumer = await gateway.createAccount({ credits: 100 });
    /** A cookie of a session by a link, an agent of it, and the code of another one. */
    const byLink = async () => {
      const link = await createSignInLink(
        { ...operator, baseUrl: gateway.baseUrl },
        { account_id: consumer, permission: "read" },
        ACTOR,
      );
      const own = await signInByLink(link.url);
      const code = async () => {
        const page = await (await show(queryOf(), { Cookie: own })).text();
        const answered = await decide({ cookie: own, token: tokenOf(page) });
        return new URL(answered.headers.get("location") ?? "").searchParams.get("code") ?? "";
      };
      const agent = String((await bodyOf(await exchange(await code()))).access_token);
      const [made] = await gateway.sql`
        select key_id from api_keys
        where account_id = ${consumer} and name like 'Console%'
        order by created_at desc limit 1`;
      return { own, agent, waiting: await code(), keyId: String(made?.key_id) };
    };
    const first = await byLink();
    await fetch(`${gateway.baseUrl}/console/sign-out`, {
      method: "POST",
      headers: { Cookie: first.own },
      body: new URLSearchParams({}),
      redirect: "manual",
    });
    expect((await callMcp(first.agent)).status).toBe(200);
    expect((await exchange(first.waiting)).status).toBe(200);
    const second = await byLink();
    await revokeKey(operator, { key_id: second.keyId }, ACTOR);
    expect((await callMcp(second.agent)).status).toBe(401);
    expect((await exchange(second.waiting)).status).toBe(400);
    expect((await callMcp(first.agent)).status).toBe(200);
  });

  test("may be declined, and the program is told so", async () => {
    const page = await (await show()).text();
    const answered = await decide({ token: tokenOf(page), fields: { decision: "decline" } });
    expect(answered.status).toBe(303);
    const query = new URL(answered.headers.get("location") ?? "").searchParams;
    expect([query.get("error"), query.get("state"), query.get("code")]).toEqual([
      "access_denied",
      "s t&a=te",
      null,
    ]);
  });

  test("shows what was typed wrong, and keeps the rest", async () => {
    for (const [fields, words] of [
      [{ daily_usd: "0" }, "The budget must be"],
      [{ daily_usd: "1.0000000001" }, "The budget must be"],
      [{ daily_usd: "1,00" }, "The budget must be"],
      [{ days: "366" }, "Days must be"],
      [{ days: "0" }, "Days must be"],
      [{ feeds: "some" }, "Choose at least one feed"],
      [{ feeds: "some", other_feeds: "no-such-feed" }, "No active feed"],
    ] as const) {
      const answered = await agree(queryOf(), fields);
      expect(answered.status).toBe(422);
      const html = await answered.text();
      expect(html).toContain(words);
      expect(tokenOf(html)).not.toBe("");
    }
  });

  test("feeds that are named beside all feeds are refused, and stay as they were", async () => {
    const rows = [{ id: 1 }];
    const feed = await seedFeed(gateway, accountId, { type: "collection", rows, isPublic: true });
    const keys = () => gateway.sql`select key_id from api_keys where account_id = ${accountId}`;
    const before = (await keys()).length;
    const named = [
      [{ feed_id: feed.feedId }, `name="feed_id" value="${feed.feedId}" checked`],
      [{ other_feeds: feed.slug }, `value="${feed.slug}"`],
    ] as const;
    for (const [fields, kept] of named) {
      const answered = await agree(queryOf(), fields);
      expect(answered.status).toBe(422);
      const html = await answered.text();
      expect(html).toContain("You chose “All feeds” but also selected some.");
      expect(html).toContain(kept);
    }
    expect((await keys()).length).toBe(before);
  });

  test("without a session the page comes once more from this site, and then asks for the sign-in", async () => {
    const query = queryOf();
    const first = await show(query, { "Sec-Fetch-Site": "cross-site", Cookie: "" });
    expect(first.status).toBe(200);
    const html = await first.text();
    const again = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(html)?.[1] ?? "";
    expect(again).toContain("reloaded=1");
    const address = new URL(again.replaceAll("&amp;", "&"), `${gateway.baseUrl}/oauth/authorize`);
    for (const headers of [{ "Sec-Fetch-Site": "same-origin" }, {}]) {
      const second = await fetch(address, { headers, redirect: "manual" });
      expect(second.status).toBe(303);
      const location = new URL(second.headers.get("location") ?? "", gateway.baseUrl);
      expect(location.origin).toBe(gateway.baseUrl);
      expect(location.pathname).toStartWith("/console");
    }
    // It is asked for at once where the browser sent all that it has.
    expect((await show(query, { "Sec-Fetch-Site": "none" })).status).toBe(303);
  });

  test("a provider's session can't agree, and neither can a key with limits of its own", async () => {
    const write = await signIn(gateway, await gateway.createKey(accountId, "write"));
    expect((await show(queryOf(), { Cookie: write })).status).toBe(403);
    const limited = await gateway.createKey(accountId, "read");
    const { database, config } = gateway.gateway.services;
    const operator = { database, limits: config.limits };
    await editKey(operator, { key_id: limited, daily_credits: 5_000n }, ACTOR);
    const refused = await show(queryOf(), { Cookie: await signIn(gateway, limited) });
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain("has its own limits");
  });

  test("a key that ends does not give one that ends later", async () => {
    const ending = await gateway.createKey(accountId, "read");
    const end = new Date(Date.now() + 3_600_000).toISOString();
    const { database, config } = gateway.gateway.services;
    await editKey({ database, limits: config.limits }, { key_id: ending, expires_at: end }, ACTOR);
    const as = await signIn(gateway, ending);
    const page = await (await show(queryOf(), { Cookie: as })).text();
    const answered = await decide({ token: tokenOf(page), cookie: as });
    const code = new URL(answered.headers.get("location") ?? "").searchParams.get("code") ?? "";
    const token = await bodyOf(await exchange(code));
    expect(Number(token.expires_in)).toBeWithin(3_500, 3_601);
  });
});

describe("a connected agent", () => {
  test("spends its budget, is told when it resets, and is 401 once it is ended", async () => {
    const owner = await gateway.createAccount();
    const feed = await seedFeed(gateway, owner, {
      type: "collection",
      rows: [{ id: 1 }],
      callPriceNanos: 1_000_000,
    });
    const token = await accessToken({ daily_usd: "0.002" });
    const read = {
      ...CALL,
      params: { name: "read_feed", arguments: { feed: feed.slug } },
    };
    const texts: string[] = [];
    for (let calls = 0; calls < 3; calls++) texts.push(await (await callMcp(token, read)).text());
    // The account itself has 1,000 credits.
    expect(texts[0]).toContain('"isError":false');
    expect(texts[1]).toContain("INSUFFICIENT_CREDITS");
    const small = await accessToken({ daily_usd: "0.000001" });
    const spent = await (await callMcp(small, read)).text();
    expect(spent).toContain("KEY_BUDGET_SPENT");
    expect(spent).toContain("resets_at");
    const { agents } = (await bodyOf(await gateway.get("/v1/account", key))) as unknown as {
      agents: { key_id: string; spent: { credits: number } }[];
    };
    expect(agents[1]?.spent.credits).toBe(1_000);
    await fetch(`${gateway.baseUrl}/v1/account/agents/${agents[1]?.key_id}`, {
      method: "DELETE",
      headers: { "x-api-key": key },
    });
    for (const message of [read, LIST, CALL]) {
      const refused = await callMcp(token, message);
      expect(refused.status).toBe(401);
      expect(refused.headers.get("www-authenticate")).toContain('error="invalid_token"');
    }
    expect((await callMcp(small, LIST)).status).toBe(200);
  });

  test("a tool call through /mcp/connect sends the statements that one through /mcp sends", async () => {
    const token = await accessToken();
    const { database } = gateway.gateway.services;
    const statements: number[] = [];
    for (const path of ["/mcp", "/mcp/connect", "/mcp", "/mcp/connect"]) {
      const before = database.statementCount;
      expect((await callMcp(token, CALL, path)).status).toBe(200);
      statements.push(database.statementCount - before);
    }
    expect(statements[3]).toBe(statements[2] as number);
  });
});

describe("attacks", () => {
  test("a stolen code is worth nothing without the verifier, and a guess spends it", async () => {
    const code = await codeFor();
    for (const verifier of [CHALLENGE, "g".repeat(43), VERIFIER]) {
      const refused = await exchange(code, { code_verifier: verifier });
      expect([refused.status, (await bodyOf(refused)).error]).toEqual([400, "invalid_grant"]);
    }
  });

  test("a code that comes twice kills its key", async () => {
    const code = await codeFor();
    const token = String((await bodyOf(await exchange(code))).access_token);
    expect((await callMcp(token)).status).toBe(200);
    expect((await bodyOf(await exchange(code))).error).toBe("invalid_grant");
    expect((await callMcp(token)).status).toBe(401);
  });

  test("a plain challenge, or none, is refused", async () => {
    for (const changes of [
      { code_challenge: undefined },
      { code_challenge_method: undefined },
      { code_challenge_method: "plain" },
      { code_challenge: "short" },
      { code_challenge: `${CHALLENGE}=` },
    ]) {
      expect((await show(queryOf(changes))).status).toBe(400);
    }
  });

  test("an answer goes to no other host, path, scheme, user or fragment, and nobody is sent on", async () => {
    for (const address of [
      "https://evil.example/back?tenant=1",
      "https://agent.example.evil.example/back?tenant=1",
      "https://agent.example/other?tenant=1",
      "https://agent.example/back/../evil?tenant=1",
      "https://agent.example/back?tenant=2",
      "https://agent.example/back",
      "http://agent.example/back?tenant=1",
      "https://agent.example:8443/back?tenant=1",
      "https://user@agent.example/back?tenant=1",
      "https://agent.example@evil.example/back?tenant=1",
      "https://agent.example/back?tenant=1#part",
      "javascript:alert(1)//agent.example/back?tenant=1",
      "//evil.example",
      "",
    ]) {
      const refused = await show(queryOf({ redirect_uri: address }));
      expect([address, refused.status]).toEqual([address, 400]);
      expect(refused.headers.has("location")).toBe(false);
      expect(await refused.text()).not.toContain("evil");
    }
    const twice = await show(`${queryOf()}&redirect_uri=https%3A%2F%2Fevil.example%2F`);
    expect(twice.status).toBe(400);
  });

  test("a mistake in the link sends nobody on by itself (open redirect)", async () => {
    for (const changes of [
      { response_type: "token" },
      { resource: "https://evil.example/mcp" },
      { resource: `${gateway.baseUrl}/mcp` },
      { code_challenge: undefined },
      { state: "x".repeat(2_001) },
    ]) {
      const refused = await show(queryOf(changes));
      expect([changes, refused.status, refused.headers.get("location")]).toEqual([
        changes,
        400,
        null,
      ]);
      expect(await refused.text()).toContain("Go back to agent.example");
    }
    const unknown = await show(queryOf({ client_id: crypto.randomUUID() }));
    expect(unknown.status).toBe(400);
    expect(await unknown.text()).not.toContain("agent.example");
  });

  test("without state and resource a program gets its own answer and no other", async () => {
    const query = queryOf({ state: undefined, resource: undefined });
    const answered = await agree(query);
    const parameters = new URL(answered.headers.get("location") ?? "").searchParams;
    expect(parameters.has("state")).toBe(false);
    expect(parameters.get("iss")).toBe(gateway.baseUrl);
    const token = await exchange(parameters.get("code") ?? "", { resource: "" });
    expect(token.status).toBe(200);
  });

  test("a code for another server's resource is refused", async () => {
    const refused = await exchange(await codeFor(), { resource: "https://evil.example/mcp" });
    expect([refused.status, (await bodyOf(refused)).error]).toEqual([400, "invalid_target"]);
  });

  test("one client can't use another's code (mix-up)", async () => {
    const other = await register({ redirect_uris: [BACK], client_name: "Other" });
    const refused = await exchange(await codeFor(), { client_id: other });
    expect((await bodyOf(refused)).error).toBe("invalid_grant");
  });

  test("parameters that come twice are refused at both ends", async () => {
    expect((await show(`${queryOf()}&state=other`)).status).toBe(400);
    const code = await codeFor();
    const twice = await fetch(`${gateway.baseUrl}/oauth/token`, {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: `grant_type=authorization_code&code=${code}&code=${code}&client_id=${clientId}&code_verifier=${VERIFIER}`,
    });
    expect((await bodyOf(twice)).error).toBe("invalid_request");
  });

  test("a consent that this session was not shown becomes nothing (CSRF)", async () => {
    const stranger = await signIn(
      gateway,
      await gateway.createKey(await gateway.createAccount(), "read"),
    );
    const shownToOther = tokenOf(await (await show(queryOf(), { Cookie: stranger })).text());
    const otherQuery = queryOf({ state: "another" });
    const shownElsewhere = tokenOf(await (await show(otherQuery)).text());
    const agreements = async () => {
      const [row] = await gateway.sql`select count(*)::int as found from agent_connections`;
      return row?.found;
    };
    const before = await agreements();
    for (const token of ["", "x", shownToOther, shownElsewhere]) {
      const answered = await decide({ token });
      expect(answered.status).toBe(303);
      expect(answered.headers.get("location")).toStartWith(`${gateway.baseUrl}/oauth/authorize?`);
    }
    expect(await agreements()).toBe(before);
  });

  test("whoever signs in as another account in between sees the page again, for that account", async () => {
    const token = tokenOf(await (await show()).text());
    const other = await signIn(
      gateway,
      await gateway.createKey(await gateway.createAccount({ name: "Other account" }), "read"),
    );
    const answered = await decide({ token, cookie: other });
    expect(answered.status).toBe(303);
    const again = await fetch(answered.headers.get("location") ?? "", {
      headers: { Cookie: other },
    });
    expect(await again.text()).toContain("Other account");
  });

  test("the page is in no frame, runs no script of others, and its form leads to the program only", async () => {
    const page = await show();
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self' https://agent.example;");
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
    expect(page.headers.get("x-frame-options")).toBe("DENY");
  });

  test("a hostile name is text in one line, and nothing else", async () => {
    const hostile = await postName(
      '<script>alert(1)</script>\u202e"gro.live\u0000\n\nFeedgate official',
    );
    const html = await (await show(queryOf({ client_id: hostile }))).text();
    expect(html).not.toContain("<script>alert");
    expect(html).not.toContain("\u202e");
    expect(html).toContain("&lt;script>alert(1)&lt;/script>");
  });

  async function postName(name: string): Promise<string> {
    const { readClientMetadata } = await import("../../src/oauth/clients.ts");
    const read = readClientMetadata({ redirect_uris: [BACK], client_name: name });
    expect(read.kind).toBe("metadata");
    return register({
      redirect_uris: [BACK],
      client_name: read.kind === "metadata" ? read.name : "",
    });
  }
});

test("no code, verifier, token or key is in the log, at any level", async () => {
  const lines: string[] = [];
  const log = createLog({ level: "debug", write: (line) => void lines.push(line) });
  const config = readConfig({ PORT: "0", DATABASE_URL: gateway.databaseUrl });
  const logged = await startGateway(config, log, { closingNoticeMs: 0 });
  const through = (path: string) => `${logged.baseUrl}${path}`;
  const query = queryOf({ resource: undefined });
  const own = await signIn(logged, key);
  const page = await fetch(through(`/oauth/authorize?${query}`), { headers: { Cookie: own } });
  const answered = await fetch(through(`/oauth/authorize?${query}`), {
    method: "POST",
    redirect: "manual",
    headers: { Cookie: own, "Content-Type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({
      token: tokenOf(await page.text()),
      decision: "agree",
      daily_usd: "0.00002",
      days: "1",
      feeds: "all",
    }),
  });
  const code = new URL(answered.headers.get("location") ?? "").searchParams.get("code") ?? "";
  const form = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    client_id: clientId,
    code_verifier: VERIFIER,
  });
  const redeem = () => fetch(through("/oauth/token"), { method: "POST", body: form });
  const token = String((await bodyOf(await redeem())).access_token);
  expect(token).toStartWith("fg_read_");
  await redeem();
  await fetch(through("/mcp/connect"), {
    method: "POST",
    headers: { ...MCP, "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify(CALL),
  });
  await logged.stop();
  const text = lines.join("");
  expect(text).toContain("/oauth/token");
  for (const secret of [code, token, token.slice(8), VERIFIER, CHALLENGE, key, own]) {
    expect(secret).not.toBe("");
    expect(text).not.toContain(secret);
  }
});

test.each(["FEEDGATE_CONNECT", "FEEDGATE_CONSOLE"])("%s=off takes all of it away", async (name) => {
  const off = await startTestGateway({ [name]: "off" });
  for (const path of [
    "/.well-known/oauth-protected-resource/mcp/connect",
    "/.well-known/oauth-authorization-server",
    "/oauth/authorize",
  ]) {
    expect([path, (await off.get(path)).status]).toEqual([path, 404]);
  }
  for (const path of ["/oauth/token", "/oauth/register", "/mcp/connect"]) {
    expect([path, (await off.send("POST", path, undefined, {})).status]).toEqual([path, 404]);
  }
  await off.stop();
});

test("under plain HTTP agents connect from the own machine only", async () => {
  const lan = await startTestGateway({ FEEDGATE_BASE_URL: "http://feeds.example" });
  const path = "/.well-known/oauth-authorization-server";
  const own = ({ gateway: { port } }: TestGateway) => `http://127.0.0.1:${port}${path}`;
  expect((await fetch(own(lan), { headers: { Host: "feeds.example" } })).status).toBe(404);
  await lan.stop();
  const named = await fetch(gateway.baseUrl + path, { headers: { Host: "feeds.example" } });
  expect(named.status).toBe(404);
  expect(await named.text()).toContain("own machine");
  // A proxy on the machine calls from it, and its own callers need not.
  for (const headers of [
    { "X-Forwarded-For": "203.0.113.9" },
    { Forwarded: "for=203.0.113.9" },
    { Via: "1.1 proxy" },
  ] as Record<string, string>[]) {
    expect((await gateway.get(path, undefined, headers)).status).toBe(404);
    expect((await gateway.send("POST", "/mcp/connect", undefined, {}, headers)).status).toBe(404);
  }
  const secure = await startTestGateway({ FEEDGATE_BASE_URL: "https://feeds.example" });
  const found = await fetch(own(secure), { headers: { Host: "feeds.example" } });
  expect(await bodyOf(found)).toMatchObject({ issuer: "https://feeds.example" });
  await secure.stop();
});
