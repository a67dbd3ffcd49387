import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { present } from "../../src/lib/assert.ts";
import type { Gateway } from "../../src/server.ts";
import { fieldsIn, pushFile, signIn } from "../pages/console/support.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { insertAdminKey } from "../support/insert_key.ts";
import { seedFeed } from "../support/seed.ts";
import { type Browser, browser, codeFor, invite, join, prove, tablesWith } from "./support.ts";

const MAIL = {
  FEEDGATE_SMTP_URL: "smtp://127.0.0.1:1",
  FEEDGATE_MAIL_FROM: "Gate <gate@example.com>",
};
const WELCOME = 1_000;

let shared: TestGateway;
let gateway: TestGateway;
let peer: Gateway;
let admin: string;

beforeAll(async () => {
  gateway = await startTestGateway({
    ...MAIL,
    FEEDGATE_SIGN_UP: "open",
    FEEDGATE_TRUSTED_PROXIES: "127.0.0.1",
    FEEDGATE_WELCOME_CREDITS: String(WELCOME),
    FEEDGATE_TERMS_URL: "https://example.com/terms",
  });
  shared = gateway;
  peer = await gateway.startPeer();
  admin = (await insertAdminKey(gateway)).key;
});
afterAll(() => gateway.stop());

/** Limits by network count every code of this file. */
async function forgetLimits(): Promise<void> {
  await gateway.sql`update address_proofs set happened_at = happened_at - interval '2 hours'`;
  await gateway.sql`update sign_ups set happened_at = happened_at - interval '2 hours'`;
}

const newAddress = () => `p${randomUUID().slice(0, 8)}@example.com`;

async function accountOf(at: Browser): Promise<string> {
  const page = await (await at.get("/console/settings")).text();
  return present(/ID<\/dt><dd><code>([0-9a-f-]{36})/.exec(page)?.[1]);
}

describe("joining", () => {
  test("a stranger joins by mail, has welcome credits once, and makes a key that works", async () => {
    await forgetLimits();
    const at = await join(gateway, "ada@example.com");
    const home = await at.get("/console");
    expect([home.status, await home.text()]).toEqual([
      200,
      expect.stringContaining("/mcp/connect"),
    ]);
    const answer = await at.visitor().post("/own-keys", {
      act: "make",
      permission: "read",
      key_name: "first",
      daily: "0.0005",
    });
    const key = present(/fg_read_\w+/.exec(await answer.text())?.[0]);
    const account = await gateway.get("/v1/account", key);
    expect([account.status, await account.json()]).toEqual([
      200,
      expect.objectContaining({
        balance: { credits: WELCOME, usd: WELCOME / 1e6 },
        budget: expect.objectContaining({ daily: { credits: 500, usd: 0.0005 } }),
      }),
    ]);
    // The second time, the same person, on another process.
    const again = browser(peer.baseUrl);
    expect(await prove(gateway, again, "ADA@Example.com")).toEndWith("/console");
    const [{ persons, accounts }] = await gateway.sql<[{ persons: bigint; accounts: bigint }]>`
      select
        (select count(*) from persons where address_key = 'ada@example.com') as persons,
        (select count(*) from credit_ledger where reason = 'welcome credits') as accounts`;
    expect([persons, accounts].map(Number)).toEqual([1, 1]);
  });

  test("two processes that let the same person join at once make one account and one grant", async () => {
    await forgetLimits();
    const address = newAddress();
    const one = browser(gateway.baseUrl);
    const other = browser(peer.baseUrl);
    await prove(gateway, one, address);
    await prove(gateway, other, address);
    const answers = await Promise.all(
      [one, other, one, other].map((at) =>
        at.post("/console/join", { name: "Twice", terms: "yes" }),
      ),
    );
    for (const answer of answers) await answer.text();
    const [made] = await gateway.sql<[{ members: bigint; grants: bigint }]>`
      select
        (
          select count(*) from members join persons using (person_id) where address = ${address}
        ) as members,
        (
          select count(*)
          from credit_ledger
          join members using (account_id)
          join persons using (person_id)
          where address = ${address}
        ) as grants`;
    expect([made.members, made.grants].map(Number)).toEqual([1, 1]);
  });

  test("terms must be agreed to, and the moment is kept", async () => {
    await forgetLimits();
    const at = browser(gateway.baseUrl);
    const address = newAddress();
    await prove(gateway, at, address);
    const without = await at.post("/console/join", { name: "Ada" });
    expect([without.status, await without.text()]).toEqual([
      422,
      expect.stringContaining("agree to the terms"),
    ]);
    expect((await at.post("/console/join", { name: "Ada", terms: "yes" })).status).toBe(303);
    const you = await (await at.get("/console/you?download=json")).json();
    expect(you).toMatchObject({ address, name: "Ada", agreed_at: expect.any(String) });
  });
});

