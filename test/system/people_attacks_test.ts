/**
 * People who mean harm: bounds that closing an account must not reset, mails to strangers, and acts at the same time.
 *
 * @module
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createHash, randomUUID } from "node:crypto";
import { personActor } from "../../src/accounts/actor.ts";
import { present } from "../../src/lib/assert.ts";
import { agree, redeem } from "../../src/oauth/codes.ts";
import type { Gateway } from "../../src/server.ts";
import { signIn } from "../pages/console/support.ts";
import {
  accept,
  type Browser,
  codeFor,
  browser as cookieJar,
  elsewhere,
  invite,
  join,
  prove,
} from "../people/support.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { insertAdminKey } from "../support/insert_key.ts";
import { seedFeed } from "../support/seed.ts";

const WELCOME = 1_000;

let gateway: TestGateway;
let peer: Gateway;
let admin: string;

beforeAll(async () => {
  gateway = await startTestGateway({
    FEEDGATE_SMTP_URL: "smtp://127.0.0.1:1",
    FEEDGATE_MAIL_FROM: "Gate <gate@example.com>",
    FEEDGATE_SIGN_UP: "open",
    FEEDGATE_WELCOME_CREDITS: String(WELCOME),
    FEEDGATE_WELCOME_DAY_CREDITS: String(20 * WELCOME),
    FEEDGATE_TRUSTED_PROXIES: "127.0.0.1,::1",
  });
  peer = await gateway.startPeer();
  admin = (await insertAdminKey(gateway)).key;
});
afterAll(() => gateway.stop());

// Limits by network count every code of this file.
beforeEach(forgetLimits);

async function forgetLimits(): Promise<void> {
  await gateway.sql`update address_proofs set happened_at = happened_at - interval '2 hours'`;
  await gateway.sql`update sign_ups set happened_at = happened_at - interval '2 hours'`;
}

/** A browser in a network of its own: the limits by network are not what these tests are about. */
const browser = (baseUrl: string) => cookieJar(baseUrl, elsewhere());

const newAddress = () => `p${randomUUID().slice(0, 8)}@example.com`;

async function accountOf(at: Browser): Promise<string> {
  const page = await (await at.get("/console/settings")).text();
  return present(/ID<\/dt><dd><code>([0-9a-f-]{36})/.exec(page)?.[1]);
}

function act(path: string, method: "DELETE" | "GET" | "PATCH" | "POST", body?: object) {
  const sent = body ?? (method === "GET" ? undefined : {});
  return gateway.send(method, `/v1/operator${path}`, admin, sent);
}

describe("closing an account", () => {
  test("makes no room for more sign-ups and welcome credits of a day, or for more codes", async () => {
    const at = await join(gateway, newAddress(), { name: "Bea" });
    const account = await accountOf(at);
    const before = await counted();
    await at.visitor().act("/settings", { act: "close", typed_name: "Bea" });
    const [closed] = await gateway.sql`
      select 1 from accounts where account_id = ${account} and closed_at is not null`;
    expect(closed).toBeDefined();
    expect(await counted()).toEqual(before);
  });

  test("twice at once, in both accounts of a person, removes the person", async () => {
    const address = newAddress();
    const at = await join(gateway, address, { name: "Cleo" });
    const one = await accountOf(at);
    for (let round = 0; round < 5; round += 1) {
      const made = (await (await act("/accounts", "POST", { name: `Two ${round}` })).json()) as {
        id: string;
      };
      await invite(gateway, { admin, account: made.id, address, role: "owner" });
    }
    await gateway.sql`
      insert into members (account_id, person_id, role)
      select account_id, person_id, 'owner'
      from invitations join persons using (address_key)
      where address_key = ${address}`;
    const rows = await gateway.sql<{ account_id: string }[]>`
      select account_id from members join persons using (person_id) where address_key = ${address}`;
    const closed = await Promise.all(
      rows.map(({ account_id: id }, place) =>
        fetch(
          `${place % 2 === 0 ? gateway.baseUrl : peer.baseUrl}/v1/operator/accounts/${id}/close`,
          {
            method: "POST",
            headers: { authorization: `Bearer ${admin}`, "content-type": "application/json" },
            body: "{}",
          },
        ),
      ),
    );
    expect(closed.map(({ status }) => status)).toEqual(rows.map(() => 200));
    expect(rows.map((row) => row.account_id)).toContain(one);
    expect((await gateway.sql`select 1 from persons where address_key = ${address}`).length).toBe(
      0,
    );
  });

  test("ends what an operator may give it", async () => {
    const at = await join(gateway, newAddress(), { name: "Dan" });
    const account = await accountOf(at);
    expect((await act(`/accounts/${account}/close`, "POST")).status).toBe(200);
    const answers = [
      await act("/credits/grants", "POST", { account_id: account, credits: 5, reason: "late" }),
      await act(`/accounts/${account}/resume`, "POST"),
      await act(`/accounts/${account}`, "PATCH", { name: "Back" }),
      await act(`/accounts/${account}/members`, "POST", { address: newAddress() }),
    ];
    for (const answer of answers) {
      expect([answer.status, await answer.json()]).toEqual([
        409,
        expect.objectContaining({ code: "ACCOUNT_CLOSED" }),
      ]);
    }
    const operator = await signIn(gateway.baseUrl, admin);
    const parts = ["", "/keys", "/money", "/settings"].map(async (part) =>
      (await operator.get(`/accounts/${account}${part}`)).text(),
    );
    const page = (await Promise.all(parts)).join("");
    expect(page).toContain("Closed at");
    for (const gone of ["Create key", "Resume", ">Add credits<", ">Save<"]) {
      expect(page).not.toContain(gone);
    }
  });
});

