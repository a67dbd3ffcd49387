import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { shellActor } from "../../src/accounts/actor.ts";
import { AGENT_TOPUPS_WAITING_MAX, AGENTS_MAX, HOUSEKEEPING_LIMIT } from "../../src/limits.ts";
import { agree, redeem } from "../../src/oauth/codes.ts";
import { OAuthError } from "../../src/oauth/oauth_error.ts";
import { editKey, revokeKey, rotateKey } from "../../src/operator/keys.ts";
import { findKey } from "../../src/operator/references.ts";
import { beginSession } from "../../src/pages/console/sessions.ts";
import { beginTopup } from "../../src/topups/store_topup.ts";
import { problemOf, startTestGateway, type TestGateway } from "../support/gateway.ts";
import { runJob } from "../support/run_job.ts";
import { seedFeed } from "../support/seed.ts";
import { signIn } from "../support/session.ts";

const VERIFIER = "a-verifier-of-forty-three-characters-or-more";
const RESOURCE = "https://feeds.example/mcp/connect";
const ACTOR = shellActor("test");
const REQUEST = {
  client: { id: "client", name: "Agent", redirectAddresses: [], host: undefined },
  redirectAddress: "https://agent.example/back",
  state: undefined,
  challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
};

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

interface Agreed {
  readonly dailyNanos?: bigint;
  readonly feedIds?: string[];
  readonly agreedKeyId?: string;
}

async function codeOf(accountId: string, more: Agreed = {}) {
  const code = await agree(gateway.gateway.services.database, REQUEST, {
    accountId,
    dailyNanos: more.dailyNanos ?? 20_000n,
    feedIds: more.feedIds ?? null,
    keyEndsAt: new Date(Date.now() + 86_400_000).toISOString(),
    actor: ACTOR,
    ...(more.agreedKeyId !== undefined && { agreedKeyId: more.agreedKeyId }),
  });
  return code as string;
}

async function keyOf(code: string, more: Record<string, string> = {}) {
  const form = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    client_id: "client",
    redirect_uri: REQUEST.redirectAddress,
    code_verifier: VERIFIER,
    resource: RESOURCE,
    ...more,
  });
  return redeem(gateway.gateway.services.database, form, RESOURCE);
}

/** Code and description of the refusal. */
async function refusalOf(work: Promise<unknown>) {
  const error = await work.then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(OAuthError);
  return (error as OAuthError).code;
}

