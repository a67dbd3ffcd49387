import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { hashKey } from "../../src/accounts/key_format.ts";
import type { Gateway } from "../../src/server.ts";
import { operatorOf } from "../cli/support.ts";
import { askAgain } from "../support/ask_again.ts";
import { type FaultyLink, startFaultyLink } from "../support/faulty_link.ts";
import { problemOf, shareTestGateway, type TestGateway } from "../support/gateway.ts";
import { lockWaiters } from "../support/lock_waiters.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";

const CENTS = 500;
/** A cent is 10,000 credits. */
const PRICE = { credits: 5_000_000, usd: 5 };
const ENOUGH = 6_000_000;
const LEFT = { credits: 1_000_000, usd: 1 };

let gateway: TestGateway;
let peer: Gateway;
let link: FaultyLink;
let linked: Gateway;
let operator: ReturnType<typeof operatorOf>;
let owner: string;

beforeAll(async () => {
  gateway = await shareTestGateway();
  peer = await gateway.startPeer();
  link = startFaultyLink(gateway.databaseUrl);
  linked = await gateway.startPeer({ DATABASE_URL: link.url });
  operator = operatorOf(gateway.databaseUrl);
  owner = await gateway.createAccount();
});
afterAll(async () => {
  await gateway.stop();
  link.stop();
});

interface Bought {
  purchase_id: string;
  feed_id: string;
  account_id: string;
  purchased_at: string;
  price: { credits: number; usd: number };
  balance: { credits: number; usd: number };
  _origin: { usage_id: string; timestamp: string; feed_id: string; credits_charged: number };
}

const sell = (price: object = { oneTimePriceCents: CENTS }) =>
  seedFeed(gateway, owner, { type: "collection", rows: [{ id: 1 }], ...price });

async function agent(credits = ENOUGH) {
  const accountId = await gateway.createAccount({ credits });
  return { accountId, key: await gateway.createKey(accountId, "read") };
}

interface BuyOptions {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly at?: string;
}

