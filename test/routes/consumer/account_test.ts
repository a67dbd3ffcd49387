import { afterAll, describe, expect, test } from "bun:test";
import { problemOf, shareTestGateway } from "../../support/gateway.ts";
import { seedFeed } from "../../support/seed.ts";

const gateway = await shareTestGateway();
afterAll(() => gateway.stop());

interface UsageAnswer {
  usage: {
    usage_id: string;
    timestamp: string;
    operation: string;
    feed_id: string | null;
    key_id: string | null;
    credits_charged: number;
  }[];
  limit: number;
  has_more: boolean;
  next_cursor: string | null;
}

/** An account with a read key and `count` usage events, a second apart, the newest last. */
async function accountWithUsage(count: number, options: { credits?: number } = {}) {
  const accountId = await gateway.createAccount({ credits: options.credits ?? 0 });
  const key = await gateway.createKey(accountId, "read");
  await gateway.sql`select create_usage_partitions('2026-01-01T00:00:00Z', 1)`;
  await gateway.sql`
    insert into usage_events (
      usage_id, account_id, operation, feed_id, charge_nanos, happened_at
    )
    select
      overlay(uuid_from_time(moment)::text placing lpad(to_hex(number), 12, '0') from 25)::uuid,
      ${accountId}, case when number % 2 = 0 then 'data' else 'catalog' end,
      case when number % 2 = 0 then '00000000-0000-4000-8000-000000000001'::uuid end,
      case when number % 2 = 0 then 1500 else 0 end, moment
    from generate_series(1, ${count}::int) as number
    cross join lateral (
      select '2026-01-01T00:00:00Z'::timestamptz + number * interval '1 second' as moment
    ) as moments`;
  return { accountId, key };
}

async function usage(key: string, query = ""): Promise<UsageAnswer> {
  const response = await gateway.get(`/v1/usage${query}`, key);
  expect(response.status).toBe(200);
  return (await response.json()) as UsageAnswer;
}

describe("GET /v1/account", () => {
  test("shows the balance exactly, and every limit", async () => {
    const accountId = await gateway.createAccount({ name: 'A "name"' });
    await gateway.sql`
      update accounts set balance_nanos = 9007199254740993001 where account_id = ${accountId}`;
    const key = await gateway.createKey(accountId, "read");
    const response = await gateway.get("/v1/account", key);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("cache-control")).toBe("private, no-cache");
    const text = await response.text();
    // Beyond a double's digits: the text itself must be right.
    expect(text).toContain('"credits":9007199254740993.001,"usd":9007199254.740993001}');
    const body = JSON.parse(text);
    expect(body).toMatchObject({ id: accountId, name: 'A "name"' });
    expect(Object.keys(body)).toEqual(["id", "name", "balance", "agents", "limits"]);
    expect(body.limits).toContainEqual({
      operation: "data",
      tier: "paid",
      limit: 100,
      window_seconds: 60,
    });
    expect(body.limits).toContainEqual({
      operation: "usage",
      tier: "all",
      limit: 120,
      window_seconds: 60,
    });
  });

  test("answers the same under /api/v1, and HEAD without a body", async () => {
    const key = await gateway.createKey(await gateway.createAccount(), "read");
    const plain = await (await gateway.get("/v1/account", key)).text();
    expect(await (await gateway.get("/api/v1/account", key)).text()).toBe(plain);
    const head = await fetch(`${gateway.baseUrl}/v1/account`, {
      method: "HEAD",
      headers: { "x-api-key": key },
    });
    expect(head.status).toBe(200);
    expect(await head.text()).toBe("");
  });

  test("401 without a key, 403 with an unknown, a revoked or a write key, 400 for a parameter", async () => {
    const accountId = await gateway.createAccount();
    const key = await gateway.createKey(accountId, "read");
    const writeKey = await gateway.createKey(accountId, "write");
    for (const path of ["/v1/account", "/v1/usage"]) {
      const status = async (each?: string, query = "") =>
        problemOf(await gateway.get(path + query, each));
      expect(await status()).toMatchObject({ status: 401, code: "KEY_REQUIRED" });
      expect(await status("fg_read_x")).toMatchObject({ status: 403, code: "KEY_INVALID" });
      expect(await status(writeKey)).toMatchObject({ status: 403, code: "KEY_PERMISSION" });
      expect(await status(key, "?q=1")).toMatchObject({ status: 400, code: "INVALID_PARAMETER" });
    }
    await gateway.sql`update api_keys set revoked_at = now() where account_id = ${accountId}`;
    for (const path of ["/v1/account", "/v1/usage", "/v1/usage?q=1"]) {
      for (const each of [key, writeKey]) {
        expect(await problemOf(await gateway.get(path, each))).toMatchObject({
          status: 403,
          code: "KEY_INVALID",
        });
      }
    }
  });

  test("405 for another method", async () => {
    const response = await fetch(`${gateway.baseUrl}/v1/account`, { method: "POST" });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("GET, HEAD");
  });

  test("429 after 120 calls in a minute, for each operation apart; nothing is logged or charged", async () => {
    const accountId = await gateway.createAccount({ credits: 5 });
    const key = await gateway.createKey(accountId, "read");
    const calls = await Promise.all(
      Array.from({ length: 121 }, () => gateway.get("/v1/account", key)),
    );
    // A busy machine may answer 503 to one that it has counted.
    const [refused, ...others] = calls.filter(({ status }) => status !== 200 && status !== 503) as [
      Response,
    ];
    expect([refused.status, others]).toEqual([429, []]);
    expect(refused.headers.get("retry-after")).toBeTruthy();
    expect(refused.headers.get("x-ratelimit-limit")).toBe("120");
    expect(await problemOf(refused)).toMatchObject({ code: "RATE_LIMITED" });
    expect((await usage(key)).usage).toEqual([]);
    const rows =
      await gateway.sql`select balance_nanos from accounts where account_id = ${accountId}`;
    expect(rows[0]?.balance_nanos).toBe(5_000n);
  });
});