describe("a code", () => {
  test("becomes a read key with the budget, the feeds, the end and the client's name", async () => {
    const owner = await gateway.createAccount();
    const feed = await seedFeed(gateway, owner, { type: "collection", rows: [{ id: 1 }] });
    const other = await seedFeed(gateway, owner, { type: "collection", rows: [{ id: 1 }] });
    const accountId = await gateway.createAccount({ credits: 100 });
    const token = await keyOf(await codeOf(accountId, { feedIds: [feed.feedId] }));
    expect(token).toMatchObject({ token_type: "Bearer", scope: "feeds" });
    expect(token.expires_in).toBeGreaterThan(86_390);
    expect(token.expires_in).toBeLessThanOrEqual(86_400);
    expect(token.access_token).toStartWith("fg_read_");
    const key = token.access_token;
    expect((await gateway.get(`/v1/feed/${feed.slug}`, key)).status).toBe(200);
    expect(await problemOf(await gateway.get(`/v1/feed/${other.slug}`, key))).toMatchObject({
      status: 403,
      code: "KEY_SCOPE",
    });
    const account = await (await gateway.get("/v1/account", key)).json();
    expect(account).toMatchObject({
      budget: { daily: { credits: 20 } },
      agents: [{ name: "Agent", spent: { credits: 0, usd: 0 } }],
    });
    const [stored] = await gateway.sql`
      select count(*)::int as found from agent_connections
      where agent_connections::text like ${`%${key}%`}`;
    expect(stored?.found).toBe(0);
  });

  test("that comes twice revokes its key, and the keys that were rotated from it", async () => {
    const accountId = await gateway.createAccount({ credits: 100 });
    const code = await codeOf(accountId);
    const { access_token: key } = await keyOf(code);
    const [made] = await gateway.sql`
      select key_id from agent_connections where account_id = ${accountId}`;
    const { database, config } = gateway.gateway.services;
    const operator = { database, limits: config.limits };
    const rotated = await rotateKey(operator, { key_id: made?.key_id }, ACTOR);
    expect((await gateway.get("/v1/account", rotated.key)).status).toBe(200);
    // Whoever stole it has no verifier, and still it ends.
    const guess = keyOf(code, { code_verifier: "x".repeat(43) });
    expect(await refusalOf(guess)).toBe("invalid_grant");
    for (const each of [key, rotated.key]) {
      expect(await problemOf(await gateway.get("/v1/account", each))).toMatchObject({
        status: 403,
        code: "KEY_INVALID",
      });
    }
    expect(await refusalOf(keyOf(code))).toBe("invalid_grant");
  });

  test("two at once become one key at most, and that one ends", async () => {
    const accountId = await gateway.createAccount();
    const code = await codeOf(accountId);
    const answers = await Promise.allSettled([keyOf(code), keyOf(code)]);
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const [left] = await gateway.sql`
      select count(*)::int as keys from api_keys
      where account_id = ${accountId} and revoked_at is null`;
    expect(left?.keys).toBe(0);
  });

  const WRONG: Readonly<Record<string, Record<string, string>>> = {
    "without its verifier": { code_verifier: "y".repeat(43) },
    "by another client": { client_id: "another" },
    "at another address": { redirect_uri: "https://agent.example/other" },
  };
  for (const [how, form] of Object.entries(WRONG)) {
    test(`that comes ${how} becomes nothing, then or later`, async () => {
      const code = await codeOf(await gateway.createAccount());
      expect(await refusalOf(keyOf(code, form))).toBe("invalid_grant");
      expect(await refusalOf(keyOf(code))).toBe("invalid_grant");
    });
  }

  test("needs no redirect_uri, since OAuth 2.1 sends none", async () => {
    const code = await codeOf(await gateway.createAccount());
    expect(await keyOf(code, { redirect_uri: "" })).toMatchObject({ token_type: "Bearer" });
  });

  test("is good for 60 seconds", async () => {
    const accountId = await gateway.createAccount();
    const code = await codeOf(accountId);
    await gateway.sql`
      update agent_connections set happened_at = happened_at - interval '61 seconds'
      where account_id = ${accountId}`;
    expect(await refusalOf(keyOf(code))).toBe("invalid_grant");
  });

  test("is refused before it is spent where the form is wrong", async () => {
    const code = await codeOf(await gateway.createAccount());
    expect(await refusalOf(keyOf(code, { grant_type: "password" }))).toBe("unsupported_grant_type");
    expect(await refusalOf(keyOf(code, { resource: "https://evil.example/mcp" }))).toBe(
      "invalid_target",
    );
    for (const name of ["code", "client_id", "redirect_uri"]) {
      expect(await refusalOf(keyOf(code, { [name]: "a\0" }))).toBe("invalid_request");
    }
    for (const name of ["grant_type", "code", "client_id", "code_verifier"]) {
      expect(await refusalOf(keyOf(code, { [name]: "" }))).toBe("invalid_request");
    }
    expect(await refusalOf(keyOf(code, { code_verifier: "short" }))).toBe("invalid_request");
    expect(await keyOf(code)).toMatchObject({ token_type: "Bearer" });
  });

  test("an account has a bounded number of agents and of codes that wait", async () => {
    const accountId = await gateway.createAccount();
    for (let agents = 0; agents < AGENTS_MAX; agents++)
      expect(await codeOf(accountId)).toBeString();
    expect(await codeOf(accountId)).toBeUndefined();
  });
});

