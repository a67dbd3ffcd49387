import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Gateway } from "../../src/server.ts";
import { askAgain } from "../support/ask_again.ts";
import { problemOf, shareTestGateway, type TestGateway } from "../support/gateway.ts";
import { lockWaiters } from "../support/lock_waiters.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";

const PRICE_NANOS = 1_500;

let gateway: TestGateway;
let peers: Gateway[];
let owner: string;
let bases: string[];

beforeAll(async () => {
  gateway = await shareTestGateway();
  peers = [await gateway.startPeer(), await gateway.startPeer()];
  bases = [gateway.baseUrl, ...peers.map((peer) => peer.baseUrl)];
  owner = await gateway.createAccount();
});
afterAll(() => gateway.stop());

interface Result {
  status: number;
  usageId: string | undefined;
  headers: Headers;
  body: Record<string, unknown>;
}

async function readFrom(
  base: string,
  feed: SeededFeed,
  key: string,
  headers = {},
): Promise<Result> {
  const response = await fetch(`${base}/v1/feed/${feed.slug}`, {
    headers: { "x-api-key": key, ...headers },
  });
  const body = (await response.json()) as Record<string, unknown>;
  const origin = body._origin as { usage_id: string } | undefined;
  return { status: response.status, usageId: origin?.usage_id, headers: response.headers, body };
}

/** `count` reads at once, spread over `over` processes and all `keys`. */
async function readMany(
  feed: SeededFeed,
  keys: string[],
  count: number,
  over: string[],
  headers = {},
) {
  return Promise.all(
    Array.from({ length: count }, (_, index) =>
      readFrom(
        over[index % over.length] as string,
        feed,
        keys[index % keys.length] as string,
        headers,
      ),
    ),
  );
}

/** Moves the data version, as a push does. */
async function move({ feedId }: SeededFeed): Promise<void> {
  await gateway.sql`update feeds set data_version = data_version + 1 where feed_id = ${feedId}`;
}

const granted = (results: Result[]) => results.filter(({ status }) => status === 200);

async function agent(credits = 0) {
  const accountId = await gateway.createAccount({ credits });
  const keys = [
    await gateway.createKey(accountId, "read"),
    await gateway.createKey(accountId, "read"),
  ];
  return { accountId, keys };
}

/** granted − revoked − charged + refunded = balance, and every charge has its usage event. */
async function identityHolds(accountId: string): Promise<boolean> {
  const rows = await gateway.sql`
    select
      balance_nanos
      = (select coalesce(sum(amount_nanos), 0) from credit_ledger where account_id = ${accountId})
      - (select coalesce(sum(charge_nanos), 0) from usage_events where account_id = ${accountId})
      as holds
    from accounts where account_id = ${accountId}`;
  return rows[0]?.holds === true;
}

/** Refunds one usage event; how many were. */
async function refund(accountId: string, usageId: string): Promise<number | undefined> {
  const row = await gateway.gateway.services.database.row("refund_reads", {
    batch_token: usageId.slice(-12),
    account_ids: [accountId],
    elapsed_ms: 0n,
    sent_at: new Date().toISOString(),
    only_usage: usageId,
  });
  return row?.refunded;
}

