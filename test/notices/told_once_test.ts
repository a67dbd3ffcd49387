import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { insertAdminKey } from "../support/insert_key.ts";
import { seedFeed } from "../support/seed.ts";
import { nameWebhook, type Receiver, runNoticeJob, sendNotices, startReceiver } from "./support.ts";

let receiver: Receiver;
let gateway: TestGateway;
let peer: Awaited<ReturnType<TestGateway["startPeer"]>>;
let provider: string;
let reader: string;
let writeKey: string;
let readKey: string;
let adminKey: string;
const secrets: Record<string, string> = {};

const READ = [
  "feed.updated",
  "feed.changed",
  "feed.gone",
  "balance.low",
  "budget.spent",
  "credits.granted",
];
const WRITE = [
  "feed.late",
  "feed.recovered",
  "push.refused",
  "batch.closing",
  "feed.reviewed",
  "feed.suspended",
  "feed.sold",
  "payout.recorded",
];
const ADMIN = ["review.waiting", "ledger.broken", "topup.alert", "job.failed"];

beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startTestGateway({}, { webhookTrial: receiver.trial });
  peer = await gateway.startPeer();
  provider = await gateway.createAccount();
  reader = await gateway.createAccount({ credits: 5_000_000 });
  [writeKey, readKey] = await Promise.all([
    gateway.createKey(provider, "write"),
    gateway.createKey(reader, "read"),
  ]);
  adminKey = (await insertAdminKey(gateway)).key;
  for (const [name, key, types, path] of [
    ["read", readKey, READ, "/v1/webhooks"],
    ["write", writeKey, WRITE, "/v1/webhooks"],
    ["admin", adminKey, ADMIN, "/v1/operator/webhooks"],
  ] as const) {
    const answer = await gateway.send("POST", path, key, {
      url: `${receiver.origin}/${name}`,
      types,
    });
    expect(answer.status).toBe(201);
    secrets[name] = ((await answer.json()) as { secret: string }).secret;
  }
  await send();
  receiver.received.length = 0;
});
afterAll(async () => {
  await gateway.stop();
  await receiver.stop();
});

/** By both gateways at the same time, each of which has a turn. */
async function send(now?: string): Promise<void> {
  await sendNotices(gateway, now);
  await Promise.all(
    [gateway.gateway, peer].map(async ({ services }) => {
      services.notices.wake(now);
      await services.notices.idle();
    }),
  );
}

/** What was received since, as path and type. */
async function told(now?: string) {
  await send(now);
  const received = receiver.received.splice(0);
  for (const { path, text, headers } of received) {
    const secret = secrets[path.slice(1)] ?? "";
    expect(new Webhook(secret).verify(text, headers)).toBeDefined();
  }
  return received.map(({ path, notice }) => `${path} ${notice.type}`).sort();
}

/** The feed is one that the reader is told of. */
async function readFeed(seed: Partial<Parameters<typeof seedFeed>[2]> = {}) {
  const feed = await seedFeed(gateway, provider, { type: "singleton", rows: [{ a: 1 }], ...seed });
  await gateway.sql`
    insert into spending_days (account_id, day, feed_id, key_id, reads, purchases, charged_nanos, refunded_nanos)
    values (${reader}, current_date, ${feed.feedId}, null, 1, 0, 0, 0)`;
  await runNoticeJob(gateway.sql, "notice subscriptions");
  return feed;
}

/** Does the statement in a transaction that is rolled back, and then in one that is not. */
async function twice(text: string, values: unknown[] = []): Promise<void> {
  await gateway.sql
    .begin(async (sql) => {
      await sql.unsafe(text, values as never[]);
      throw new Error("rolled back");
    })
    .catch(() => {});
  expect(await told()).toEqual([]);
  await gateway.sql.unsafe(text, values as never[]);
}

const edit = (change: string) =>
  `update feeds set ${change}, definition_version = definition_version + 1 where feed_id = $1`;