describe("what a key has agreed to", () => {
  const operator = () => {
    const { database, config } = gateway.gateway.services;
    return { database, limits: config.limits };
  };
  const keyIdOf = async (key: string): Promise<string> =>
    (await findKey(operator().database, key)).key_id;
  const statusOf = async (key: string) => (await gateway.get("/v1/account", key)).status;

  /** A person's key, an agent that it has connected, and a code that waits. */
  async function agreedBy() {
    const accountId = await gateway.createAccount({ credits: 100 });
    const own = await gateway.createKey(accountId, "read");
    const agreedKeyId = await keyIdOf(own);
    const { access_token: agent } = await keyOf(await codeOf(accountId, { agreedKeyId }));
    const waiting = await codeOf(accountId, { agreedKeyId });
    return { accountId, agreedKeyId, agent, waiting };
  }

  test("ends with the key's revocation: agents, also rotated ones, and codes; others stay", async () => {
    const { accountId, agreedKeyId, agent, waiting } = await agreedBy();
    const rotated = await rotateKey(operator(), { key_id: await keyIdOf(agent) }, ACTOR);
    const other = await keyIdOf(await gateway.createKey(accountId, "read"));
    const { access_token: kept } = await keyOf(await codeOf(accountId, { agreedKeyId: other }));
    await revokeKey(operator(), { key_id: agreedKeyId }, ACTOR);
    for (const key of [agent, rotated.key]) expect(await statusOf(key)).toBe(403);
    expect(await refusalOf(keyOf(waiting))).toBe("invalid_grant");
    expect(await statusOf(kept)).toBe(200);
    expect(await (await gateway.get("/v1/account", kept)).json()).toMatchObject({
      agents: [{ name: "Agent" }],
    });
  });

  test("ends with a rotation without a grace", async () => {
    const { agreedKeyId, agent, waiting } = await agreedBy();
    const { key } = await rotateKey(operator(), { key_id: agreedKeyId, grace_seconds: 0 }, ACTOR);
    expect(await statusOf(agent)).toBe(403);
    expect(await refusalOf(keyOf(waiting))).toBe("invalid_grant");
    expect(await statusOf(key)).toBe(200);
  });

  test("outlives a rotation with a grace, and ends with the key that took the place", async () => {
    const { accountId, agreedKeyId, agent, waiting } = await agreedBy();
    const next = await rotateKey(operator(), { key_id: agreedKeyId }, ACTOR);
    expect(await statusOf(agent)).toBe(200);
    const { access_token: redeemed } = await keyOf(waiting);
    const { access_token: later } = await keyOf(await codeOf(accountId, { agreedKeyId: next.id }));
    const late = await codeOf(accountId, { agreedKeyId });
    await revokeKey(operator(), { key_id: next.id }, ACTOR);
    for (const key of [agent, redeemed, later]) expect(await statusOf(key)).toBe(403);
    expect(await refusalOf(keyOf(late))).toBe("invalid_grant");
  });

  test("of the new key stays when the old one is revoked within its grace", async () => {
    const { accountId, agreedKeyId, agent } = await agreedBy();
    const next = await rotateKey(operator(), { key_id: agreedKeyId }, ACTOR);
    const { access_token: later } = await keyOf(await codeOf(accountId, { agreedKeyId: next.id }));
    await revokeKey(operator(), { key_id: agreedKeyId }, ACTOR);
    expect([await statusOf(agent), await statusOf(later)]).toEqual([403, 200]);
  });

  /** Seconds until the account's agents end, the newest first. */
  async function secondsLeft(accountId: string) {
    const rows = await gateway.sql`
      select extract(epoch from expires_at - now())::float8 as seconds
      from api_keys
      where account_id = ${accountId} and name = 'Agent' and revoked_at is null
      order by created_at desc`;
    return rows.map(({ seconds }) => Math.round(seconds / 60) * 60);
  }
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();

  test("ends no later than the key whose end is moved forward: agents, also rotated ones, and codes", async () => {
    const { accountId, agreedKeyId, agent, waiting } = await agreedBy();
    const other = await keyIdOf(await gateway.createKey(accountId, "read"));
    await keyOf(await codeOf(accountId, { agreedKeyId: other }));
    await rotateKey(operator(), { key_id: await keyIdOf(agent) }, ACTOR);
    const edit = (expires_at: string | null) =>
      editKey(operator(), { key_id: agreedKeyId, expires_at }, ACTOR);
    // Later than theirs.
    await edit(inSeconds(7 * 86_400));
    expect(await secondsLeft(accountId)).toEqual([86_400, 86_400, 86_400]);
    await edit(inSeconds(3_600));
    const { expires_in } = await keyOf(waiting);
    expect(expires_in).toBeLessThanOrEqual(3_600);
    expect(await secondsLeft(accountId)).toEqual([3_600, 3_600, 86_400, 3_600]);
    // A later end gives nothing back, and an end that is over ends them all.
    await edit(null);
    expect(await secondsLeft(accountId)).toEqual([3_600, 3_600, 86_400, 3_600]);
    const late = await codeOf(accountId, { agreedKeyId });
    await edit(inSeconds(-1));
    expect(await statusOf(agent)).toBe(403);
    expect(await refusalOf(keyOf(late))).toBe("invalid_grant");
    expect((await secondsLeft(accountId)).filter((seconds) => seconds > 0)).toEqual([86_400]);
  });

  test("of the new key keeps its end when the old one's is moved within its grace", async () => {
    const { accountId, agreedKeyId } = await agreedBy();
    const next = await rotateKey(operator(), { key_id: agreedKeyId }, ACTOR);
    await keyOf(await codeOf(accountId, { agreedKeyId: next.id }));
    await editKey(operator(), { key_id: agreedKeyId, expires_at: inSeconds(3_600) }, ACTOR);
    expect(await secondsLeft(accountId)).toEqual([86_400, 3_600]);
  });

  test("is no agent that outlives an earlier end at the same time, whichever comes first", async () => {
    for (let round = 0; round < 10; round++) {
      const { accountId, agreedKeyId, waiting } = await agreedBy();
      await Promise.all([
        keyOf(waiting),
        editKey(operator(), { key_id: agreedKeyId, expires_at: inSeconds(3_600) }, ACTOR),
      ]);
      expect(await secondsLeft(accountId)).toEqual([3_600, 3_600]);
    }
  });

  test("is no agent that outlives a revocation at the same time, whichever comes first", async () => {
    for (let round = 0; round < 10; round++) {
      const { agreedKeyId, waiting } = await agreedBy();
      const [redeemed] = await Promise.allSettled([
        keyOf(waiting),
        revokeKey(operator(), { key_id: agreedKeyId }, ACTOR),
      ]);
      const status =
        redeemed.status === "fulfilled" ? await statusOf(redeemed.value.access_token) : 403;
      expect(status).toBe(403);
    }
  });
});