describe("admission: the window", () => {
  for (const [kind, limit, price] of [
    ["free", 10, undefined],
    ["metered", 100, 1],
  ] as const) {
    for (const processes of [1, 3]) {
      test(`${kind}: of 200 reads at once over ${processes} process(es) exactly ${limit} succeed, then one more as the oldest leaves`, async () => {
        const feed = await seedFeed(gateway, owner, {
          type: "collection",
          rows: [{ id: 1 }],
          ...(price !== undefined && { callPriceNanos: price }),
        });
        const { accountId, keys } = await agent(1);
        const over = bases.slice(0, processes);
        const results = await readMany(feed, keys, 200, over);
        expect(granted(results)).toHaveLength(limit);
        const refused = results.filter(({ status }) => status === 429);
        expect(refused).toHaveLength(200 - limit);
        for (const { headers, body } of refused) {
          expect(headers.get("x-ratelimit-remaining")).toBe("0");
          expect(headers.get("x-ratelimit-limit")).toBe(String(limit));
          expect(Number(headers.get("retry-after"))).toBe(
            Math.ceil(Number(body.retry_after_ms) / 1_000),
          );
        }
        await gateway.sql`
          update usage_events set happened_at = happened_at - interval '60 seconds'
          where account_id = ${accountId}
            and usage_id = (
              select min(usage_id::text)::uuid from usage_events where account_id = ${accountId}
            )`;
        // A process that sees the account for the first time counts by the log.
        const fresh = await gateway.startPeer();
        expect(granted(await readMany(feed, keys, 20, [fresh.baseUrl]))).toHaveLength(1);
        expect(await identityHolds(accountId)).toBe(true);
      });
    }
  }

  test("a full window is asked anew once the process knows that its feed has changed", async () => {
    const feed = await seedFeed(gateway, owner, { type: "collection", rows: [{ id: 1 }] });
    const [{ keys }, other] = [await agent(1), await agent(1)];
    const read = async (key = keys[0] as string) =>
      (await readFrom(gateway.baseUrl, feed, key)).status;
    for (let reads = 0; reads < 10; reads++) expect(await read()).toBe(200);
    expect(await read()).toBe(429);
    await gateway.sql`
      update feeds set price_type = 'metered', call_price_nanos = 1,
        definition_version = definition_version + 1 where feed_id = ${feed.feedId}`;
    expect(await read(other.keys[0])).toBe(200);
    expect(await read()).toBe(200);
  });

  test("a flood of refused reads asks the database nothing", async () => {
    const feed = await seedFeed(gateway, owner, { type: "collection", rows: [{ id: 1 }] });
    const { keys } = await agent();
    await readMany(feed, keys, 11, [gateway.baseUrl]);
    const { database } = gateway.gateway.services;
    const before = database.statementCount;
    const results = await readMany(feed, keys, 100, [gateway.baseUrl]);
    expect(results.every(({ status }) => status === 429)).toBe(true);
    expect(database.statementCount).toBe(before);
  });
});

describe("admission: a client that has gone", () => {
  test("its read is dropped while it waits, uncharged", async () => {
    const feed = await seedFeed(gateway, owner, {
      type: "collection",
      rows: [{ id: 1 }],
      callPriceNanos: PRICE_NANOS,
    });
    const { accountId, keys } = await agent(9);
    const url = `${gateway.baseUrl}/v1/feed/${feed.slug}`;
    const headers = { "x-api-key": keys[0] as string };
    expect((await fetch(url, { headers })).status).toBe(200);
    const { admission } = gateway.gateway.services;
    const holder = await gateway.sql.reserve();
    await holder`begin`;
    await holder`select from accounts where account_id = ${accountId} for update`;
    const flying = fetch(url, { headers });
    const isFlying = async () =>
      (
        await gateway.sql`
          select from pg_stat_activity where wait_event_type = 'Lock' and query ~ 'log_reads\\('`
      ).length > 0;
    while (!(await isFlying())) await Bun.sleep(5);
    const client = new AbortController();
    const waiting = fetch(url, { headers, signal: client.signal }).catch(() => "gone");
    while (admission.waiting === 0) await Bun.sleep(5);
    client.abort();
    expect(await waiting).toBe("gone");
    await Bun.sleep(50);
    await holder`commit`;
    holder.release();
    expect((await flying).status).toBe(200);
    await admission.idle();
    const events = await gateway.sql`
      select from usage_events where account_id = ${accountId}`;
    expect(events.length).toBe(2);
  });

  test("its read that was being logged is refunded before the process stops", async () => {
    const rows = [{ id: 1 }];
    const options = { type: "collection", rows, callPriceNanos: PRICE_NANOS } as const;
    const feed = await seedFeed(gateway, owner, options);
    const { accountId, keys } = await agent(9);
    const url = `${gateway.baseUrl}/v1/feed/${feed.slug}`;
    const headers = { "x-api-key": keys[0] as string };
    expect((await fetch(url, { headers })).status).toBe(200);
    const holders = [await gateway.sql.reserve(), await gateway.sql.reserve()] as const;
    await holders[0]`begin`;
    await holders[0]`select from accounts where account_id = ${accountId} for update`;
    const client = new AbortController();
    const flying = fetch(url, { headers, signal: client.signal }).catch(() => "gone");
    await lockWaiters(gateway.sql);
    // A refund writes an entry of the ledger, and the log does not.
    await holders[1]`begin`;
    await holders[1]`lock table credit_ledger in exclusive mode`;
    client.abort();
    expect(await flying).toBe("gone");
    // On a connection of its own, which the gateway hears of after it has heard of the end of the other.
    await fetch(`${gateway.baseUrl}/healthz`, { keepalive: false });
    await holders[0]`commit`;
    let isIdle = false;
    const idle = gateway.gateway.services.admission.idle().then(() => {
      isIdle = true;
    });
    // Until the refund waits. If there is none, the gateway is idle.
    await Promise.race([idle, lockWaiters(gateway.sql)]);
    expect(isIdle).toBe(false);
    await holders[1]`commit`;
    for (const holder of holders) holder.release();
    await idle;
    const events = await gateway.sql`
      select refunded from usage_events where account_id = ${accountId} order by happened_at`;
    expect(events.map(({ refunded }) => refunded)).toEqual([false, true]);
  });
});

