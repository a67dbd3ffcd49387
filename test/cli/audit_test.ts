import { afterAll, describe, expect, test } from "bun:test";
import { execSync } from "node:child_process";
import { seedFeed } from "../support/seed.ts";
import { startOperatedGateway } from "./support.ts";

interface Event {
  readonly id: number;
  readonly happened_at: string;
  readonly actor: string;
  readonly action: string;
  readonly account_id: string | null;
  readonly feed_id: string | null;
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
}

const { USER } = process.env;
const { gateway, operator } = await startOperatedGateway();
// Whoever runs a command may set this to anything.
process.env.USER = "somebody-else";
afterAll(() => {
  if (USER === undefined) delete process.env.USER;
  else process.env.USER = USER;
});

const account = execSync("id -un || echo uid $(id -u)", { encoding: "utf8" }).trim();
const { SUDO_USER } = process.env;
const me = SUDO_USER ? `operator ${SUDO_USER} as ${account}` : `operator ${account}`;

async function trail(...argv: string[]): Promise<Event[]> {
  return (await operator.json("audit", ...argv)) as Event[];
}

describe("audit", () => {
  test("each operator command that changes something is there, with who, before and after", async () => {
    const account = (await operator.json("account", "create", "--name", "Acme")) as { id: string };
    const { id } = account;
    const argv = ["key", "create", "--account", id, "--permission", "read"];
    const key = (await operator.json(...argv)) as { id: string; key: string };
    await operator.json("key", "revoke", key.id);
    // Nothing changes the second time.
    await operator.json("key", "revoke", key.id);
    const grant = ["credits", "grant", "--account", id, "--credits", "5", "--reason", "gift"];
    await operator.json(...grant, "--reference", "a");
    await operator.json(...grant, "--reference", "a");
    await operator.json("credits", "revoke", ...grant.slice(2), "--reference", "b");
    await operator.json("promo", "create", "WELCOME", "--credits", "2");
    await operator.json("promo", "redeem", "WELCOME", "--account", id);
    const events = await trail("--account", id);
    expect(events.map(({ action }) => action)).toEqual([
      "promo redeem",
      "credits revoke",
      "credits grant",
      "key revoke",
      "key create",
      "account create",
    ]);
    expect(new Set(events.map(({ actor }) => actor))).toEqual(new Set([me]));
    const [redeemed, taken, granted, revoked, created, made] = events;
    expect(made).toMatchObject({ before: null, after: { name: "Acme", max_feeds_allowed: 3 } });
    expect(created?.after).toMatchObject({ key_id: key.id, permission: "read" });
    expect(revoked).toMatchObject({ before: { key_id: key.id, revoked_at: null } });
    expect(revoked?.after?.revoked_at).toBeString();
    expect(granted).toMatchObject({
      before: { balance_credits: 0 },
      after: { amount_credits: 5, balance_credits: 5, reason: "gift", reference: "a" },
    });
    expect(taken).toMatchObject({
      before: { balance_credits: 5 },
      after: { amount_credits: -5, balance_credits: 0, reason: "gift", reference: "b" },
    });
    expect(redeemed).toMatchObject({ before: { balance_credits: 0 } });
    const all = JSON.stringify(await trail("--limit", "1000"));
    expect(all).toContain('"promo create"');
    expect(all).not.toContain(key.key.slice(0, 12));
    expect(all).not.toContain("key_hash");
    expect(all).not.toContain("_nanos");
  });

  test("create and edit name the key; only what changed is shown, long texts by their digest", async () => {
    const accountId = await gateway.createAccount();
    const writeKey = await gateway.createKey(accountId, "write");
    const keys = await gateway.sql`select key_id from api_keys where account_id = ${accountId}`;
    const actor = `key ${keys[0]?.key_id}`;
    const made = await gateway.send("POST", "/v1/provider/feed/create", writeKey, {
      name: "Rates",
      endpoint_path: "rates",
    });
    const { id } = ((await made.json()) as { feed?: { id: string }; id: string }) ?? {};
    const path = `/v1/provider/feed/${id}/edit`;
    const edit = { name: "Rates 2", readme_md: "x".repeat(5_000), category: null };
    expect((await gateway.send("PATCH", path, writeKey, edit)).status).toBe(200);
    // Nothing changes, and a refusal changes nothing.
    expect((await gateway.send("PATCH", path, writeKey, edit)).status).toBe(200);
    expect((await gateway.send("PATCH", path, writeKey, { status: "active" })).status).toBe(422);
    const events = await trail("--feed", "rates");
    expect(events.map(({ action }) => action)).toEqual(["feed edit", "feed create"]);
    expect(events.map((event) => event.actor)).toEqual([actor, actor]);
    expect(events[1]).toMatchObject({ before: null, account_id: accountId, feed_id: id });
    expect(events[1]?.after).toMatchObject({ name: "Rates", status: "draft" });
    expect(events[0]?.before).toEqual({ name: "Rates", readme_md: null });
    expect(events[0]?.after).toEqual({
      name: "Rates 2",
      readme_md: { bytes: 5_002, md5: expect.any(String), begins: expect.any(String) },
    });
  });

  test("a first push is its key's deed, and a purchase is shown with its feed", async () => {
    const accountId = await gateway.createAccount();
    const buyerId = await gateway.createAccount();
    const writeKey = await gateway.createKey(accountId, "write");
    const [key] = await gateway.sql`select key_id from api_keys where account_id = ${accountId}`;
    const made = await gateway.send("POST", "/v1/provider/feed/create", writeKey, {
      name: "Sold",
      endpoint_path: "sold",
      price_type: "one_time",
      one_time_price_cents: 100,
    });
    const { id } = (await made.json()) as { id: string };
    const push = `/v1/provider/feed/${id}/push`;
    for (const rate of [1, 2]) {
      expect((await gateway.send("POST", push, writeKey, { rate })).status).toBe(200);
    }
    await operator.json("purchase", "record", "--account", buyerId, "--feed", "sold");
    const undo = ["purchase", "undo", "--account", buyerId, "--feed", "sold", "--reason"];
    await operator.json(...undo, "paid back");
    // Nothing changes the second time.
    await operator.json(...undo, "once more");
    const [undone, ...events] = await trail("--feed", id);
    expect(undone).toMatchObject({
      action: "purchase undo",
      actor: me,
      account_id: buyerId,
      before: { balance_credits: 0 },
      after: { amount_credits: 0, balance_credits: 0, reason: "paid back" },
    });
    expect(events.map(({ action, actor }) => [action, actor])).toEqual([
      ["purchase record", me],
      ["feed edit", `key ${key?.key_id}`],
      ["feed create", `key ${key?.key_id}`],
    ]);
    expect(events[0]).toMatchObject({ account_id: buyerId, after: { amount_credits: 0 } });
    expect(events[1]).toMatchObject({ before: { status: "draft" }, after: { status: "active" } });
    expect(events[2]?.after).toMatchObject({ price_type: "one_time", one_time_price_cents: 100 });
    const ofAccount = await trail("--account", buyerId);
    expect(ofAccount.filter(({ action }) => action === "purchase record")).toHaveLength(1);
  });

  test("money is exact, in credits and in USD per 1,000 calls", async () => {
    const accountId = await gateway.createAccount();
    const writeKey = await gateway.createKey(accountId, "write");
    const grant = ["credits", "grant", "--account", accountId, "--reason", "gift", "--credits"];
    for (const credits of ["9e14", "0.001"]) await operator.json(...grant, credits);
    const made = await gateway.send("POST", "/v1/provider/feed/create", writeKey, {
      name: "Priced",
      endpoint_path: "priced",
      price_type: "metered",
      price_per_1k: 0.0015,
      sample_response: { amount_nanos: 7 },
    });
    expect(made.status).toBe(201);
    const { stdout } = await operator.run(["audit", "--account", accountId, "--json"]);
    expect(stdout).toMatch(/"balance_credits" ?: ?900000000000000\.001[,}]/);
    expect(stdout).toMatch(/"price_per_1k" ?: ?0\.0015[,}]/);
    expect(stdout).toMatch(/"sample_response" ?: ?\{"amount_nanos": ?7\}/);
  });

  test("publish and unpublish name the operator; pushes and reads leave nothing", async () => {
    const accountId = await gateway.createAccount({ name: "Pusher" });
    const writeKey = await gateway.createKey(accountId, "write");
    const readKey = await gateway.createKey(accountId, "read");
    const feed = await seedFeed(gateway, accountId, { type: "collection", rows: [{ id: 1 }] });
    const before = await trail("--feed", feed.slug);
    const path = `/v1/provider/feed/${feed.feedId}/push`;
    expect((await gateway.send("POST", path, writeKey, { payload: [{ id: 2 }] })).status).toBe(200);
    expect((await gateway.get(`/v1/feed/${feed.slug}`, readKey)).status).toBe(200);
    expect(await trail("--feed", feed.slug)).toEqual(before);
    const since = new Date().toISOString();
    await operator.json("feed", "publish", feed.slug);
    await operator.json("feed", "unpublish", feed.slug);
    const events = await trail("--feed", feed.feedId, "--since", since);
    expect(events.map(({ action, actor }) => [action, actor])).toEqual([
      ["feed unpublish", me],
      ["feed publish", me],
    ]);
    expect(events[0]).toMatchObject({ before: { is_public: true }, after: { is_public: false } });
    const newest = await operator.run(["audit", "--feed", feed.slug, "--limit", "1", "--json"]);
    expect(JSON.parse(newest.stdout)).toEqual([events[0]]);
  });

  test("is readable as a table, and refuses what it does not know", async () => {
    const { code, stdout } = await operator.run(["audit"]);
    expect(code).toBe(0);
    expect(stdout.split("\n")[0]).toMatch(/^TIME +ACTOR +VIA +ACTION/);
    expect((await operator.run(["audit", "--account", crypto.randomUUID()])).code).toBe(1);
    expect((await operator.run(["audit", "--since", "yesterday"])).code).toBe(2);
  });
});
