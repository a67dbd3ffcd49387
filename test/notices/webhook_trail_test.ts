/**
 * Webhooks in the audit trail: each act through each face, what the trail shows of the address, and what is no change.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { present } from "../../src/lib/assert.ts";
import { runFeedgate } from "../cli/support.ts";
import { createAdmin, signIn, type Visitor } from "../pages/console/support.ts";
import { invite, join } from "../people/support.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { seedFeed } from "../support/seed.ts";
import { nameWebhook, type Receiver, sendNotices, startReceiver } from "./support.ts";

const PATH = "/path-that-is-secret";
const OTHER_PATH = "/another-secret";
const SECRET_PARTS = ["path-that-is-secret", "another-secret", "token=", "whsec_", "sealed", "url"];

let receiver: Receiver;
let gateway: TestGateway;
let account: string;
let admin: string;
/** Distinguishes the webhooks of the faces. */
let named = 0;

beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startTestGateway(
    { FEEDGATE_SMTP_URL: "smtp://127.0.0.1:1", FEEDGATE_MAIL_FROM: "gate@example.com" },
    { webhookTrial: receiver.trial },
  );
  account = await gateway.createAccount();
  admin = await createAdmin(gateway, "ops");
});
afterAll(async () => {
  await gateway.stop();
  await receiver.stop();
});

interface Entry {
  readonly actor: string;
  readonly face: string | null;
  readonly action: string;
  readonly account_id: string | null;
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
}

/** What the trail has of a webhook, the oldest first. */
async function trailOf(id: string): Promise<Entry[]> {
  const rows = await gateway.sql<{ entry: string }[]>`
    select json_build_object(
      'actor', actor, 'face', face, 'action', action, 'account_id', account_id, 'before', before, 'after', after
    )::text as entry
    from audit_events
    where coalesce(after, before) ->> 'webhook_id' = ${id}
    order by event_id`;
  return rows.map(({ entry }) => JSON.parse(entry));
}

async function idAt(url: string): Promise<string> {
  const rows = await gateway.sql`select webhook_id from webhooks where url = ${url}`;
  return present(rows[0]).webhook_id;
}

interface Face {
  readonly actor: string;
  readonly face: string;
  readonly accountId: string | null;
  readonly permission: string;
  readonly types: readonly [string, string];
  /** Names an address for both types. */
  create(url: string): Promise<string>;
  /** Has the first type only. */
  edit(id: string, url: string): Promise<void>;
  pause(id: string): Promise<void>;
  rotate(id: string): Promise<void>;
  remove(id: string): Promise<void>;
}
type Acts = Pick<Face, "create" | "edit" | "pause" | "rotate" | "remove">;