function buy(feed: string, key: string | undefined, options: BuyOptions = {}): Promise<Response> {
  const { body = { max_credits: PRICE.credits }, headers = {}, at = gateway.baseUrl } = options;
  return fetch(`${at}/v1/feed/${feed}/purchase`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(key && { "x-api-key": key }), ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

async function bought(
  status: number,
  feed: string,
  key: string,
  options?: BuyOptions,
): Promise<Bought> {
  const response = await buy(feed, key, options);
  const answer = await response.json();
  expect({ status: response.status, answer }).toMatchObject({ status });
  return answer as Bought;
}

async function refused(
  expected: readonly [status: number, code: string],
  feed: string,
  key: string | undefined,
  options?: BuyOptions,
) {
  const { status, code, body } = await problemOf(await buy(feed, key, options));
  expect([status, code ?? ""]).toEqual([...expected]);
  return body;
}

async function statusOf(feed: SeededFeed, key: string): Promise<number> {
  return (await gateway.get(`/v1/feed/${feed.slug}`, key)).status;
}

/** Balance and purchases of the account; the ledger must add up. */
async function bookOf(accountId: string) {
  const [row] = await gateway.sql`
    select
      balance_nanos / 1000 as balance,
      granted_nanos - revoked_nanos - charged_nanos + refunded_nanos - balance_nanos as difference,
      (select count(*)::int from purchases where account_id = ${accountId}) as purchases,
      (
        select count(*)::int from usage_events
        where account_id = ${accountId} and operation = 'purchase' and not refunded
      ) as events
    from ledger_of(${accountId})`;
  expect(Number(row?.difference)).toBe(0);
  return {
    balance: Number(row?.balance),
    purchases: Number(row?.purchases),
    events: Number(row?.events),
  };
}

const undo = ({ accountId }: { accountId: string }, feed: SeededFeed) =>
  operator.json(
    ...["purchase", "undo", "--account", accountId, "--feed", feed.slug, "--reason", "S"],
  );
const record = ({ accountId }: { accountId: string }, feed: SeededFeed) =>
  operator.run(["purchase", "record", "--account", accountId, "--feed", feed.slug, "--json"]);

describe("POST /v1/feed/{id}/purchase", () => {
  test("buys a one-time feed from the balance, and its reads are free from then on", async () => {
    const feed = await sell();
    const { accountId, key } = await agent();
    expect(await statusOf(feed, key)).toBe(402);
    const response = await buy(feed.slug, key);
    expect(response.status).toBe(201);
    expect(response.headers.get("cache-control")).toBe("private, no-cache");
    const answer = (await response.json()) as Bought;
    expect(answer).toEqual({
      purchase_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      feed_id: feed.feedId,
      account_id: accountId,
      purchased_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      price: PRICE,
      balance: LEFT,
      _origin: {
        usage_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        timestamp: answer.purchased_at,
        feed_id: feed.feedId,
        credits_charged: PRICE.credits,
      },
    });
    expect(await statusOf(feed, key)).toBe(200);
    const usage = await (await gateway.get("/v1/usage", key)).json();
    expect(usage).toMatchObject({
      usage: [
        { operation: "data", credits_charged: 0 },
        {
          usage_id: answer._origin.usage_id,
          timestamp: answer._origin.timestamp,
          operation: "purchase",
          feed_id: feed.feedId,
          credits_charged: PRICE.credits,
        },
      ],
    });
    expect(await bookOf(accountId)).toEqual({ balance: 1_000_000, purchases: 1, events: 1 });
  });

  test("is the same at /api/v1, by id", async () => {
    const feed = await sell();
    const { key } = await agent();
    const response = await fetch(`${gateway.baseUrl}/api/v1/feed/${feed.feedId}/purchase`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${key}` },
      body: `{ "max_credits": 5000000.000 }`,
    });
    expect(response.status).toBe(201);
  });

  test("bought before, it gives the same purchase for nothing, whatever it costs now", async () => {
    const feed = await sell();
    const { accountId, key } = await agent();
    const first = await bought(201, feed.slug, key);
    await gateway.sql`
      update feeds set one_time_price_cents = 90000, definition_version = definition_version + 1
      where feed_id = ${feed.feedId}`;
    for (const at of [gateway.baseUrl, peer.baseUrl]) {
      const again = await bought(200, feed.slug, key, { at, body: { max_credits: 0 } });
      expect(again).toEqual({ ...first, _origin: { ...first._origin, credits_charged: 0 } });
    }
    expect(await bookOf(accountId)).toEqual({ balance: 1_000_000, purchases: 1, events: 1 });
    await gateway.sql`select append_ledger_entry(${accountId}, 'grant', 1500, 'test', null)`;
    const later = await bought(200, feed.slug, key);
    expect(later.balance.credits).toBe(1_000_001.5);
  });

  test("one account buys fifteen feeds at once", async () => {
    const feeds = await Promise.all(Array.from({ length: 15 }, () => sell()));
    const { key } = await agent(feeds.length * PRICE.credits);
    const answers = await Promise.all(feeds.map(({ slug }) => buy(slug, key)));
    expect(answers.map(({ status }) => status)).toEqual(feeds.map(() => 201));
    expect(await (await gateway.get("/v1/account", key)).json()).toMatchObject({
      balance: { credits: 0 },
    });
  });

  test("twenty at once over two gateways buy once, with and without Idempotency-Key", async () => {
    for (const headers of [{}, { "Idempotency-Key": "once" }]) {
      const feed = await sell();
      const { accountId, key } = await agent(100_000_000);
      const answers = await Promise.all(
        Array.from({ length: 20 }, async (_, place) => {
          const at = place % 2 === 0 ? gateway.baseUrl : peer.baseUrl;
          const response = await askAgain(() => buy(feed.slug, key, { at, headers }));
          return { status: response.status, body: (await response.json()) as Bought };
        }),
      );
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(19);
      expect(new Set(answers.map(({ body }) => body.purchase_id)).size).toBe(1);
      expect(await bookOf(accountId)).toEqual({ balance: 95_000_000, purchases: 1, events: 1 });
    }
  });

  test("with credits for one of two feeds, only one is bought", async () => {
    const feeds = [await sell(), await sell()];
    const { accountId, key } = await agent();
    const statuses = await Promise.all(
      feeds.map(async ({ slug }, place) => {
        const at = place === 0 ? gateway.baseUrl : peer.baseUrl;
        return (await buy(slug, key, { at })).status;
      }),
    );
    expect(statuses.sort()).toEqual([201, 402]);
    expect(await bookOf(accountId)).toEqual({ balance: 1_000_000, purchases: 1, events: 1 });
  });

  test("one Idempotency-Key at once for a read and two feeds: each is answered, and no other account is disturbed", async () => {
    const feeds = [await sell(), await sell()];
    const free = await sell({});
    const { accountId, key } = await agent(100_000_000);
    const other = await agent();
    const headers = { "Idempotency-Key": "shared" };
    const responses = await Promise.all([
      buy(feeds[0]?.slug ?? "", key, { headers }),
      buy(feeds[1]?.slug ?? "", key, { headers }),
      gateway.get(`/v1/feed/${free.slug}`, key, headers),
      gateway.get(`/v1/feed/${free.slug}`, other.key),
    ]);
    // Whichever comes first has the key.
    const statuses = responses.slice(0, 3).map(({ status }) => status);
    expect(statuses.filter((status) => status === 409)).toHaveLength(2);
    expect(responses[3]?.status).toBe(200);
    const { purchases } = await bookOf(accountId);
    expect(purchases).toBeLessThanOrEqual(1);
  });

  test("a recorded purchase is given for nothing, without a usage event", async () => {
    const feed = await sell();
    const buyer = await agent();
    await record(buyer, feed);
    const answer = await bought(200, feed.slug, buyer.key);
    expect(answer).toMatchObject({
      price: PRICE,
      balance: { credits: ENOUGH, usd: 6 },
      _origin: { usage_id: null, timestamp: answer.purchased_at, credits_charged: 0 },
    });
    expect(await bookOf(buyer.accountId)).toEqual({ balance: ENOUGH, purchases: 1, events: 0 });
  });

  test("an undo gives the credits back, closes the feed, and it can be bought again", async () => {
    const feed = await sell();
    const buyer = await agent();
    const headers = { "Idempotency-Key": "first" };
    const first = await bought(201, feed.slug, buyer.key, { headers });
    expect(await undo(buyer, feed)).toMatchObject({
      kind: "purchase_undo",
      credits: PRICE.credits,
      balance_before_credits: LEFT.credits,
      balance_after_credits: ENOUGH,
    });
    expect(await statusOf(feed, buyer.key)).toBe(402);
    const usage = await (await gateway.get("/v1/usage", buyer.key)).json();
    expect(usage).toMatchObject({ usage: [{ operation: "purchase", credits_charged: 0 }] });
    expect(await bookOf(buyer.accountId)).toEqual({ balance: ENOUGH, purchases: 0, events: 0 });
    // A late repeat of the first call does not buy it again.
    const stale = await refused([409, "IDEMPOTENCY_KEY_STALE"], feed.slug, buyer.key, { headers });
    expect(stale.usage_id).toBe(first._origin.usage_id);
    const second = await bought(201, feed.slug, buyer.key);
    expect(second.purchase_id).not.toBe(first.purchase_id);
    expect(await bookOf(buyer.accountId)).toEqual({ balance: 1_000_000, purchases: 1, events: 1 });
    // Its refund is another one.
    await undo(buyer, feed);
    await undo(buyer, feed);
    expect(await bookOf(buyer.accountId)).toEqual({ balance: ENOUGH, purchases: 0, events: 0 });
  });

  test("an undo and a refund of it at once give back once, and each is answered with the entry", async () => {
    const feed = await sell();
    const buyer = await agent();
    const { _origin: origin } = await bought(201, feed.slug, buyer.key);
    const holding = await gateway.sql.reserve();
    await holding`begin`;
    await holding`
      select from accounts where account_id = ${buyer.accountId} for no key update`;
    const undone = undo(buyer, feed);
    await lockWaiters(gateway.sql);
    const refunded = operator.json("usage", "refund", origin.usage_id, "--reason", "S");
    while ((await lockWaiters(gateway.sql)) < 2);
    await holding`commit`;
    holding.release();
    const { entry_id: entryId } = (await undone) as { entry_id: number };
    expect(await refunded).toMatchObject({ entry_id: entryId, kind: "purchase_undo" });
    expect(await bookOf(buyer.accountId)).toEqual({ balance: ENOUGH, purchases: 0, events: 0 });
  });

  test("a refunded purchase stays, and its undo gives nothing back once more", async () => {
    const feed = await sell();
    const buyer = await agent();
    const { _origin: origin } = await bought(201, feed.slug, buyer.key);
    await operator.json("usage", "refund", origin.usage_id, "--reason", "S");
    expect(await statusOf(feed, buyer.key)).toBe(200);
    expect((await bookOf(buyer.accountId)).balance).toBe(ENOUGH);
    expect(await undo(buyer, feed)).toMatchObject({ credits: 0 });
    expect(await bookOf(buyer.accountId)).toEqual({ balance: ENOUGH, purchases: 0, events: 0 });
    await bought(201, feed.slug, buyer.key);
    await undo(buyer, feed);
    const again = await operator.run([
      "usage",
      "refund",
      origin.usage_id,
      "--reason",
      "S",
      "--json",
    ]);
    expect(again.code).toBe(0);
    expect((await bookOf(buyer.accountId)).balance).toBe(ENOUGH);
  });

  test("a purchase outlives its usage event, and can be undone then", async () => {
    const feed = await sell();
    const buyer = await agent();
    const first = await bought(201, feed.slug, buyer.key);
    await gateway.sql`
      insert into credit_ledger (
        account_id, kind, amount_nanos, balance_before_nanos, balance_after_nanos, reason
      )
      select account_id, 'charges', -charge_nanos, 0, 0, 'test'
      from usage_events where usage_id = ${first.purchase_id}`;
    await gateway.sql`delete from usage_events where usage_id = ${first.purchase_id}`;
    expect(await bought(200, feed.slug, buyer.key)).toMatchObject({
      _origin: { usage_id: first.purchase_id },
    });
    await undo(buyer, feed);
    expect(await bookOf(buyer.accountId)).toEqual({ balance: ENOUGH, purchases: 0, events: 0 });
  });

  test("an answer that is lost behind the commit: the purchase stands, and who asks again gets it", async () => {
    const feed = await sell();
    const { accountId, key } = await agent();
    // Known there, so that the lost answer is that of the log.
    await fetch(`${linked.baseUrl}/v1/account`, { headers: { "x-api-key": key } });
    link.cutNextAnswer();
    expect((await buy(feed.slug, key, { at: linked.baseUrl })).status).toBe(503);
    link.heal();
    await linked.services.admission.idle();
    const again = await bought(200, feed.slug, key, { at: linked.baseUrl });
    expect(again).toMatchObject({ balance: LEFT, _origin: { credits_charged: 0 } });
    expect(await bookOf(accountId)).toEqual({ balance: 1_000_000, purchases: 1, events: 1 });
    expect(await statusOf(feed, key)).toBe(200);
  });
});

describe("a purchase is refused", () => {
  test("without a key, with a wrong one, a write key", async () => {
    const feed = await sell();
    await refused([401, "KEY_REQUIRED"], feed.slug, undefined);
    await refused([403, "KEY_INVALID"], feed.slug, "fg_read_nonsense");
    await refused([403, "KEY_PERMISSION"], feed.slug, await gateway.createKey(owner, "write"));
  });

  test("without max_credits, or with one that is no amount", async () => {
    const feed = await sell();
    const { accountId, key } = await agent();
    const bodies = [
      ...[{}, { max_credits: null }, { max_credits: "5000000" }, { max_credits: -1 }],
      ...[{ max_credits: 5000000.0001 }, { max_credits: [1] }, { max_credits: 1, more: 1 }],
      ...['{"max_credits":1e-4}', "[]", "5000000", '{"max_credits":1,"max_credits":2}'],
    ];
    for (const body of bodies) {
      const { errors } = await refused([422, "VALIDATION_FAILED"], feed.slug, key, { body });
      expect(errors).toBeArray();
    }
    for (const body of ["", "nonsense"]) {
      await refused([400, "BODY_NOT_JSON"], feed.slug, key, { body });
    }
    await refused([415, "UNSUPPORTED_MEDIA_TYPE"], feed.slug, key, {
      headers: { "Content-Type": "text/plain" },
    });
    await refused([413, "PAYLOAD_TOO_LARGE"], feed.slug, key, {
      body: { max_credits: 1, more: "x".repeat(5_000) },
    });
    await refused([400, "INVALID_PARAMETER"], feed.slug, key, {
      headers: { "Idempotency-Key": "x".repeat(256) },
    });
    await refused([400, "INVALID_PARAMETER"], `${feed.slug}/purchase?x=1#`, key);
    expect(await bookOf(accountId)).toEqual({ balance: ENOUGH, purchases: 0, events: 0 });
  });

  test("above max_credits, above the balance, above the key's budget", async () => {
    const feed = await sell();
    const { accountId, key } = await agent(PRICE.credits - 1);
    const body = { max_credits: PRICE.credits - 0.001 };
    expect(await refused([402, "PRICE_ABOVE_MAX"], feed.slug, key, { body })).toMatchObject({
      price: PRICE,
      balance: { credits: PRICE.credits - 1 },
      max_credits: PRICE.credits - 0.001,
    });
    const poor = await refused([402, "INSUFFICIENT_CREDITS"], feed.slug, key);
    expect(poor).toMatchObject({ price: PRICE, balance: { credits: PRICE.credits - 1 } });
    expect(String(poor.billing_url)).toContain(`feed_id=${feed.feedId}`);
    await gateway.sql`select append_ledger_entry(${accountId}, 'grant', 9000000000, 'test', null)`;
    await gateway.sql`
      select edit_key(key_id, ${JSON.stringify({ daily_nanos: 5_000_000_000 - 1 })}, null)
      from api_keys where key_hash = ${hashKey(key)}`;
    expect(await refused([402, "KEY_BUDGET_SPENT"], feed.slug, key)).toMatchObject({
      price: PRICE,
      spent: { credits: 0 },
    });
    await gateway.sql`
      select edit_key(key_id, ${JSON.stringify({ daily_nanos: 5_000_000_000 })}, null)
      from api_keys where key_hash = ${hashKey(key)}`;
    await bought(201, feed.slug, key);
    const { budget } = (await (await gateway.get("/v1/account", key)).json()) as {
      budget: unknown;
    };
    expect(budget).toMatchObject({ spent: PRICE, left: { credits: 0 } });
    await refused([402, "KEY_BUDGET_SPENT"], (await sell()).slug, key);
  });

  test("of a feed out of the key's scope, bought or not", async () => {
    const [feed, other] = [await sell(), await sell()];
    const { key } = await agent(100_000_000);
    const scope = (feedId: string) =>
      gateway.sql`
        select edit_key(key_id, ${JSON.stringify({ feed_ids: [feedId] })}, null)
        from api_keys where key_hash = ${hashKey(key)}`;
    await scope(other.feedId);
    await refused([403, "KEY_SCOPE"], feed.slug, key);
    await bought(201, other.slug, key);
    await scope(feed.feedId);
    await refused([403, "KEY_SCOPE"], other.slug, key);
  });

  test("of a feed that is not sold once, of an own one, of a draft, of a deleted one, of one without data", async () => {
    const { accountId, key } = await agent();
    await refused([409, "FEED_NOT_FOR_SALE"], (await sell({})).slug, key);
    await refused([409, "FEED_NOT_FOR_SALE"], (await sell({ callPriceNanos: 1_000 })).slug, key);
    const own = await seedFeed(gateway, accountId, {
      type: "singleton",
      rows: [{ id: 1 }],
      oneTimePriceCents: CENTS,
    });
    await refused([409, "FEED_NOT_FOR_SALE"], own.slug, key);
    await refused([404, "FEED_NOT_FOUND"], "no-such-feed", key);
    const draft = await sell();
    await gateway.sql`
      update feeds set status = 'draft', definition_version = definition_version + 1
      where feed_id = ${draft.feedId}`;
    await refused([404, "FEED_NOT_FOUND"], draft.slug, key);
    const deleted = await sell();
    await statusOf(deleted, key);
    await gateway.sql`
      select * from delete_feed(${owner}, ${deleted.feedId}, null, 10)`;
    await refused([404, "FEED_NOT_FOUND"], deleted.slug, key);
    const empty = await seedFeed(gateway, owner, { type: "collection", oneTimePriceCents: CENTS });
    await refused([404, "FEED_NOT_SYNCED"], empty.slug, key);
    expect(await bookOf(accountId)).toEqual({ balance: ENOUGH, purchases: 0, events: 0 });
  });

  test("at the price of now, which gateways learn by the purchase itself", async () => {
    const feed = await sell();
    const { accountId, key } = await agent(100_000_000);
    // Both know the feed at its first price.
    for (const { baseUrl } of [gateway, peer]) {
      await refused([402, "PRICE_ABOVE_MAX"], feed.slug, key, {
        at: baseUrl,
        body: { max_credits: 1 },
      });
    }
    await gateway.sql`
      update feeds set one_time_price_cents = 600, definition_version = definition_version + 1
      where feed_id = ${feed.feedId}`;
    await refused([402, "PRICE_ABOVE_MAX"], feed.slug, key, { at: peer.baseUrl });
    const body = { max_credits: 6_000_000 };
    expect(await bought(201, feed.slug, key, { at: peer.baseUrl, body })).toMatchObject({
      price: { credits: 6_000_000, usd: 6 },
    });
    expect((await bookOf(accountId)).balance).toBe(94_000_000);
  });

  test("for a suspended account and a revoked key, at once", async () => {
    const feed = await sell();
    const { accountId, key } = await agent();
    await gateway.get("/v1/account", key);
    await gateway.sql`
      update accounts set suspension_reason = 'test' where account_id = ${accountId}`;
    await refused([403, "ACCOUNT_SUSPENDED"], feed.slug, key);
    await gateway.sql`
      update accounts set suspension_reason = null where account_id = ${accountId}`;
    await gateway.sql`update api_keys set revoked_at = now() where key_hash = ${hashKey(key)}`;
    await refused([403, "KEY_INVALID"], feed.slug, key);
    expect(await bookOf(accountId)).toEqual({ balance: ENOUGH, purchases: 0, events: 0 });
  });

  test("under an Idempotency-Key of a read, or of another feed's purchase", async () => {
    const [feed, other] = [await sell(), await sell()];
    const free = await sell({});
    const { key } = await agent(100_000_000);
    const read = { "Idempotency-Key": "of a read".replaceAll(" ", "-") };
    expect((await gateway.get(`/v1/feed/${free.slug}`, key, read)).status).toBe(200);
    await refused([409, "IDEMPOTENCY_KEY_REUSED"], feed.slug, key, { headers: read });
    const headers = { "Idempotency-Key": "of-a-purchase" };
    const first = await bought(201, feed.slug, key, { headers });
    await refused([409, "IDEMPOTENCY_KEY_REUSED"], other.slug, key, { headers });
    const reread = await problemOf(await gateway.get(`/v1/feed/${feed.slug}`, key, headers));
    expect(reread.code).toBe("IDEMPOTENCY_KEY_REUSED");
    const again = await bought(200, feed.slug, key, { headers });
    expect(again.purchase_id).toBe(first.purchase_id);
  });

  test("beyond 120 calls a minute and account", async () => {
    const { key } = await agent(0);
    const feed = await sell();
    const statuses: number[] = [];
    for (let calls = 0; calls < 121; calls++) {
      statuses.push((await buy(feed.slug, key, { body: {} })).status);
    }
    expect(statuses.slice(0, 120).every((status) => status === 422)).toBe(true);
    await refused([429, "RATE_LIMITED"], feed.slug, key);
  });

  test("and PURCHASE_REQUIRED says how to buy, and what is missing", async () => {
    const feed = await sell();
    const rich = await agent();
    const { body } = await problemOf(await gateway.get(`/v1/feed/${feed.slug}`, rich.key));
    expect(body).toMatchObject({ code: "PURCHASE_REQUIRED", price: PRICE });
    expect(body.detail).toContain(`POST /v1/feed/${feed.feedId}/purchase`);
    expect(body.detail).toContain('{"max_credits": 5000000}');
    const poor = await agent(1);
    const told = await problemOf(await gateway.get(`/v1/feed/${feed.slug}`, poor.key));
    expect(told.body.detail).toContain("the balance is 1");
    expect(told.body.detail).toContain(String(told.body.billing_url));
  });
});

describe("GET /v1/purchases", () => {
  test("lists what the account has, newest first, page by page, without what was undone", async () => {
    const feeds = await Promise.all(Array.from({ length: 5 }, () => sell()));
    const buyer = await agent(100_000_000);
    for (const feed of feeds.slice(0, 4)) await bought(201, feed.slug, buyer.key);
    await record(buyer, feeds[4] as SeededFeed);
    await undo(buyer, feeds[1] as SeededFeed);
    interface Page {
      purchases: { feed_id: string }[];
      limit: number;
      has_more: boolean;
      next_cursor: string | null;
    }
    const pages: Page[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const query = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const response = await gateway.get(`/v1/purchases?limit=3${query}`, buyer.key);
      const page = (await response.json()) as Page;
      expect(response.headers.has("link")).toBe(page.has_more);
      pages.push(page);
      cursor = page.next_cursor;
    }
    expect(pages.map(({ purchases }) => purchases.length)).toEqual([3, 1]);
    expect(pages.flatMap(({ purchases }) => purchases.map((each) => each.feed_id))).toEqual(
      [4, 3, 2, 0].map((place) => feeds[place]?.feedId ?? ""),
    );
    expect(pages[0]?.purchases[0]).toEqual({
      purchase_id: expect.any(String),
      feed_id: feeds[4]?.feedId,
      account_id: buyer.accountId,
      purchased_at: expect.any(String),
      price: PRICE,
      endpoint_path: feeds[4]?.slug,
      paid_from: "elsewhere",
    } as object as { feed_id: string });
    expect(pages[0]?.purchases[1]).toMatchObject({ paid_from: "balance" });
    const ofFeed = async (place: number) => {
      const path = `/v1/purchases?limit=1&feed_id=${feeds[place]?.feedId}`;
      return ((await (await gateway.get(path, buyer.key)).json()) as Page).purchases.length;
    };
    expect([await ofFeed(0), await ofFeed(1)]).toEqual([1, 0]);
  });

  test("takes no cursor of another account", async () => {
    const { key } = await agent();
    const answer = await problemOf(await gateway.get("/v1/purchases?cursor=x", key));
    expect([answer.status, answer.code]).toEqual([400, "CURSOR_INVALID"]);
    const empty = await (await gateway.get("/v1/purchases", key)).json();
    expect(empty).toEqual({ purchases: [], limit: 20, has_more: false, next_cursor: null });
  });
});

describe("the operator", () => {
  test("sees who paid how, and can't record what was bought from the balance", async () => {
    const feed = await sell();
    const buyer = await agent();
    const { purchase_id: purchaseId } = await bought(201, feed.slug, buyer.key);
    expect(await operator.json("purchase", "list", "--account", buyer.accountId)).toEqual([
      {
        purchase_id: purchaseId,
        paid_from: "balance",
        entry_id: null,
        account_id: buyer.accountId,
        feed_id: feed.feedId,
        endpoint_path: feed.slug,
        reference: null,
        purchased_at: expect.any(String),
        price_usd: 5,
      },
    ]);
    const run = await record(buyer, feed);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain("from its balance");
    // Other test files sell feeds in this database, too, and a report has pages.
    const argv = ["report", "revenue", "--account", owner, "--limit", "1000"];
    const revenue = (await operator.json(...argv)) as { feed_id: string }[];
    expect(revenue.find(({ feed_id: id }) => id === feed.feedId)).toMatchObject({
      paid_reads: 0,
      purchases: 1,
      gross_usd: 5,
      revenue_usd: 5,
    });
  });
});