describe("admission: a clock that was set back", () => {
  /** As if the account's newest events had been logged while the clock was an hour ahead. */
  async function putAhead(accountId: string) {
    await gateway.sql`
      update usage_events
      set happened_at = happened_at + interval '1 hour',
        usage_id = overlay(
          usage_id::text placing left(uuid_from_time(happened_at + interval '1 hour')::text, 13) from 1
        )::uuid
      where account_id = ${accountId}`;
    await gateway.sql`
      update accounts set logged_us = logged_us + 3600000000 where account_id = ${accountId}`;
  }

  test("what was logged by it still counts, for a process that knows the account and for one that does not", async () => {
    const feed = await seedFeed(gateway, owner, { type: "collection", rows: [{ id: 1 }] });
    const { accountId, keys } = await agent();
    await readMany(feed, keys, 7, [gateway.baseUrl]);
    await putAhead(accountId);
    expect(granted(await readMany(feed, keys, 5, bases))).toHaveLength(3);
    const fresh = await gateway.startPeer();
    expect(granted(await readMany(feed, keys, 5, [fresh.baseUrl]))).toHaveLength(0);
  });

  test("a window that it filled has room within a minute, of reads and of pushes", async () => {
    const accountId = await gateway.createAccount();
    const feed = await seedFeed(gateway, accountId, { type: "collection", rows: [{ id: 1 }] });
    const readKey = await gateway.createKey(accountId, "read");
    const writeKey = await gateway.createKey(accountId, "write");
    await readMany(feed, [readKey], 10, [gateway.baseUrl]);
    const push = (base = gateway.baseUrl) =>
      fetch(`${base}/v1/provider/feed/${feed.feedId}/push`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Authorization: `Bearer ${writeKey}` },
        body: '[{"id":2}]',
      });
    const pushed = [];
    for (let count = 0; count < 20; count += 1) pushed.push((await push()).status);
    expect(pushed).toEqual(Array.from({ length: 20 }, () => 200));
    await putAhead(accountId);
    await gateway.sql`
      update push_windows set hits = array(select hit_us + 3600000000 from unnest(hits) as hit_us)
      where feed_id = ${feed.feedId}`;
    const { baseUrl } = await gateway.startPeer();
    const headers = { "x-api-key": readKey };
    const read = await fetch(`${baseUrl}/v1/feed/${feed.slug}`, { headers });
    for (const response of [read, await push(baseUrl)]) {
      expect(response.status).toBe(429);
      const { retry_after_ms: waitMs } = (await response.json()) as { retry_after_ms: number };
      expect(waitMs).toBeGreaterThan(0);
      expect(waitMs).toBeLessThanOrEqual(60_000);
    }
  });

  test("one that leapt ahead: the usage log gets the month that it needs", async () => {
    const { sql } = gateway;
    const feed = await seedFeed(gateway, owner, { type: "collection", rows: [{ id: 1 }] });
    const { keys } = await agent();
    const [month] = await sql`
      select to_regclass('usage_events_' || to_char(now() at time zone 'UTC', 'YYYY_MM'))::text as name`;
    await sql`alter table usage_events detach partition ${sql(month?.name)}`;
    const aside = `${month?.name}_aside`;
    await sql`alter table ${sql(month?.name)} rename to ${sql(aside)}`;
    const results = await readMany(feed, keys, 9, bases);
    expect(results.map(({ status }) => status)).toEqual(results.map(() => 200));
    await sql`insert into usage_events select * from ${sql(aside)}`;
    await sql`drop table ${sql(aside)}`;
  });
});