describe("a code", () => {
  // Wrong codes count among the failed sign-ins of a process.
  let gateway: TestGateway;
  beforeEach(async () => {
    gateway = { ...shared, baseUrl: (await shared.startPeer()).baseUrl };
  });

  test("works once, in the browser that asked, and is worth nothing elsewhere", async () => {
    await forgetLimits();
    const address = newAddress();
    const at = browser(gateway.baseUrl);
    await at.post("/console/sign-in", { address });
    const code = await codeFor(gateway, address);
    const elsewhere = browser(gateway.baseUrl);
    expect((await elsewhere.post("/console/sign-in/code", { code })).status).toBe(401);
    await elsewhere.post("/console/sign-in", { address });
    expect((await elsewhere.post("/console/sign-in/code", { code })).status).toBe(401);
    // With blanks, as a mail shows it.
    const spaced = `${code.slice(0, 4)} ${code.slice(4)}`;
    expect((await at.post("/console/sign-in/code", { code: spaced })).status).toBe(303);
    // Again, as long as nobody has signed in with it: the answer may have been lost.
    expect((await at.post("/console/sign-in/code", { code })).status).toBe(303);
    const proof = at.cookie();
    expect((await at.post("/console/join", { name: "Ada", terms: "yes" })).status).toBe(303);
    const repeated = await fetch(`${gateway.baseUrl}/console/sign-in/code`, {
      method: "POST",
      headers: { cookie: proof, "sec-fetch-site": "same-origin" },
      body: new URLSearchParams({ code }),
      redirect: "manual",
    });
    expect(repeated.status).toBe(401);
  });

  test("is refused after five tries, and after ten minutes", async () => {
    await forgetLimits();
    const address = newAddress();
    const at = browser(gateway.baseUrl);
    await at.post("/console/sign-in", { address });
    const code = await codeFor(gateway, address);
    const wrong = code === "00000000" ? "00000001" : "00000000";
    const left: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      const text = await (await at.post("/console/sign-in/code", { code: wrong })).text();
      left.push(/(One attempt|\d attempts) left/.exec(text)?.[1] ?? "none");
    }
    expect(left).toEqual(["4 attempts", "3 attempts", "2 attempts", "One attempt", "none"]);
    expect((await at.post("/console/sign-in/code", { code })).status).toBe(401);

    const late = browser(gateway.baseUrl);
    await late.post("/console/sign-in", { address });
    await gateway.sql`
      update address_proofs
      set expires_at = expires_at - interval '10 minutes'
      where address = ${address}`;
    const answer = await late.post("/console/sign-in/code", {
      code: await codeFor(gateway, address),
    });
    expect(answer.status).toBe(401);
  });

  test("is asked for five times an hour for an address, and twenty times by a network, over all processes", async () => {
    await forgetLimits();
    const address = newAddress();
    const ask = async (base: string, address: string) => {
      const answer = await browser(base).post("/console/sign-in", { address });
      return [answer.status, (await answer.text()).replace(/\d+ minutes/, "N minutes")] as const;
    };
    const statuses: number[] = [];
    for (let count = 0; count < 6; count += 1) {
      const [status] = await ask(count % 2 === 0 ? gateway.baseUrl : peer.baseUrl, address);
      statuses.push(status);
    }
    expect(statuses).toEqual([303, 303, 303, 303, 303, 429]);
    const [, byAddress] = await ask(gateway.baseUrl, address.toUpperCase());
    for (let count = 5; count < 20; count += 1) {
      expect((await ask(peer.baseUrl, newAddress()))[0]).toBe(303);
    }
    const [status, byNetwork] = await ask(gateway.baseUrl, newAddress());
    // Nobody learns from it which limit it was, and so whether an address was asked for elsewhere.
    expect([status, byNetwork]).toEqual([429, byAddress]);
  });

  test("is asked for in the same way whether the address is known or not", async () => {
    await forgetLimits();
    const known = newAddress();
    await join(gateway, known);
    const answers = await Promise.all(
      [known, newAddress()].map(async (address) => {
        const answer = await browser(gateway.baseUrl).post("/console/sign-in", { address });
        const headers = Object.fromEntries(answer.headers);
        return { status: answer.status, location: headers.location, text: await answer.text() };
      }),
    );
    expect(answers[0]).toEqual(present(answers[1]));
    const mails = await gateway.sql<{ body_text: string }[]>`
      select regexp_replace(body_text, '\\d{4} ?\\d{4}', 'CODE', 'g') as body_text
      from mails order by created_at desc limit 2`;
    expect(mails[0]).toEqual(present(mails[1]));
  });

  test("form of another site, or a link, signs nobody in", async () => {
    const answer = await fetch(`${gateway.baseUrl}/console/sign-in`, {
      method: "POST",
      headers: { "sec-fetch-site": "cross-site" },
      body: new URLSearchParams({ address: newAddress() }),
    });
    expect(answer.status).toBe(403);
    const code = await fetch(`${gateway.baseUrl}/console/sign-in/code?code=12345678`);
    expect(code.headers.get("set-cookie")).toBeNull();
  });

  test("of an address that is none is not sent", async () => {
    for (const address of ["", "ada", "ada@", "a@b@example.com", "a\r\nBcc: b@example.com"]) {
      const answer = await browser(gateway.baseUrl).post("/console/sign-in", { address });
      expect([address, answer.status]).toEqual([address, address === "" ? 401 : 422]);
    }
  });
});