describe("an invitation", () => {
  test("is mailed once an hour, however often it is renewed or withdrawn", async () => {
    const owner = await join(gateway, newAddress());
    const as = owner.visitor();
    const address = newAddress();
    for (let round = 0; round < 3; round += 1) {
      const { answer } = await as.act("/members", { act: "invite", address, role: "member" });
      expect(answer.status).toBe(303);
      const [row] = await gateway.sql<[{ invitation_id: string }]>`
        select invitation_id from invitations where address_key = ${address}`;
      await as.act("/members", { act: "withdraw", invitation_id: row.invitation_id });
      expect(await (await owner.get("/console/members")).text()).not.toContain(address);
    }
    expect(await mailsTo(address)).toBe(1);
    await gateway.sql`
      update invitation_mails set happened_at = happened_at - interval '61 minutes'
      where address_hash = sha256(convert_to(${address}, 'UTF8'))`;
    await as.act("/members", { act: "invite", address, role: "owner" });
    expect(await mailsTo(address)).toBe(2);
    expect(await (await owner.get("/console/members")).text()).toContain(address);
  });

  test("is mailed to an address five times an hour from all accounts", async () => {
    const address = newAddress();
    for (let round = 0; round < 7; round += 1) {
      const made = (await (await act("/accounts", "POST", { name: `Many ${round}` })).json()) as {
        id: string;
      };
      await invite(gateway, { admin, account: made.id, address, role: "member" });
    }
    expect(await mailsTo(address)).toBe(5);
  });

  test("that was withdrawn counts for an hour, so that fifty addresses an hour get mail", async () => {
    const owner = await join(gateway, newAddress());
    const account = await accountOf(owner);
    await gateway.sql`
      insert into invitations (account_id, address, address_key, role, expires_at)
      select ${account}, 'x' || n || '@example.com', 'x' || n || '@example.com', 'member', now()
      from generate_series(1, 50) as n`;
    const { asked, answer } = await owner
      .visitor()
      .act("/members", { act: "invite", address: newAddress(), role: "member" });
    expect(asked).toContain("will be invited");
    expect(answer.status).toBe(422);
  });
});