describe("admission: credit", () => {
  test("credit for exactly N calls and 4N reads at once over two processes: N succeed, balance 0", async () => {
    const feed = await seedFeed(gateway, owner, {
      type: "collection",
      rows: [{ id: 1 }],
      callPriceNanos: PRICE_NANOS,
    });
    const calls = 24;
    const { accountId, keys } = await agent((calls * PRICE_NANOS) / 1_000);
    const results = await readMany(feed, keys, 4 * calls, bases.slice(0, 2));
    expect(granted(results)).toHaveLength(calls);
    const refused = results.find(({ status }) => status === 402);
    expect(refused?.body).toMatchObject({
      code: "INSUFFICIENT_CREDITS",
      billing_url: expect.any(String),
      price: { credits: 1.5, usd: 0.0000015 },
      balance: { credits: expect.any(Number), usd: expect.any(Number) },
    });
    const rows = await gateway.sql`
      select balance_nanos::int from accounts where account_id = ${accountId}`;
    expect(rows[0]?.balance_nanos).toBe(0);
    expect(await identityHolds(accountId)).toBe(true);
    const ids = new Set(granted(results).map(({ usageId }) => usageId));
    const logged = await gateway.sql`
      select usage_id from usage_events where account_id = ${accountId}`;
    expect(new Set(logged.map((row) => row.usage_id))).toEqual(ids as Set<unknown>);
  });

  test("a one-time feed is 402 until it is bought, then in the paid tier and free of charge", async () => {
    const feed = await seedFeed(gateway, owner, {
      type: "collection",
      rows: [{ id: 1 }],
      oneTimePriceCents: 500,
    });
    const { accountId, keys } = await agent();
    const refused = await readFrom(gateway.baseUrl, feed, keys[0] as string);
    expect(refused.body).toMatchObject({ status: 402, code: "PURCHASE_REQUIRED" });
    expect(refused.headers.get("x-ratelimit-remaining")).toBe("100");
    await gateway.sql`
      with entry as (
        insert into credit_ledger
          (account_id, kind, amount_nanos, balance_before_nanos, balance_after_nanos, reason)
        values (${accountId}, 'purchase', 0, 0, 0, 'test') returning entry_id
      )
      insert into purchases (account_id, feed_id, entry_id, price_cents)
      select ${accountId}, ${feed.feedId}, entry_id, 100 from entry`;
    const bought = await readFrom(gateway.baseUrl, feed, keys[0] as string);
    expect(bought.status).toBe(200);
    expect(bought.headers.get("x-ratelimit-limit")).toBe("100");
    expect(bought.body._origin).toMatchObject({ credits_charged: 0 });
  });
});

describe("admission: what changes holds for the next read on every process", () => {
  test("a revoked key, an inactive feed, another price, another slug", async () => {
    const feed = await seedFeed(gateway, owner, { type: "collection", rows: [{ id: 1 }] });
    const { keys } = await agent();
    const key = keys[0] as string;
    const everywhere = () => Promise.all(bases.map((base) => readFrom(base, feed, key)));
    const statuses = async () => (await everywhere()).map(({ status }) => status);
    expect(await statuses()).toEqual([200, 200, 200]);
    await gateway.sql`
      update feeds set price_type = 'metered', call_price_nanos = 5,
        definition_version = definition_version + 1 where feed_id = ${feed.feedId}`;
    expect(await statuses()).toEqual([402, 402, 402]);
    await gateway.sql`
      update feeds set status = 'inactive', definition_version = definition_version + 1
      where feed_id = ${feed.feedId}`;
    expect(await statuses()).toEqual([404, 404, 404]);
    await gateway.sql`
      update feeds set status = 'active', price_type = 'free', call_price_nanos = 0,
        endpoint_path = 'moved-away', definition_version = definition_version + 1
      where feed_id = ${feed.feedId}`;
    expect(await statuses()).toEqual([404, 404, 404]);
    const moved = { ...feed, slug: "moved-away" };
    expect((await readFrom(gateway.baseUrl, moved, key)).status).toBe(200);
    await gateway.sql`update api_keys set revoked_at = now() where account_id =
      (select account_id from api_keys where key_start = ${key.slice(0, 12)} limit 1)`;
    const refused = await Promise.all(bases.map((base) => readFrom(base, moved, key)));
    for (const { body } of refused)
      expect(body).toMatchObject({ status: 403, code: "KEY_INVALID" });
  });
});