describe("members", () => {
  test("an owner invites, promotes, demotes and removes, and who is removed is out at once on every process", async () => {
    await forgetLimits();
    const owner = await join(gateway, newAddress());
    const account = await accountOf(owner);
    const address = newAddress();
    const invited = await owner
      .visitor()
      .act("/members", { act: "invite", address, role: "member" });
    expect(invited.answer.status).toBe(303);
    const [mail] = await gateway.sql`select 1 from mails where address = ${address}`;
    expect(mail).toBeDefined();

    const member = await join(gateway, address, { baseUrl: peer.baseUrl, accepts: true });
    const page = async (at: Browser, path: string) => {
      const answer = await at.get(path);
      return [answer.status, await answer.text()] as const;
    };
    expect((await page(member, "/console/members"))[1]).not.toContain(">Invite<");
    const key = { act: "make", permission: "read" };
    const refused = await member.post("/console/own-keys", key);
    expect([refused.status, await refused.text()]).toEqual([
      422,
      expect.stringContaining("Only an owner"),
    ]);
    // A member changes feeds.
    expect((await page(member, "/console/new"))[0]).toBe(200);

    const personId = await personOf(address);
    const as = owner.visitor();
    const named = { person_id: personId, name: "Ada" };
    await as.act("/members", { act: "role", ...named, role: "owner" });
    expect((await member.visitor().post("/own-keys", key)).status).toBe(200);
    await as.act("/members", { act: "role", ...named, role: "member" });
    expect((await member.post("/console/own-keys", key)).status).toBe(422);
    // A text that is no UUID is refused like an unknown id.
    for (const id of ["", "0", "undefined"]) {
      const forms = [
        ["/choose", { act: "accept", invitation_id: id }],
        ["/choose", { act: "decline", invitation_id: id }],
        ["/choose", { act: "enter", account_id: id }],
        ["/members", { act: "withdraw", invitation_id: id }],
        ["/members", { act: "role", person_id: id, role: "member" }],
        ["/members", { act: "remove", person_id: id }],
        ["/own-keys", { act: "edit", key_id: id }],
        ["/own-keys", { act: "rotate", key_id: id }],
        ["/own-keys", { act: "revoke", key_id: id }],
      ] as const;
      for (const [path, form] of forms) {
        const { status } = await as.post(path, { ...form, confirmed: "yes" });
        expect([path, form, status]).toEqual([path, form, 422]);
      }
    }
    await as.act("/members", { act: "remove", ...named });
    const out = await member.get("/console/members");
    expect([out.status, out.headers.get("location")]).toEqual([
      303,
      expect.stringContaining("/console/choose"),
    ]);
    const [{ living }] = await gateway.sql<[{ living: bigint }]>`
      select count(*) as living from api_keys
      where account_id = ${account} and for_session and revoked_at is null`;
    // The owner's own two.
    expect(Number(living)).toBe(2);
  });

  test("an invitation is good for its address only, and a member can't withdraw another's", async () => {
    await forgetLimits();
    const owner = await join(gateway, newAddress());
    await owner.visitor().act("/members", { act: "invite", address: newAddress(), role: "owner" });
    const page = await (await owner.get("/console/members")).text();
    const id = present(/name="invitation_id" value="([^"]+)"/.exec(page)?.[1]);
    const stranger = await join(gateway, newAddress());
    const taken = await stranger.post("/console/choose", { act: "accept", invitation_id: id });
    expect(taken.status).toBe(422);
    const declined = await stranger.post("/console/choose", { act: "decline", invitation_id: id });
    expect(declined.status).toBe(422);
  });

  test("the last owner can't leave members behind, and of two who remove each other one stays", async () => {
    await forgetLimits();
    const one = await join(gateway, newAddress());
    const account = await accountOf(one);
    const address = newAddress();
    await invite(gateway, { admin, account, address, role: "member" });
    await join(gateway, address, { accepts: true });
    const left = await one.visitor().act("/members", { act: "leave" });
    expect([left.answer.status, await left.answer.text()]).toEqual([
      422,
      expect.stringContaining("needs an owner"),
    ]);

    const otherAddress = newAddress();
    await invite(gateway, { admin, account, address: otherAddress, role: "owner" });
    const other = await join(gateway, otherAddress, { baseUrl: peer.baseUrl, accepts: true });
    const owners = await gateway.sql<{ person_id: string }[]>`
      select person_id from members join persons using (person_id)
      where account_id = ${account} and role = 'owner' order by address = ${otherAddress}`;
    const [oneId, otherId] = owners.map((row) => row.person_id);
    await Promise.all([
      one.post("/console/members", {
        act: "remove",
        person_id: present(otherId),
        name: "b",
        confirmed: "yes",
      }),
      other.post("/console/members", {
        act: "remove",
        person_id: present(oneId),
        name: "a",
        confirmed: "yes",
      }),
    ]);
    const after = await gateway.sql`
      select 1 from members where account_id = ${account} and role = 'owner'`;
    expect(after.length).toBe(1);
  });
});