test("a name is one visible line of at most 200 characters, and what is typed wrong is shown again", async () => {
  const at = browser(gateway.baseUrl);
  const address = newAddress();
  await prove(gateway, at, address);
  const wrong: readonly (readonly [name: string, why: string])[] = [
    ["\u200b\u2066", "Enter a name."],
    ["  ", "Enter a name."],
    ["x".repeat(201), "at most 200 characters"],
    ["😀".repeat(201), "at most 200 characters"],
  ];
  for (const [name, why] of wrong) {
    const answer = await at.post("/console/join", { name });
    expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining(why)]);
  }
  expect((await at.post("/console/join", { name: "😀".repeat(200) })).status).toBe(303);
  for (const [name, why] of wrong) {
    const answer = await at.post("/console/you", { act: "rename", name });
    const text = await answer.text();
    expect([answer.status, text]).toEqual([422, expect.stringContaining(why)]);
    expect(text).toContain("Your data");
    const settings = await at.post("/console/settings", { act: "rename", name });
    expect([settings.status, await settings.text()]).toEqual([422, expect.stringContaining(why)]);
  }
  await at.post("/console/you", { act: "rename", name: "Ada\r\n\u202eLovelace" });
  const [row] = await gateway.sql`select name from persons where address = ${address}`;
  expect(row?.name).toBe("Ada Lovelace");
});

test("what is kept of a person is downloaded with its sessions and sign-ins, and without a token", async () => {
  const at = await join(gateway, newAddress());
  const kept = await (await at.get("/console/you?download=json")).text();
  expect(JSON.parse(kept)).toMatchObject({
    sessions: [{ account_id: await accountOf(at), expires_at: expect.any(String) }],
    sign_ins: [{ network: expect.any(String), used_at: expect.any(String) }],
    invitations: [],
  });
  const token = present(/feedgate_session=([\w-]+)/.exec(at.cookie())?.[1]);
  expect(kept).not.toContain(token);
});

test("a member spends nothing, not even by trying a feed", async () => {
  const { feedId } = await seedFeed(gateway, await gateway.createAccount(), {
    type: "collection",
    rows: [{ id: 1 }],
  });
  const owner = await join(gateway, newAddress());
  const address = newAddress();
  await invite(gateway, { admin, account: await accountOf(owner), address, role: "member" });
  const member = await join(gateway, address);
  await accept(member);
  const tries = async (at: Browser) => {
    const path = `/console/catalog/${feedId}`;
    const shown = await (await at.get(path)).text();
    const tried = await at.post(path, { act: "try" });
    return [shown.includes("Try it"), tried.status, (await tried.text()).includes("Only an owner")];
  };
  expect(await tries(owner)).toEqual([true, 200, false]);
  expect(await tries(member)).toEqual([false, 422, true]);
});

test("a code for an agent is void once the person who agreed owns the account no more", async () => {
  const { database } = gateway.gateway.services;
  const owner = await join(gateway, newAddress());
  const account = await accountOf(owner);
  const address = newAddress();
  await invite(gateway, { admin, account, address, role: "owner" });
  await join(gateway, address, { accepts: true });
  const [row] = await gateway.sql<[{ person_id: string }]>`
    select person_id from persons where address = ${address}`;
  const verifier = "a-verifier-of-forty-three-characters-or-more";
  const agreed = () =>
    agree(
      database,
      {
        client: { id: "client", name: "Agent", redirectAddresses: [], host: undefined },
        redirectAddress: "https://agent.example/back",
        state: undefined,
        challenge: createHash("sha256").update(verifier).digest("base64url"),
      },
      {
        accountId: account,
        dailyNanos: 20_000n,
        feedIds: null,
        keyEndsAt: new Date(Date.now() + 86_400_000).toISOString(),
        actor: personActor(row.person_id),
      },
    );
  const redeemed = async (code: string | undefined) => {
    const form = new URLSearchParams({
      grant_type: "authorization_code",
      code: present(code),
      client_id: "client",
      code_verifier: verifier,
    });
    return redeem(database, form, "https://feeds.example/mcp/connect");
  };
  const first = await redeemed(await agreed());
  expect((await gateway.get("/v1/account", first.access_token)).status).toBe(200);
  const waiting = await agreed();
  await gateway.sql`select change_member(${account}, ${row.person_id}, 'member', null, 'test')`;
  await expect(redeemed(waiting)).rejects.toMatchObject({ code: "invalid_grant" });
  await gateway.sql`select change_member(${account}, ${row.person_id}, null, null, 'test')`;
  // Agreed in the instant of the removal.
  await expect(redeemed(await agreed())).rejects.toMatchObject({ code: "invalid_grant" });
  expect((await gateway.get("/v1/account", first.access_token)).status).toBe(403);
});