describe("a notice is sent once for what was committed, and not for what was rolled back:", () => {
  test("feed.updated, at once, then at most once a minute, with the last state", async () => {
    const { feedId, slug } = await readFeed();
    const push = (value: number) =>
      gateway.send("POST", `/v1/provider/feed/${slug}/push`, writeKey, { payload: { a: value } });
    const pushed = await push(2);
    expect(pushed.status).toBe(200);
    await runNoticeJob(gateway.sql, "updated feeds");
    await send();
    const [first] = receiver.received;
    expect(first?.notice).toMatchObject({
      type: "feed.updated",
      data: { feed_id: feedId, data_version: 2 },
    });
    expect(await told()).toEqual(["/read feed.updated"]);
    await push(3);
    await push(4);
    await runNoticeJob(gateway.sql, "updated feeds");
    expect(await told()).toEqual([]);
    const later = new Date(Date.now() + 61_000).toISOString();
    await Promise.all([
      runNoticeJob(gateway.sql, "updated feeds", { now: later }),
      runNoticeJob(gateway.sql, "updated feeds", { now: later }),
    ]);
    await sendNotices(gateway, later);
    expect(receiver.received.map(({ notice }) => notice.data.data_version)).toEqual([4]);
    receiver.received.length = 0;
  });

  test("feed.changed, with what was before and after", async () => {
    const { feedId } = await readFeed();
    await twice(edit("price_type = 'metered', call_price_nanos = 2000"), [feedId]);
    await send();
    expect(receiver.received[0]?.notice.data).toMatchObject({
      before: { price_type: "free", price_per_1k: 0 },
      after: { price_type: "metered", price_per_1k: 0.002 },
    });
    expect(await told()).toEqual(["/read feed.changed"]);
  });

  test("feed.gone and feed.suspended", async () => {
    const { feedId } = await readFeed();
    await twice(edit("suspension_reason = 'a complaint'"), [feedId]);
    expect(await told()).toEqual(["/read feed.gone", "/write feed.suspended"]);
    const { feedId: other } = await readFeed();
    await twice(edit("deleted_at = now()"), [other]);
    expect(await told()).toEqual(["/read feed.gone"]);
  });

  test("review.waiting and feed.reviewed", async () => {
    const { feedId } = await readFeed();
    await twice(edit("review = 'waiting'"), [feedId]);
    expect(await told()).toEqual(["/admin review.waiting"]);
    await twice(edit("review = 'declined', review_reason = 'no text'"), [feedId]);
    expect(await told()).toEqual(["/write feed.reviewed"]);
    await twice(edit("review = 'none', review_reason = null, is_public = true"), [feedId]);
    expect(await told()).toEqual(["/write feed.reviewed"]);
  });

  test("credits.granted, and balance.low once until the balance was above", async () => {
    await runNoticeJob(gateway.sql, "low balances");
    expect(await told()).toEqual([]);
    const setBalance = (nanos: number) =>
      gateway.sql`update accounts set balance_nanos = ${nanos} where account_id = ${reader}`;
    await setBalance(999_999_999);
    await Promise.all([
      runNoticeJob(gateway.sql, "low balances"),
      runNoticeJob(gateway.sql, "low balances"),
    ]);
    expect(await told()).toEqual(["/read balance.low"]);
    await setBalance(5);
    await runNoticeJob(gateway.sql, "low balances");
    expect(await told()).toEqual([]);
    await setBalance(5_000_000_000);
    await runNoticeJob(gateway.sql, "low balances");
    await setBalance(1);
    await runNoticeJob(gateway.sql, "low balances");
    expect(await told()).toEqual(["/read balance.low"]);
    await setBalance(5_000_000_000);
    await runNoticeJob(gateway.sql, "low balances");
    await twice(
      `insert into credit_ledger (
        account_id, kind, amount_nanos, balance_before_nanos, balance_after_nanos, reason
      ) values ($1, 'grant', 5, 0, 5, 'test')`,
      [reader],
    );
    expect(await told()).toEqual(["/read credits.granted"]);
  });

  test("budget.spent, once a day and chain", async () => {
    const { sql } = gateway;
    const [key] = await sql`
      select key_id, chain_id from api_keys where account_id = ${reader} and permission = 'read'`;
    await sql`update api_keys set daily_nanos = 1000 where key_id = ${key?.key_id}`;
    await sql`
      insert into key_spending (account_id, key_id, day, spent_nanos)
      values (${reader}, ${key?.chain_id}, floor(extract(epoch from now()) / 86400)::int, 400)`;
    await runNoticeJob(sql, "low balances");
    expect(await told()).toEqual([]);
    await sql`update key_spending set spent_nanos = 1000 where account_id = ${reader}`;
    await runNoticeJob(sql, "low balances");
    await runNoticeJob(sql, "low balances");
    expect(await told()).toEqual(["/read budget.spent"]);
    await sql`update api_keys set daily_nanos = null where key_id = ${key?.key_id}`;
  });

  test("budget.spent, not after a purchase that leaves enough for reads, but once that is spent, too", async () => {
    const { sql } = gateway;
    const account = await gateway.createAccount({ credits: 5_000_000 });
    const key = await gateway.createKey(account, "read");
    await sql`update api_keys set daily_nanos = 1500000000 where account_id = ${account}`;
    const url = `${receiver.origin}/buyer`;
    const { secret } = await nameWebhook(gateway, key, { url, types: ["budget.spent"] });
    secrets.buyer = secret;
    const sold = await seedFeed(gateway, provider, {
      type: "singleton",
      rows: [{ a: 1 }],
      oneTimePriceCents: 100,
    });
    const metered = await seedFeed(gateway, provider, {
      type: "singleton",
      rows: [{ a: 1 }],
      callPriceNanos: 300_000_000,
    });
    const bought = await gateway.send("POST", `/v1/feed/${sold.slug}/purchase`, key, {
      max_credits: 1_000_000,
    });
    expect(bought.status).toBe(201);
    await runNoticeJob(sql, "low balances");
    expect(await told()).toEqual(["/write feed.sold"]);
    expect((await gateway.get(`/v1/feed/${metered.slug}`, key)).status).toBe(200);
    await runNoticeJob(sql, "low balances");
    expect(await told()).toEqual(["/buyer budget.spent"]);
  });

  test("feed.late and feed.recovered", async () => {
    const { feedId } = await readFeed();
    await gateway.sql`
      update feeds set last_sync_at = now() - interval '2 hours' where feed_id = ${feedId}`;
    await runNoticeJob(gateway.sql, "late feeds");
    await runNoticeJob(gateway.sql, "late feeds");
    expect(await told()).toEqual(["/write feed.late"]);
    await gateway.sql`update feeds set last_sync_at = now() where feed_id = ${feedId}`;
    await runNoticeJob(gateway.sql, "late feeds");
    await runNoticeJob(gateway.sql, "late feeds");
    expect(await told()).toEqual(["/write feed.recovered"]);
  });

  test("push.refused: the first of a run, then one in 10 minutes with how many", async () => {
    const { feedId, slug } = await readFeed();
    const refuse = () =>
      gateway.send("POST", `/v1/provider/feed/${slug}/push`, writeKey, { payload: 5 });
    for (let push = 0; push < 3; push += 1) expect((await refuse()).status).toBe(422);
    await send();
    expect(receiver.received.map(({ notice }) => notice.data.refused)).toEqual([1]);
    expect(await told()).toEqual(["/write push.refused"]);
    await gateway.sql`
      update refused_runs set told_at = now() - interval '11 minutes' where feed_id = ${feedId}`;
    await gateway.sql`update feeds set last_sync_at = now() - interval '20 minutes' where feed_id = ${feedId}`;
    await refuse();
    await send();
    expect(receiver.received.map(({ notice }) => notice.data.refused)).toEqual([3]);
    expect(await told()).toEqual(["/write push.refused"]);
    await gateway.send("POST", `/v1/provider/feed/${slug}/push`, writeKey, { payload: { a: 9 } });
    await refuse();
    expect(await told()).toEqual(["/write push.refused"]);
  });

  test("batch.closing, an hour before, and again after another push", async () => {
    const { feedId } = await readFeed({ type: "collection", rows: [{ id: "a" }] });
    await gateway.sql`
      insert into batches (feed_id, batch_number, batch_id, status, begun_at)
      values (${feedId}, 7, 'today', 'open', now() - interval '22 hours 59 minutes')`;
    await runNoticeJob(gateway.sql, "closing batches");
    expect(await told()).toEqual([]);
    const later = new Date(Date.now() + 120_000).toISOString();
    await runNoticeJob(gateway.sql, "closing batches", { now: later });
    await runNoticeJob(gateway.sql, "closing batches", { now: later });
    await sendNotices(gateway, later);
    expect(await told(later)).toEqual(["/write batch.closing"]);
  });

  test("feed.sold and payout.recorded", async () => {
    const { feedId } = await readFeed({ oneTimePriceCents: 500 });
    await twice(
      `with entry as (
        insert into credit_ledger (account_id, kind, feed_id, amount_nanos, balance_before_nanos, balance_after_nanos, reason)
        values ($1, 'purchase', $2, 0, 0, 0, 'test') returning entry_id
      )
      insert into purchases (account_id, feed_id, entry_id, price_cents)
      select $1, $2, entry_id, 500 from entry`,
      [reader, feedId],
    );
    expect(await told()).toEqual(["/write feed.sold"]);
    await twice("insert into payouts (account_id, amount_nanos, reference) values ($1, 7, 'one')", [
      provider,
    ]);
    expect(await told()).toEqual(["/write payout.recorded"]);
  });

  test("ledger.broken, topup.alert and job.failed", async () => {
    await twice(
      "insert into findings (name, amount, detail, found_at) values ('ledger check', 1, 'x', now())",
    );
    expect(await told()).toEqual(["/admin ledger.broken"]);
    await gateway.sql`update findings set amount = 2 where name = 'ledger check'`;
    expect(await told()).toEqual([]);
    await gateway.sql`
      insert into topups (account_id, way, amount_nanos, expires_at, due_at)
      values (${reader}, 'card', 5, now(), now())`;
    await twice("update topups set alert = 'look' where account_id = $1", [reader]);
    expect(await told()).toEqual(["/admin topup.alert"]);
    const failed = { job: "totals", error: "it broke" };
    await peer.services.database.row("note_failed_job", failed);
    await peer.services.database.row("note_failed_job", failed);
    expect(await told()).toEqual(["/admin job.failed"]);
  });
});