test("an operator invites, removes and closes in the console", async () => {
  await forgetLimits();
  const account = await gateway.createAccount({ name: "Operated" });
  const operator = await signIn(gateway.baseUrl, admin);
  const path = `/accounts/${account}/settings`;
  const address = newAddress();
  await operator.act(path, { act: "invite_member", address, role: "owner" });
  const member = await join(gateway, address, { accepts: true });
  expect(await (await operator.get(path)).text()).toContain(address);
  const person = await personOf(address);
  await operator.act(path, { act: "remove_member", person, person_name: "Ada" });
  expect((await member.get("/console/members")).headers.get("location")).toContain("choose");
  const { answer } = await operator.act(path, { act: "close" });
  expect(answer.headers.get("location")).toContain("done=closed");
  expect(await (await operator.get(path)).text()).toContain("Closed account");
});

describe("keys of owners", () => {
  test("are edited, rotated and revoked, at most 50 of them, and never those of agents, sessions or other accounts", async () => {
    await forgetLimits();
    const owner = await join(gateway, newAddress());
    const account = await accountOf(owner);
    const as = owner.visitor();
    const made = async (fields: Record<string, string> = {}) =>
      as.post("/own-keys", { act: "make", permission: "read", ...fields });
    const first = present(/fg_read_\w+/.exec(await (await made({ key_name: "one" })).text())?.[0]);
    const [row] = await gateway.sql<[{ key_id: string }]>`
      select key_id from api_keys where account_id = ${account} and name = 'one'`;
    await as.act("/own-keys", {
      act: "edit",
      key_id: row.key_id,
      key_name: "two",
      daily: "0.00001",
    });
    const account1 = await (await gateway.get("/v1/account", first)).json();
    expect(account1).toMatchObject({ budget: { daily: { credits: 10 } } });
    const rotated = await as.post("/own-keys", {
      act: "rotate",
      key_id: row.key_id,
      leaked: "yes",
      confirmed: "yes",
    });
    const second = present(/fg_read_\w+/.exec(await rotated.text())?.[0]);
    expect((await gateway.get("/v1/account", first)).status).toBe(403);
    expect((await gateway.get("/v1/account", second)).status).toBe(200);

    const answers = await Promise.all(Array.from({ length: 55 }, () => made()));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBe(49);
    expect(statuses.filter((status) => status === 422).length).toBe(6);

    const [foreign] = await gateway.sql<[{ key_id: string }]>`
      select key_id from api_keys where account_id <> ${account} limit 1`;
    const [session] = await gateway.sql<[{ key_id: string }]>`
      select key_id from api_keys where account_id = ${account} and for_session limit 1`;
    for (const { key_id } of [foreign, session]) {
      const answer = await as.post("/own-keys", { act: "revoke", key_id, confirmed: "yes" });
      expect([answer.status, await answer.text()]).toEqual([
        422,
        expect.stringContaining("no key with this id"),
      ]);
    }

    // There are 50. After one has ended, one rotation with a grace makes as many again.
    const keys = await gateway.sql<{ key_id: string }[]>`
      select key_id from api_keys
      where account_id = ${account} and not for_session and revoked_at is null`;
    const [ended, ...living] = keys.map(({ key_id }) => key_id);
    await as.post("/own-keys", { act: "revoke", key_id: present(ended), confirmed: "yes" });
    const rotations = await Promise.all(
      living
        .slice(0, 4)
        .map((key_id) => as.post("/own-keys", { act: "rotate", key_id, confirmed: "yes" })),
    );
    expect(rotations.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422]);

    // An expired key makes room for another one, and is not valid again beside it.
    const expired = present(living[10]);
    await gateway.sql`
      update api_keys set expires_at = clock_timestamp() - interval '1 hour' where key_id = ${expired}`;
    expect((await made()).status).toBe(200);
    const edit = { act: "edit", key_id: expired, confirmed: "yes" };
    const revived = await as.post("/own-keys", { ...edit, ends: "2030-01-02T03:04" });
    expect([revived.status, await revived.text()]).toEqual([
      422,
      expect.stringContaining("limit of 50 active keys"),
    ]);
  });

  test("an owner changes a key's end, which stays if it is left as it is", async () => {
    const owner = await join(gateway, newAddress());
    const as = owner.visitor();
    await as.post("/own-keys", { act: "make", permission: "write", days: "1" });
    const account = await accountOf(owner);
    const find = async () => {
      const [row] = await gateway.sql<[{ key_id: string; expires_at: string | null }]>`
        select key_id, expires_at from api_keys where account_id = ${account} and not for_session`;
      return row;
    };
    const { key_id: keyId, expires_at: end } = await find();
    const save = async (ends?: string) => {
      const form = fieldsIn(await (await as.get(`/own-keys?edit=${keyId}`)).text());
      await as.act("/own-keys", { ...form, act: "edit", ...(ends !== undefined && { ends }) });
      return (await find()).expires_at;
    };
    expect(end).toEqual(expect.any(String));
    expect(await save()).toBe(end);
    expect(await save("2030-01-02T03:04")).toBe("2030-01-02T03:04:00Z");
    expect(await save("")).toBeNull();
  });

  test("a key is for feeds that the account finds: one for others is refused like an unknown one", async () => {
    const provider = await gateway.createAccount();
    const hidden = await seedFeed(gateway, provider, { type: "singleton", rows: [{ a: 1 }] });
    await gateway.sql`update feeds set access = 'invited' where feed_id = ${hidden.feedId}`;
    const owner = await join(gateway, newAddress());
    const as = owner.visitor();
    const make = async (feeds: string) => {
      const answer = await as.post("/own-keys", { act: "make", permission: "read", feeds });
      const refusal = /no active feed has the id or slug[^<]*/i.exec(await answer.text())?.[0];
      return [answer.status, refusal?.replace(feeds, "it")];
    };
    const unknown = await make("no-such-feed");
    expect(unknown).toEqual([422, expect.any(String)]);
    expect(await make(hidden.slug)).toEqual(unknown);
    expect(await make(hidden.feedId)).toEqual(unknown);

    // A feed that the key has already stays, although the account doesn't find it any more.
    const shown = await seedFeed(gateway, provider, { type: "singleton", rows: [{ a: 1 }] });
    expect((await make(shown.slug))[0]).toBe(200);
    await gateway.sql`update feeds set access = 'invited' where feed_id = ${shown.feedId}`;
    const [key] = await gateway.sql<[{ key_id: string }]>`
      select key_id from api_keys where feed_ids = array[${shown.feedId}::uuid]`;
    const edit = { act: "edit", key_id: key.key_id, confirmed: "yes" };
    const kept = await as.post("/own-keys", { ...edit, feeds: shown.feedId });
    expect(kept.status).toBe(303);
    const added = await as.post("/own-keys", { ...edit, feeds: `${shown.feedId} ${hidden.slug}` });
    expect(added.status).toBe(422);
  });
});