describe("connected agents", () => {
  test("GET /v1/account lists them with what each has spent today", async () => {
    const owner = await gateway.createAccount();
    const feed = await seedFeed(gateway, owner, {
      type: "collection",
      rows: [{ id: 1 }],
      callPriceNanos: 1_500,
    });
    const accountId = await gateway.createAccount({ credits: 100 });
    const own = await gateway.createKey(accountId, "read");
    const { access_token: key } = await keyOf(await codeOf(accountId));
    expect((await gateway.get(`/v1/feed/${feed.slug}`, key)).status).toBe(200);
    expect(await (await gateway.get("/v1/account", own)).json()).toMatchObject({
      agents: [{ name: "Agent", spent: { credits: 1.5, usd: 0.0000015 } }],
    });
  });

  test("DELETE ends one of them at once, and again is 204; other keys are 404", async () => {
    const accountId = await gateway.createAccount();
    const own = await gateway.createKey(accountId, "read");
    const { access_token: key } = await keyOf(await codeOf(accountId));
    const { agents } = (await (await gateway.get("/v1/account", own)).json()) as {
      agents: { key_id: string }[];
    };
    const end = (keyId: string, by: string) =>
      fetch(`${gateway.baseUrl}/v1/account/agents/${keyId}`, {
        method: "DELETE",
        headers: { "x-api-key": by },
      });
    const agentId = agents[0]?.key_id as string;
    const stranger = await gateway.createKey(await gateway.createAccount(), "read");
    const [plain] = await gateway.sql`
      select key_id from api_keys where account_id = ${accountId} and key_id <> ${agentId}`;
    for (const [keyId, by] of [
      [agentId, stranger],
      [plain?.key_id, own],
      ["nothing", own],
    ] as const) {
      expect(await problemOf(await end(keyId, by))).toMatchObject({
        status: 404,
        code: "KEY_NOT_FOUND",
      });
    }
    expect((await gateway.get("/v1/account", key)).status).toBe(200);
    expect((await end(agentId, own)).status).toBe(204);
    expect(await problemOf(await gateway.get("/v1/account", key))).toMatchObject({
      status: 403,
      code: "KEY_INVALID",
    });
    expect((await end(agentId, own)).status).toBe(204);
    const account = await (await gateway.get("/v1/account", own)).json();
    expect(account).toMatchObject({ agents: [] });
  });
});