describe("GET /v1/usage", () => {
  test("lists what was read, with the usage id and time that the reader saw", async () => {
    const provider = await gateway.createAccount();
    const feed = await seedFeed(gateway, provider, {
      type: "singleton",
      rows: [{ rate: 1 }],
      callPriceNanos: 1_500,
    });
    const accountId = await gateway.createAccount({ credits: 10 });
    const key = await gateway.createKey(accountId, "read");
    const read = (await (await gateway.get(`/v1/feed/${feed.slug}`, key)).json()) as {
      _origin: { usage_id: string; timestamp: string };
    };
    await gateway.get("/v1/catalog", key);
    const { usage: events } = await usage(key);
    expect(events.map((each) => each.operation)).toEqual(["catalog", "data"]);
    expect(events[1]).toEqual({
      usage_id: read._origin.usage_id,
      timestamp: read._origin.timestamp,
      operation: "data",
      feed_id: feed.feedId,
      key_id: (await gateway.sql`select key_id from api_keys where account_id = ${accountId}`)[0]
        ?.key_id,
      credits_charged: 1.5,
    });
    expect((await usage(key, `?feed_id=${feed.feedId.toUpperCase()}`)).usage).toHaveLength(1);
  });

  test("a charge that was given back shows as 0", async () => {
    const { accountId, key } = await accountWithUsage(2);
    await gateway.sql`update usage_events set refunded = true where account_id = ${accountId}`;
    const event = { credits_charged: 0 };
    expect((await usage(key)).usage).toMatchObject([event, event]);
  });

  test("pages newest first; following next_cursor gives each event once", async () => {
    const { key } = await accountWithUsage(250);
    const seen: string[] = [];
    let cursor: string | null = null;
    // The page's size may change on the way.
    for (const limit of [100, 7, 1, 100, 100, 100]) {
      const next: string = cursor === null ? "" : `&cursor=${cursor}`;
      const page: UsageAnswer = await usage(key, `?limit=${limit}${next}`);
      expect(page.limit).toBe(limit);
      expect(page.has_more).toBe(page.next_cursor !== null);
      seen.push(...page.usage.map((each) => each.usage_id));
      cursor = page.next_cursor;
      if (cursor === null) break;
    }
    expect(seen).toHaveLength(250);
    expect(seen).toEqual([...new Set(seen)].sort().reverse());
  });

  test("Link says what next_cursor says, with the page's own filters", async () => {
    const { key } = await accountWithUsage(3);
    const response = await gateway.get("/api/v1/usage?limit=2&since=2026-01-01T00:00:00Z", key);
    const { next_cursor: cursor } = (await response.json()) as UsageAnswer;
    const address = `${gateway.baseUrl}/api/v1/usage?limit=2&since=2026-01-01T00:00:00Z&cursor=${cursor}`;
    expect(response.headers.get("link")).toBe(`<${address}>; rel="next"`);
    const last = await fetch(address, { headers: { "x-api-key": key } });
    expect(await last.json()).toMatchObject({ has_more: false });
    expect(last.headers.has("link")).toBe(false);
  });

  test("of one feed's calls in a long log: a page looks through 20,000 events, the next goes on", async () => {
    const { accountId, key } = await accountWithUsage(20_030);
    const feedId = crypto.randomUUID();
    await gateway.sql`
      update usage_events
      set feed_id = ${feedId}
      where account_id = ${accountId}
        and happened_at in ('2026-01-01T00:00:10Z', '2026-01-01T00:00:20Z', '2026-01-01T00:10:00Z')`;
    const pages: number[] = [];
    for (let next = ""; ; ) {
      const page = await usage(key, `?feed_id=${feedId}${next}`);
      pages.push(page.usage.length);
      expect(page.has_more).toBe(page.next_cursor !== null);
      if (page.next_cursor === null) break;
      next = `&cursor=${page.next_cursor}`;
    }
    expect(pages).toEqual([1, 2]);
  });

  test("limit is 20 by default, capped at 100, and an integer of at least 1", async () => {
    const { key } = await accountWithUsage(101);
    expect(await usage(key)).toMatchObject({ limit: 20, has_more: true });
    expect(await usage(key, "?limit=1000")).toMatchObject({ limit: 100, has_more: true });
    for (const limit of ["0", "-1", "1.5", "x", ""]) {
      const problem = await problemOf(await gateway.get(`/v1/usage?limit=${limit}`, key));
      expect(problem).toMatchObject({ status: 400, code: "INVALID_PARAMETER" });
    }
  });

  test("since and until are both inclusive, to the microsecond", async () => {
    const { key } = await accountWithUsage(10);
    const count = async (query: string) => (await usage(key, query)).usage.length;
    expect(await count("?since=2026-01-01T00:00:03Z&until=2026-01-01T00:00:05Z")).toBe(3);
    expect(await count("?since=2026-01-01T00:00:03.000001Z")).toBe(7);
    expect(await count("?until=2026-01-01T00:00:02.999999Z")).toBe(2);
    expect(await count("?since=2026-01-01T01:00:03+01:00")).toBe(8);
    expect(await count("?since=0001-01-01T00:00:00Z&until=9999-12-31T23:59:59Z")).toBe(10);
    expect(await count("?until=1969-12-31T23:59:59Z")).toBe(0);
    for (const query of ["?since=yesterday", "?until=2026-02-30T00:00:00Z", "?since="]) {
      const problem = await problemOf(await gateway.get(`/v1/usage${query}`, key));
      expect(problem).toMatchObject({ status: 400, code: "INVALID_PARAMETER" });
    }
    const swapped = "?since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z";
    expect((await gateway.get(`/v1/usage${swapped}`, key)).status).toBe(400);
  });

  test("a cursor is good for its own account and filters only", async () => {
    const { key } = await accountWithUsage(5);
    const other = await accountWithUsage(5);
    const { next_cursor: cursor } = await usage(key, "?limit=2");
    const filter = "feed_id=00000000-0000-4000-8000-000000000001";
    for (const [each, query] of [
      [other.key, `?cursor=${cursor}`],
      [key, `?cursor=${cursor}&${filter}`],
      [key, `?cursor=${cursor}x`],
      [key, "?cursor="],
    ] as const) {
      const problem = await problemOf(await gateway.get(`/v1/usage${query}`, each));
      expect(problem).toMatchObject({ status: 400, code: "CURSOR_INVALID" });
    }
    const filtered = await usage(key, `?limit=1&${filter}`);
    const next = await usage(key, `?cursor=${filtered.next_cursor}&${filter}`);
    expect(next.usage).toHaveLength(1);
    expect((await gateway.get("/v1/usage?feed_id=gold", key)).status).toBe(400);
  });

  test("one account never sees another's events", async () => {
    const { key } = await accountWithUsage(3);
    await accountWithUsage(3);
    expect((await usage(key, "?limit=100")).usage).toHaveLength(3);
  });
});