test("who acts as a provider in the console is the person, in the audit trail, too", async () => {
  await forgetLimits();
  const address = newAddress();
  const at = await join(gateway, address);
  const key = await gateway.createKey(await accountOf(at), "write");
  const feed = { name: "Own", endpoint_path: `own-${randomUUID().slice(0, 8)}` };
  const created = await gateway.send("POST", "/v1/provider/feed/create", key, feed);
  const { id } = (await created.json()) as { id: string };
  const who = at.visitor();
  const fields = fieldsIn(await (await who.get(`/feeds/${id}/edit`)).text());
  await who.act(`/feeds/${id}/edit`, { ...fields, act: "save", description: "By a person" });
  const reader = await gateway.createAccount();
  await who.post(`/feeds/${id}/readers`, { act: "grant", account_id: reader });
  // The first push chooses the feed's type.
  await pushFile(who, `/feeds/${id}/push`, { mode: "add", csv: "id\n1\n" });
  const [person] = await gateway.sql`select person_id from persons where address = ${address}`;
  const trail = await gateway.sql`
    select actor, face, action from audit_events where feed_id = ${id} order by event_id`;
  const by = { actor: `person ${person?.person_id}`, face: "console" };
  expect(trail.filter(({ action }) => action !== "feed create")).toEqual([
    { ...by, action: "feed edit" },
    { ...by, action: "access grant" },
    { ...by, action: "feed edit" },
  ]);
});