describe("at the same time", () => {
  test("two browsers of a person change accounts in opposite directions, while it is removed and signs in, without a deadlock", async () => {
    const address = newAddress();
    const first = await join(gateway, address, { name: "Eve" });
    const one = await accountOf(first);
    const made = (await (await act("/accounts", "POST", { name: "Eve's other" })).json()) as {
      id: string;
    };
    await invite(gateway, { admin, account: made.id, address, role: "owner" });
    await gateway.sql`
      insert into members (account_id, person_id, role)
      select account_id, person_id, 'owner'
      from invitations join persons using (address_key)
      where address_key = ${address}`;
    const second = browser(peer.baseUrl);
    await prove(gateway, second, address);
    const deadlocks = await deadlocksOf();
    const enter = (at: Browser, account: string) =>
      at.post("/console/choose", { act: "enter", account_id: account });
    for (let round = 0; round < 40; round += 1) {
      const [a, b] = round % 2 === 0 ? [one, made.id] : [made.id, one];
      const answers = await Promise.all([enter(first, a), enter(second, b)]);
      for (const answer of answers) expect(answer.status).toBe(303);
    }
    await Promise.all([
      enter(first, one),
      enter(second, made.id),
      act(`/persons/${address}`, "DELETE"),
    ]);
    expect(await deadlocksOf()).toBe(deadlocks);
  }, 60_000);

  test("a person signs in and accepts an invitation, while it is removed, without a deadlock", async () => {
    const made = (await (await act("/accounts", "POST", { name: "Inviting" })).json()) as {
      id: string;
    };
    const deadlocks = await deadlocksOf();
    for (let round = 0; round < 12; round += 1) {
      await forgetLimits();
      const address = newAddress();
      const at = await join(gateway, address);
      await invite(gateway, { admin, account: made.id, address, role: "owner" });
      const page = await (await at.get("/console/choose")).text();
      const invitation = present(/name="invitation_id" value="([^"]+)"/.exec(page)?.[1]);
      const again = browser(peer.baseUrl);
      await again.post("/console/sign-in", { address });
      const code = await codeFor(gateway, address);
      const answers = await Promise.all([
        act(`/persons/${address}`, "DELETE"),
        again.post("/console/sign-in/code", { code }),
        at.post("/console/choose", { act: "accept", invitation_id: invitation }),
      ]);
      for (const answer of answers) {
        expect(answer.status).toBeLessThan(500);
        await answer.text();
      }
      const left = await gateway.sql`
        select 1 from accounts
        where exists (select from members where members.account_id = accounts.account_id)
          and not exists (
            select from members where members.account_id = accounts.account_id and role = 'owner'
          )`;
      expect(left.length).toBe(0);
    }
    expect(await deadlocksOf()).toBe(deadlocks);
  }, 60_000);

  test("an account closes while its owners read, edit keys, invite and change accounts, without an error or a deadlock", async () => {
    const { feedId } = await seedFeed(gateway, await gateway.createAccount(), {
      type: "collection",
      rows: [{ id: 1 }],
      callPriceNanos: 1_000,
    });
    const deadlocks = await deadlocksOf();
    for (let round = 0; round < 6; round += 1) {
      await forgetLimits();
      const address = newAddress();
      const one = await join(gateway, address);
      const account = await accountOf(one);
      const invited = newAddress();
      await invite(gateway, { admin, account, address: invited, role: "owner" });
      const other = await join(gateway, invited, { baseUrl: peer.baseUrl, accepts: true });
      const made = await one.post("/console/own-keys", {
        act: "make",
        permission: "read",
        daily: "1",
      });
      const key = present(/fg_read_\w+/.exec(await made.text())?.[0]);
      const [row] = await gateway.sql<[{ key_id: string }]>`
        select key_id from api_keys where account_id = ${account} and not for_session`;
      const statuses: number[] = [];
      let isOver = false;
      const repeat = async (ask: () => Promise<Response>) => {
        while (!isOver) {
          const answer = await ask();
          await answer.text();
          statuses.push(answer.status);
        }
      };
      const editing = {
        act: "edit",
        key_id: row.key_id,
        key_name: "edited",
        daily: "0.0005",
        confirmed: "yes",
      };
      const work = [
        repeat(() => gateway.get(`/v1/feed/${feedId}`, key)),
        repeat(() => fetch(`${peer.baseUrl}/v1/feed/${feedId}`, { headers: { "x-api-key": key } })),
        repeat(() => one.post("/console/own-keys", editing)),
        repeat(() => other.post("/console/own-keys", editing)),
        repeat(() => one.post("/console/choose", { act: "enter", account_id: account })),
        repeat(() =>
          other.post("/console/members", {
            act: "invite",
            address: newAddress(),
            role: "member",
            confirmed: "yes",
          }),
        ),
      ];
      await Bun.sleep(300);
      const closing = { act: "close", typed_name: "Ada", confirmed: "yes" };
      const answers = await Promise.all([
        one.post("/console/settings", closing),
        other.post("/console/settings", closing),
      ]);
      for (const answer of answers) statuses.push(answer.status);
      await Bun.sleep(200);
      isOver = true;
      await Promise.all(work);
      // A read may be told that its key changes again and again, which is a 503.
      expect(statuses.filter((status) => status === 500)).toEqual([]);
      const [left] = await gateway.sql`
        select
          closed_at is not null as closed,
          (select count(*)::int from api_keys k where k.account_id = a.account_id and revoked_at is null) as keys,
          (select count(*)::int from members m where m.account_id = a.account_id) as members,
          (select count(*)::int from invitations i where i.account_id = a.account_id) as invitations
        from accounts a where account_id = ${account}`;
      expect(left).toEqual({ closed: true, keys: 0, members: 0, invitations: 0 });
      expect(await textsWith(address)).toEqual([]);
      const proof = (await (await act(`/accounts/${account}`, "GET")).json()) as {
        ledger: { is_balanced: boolean };
      };
      expect(proof.ledger.is_balanced).toBe(true);
    }
    expect(await deadlocksOf()).toBe(deadlocks);
  }, 120_000);
});