describe("an agent", () => {
  const end = (keyId: string, by: string) =>
    fetch(`${gateway.baseUrl}/v1/account/agents/${keyId}`, {
      method: "DELETE",
      headers: { "x-api-key": by },
    });
  const agentsSeenBy = async (key: string) => {
    const account = (await (await gateway.get("/v1/account", key)).json()) as {
      agents: { key_id: string }[];
    };
    return account.agents.map((each) => each.key_id);
  };
  /** An account with a person's key and two agents. */
  async function twoAgents() {
    const accountId = await gateway.createAccount({ credits: 100 });
    const own = await gateway.createKey(accountId, "read");
    const { access_token: one } = await keyOf(await codeOf(accountId));
    const { access_token: two } = await keyOf(await codeOf(accountId));
    const [twoId, oneId] = (await agentsSeenBy(own)) as [string, string];
    return { own, one, two, oneId, twoId };
  }

  test("sees itself, and ends itself alone; a person's key sees and ends all", async () => {
    const { own, one, two, oneId, twoId } = await twoAgents();
    expect([await agentsSeenBy(one), await agentsSeenBy(two)]).toEqual([[oneId], [twoId]]);
    expect(await problemOf(await end(twoId, one))).toMatchObject({
      status: 404,
      code: "KEY_NOT_FOUND",
    });
    expect((await gateway.get("/v1/account", two)).status).toBe(200);
    expect((await end(oneId, one)).status).toBe(204);
    expect((await gateway.get("/v1/account", one)).status).toBe(403);
    expect((await end(twoId, own)).status).toBe(204);
    expect(await agentsSeenBy(own)).toEqual([]);
  });

  test("sees its own calls only, also those before a rotation of its key", async () => {
    const { own, one, two, oneId, twoId } = await twoAgents();
    const { database, config } = gateway.gateway.services;
    for (const key of [own, one, two]) await gateway.get("/v1/catalog", key);
    const rotated = await rotateKey({ database, limits: config.limits }, { key_id: oneId }, ACTOR);
    await gateway.get("/v1/search?q=x", rotated.key);
    const callsSeenBy = async (key: string, query = "") => {
      const { usage } = (await (await gateway.get(`/v1/usage${query}`, key)).json()) as {
        usage: { key_id: string }[];
      };
      return usage.map((each) => each.key_id);
    };
    for (const key of [one, rotated.key]) {
      expect(await callsSeenBy(key)).toEqual([rotated.id, oneId]);
    }
    expect(await callsSeenBy(two)).toEqual([twoId]);
    expect(await callsSeenBy(two, `?key_id=${oneId}`)).toEqual([]);
    expect(await callsSeenBy(own)).toHaveLength(4);
    // A cursor of the person is none of the agent.
    const page = (await (await gateway.get("/v1/usage?limit=1", own)).json()) as {
      next_cursor: string;
    };
    const theirs = await gateway.get(`/v1/usage?cursor=${page.next_cursor}`, two);
    expect(await problemOf(theirs)).toMatchObject({ code: "CURSOR_INVALID" });
  });

  test("that fills its windows leaves others theirs, and is ended all the same", async () => {
    const { own, one, two, oneId } = await twoAgents();
    for (const path of ["/v1/account", "/v1/usage", "/v1/purchases"]) {
      let status = 0;
      for (let calls = 0; calls <= HOUSEKEEPING_LIMIT && status !== 429; calls++) {
        ({ status } = await gateway.get(path, one));
      }
      expect([path, status]).toEqual([path, 429]);
      for (const key of [own, two]) {
        expect([path, (await gateway.get(path, key)).status]).toEqual([path, 200]);
      }
    }
    expect((await end(oneId, one)).status).toBe(204);
  });

  test("is ended however often its person has asked", async () => {
    const { own, one, oneId } = await twoAgents();
    const calls = await Promise.all(
      Array.from({ length: HOUSEKEEPING_LIMIT + 1 }, () => end(crypto.randomUUID(), own)),
    );
    expect(new Set(calls.map(({ status }) => status))).toEqual(new Set([404]));
    expect((await end(oneId, own)).status).toBe(204);
    expect((await gateway.get("/v1/account", one)).status).toBe(403);
  });

  test("can't sign in to the console, and ends no session of its person", async () => {
    const { own, one } = await twoAgents();
    const cookie = await signIn(gateway, own);
    const refused = await fetch(`${gateway.baseUrl}/console/sign-in`, {
      method: "POST",
      body: new URLSearchParams({ key: one }),
      redirect: "manual",
    });
    expect([refused.status, refused.headers.get("set-cookie")]).toEqual([401, null]);
    expect(await refused.text()).toContain("connected agent");
    const home = await fetch(`${gateway.baseUrl}/console`, { headers: { cookie } });
    expect(await home.text()).toContain("Sign out");
    // A session that an older version has given to it is none.
    const { database } = gateway.gateway.services;
    const token = await beginSession(database, { key: one, isOwnKey: false });
    const old = { cookie: cookie.replace(/=.*/, `=${token}`) };
    expect(await (await fetch(`${gateway.baseUrl}/console`, { headers: old })).text()).toContain(
      "Sign in",
    );
  });

  test("leaves a bounded number of top-ups waiting, and others can still top up", async () => {
    const { own, one, two } = await twoAgents();
    const { database } = gateway.gateway.services;
    const begin = async (key: string) => {
      const { key_id: keyId, account_id: accountId } = await findKey(database, key);
      const order = { accountId, keyId, way: "card", amountNanos: 10n ** 9n, lifetimeMs: 60_000 };
      const anyDay = { accountDayNanos: undefined, dayNanos: undefined };
      return (await beginTopup(database, { ...order, way: "card" }, anyDay)).kind;
    };
    for (let topups = 0; topups < AGENT_TOPUPS_WAITING_MAX; topups++) {
      expect(await begin(one)).toBe("begun");
    }
    expect(await begin(one)).toBe("too_many_of_agent");
    expect([await begin(two), await begin(own)]).toEqual(["begun", "begun"]);
  });
});