describe("closing", () => {
  test("leaves usage and ledger, which add up, and nothing of the person", async () => {
    await forgetLimits();
    const address = `zebedee.${randomUUID().slice(0, 8)}@example.com`;
    const name = `Zebedee ${randomUUID().slice(0, 8)}`;
    const at = await join(gateway, address, { name });
    const account = await accountOf(at);
    const as = at.visitor();
    await as.post("/own-keys", {
      act: "make",
      permission: "read",
      key_name: `key of ${name}`,
    });
    const wrong = await as.post("/settings", { act: "close", typed_name: "no" });
    expect(wrong.status).toBe(422);
    const { answer } = await as.act("/settings", { act: "close", typed_name: name });
    expect(answer.status).toBe(303);
    expect(await tablesWith(gateway.sql, address)).toEqual([]);
    expect(await tablesWith(gateway.sql, name)).toEqual([]);
    const proof = await gateway.send("GET", `/v1/operator/accounts/${account}`, admin, undefined);
    expect(await proof.json()).toMatchObject({
      balance_credits: WELCOME,
      ledger: { granted_credits: WELCOME, is_balanced: true },
      closed_at: expect.any(String),
    });
    const resumed = await gateway.send(
      "POST",
      `/v1/operator/accounts/${account}/resume`,
      admin,
      {},
    );
    expect(resumed.status).toBe(409);
    expect((await at.get("/console")).status).toBe(200);

    // The same address joins again, without a second welcome.
    const again = await join(gateway, address);
    const { balance_credits: balance } = (await (
      await gateway.send("GET", `/v1/operator/accounts/${await accountOf(again)}`, admin, undefined)
    ).json()) as { balance_credits: number };
    expect(balance).toBe(0);
  });
});

async function personOf(address: string): Promise<string> {
  const [row] = await gateway.sql<{ person_id: string }[]>`
    select person_id from persons where address = ${address}`;
  return present(row).person_id;
}