test("codes are limited over all networks together, and a quiet network still gets one", async () => {
  const from = (network: number) =>
    cookieJar(gateway.baseUrl, { "x-forwarded-for": `10.${network >> 8}.${network & 255}.1` });
  const statuses: number[] = [];
  for (let network = 0; network < 40; network += 1) {
    const at = from(network);
    statuses.push(
      ...(await Promise.all(
        Array.from({ length: 10 }, async () => {
          const asked = await at.post("/console/sign-in", { address: newAddress() });
          await asked.text();
          return asked.status;
        }),
      )),
    );
  }
  expect(statuses.filter((status) => status === 303).length).toBeWithin(250, 400);
  expect(statuses).toContain(429);
  expect((await from(9_999).post("/console/sign-in", { address: newAddress() })).status).toBe(303);
}, 60_000);

async function deadlocksOf(): Promise<number> {
  // Statistics arrive a little later.
  await Bun.sleep(1_500);
  const [row] = await gateway.sql<[{ deadlocks: bigint }]>`
    select deadlocks from pg_stat_database where datname = current_database()`;
  return Number(row.deadlocks);
}

async function mailsTo(address: string): Promise<number> {
  const rows = await gateway.sql`select 1 from mails where address = ${address}`;
  return rows.length;
}

/** What the limits count. */
async function counted() {
  const [row] = await gateway.sql<[{ accounts: bigint; welcome: string; codes: bigint }]>`
    select
      (select count(*) from sign_ups) as accounts,
      (select sum(welcome_nanos)::text from sign_ups) as welcome,
      (select count(*) from address_proofs where code_hash is not null) as codes`;
  return { ...row, accounts: Number(row.accounts), codes: Number(row.codes) };
}

/** Tables of which a row has the text. */
async function textsWith(text: string): Promise<string[]> {
  const tables = await gateway.sql<{ name: string }[]>`
    select quote_ident(table_name) as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`;
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await gateway.sql.unsafe(
      `select 1 from ${name} as each where strpos(lower(each::text), $1) > 0 limit 1`,
      [text],
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}