test("a person signs in although the account's calls are used up", async () => {
  const own = await gateway.createKey(await gateway.createAccount(), "read");
  let status = 0;
  for (let calls = 0; calls <= HOUSEKEEPING_LIMIT && status !== 429; calls++) {
    ({ status } = await gateway.get("/v1/account", own));
  }
  expect(status).toBe(429);
  expect(await signIn(gateway, own)).toContain("feedgate_session=");
});

test("the job forgets codes and registrations that were not used for a day, and no others", async () => {
  const accountId = await gateway.createAccount();
  const used = await codeOf(accountId);
  await keyOf(used);
  await codeOf(accountId);
  await gateway.sql`
    insert into connect_clients (client_name, redirect_uris, happened_at, is_used)
    values
      ('old', '{https://a.example/}', now() - interval '25 hours', false),
      ('old and used', '{https://a.example/}', now() - interval '25 hours', true),
      ('new', '{https://a.example/}', now(), false)`;
  await gateway.sql`
    update agent_connections set happened_at = now() - interval '25 hours'
    where account_id = ${accountId}`;
  await runJob(gateway.sql, "unused connections");
  const clients = await gateway.sql`select client_name from connect_clients order by client_name`;
  expect(clients.map((row) => row.client_name)).toEqual(["new", "old and used"]);
  const left = await gateway.sql`
    select key_id from agent_connections where account_id = ${accountId}`;
  expect(left.map((row) => row.key_id !== null)).toEqual([true]);
});