describe("admission: a key's end", () => {
  test("a key that expires is refused by every process that remembers it", async () => {
    const feed = await seedFeed(gateway, owner, { type: "collection", rows: [{ id: 1 }] });
    const { accountId, keys } = await agent();
    const key = keys[0] as string;
    const everywhere = () => Promise.all(bases.map((base) => readFrom(base, feed, key)));
    expect((await everywhere()).map(({ status }) => status)).toEqual([200, 200, 200]);
    await gateway.sql`
      update api_keys set expires_at = now() - interval '1 second'
      where account_id = ${accountId}`;
    for (const { body } of await everywhere()) {
      expect(body).toMatchObject({ status: 403, code: "KEY_INVALID" });
    }
  });
});

describe("admission: Idempotency-Key", () => {
  test("twenty at once over two processes share one usage event and one charge", async () => {
    const feed = await seedFeed(gateway, owner, {
      type: "collection",
      rows: [{ id: 1 }],
      callPriceNanos: PRICE_NANOS,
    });
    const { accountId, keys } = await agent(3);
    const results = await readMany(feed, keys, 20, bases.slice(0, 2), { "Idempotency-Key": "one" });
    expect(granted(results)).toHaveLength(20);
    expect(new Set(results.map(({ usageId }) => usageId)).size).toBe(1);
    const rows = await gateway.sql`
      select balance_nanos::int from accounts where account_id = ${accountId}`;
    expect(rows[0]).toMatchObject({ balance_nanos: 3_000 - PRICE_NANOS });
    const replayed = await readFrom(gateway.baseUrl, feed, keys[0] as string, {
      "Idempotency-Key": "one",
    });
    // The event, ten replays at most, and this one: a replay counts in the process that answers it.
    expect(replayed.headers.get("x-ratelimit-remaining")).toBeOneOf(["88", "89"]);
    const other = await fetch(`${gateway.baseUrl}/v1/feed/${feed.slug}?limit=3`, {
      headers: { "x-api-key": keys[0] as string, "Idempotency-Key": "one" },
    });
    expect(await problemOf(other)).toMatchObject({ status: 409, code: "IDEMPOTENCY_KEY_REUSED" });
  });

  test("HEAD and 304 are not remembered under it: the GET that follows is charged", async () => {
    const feed = await seedFeed(gateway, owner, {
      type: "collection",
      rows: [{ id: 1 }],
      callPriceNanos: PRICE_NANOS,
    });
    const { keys } = await agent(3);
    const [key, url] = [keys[0] as string, `${gateway.baseUrl}/v1/feed/${feed.slug}`];
    const headers = { "x-api-key": key, "Idempotency-Key": "peek" };
    expect((await fetch(url, { method: "HEAD", headers })).status).toBe(200);
    expect((await fetch(url, { headers: { ...headers, "If-None-Match": "*" } })).status).toBe(304);
    const { status, body } = await readFrom(gateway.baseUrl, feed, key, headers);
    expect(status).toBe(200);
    expect(body._origin).toMatchObject({ usage_id: expect.any(String), credits_charged: 1.5 });
  });

  test("an event that another read was answered with is not refunded", async () => {
    const feed = await seedFeed(gateway, owner, {
      type: "collection",
      rows: [{ id: 1 }],
      callPriceNanos: PRICE_NANOS,
    });
    const { accountId, keys } = await agent(3);
    const headers = { "Idempotency-Key": "seen" };
    const { usageId } = await readFrom(gateway.baseUrl, feed, keys[0] as string, headers);
    const again = await readFrom(gateway.baseUrl, feed, keys[0] as string, headers);
    expect(again.usageId).toBe(usageId as string);
    expect(await refund(accountId, usageId as string)).toBe(0);
    expect(await identityHolds(accountId)).toBe(true);
  });

  test("a replay that fails counts in no window", async () => {
    const feed = await seedFeed(gateway, owner, { type: "collection", rows: [{ id: 1 }] });
    const { keys } = await agent();
    const key = keys[0] as string;
    const headers = { "Idempotency-Key": "fails" };
    const first = await readFrom(gateway.baseUrl, feed, key, headers);
    expect(first.headers.get("x-ratelimit-remaining")).toBe("9");
    await gateway.sql`alter table collection_rows rename to away`;
    // Another process, which does not have the page.
    const base = bases[1] as string;
    const failed = await readFrom(base, feed, key, headers).finally(
      () => gateway.sql`alter table away rename to collection_rows`,
    );
    expect(failed.status).toBe(500);
    const next = await readFrom(base, feed, key, headers);
    expect([next.usageId, next.headers.get("x-ratelimit-remaining")]).toEqual([first.usageId, "8"]);
  });

  test("replays count in the window also when the account has changed meanwhile", async () => {
    const feed = await seedFeed(gateway, owner, { type: "collection", rows: [{ id: 1 }] });
    const account = await gateway.createAccount();
    const key = await gateway.createKey(account, "read");
    const replay = () => readFrom(bases[0] as string, feed, key, { "Idempotency-Key": "again" });
    const statuses: number[] = [];
    for (let reads = 0; reads < 11; reads++) {
      statuses.push((await replay()).status);
      // As a grant of credits does.
      if (reads === 7)
        await gateway.sql`update accounts set generation = 0 where account_id = ${account}`;
    }
    expect(statuses).toEqual([...Array(10).fill(200), 429]);
  });

  test("a replay that outlasts a change of the account shows what was left of the window", async () => {
    const feed = await seedFeed(gateway, owner, {
      type: "collection",
      rows: [{ id: 1 }],
      callPriceNanos: PRICE_NANOS,
    });
    const account = await gateway.createAccount({ credits: 1_000 });
    const key = await gateway.createKey(account, "read");
    const base = bases[0] as string;
    for (let reads = 0; reads < 5; reads++) await readFrom(base, feed, key);
    const headers = { "Idempotency-Key": "held" };
    await readFrom(base, feed, key, headers);
    // The statement that marks the event as replayed waits, while the account changes and is read.
    const holder = await gateway.sql.reserve();
    await holder`begin`;
    await holder`select from idempotency_keys where account_id = ${account} for update`;
    const replaying = readFrom(base, feed, key, headers);
    await lockWaiters(gateway.sql);
    await gateway.sql`update accounts set generation = 0 where account_id = ${account}`;
    await readFrom(base, feed, key);
    await holder`commit`;
    holder.release();
    const { status, headers: shown } = await replaying;
    expect([status, shown.get("x-ratelimit-remaining")]).toEqual([200, "93"]);
  });

  test("once the data has moved it is stale, on every process and uncharged, and a new key reads on", async () => {
    const feed = await seedFeed(gateway, owner, {
      type: "collection",
      rows: [{ id: 1 }],
      callPriceNanos: PRICE_NANOS,
    });
    const { accountId, keys } = await agent(3);
    const key = keys[0] as string;
    const headers = { "Idempotency-Key": "moved" };
    const first = await readFrom(gateway.baseUrl, feed, key, headers);
    expect((await readFrom(bases[1] as string, feed, key, headers)).usageId).toBe(
      first.usageId as string,
    );
    await move(feed);
    for (const base of bases) {
      const stale = await readFrom(base, feed, key, headers);
      expect([stale.status, stale.body.code, stale.body.usage_id]).toEqual([
        409,
        "IDEMPOTENCY_KEY_STALE",
        first.usageId,
      ]);
      const url = `${base}/v1/feed/${feed.slug}`;
      const head = await fetch(url, {
        method: "HEAD",
        headers: { "x-api-key": key, ...headers },
      });
      expect(head.status).toBe(409);
    }
    const fresh = await readFrom(gateway.baseUrl, feed, key, { "Idempotency-Key": "fresh" });
    expect([fresh.status, fresh.usageId === first.usageId]).toEqual([200, false]);
    const [account] = await gateway.sql`
      select balance_nanos::int from accounts where account_id = ${accountId}`;
    expect(account).toEqual({ balance_nanos: 0 });
    // HEAD of a repeat costs what the repeat does.
    const repeat = { "x-api-key": key, "Idempotency-Key": "fresh" };
    const head = await fetch(`${gateway.baseUrl}/v1/feed/${feed.slug}`, {
      method: "HEAD",
      headers: repeat,
    });
    expect(head.status).toBe(200);
    expect(await identityHolds(accountId)).toBe(true);
  });

  test("a repeat shows the version that was paid for, or is stale, whatever is pushed meanwhile", async () => {
    const feed = await seedFeed(gateway, owner, {
      type: "collection",
      rows: [{ id: 1 }],
      callPriceNanos: 1,
    });
    const { accountId, keys } = await agent(1_000);
    let isOver = false;
    const pushing = (async () => {
      while (!isOver) {
        await gateway.sql`
          with moved as (
            update feeds set data_version = data_version + 1 where feed_id = ${feed.feedId}
            returning data_version
          )
          update collection_rows set payload = json_build_object('version', moved.data_version)
          from moved
          where feed_id = ${feed.feedId}`;
        await Bun.sleep(3);
      }
    })();
    const shown = new Map<string, Set<string>>();
    const outcomes = new Set<unknown>();
    for (let turn = 0; turn < 30; turn++) {
      const headers = { "Idempotency-Key": `turn-${turn}` };
      for (const { status, usageId, body } of await readMany(feed, keys, 3, bases, headers)) {
        outcomes.add(body.code ?? status);
        if (usageId === undefined) continue;
        shown.set(usageId, (shown.get(usageId) ?? new Set()).add(JSON.stringify(body.data)));
      }
    }
    isOver = true;
    await pushing;
    expect([...outcomes].sort()).toEqual([200, "IDEMPOTENCY_KEY_STALE"]);
    expect([...shown.values()].filter((pages) => pages.size > 1)).toEqual([]);
    expect(await identityHolds(accountId)).toBe(true);
  });

  test("a page of another length is another query", async () => {
    const rows = Array.from({ length: 50 }, (_, id) => ({ id, text: "x".repeat(50) }));
    const feed = await seedFeed(gateway, owner, { type: "collection", rows });
    const { keys } = await agent();
    const read = (charsMax: string) =>
      readFrom(gateway.baseUrl, feed, keys[0] as string, {
        "Idempotency-Key": "short",
        "Feedgate-Max-Chars": charsMax,
      });
    const first = await read("500");
    const again = await read("500");
    expect([again.usageId, again.body.data]).toEqual([first.usageId, first.body.data]);
    expect((await read("5000")).body.code).toBe("IDEMPOTENCY_KEY_REUSED");
  });

  test("a key that was used before its data's version was written down is stale", async () => {
    const feed = await seedFeed(gateway, owner, { type: "collection", rows: [{ id: 1 }] });
    const { accountId, keys } = await agent();
    const headers = { "Idempotency-Key": "old" };
    const first = await readFrom(gateway.baseUrl, feed, keys[0] as string, headers);
    await gateway.sql`
      update idempotency_keys set answered_version = null where account_id = ${accountId}`;
    const { body } = await readFrom(gateway.baseUrl, feed, keys[0] as string, headers);
    expect(body).toMatchObject({ code: "IDEMPOTENCY_KEY_STALE", usage_id: first.usageId });
  });

  test("after 24 hours it is a new one, for any query, also before it has been cleared away", async () => {
    const feed = await seedFeed(gateway, owner, { type: "collection", rows: [{ id: 1 }] });
    const { accountId, keys } = await agent();
    const headers = { "Idempotency-Key": "yesterday" };
    const first = await readFrom(gateway.baseUrl, feed, keys[0] as string, headers);
    await gateway.sql`
      update idempotency_keys set happened_at = now() - interval '24 hours 1 second'
      where account_id = ${accountId}`;
    const other = await fetch(`${gateway.baseUrl}/v1/feed/${feed.slug}?limit=3`, {
      headers: { "x-api-key": keys[0] as string, ...headers },
    });
    expect(other.status).toBe(200);
    const { _origin: origin } = (await other.json()) as { _origin: { usage_id: string } };
    expect(origin.usage_id).not.toBe(first.usageId as string);
  });

  test("a failed first try is not remembered", async () => {
    const feed = await seedFeed(gateway, owner, {
      type: "collection",
      rows: [{ id: 1 }],
      callPriceNanos: PRICE_NANOS,
    });
    const { accountId, keys } = await agent(0);
    const key = keys[0] as string;
    const headers = { "Idempotency-Key": "again" };
    expect((await readFrom(gateway.baseUrl, feed, key, headers)).status).toBe(402);
    await gateway.sql`
      update accounts set balance_nanos = ${PRICE_NANOS} where account_id = ${accountId}`;
    expect((await readFrom(gateway.baseUrl, feed, key, headers)).status).toBe(200);
  });
});