test("an address is not told of what happened before it was named", async () => {
  const accountId = await gateway.createAccount({ credits: 1_000 });
  const key = await gateway.createKey(accountId, "read");
  const url = `${receiver.origin}/late`;
  const named = await nameWebhook(gateway, key, { url, types: ["credits.granted"] });
  secrets.late = named.secret;
  expect(await told()).toEqual([]);
  await gateway.sql`
    insert into credit_ledger (
      account_id, kind, amount_nanos, balance_before_nanos, balance_after_nanos, reason
    ) values (${accountId}, 'grant', 5, 1000000, 1000005, 'test')`;
  expect(await told()).toEqual(["/late credits.granted"]);
});

test("an address without feeds is not told of a feed that its account has nothing to do with", async () => {
  const { feedId } = await seedFeed(gateway, provider, { type: "singleton", rows: [{ a: 1 }] });
  await gateway.sql.unsafe(edit("price_type = 'metered', call_price_nanos = 2000"), [feedId]);
  expect(await told()).toEqual([]);
  const named = await nameWebhook(gateway, readKey, {
    url: `${receiver.origin}/read`,
    types: ["feed.changed"],
    feed_ids: [feedId],
  });
  secrets.read = named.secret;
  await gateway.sql.unsafe(edit("call_price_nanos = 3000"), [feedId]);
  expect(await told()).toEqual(["/read feed.changed"]);
});