function overApi(key: string, path: string, types: readonly [string, string]): Acts {
  const send = async (method: "POST" | "PATCH" | "DELETE", place: string, body?: object) => {
    const answer = await gateway.send(method, `${path}${place}`, key, body);
    if (!answer.ok) throw new Error(`${method} ${place}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  return {
    create: async (url) =>
      ((await (await send("POST", "", { url, types })).json()) as { id: string }).id,
    edit: async (id) => void (await send("PATCH", `/${id}`, { types: [types[0]] })),
    pause: async (id) => void (await send("PATCH", `/${id}`, { is_active: false })),
    rotate: async (id) => void (await send("POST", `/${id}/rotate`, {})),
    remove: async (id) => void (await send("DELETE", `/${id}`)),
  };
}

function onPages(visitor: Visitor, page: string, types: readonly [string, string]): Acts {
  const act = async (fields: Readonly<Record<string, string>>) => {
    const { answer } = await visitor.act(page, fields);
    expect([200, 303]).toContain(answer.status);
  };
  return {
    async create(url) {
      const chosen = Object.fromEntries(types.map((type) => [`type.${type}`, "yes"]));
      await act({ act: "add", url, ...chosen });
      return idAt(url);
    },
    edit: (id, url) => act({ act: "edit", webhook_id: id, url, [`type.${types[0]}`]: "yes" }),
    pause: (id) => act({ act: "pause", webhook_id: id }),
    rotate: (id) => act({ act: "rotate", webhook_id: id }),
    remove: (id) => act({ act: "remove", webhook_id: id }),
  };
}

function byCommand(key: string, types: readonly [string, string]): Acts {
  const run = async (...argv: readonly string[]) => {
    const environment = { FEEDGATE_URL: gateway.baseUrl, FEEDGATE_KEY: key };
    const { code, stderr } = await runFeedgate(["webhook", ...argv], environment);
    expect({ argv, code, stderr }).toEqual({ argv, code: 0, stderr: "" });
  };
  return {
    async create(url) {
      await run("add", url, "--types", types.join(","));
      return idAt(url);
    },
    edit: (id) => run("edit", id, "--types", types[0]),
    pause: (id) => run("edit", id, "--off"),
    rotate: (id) => run("rotate", id),
    remove: (id) => run("remove", id),
  };
}

/** In the order in which the pages list them. */
const READ = ["feed.updated", "balance.low"] as const;
const WRITE = ["feed.late", "feed.sold"] as const;
const OPERATORS = ["review.waiting", "job.failed"] as const;

async function keyOf(permission: "read" | "write") {
  const key = await gateway.createKey(account, permission);
  const rows = await gateway.sql`
    select key_id from api_keys where account_id = ${account} order by created_at desc limit 1`;
  return { key, actor: `key ${rows[0]?.key_id}` };
}

async function personWho() {
  const address = `person${named}@example.com`;
  await invite(gateway, { admin, account, address, role: "member" });
  const visitor = (await join(gateway, address, { accepts: true })).visitor();
  const rows = await gateway.sql`select person_id from persons where address = ${address}`;
  return { visitor, actor: `person ${rows[0]?.person_id}` };
}

async function operatorsActor() {
  const rows = await gateway.sql`select key_id from admin_keys where name = 'ops'`;
  return `admin key ops (${rows[0]?.key_id})`;
}

/** A caller of each face. */
const FACES: Readonly<Record<string, () => Promise<Face>>> = {
  async "a read key over the API"() {
    const { key, actor } = await keyOf("read");
    const acts = overApi(key, "/v1/webhooks", READ);
    return { actor, face: "api", accountId: account, permission: "read", types: READ, ...acts };
  },
  async "a write key over the API"() {
    const { key, actor } = await keyOf("write");
    const acts = overApi(key, "/v1/webhooks", WRITE);
    return { actor, face: "api", accountId: account, permission: "write", types: WRITE, ...acts };
  },
  async "the command with a read key"() {
    const { key, actor } = await keyOf("read");
    const acts = byCommand(key, READ);
    return { actor, face: "api", accountId: account, permission: "read", types: READ, ...acts };
  },
  async "a read key in the console"() {
    const { key, actor } = await keyOf("read");
    const acts = onPages(await signIn(gateway.baseUrl, key), "/notices", READ);
    return { actor, face: "console", accountId: account, permission: "read", types: READ, ...acts };
  },
  async "a person on the page for readers"() {
    const { visitor, actor } = await personWho();
    const acts = onPages(visitor, "/notices", READ);
    return { actor, face: "console", accountId: account, permission: "read", types: READ, ...acts };
  },
  async "a person on the page for providers"() {
    const { visitor, actor } = await personWho();
    const acts = onPages(visitor, "/feed-notices", WRITE);
    const own = { accountId: account, permission: "write", types: WRITE };
    return { actor, face: "console", ...own, ...acts };
  },
  async "an operator over the API"() {
    const own = { accountId: null, permission: "admin", types: OPERATORS };
    const acts = overApi(admin, "/v1/operator/webhooks", OPERATORS);
    return { actor: await operatorsActor(), face: "api", ...own, ...acts };
  },
  async "an operator in the console"() {
    const own = { accountId: null, permission: "admin", types: OPERATORS };
    const acts = onPages(await signIn(gateway.baseUrl, admin), "/webhooks", OPERATORS);
    return { actor: await operatorsActor(), face: "console", ...own, ...acts };
  },
};

describe("each act on a webhook is in the trail, with its actor and face:", () => {
  test.each(Object.keys(FACES))("%s", async (name) => {
    named += 1;
    const by = await present(FACES[name])();
    const { permission, types } = by;
    const url = `${receiver.origin}${PATH}/${named}?token=${named}`;
    const id = await by.create(url);
    await by.edit(id, url);
    await by.pause(id);
    await by.rotate(id);
    await by.remove(id);
    const trail = await trailOf(id);
    const only = { webhook_id: id };
    const whole = { ...only, host: receiver.origin, permission };
    expect(trail.map(({ action, before, after }) => [action, before, after])).toEqual([
      ["webhook create", null, { ...whole, types: [...types], is_active: true }],
      ["webhook edit", { ...only, types: [...types] }, { ...only, types: [types[0]] }],
      ["webhook edit", { ...only, is_active: true }, { ...only, is_active: false }],
      ["webhook rotate", only, only],
      ["webhook delete", { ...whole, types: [types[0]], is_active: false }, null],
    ]);
    for (const { actor, face, account_id } of trail) {
      expect([actor, face, account_id]).toEqual([by.actor, by.face, by.accountId]);
    }
    const text = JSON.stringify(trail);
    for (const part of SECRET_PARTS) expect(text).not.toContain(part);
  });
});

async function ownWebhook() {
  const { key, actor } = await keyOf("read");
  const url = `${receiver.origin}${PATH}`;
  const { id } = await nameWebhook(gateway, key, { url, types: ["credits.granted"] });
  const edit = (body: object) => gateway.send("PATCH", `/v1/webhooks/${id}`, key, body);
  return { key, actor, id, url, edit };
}

test("another address at the same host is an edit that shows the host alone, and other feeds are shown by id", async () => {
  const { id, url, edit } = await ownWebhook();
  const feed = await seedFeed(gateway, account, { type: "singleton", rows: [{ a: 1 }] });
  await edit({ url: `${receiver.origin}${OTHER_PATH}?token=1`, feed_ids: [feed.slug] });
  // Nothing changes.
  expect((await edit({ feed_ids: [feed.feedId], is_active: true })).status).toBe(200);
  await edit({ url: url.replace("localhost", "127.0.0.1") });
  const [, edited, ...others] = await trailOf(id);
  const shown = { webhook_id: id, host: receiver.origin };
  expect(edited).toMatchObject({ action: "webhook edit" });
  expect(edited?.before).toEqual({ ...shown, feed_ids: null });
  expect(edited?.after).toEqual({ ...shown, feed_ids: [feed.feedId] });
  expect(JSON.stringify([edited, ...others])).not.toMatch(/secret|token=/);
});

test("a user and a password in an address that was stored by other means are not in the trail", async () => {
  const [row] = await gateway.sql`
    insert into webhooks (permission, url, types, sealed_secret)
    values ('admin', 'https://name@x:pass@word@example.com:8443/a@b?c', array['job.failed'], 'sealed')
    returning webhook_id`;
  const [made] = await trailOf(row?.webhook_id);
  expect(made?.after).toMatchObject({ host: "https://example.com:8443" });
  expect(made?.actor).toStartWith("database ");
  expect(made?.face).toBeNull();
});

test("a refusal, deliveries, and a webhook that the gateway switches off are no changes", async () => {
  const { key, actor, id, edit } = await ownWebhook();
  expect((await edit({ types: ["review.waiting"] })).ok).toBe(false);
  const other = await keyOf("write");
  for (const method of ["PATCH", "DELETE"] as const) {
    const body = method === "PATCH" ? { is_active: false } : undefined;
    expect((await gateway.send(method, `/v1/webhooks/${id}`, other.key, body)).status).toBe(404);
  }
  await gateway.send("POST", `/v1/webhooks/${id}/test`, key, {});
  await sendNotices(gateway);
  receiver.answer(PATH, () => new Response(null, { status: 410 }));
  await gateway.send("POST", `/v1/webhooks/${id}/test`, key, {});
  await sendNotices(gateway);
  const [off] =
    await gateway.sql`select switched_off, health from webhooks where webhook_id = ${id}`;
  expect({ ...off }).toEqual({ switched_off: "gone", health: "troubled" });
  expect((await trailOf(id)).map(({ action }) => action)).toEqual(["webhook create"]);

  await edit({ is_active: true });
  const [, resumed] = await trailOf(id);
  expect(resumed).toMatchObject({ actor, action: "webhook edit" });
  expect(resumed?.after).toEqual({ webhook_id: id, is_active: true });
});

test("a webhook that moves to another key is an edit by that key", async () => {
  const { id } = await ownWebhook();
  const next = await keyOf("read");
  await gateway.send("PATCH", `/v1/webhooks/${id}`, next.key, { is_active: true });
  const [, moved, ...others] = await trailOf(id);
  expect(others).toEqual([]);
  expect(moved).toMatchObject({ actor: next.actor, face: "api", action: "webhook edit" });
});

test("webhooks that end with their account are deleted by whoever closes it", async () => {
  const closing = await gateway.createAccount();
  const key = await gateway.createKey(closing, "read");
  const { id } = await nameWebhook(gateway, key, {
    url: `${receiver.origin}${PATH}`,
    types: ["credits.granted"],
  });
  const path = `/v1/operator/accounts/${closing}/close`;
  expect((await gateway.send("POST", path, admin, {})).status).toBe(200);
  const [, deleted] = await trailOf(id);
  expect(deleted).toMatchObject({
    actor: await operatorsActor(),
    face: "api",
    action: "webhook delete",
    account_id: closing,
    after: null,
  });
});