describe("admission: a fault after the grant", () => {
  test("a refund gives back charge and place, once, and the identity holds", async () => {
    const feed = await seedFeed(gateway, owner, {
      type: "collection",
      rows: [{ id: 1 }],
      callPriceNanos: PRICE_NANOS,
    });
    const { accountId, keys } = await agent(5);
    const { usageId } = await readFrom(gateway.baseUrl, feed, keys[0] as string);
    for (const refunded of [1, 0]) {
      expect(await refund(accountId, usageId as string)).toBe(refunded);
    }
    const rows = await gateway.sql`
      select balance_nanos::int from accounts where account_id = ${accountId}`;
    expect(rows[0]).toMatchObject({ balance_nanos: 5_000 });
    const next = await readFrom(gateway.baseUrl, feed, keys[0] as string);
    expect(next.headers.get("x-ratelimit-remaining")).toBe("99");
    const { baseUrl } = await gateway.startPeer();
    const fresh = await readFrom(baseUrl, feed, keys[0] as string);
    expect(fresh.headers.get("x-ratelimit-remaining")).toBe("98");
    expect(await identityHolds(accountId)).toBe(true);
  });
});

describe("admission: a refund of one read", () => {
  test("leaves the other reads of its batch charged", async () => {
    const feed = await seedFeed(gateway, owner, {
      type: "collection",
      rows: [{ id: 1 }],
      callPriceNanos: PRICE_NANOS,
    });
    const { accountId, keys } = await agent(3);
    const results = await readMany(feed, keys, 2, [gateway.baseUrl]);
    const [first, second] = granted(results).map(({ usageId }) => usageId as string);
    expect(await refund(accountId, first as string)).toBe(1);
    const rows = await gateway.sql`
      select usage_id from usage_events where account_id = ${accountId} and not refunded`;
    expect(rows.map(({ usage_id }) => usage_id)).toEqual([second]);
    expect(await identityHolds(accountId)).toBe(true);
  });

  test("a read whose rows can't be read is neither charged nor logged", async () => {
    const feed = await seedFeed(gateway, owner, {
      type: "collection",
      rows: [{ id: 1 }],
      callPriceNanos: PRICE_NANOS,
    });
    const { accountId, keys } = await agent(3);
    const key = keys[0] as string;
    expect((await readFrom(gateway.baseUrl, feed, key)).status).toBe(200);
    await gateway.sql`
      update feeds set data_version = data_version + 1 where feed_id = ${feed.feedId}`;
    await gateway.sql`alter table collection_rows rename to away`;
    const failed = await readFrom(gateway.baseUrl, feed, key).finally(
      () => gateway.sql`alter table away rename to collection_rows`,
    );
    expect(failed.status).toBe(500);
    const rows = await gateway.sql`
      select refunded from usage_events where account_id = ${accountId}`;
    expect(rows.map(({ refunded }) => refunded)).toEqual([false]);
    expect(await identityHolds(accountId)).toBe(true);
  });
});

describe("admission: many processes", () => {
  test("three processes, 256 reads at once over 50 shared accounts: none fails", async () => {
    const feeds = await Promise.all(
      Array.from({ length: 5 }, () =>
        seedFeed(gateway, owner, { type: "collection", rows: [{ id: 1 }], callPriceNanos: 1 }),
      ),
    );
    const agents = await Promise.all(Array.from({ length: 50 }, () => agent(10)));
    for (let round = 0; round < 4; round++) {
      const results = await Promise.all(
        Array.from({ length: 768 }, (_, index) => {
          const { keys } = agents[(index * 7 + round) % agents.length] as { keys: string[] };
          const feed = feeds[index % feeds.length] as SeededFeed;
          return askAgain(() =>
            readFrom(bases[index % 3] as string, feed, keys[index % 2] as string),
          );
        }),
      );
      expect(results.filter(({ status }) => status >= 500)).toEqual([]);
    }
    for (const { accountId } of agents) expect(await identityHolds(accountId)).toBe(true);
  });
});
