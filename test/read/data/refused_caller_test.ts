import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { seedFeed } from "../../support/seed.ts";

let gateway: TestGateway;
let owner: string;
beforeAll(async () => {
  gateway = await startTestGateway({ FEEDGATE_READ_LIMIT_FREE: "2" });
  owner = await gateway.createAccount();
});
afterAll(() => gateway.stop());

const rows = Array.from({ length: 30 }, (_, id) => ({ id }));

/** Grows with each page that is built. */
async function pageBytes(baseUrl = gateway.baseUrl): Promise<number> {
  const metrics = await (await fetch(`${baseUrl}/metrics`)).text();
  return Number(/^feedgate_page_cache_bytes (\d+)/m.exec(metrics)?.[1]);
}

async function statusOf(path: string, key: string, headers: Record<string, string> = {}) {
  return (await gateway.get(path, key, headers)).status;
}

/** As many 304s. */
async function revalidateOften(path: string, key: string, times: number) {
  const ask = () => statusOf(path, key, { "If-None-Match": "*" });
  const statuses = await Promise.all(Array.from({ length: times }, ask));
  expect(new Set(statuses)).toEqual(new Set([304]));
}

describe("a caller that was refused a moment ago", () => {
  test("over its limit: no page is built for it", async () => {
    const { slug } = await seedFeed(gateway, owner, { type: "collection", rows });
    const key = await gateway.createKey(await gateway.createAccount(), "read");
    const path = `/v1/feed/${slug}`;
    for (const status of [200, 200, 429]) expect(await statusOf(path, key)).toBe(status);
    const before = await pageBytes();
    for (let offset = 1; offset <= 20; offset += 1) {
      expect(await statusOf(`${path}?offset=${offset}`, key)).toBe(429);
    }
    expect(await pageBytes()).toBe(before);
  });

  test("without credits: no page is built for it until it has some, and then the right one", async () => {
    const metered = { type: "collection", rows, callPriceNanos: 1_000 } as const;
    const { slug } = await seedFeed(gateway, owner, metered);
    const accountId = await gateway.createAccount();
    const key = await gateway.createKey(accountId, "read");
    const path = `/v1/feed/${slug}`;
    expect(await statusOf(path, key)).toBe(402);
    const before = await pageBytes();
    expect(await statusOf(`${path}?offset=1`, key)).toBe(402);
    expect(await pageBytes()).toBe(before);
    await gateway.sql`
      update accounts set balance_nanos = 1000000 where account_id = ${accountId}`;
    const answer = await gateway.get(`${path}?offset=1&limit=1`, key);
    expect(await answer.json()).toMatchObject({ data: [{ id: 1 }], offset: 1, has_more: true });
  });

  test("by an Idempotency-Key of another query: no page is built for it", async () => {
    const { slug } = await seedFeed(gateway, owner, { type: "collection", rows });
    const key = await gateway.createKey(await gateway.createAccount(), "read");
    const headers = { "Idempotency-Key": "one" };
    const path = `/v1/feed/${slug}`;
    expect(await statusOf(path, key, headers)).toBe(200);
    expect(await statusOf(`${path}?offset=1`, key, headers)).toBe(409);
    const before = await pageBytes();
    expect(await statusOf(`${path}?offset=2`, key, headers)).toBe(409);
    expect(await pageBytes()).toBe(before);
  });

  test("with a revoked key: no page is built for it", async () => {
    const { slug } = await seedFeed(gateway, owner, { type: "collection", rows });
    const key = await gateway.createKey(await gateway.createAccount(), "read");
    const path = `/v1/feed/${slug}`;
    expect(await statusOf(path, key)).toBe(200);
    await gateway.sql`update api_keys set revoked_at = now() where key_start = ${key.slice(0, 12)}`;
    expect(await statusOf(path, key)).toBe(403);
    const before = await pageBytes();
    expect(await statusOf(`${path}?offset=1`, key)).toBe(403);
    expect(await pageBytes()).toBe(before);
  });

  test("over the limit of 304s only: what has changed is read like any other", async () => {
    const { slug } = await seedFeed(gateway, owner, { type: "collection", rows });
    const accountId = await gateway.createAccount();
    const key = await gateway.createKey(accountId, "read");
    const path = `/v1/feed/${slug}`;
    const tag = (await gateway.get(path, key)).headers.get("etag") as string;
    expect(await statusOf(path, key, { "If-None-Match": tag })).toBe(304);
    await revalidateOften(path, key, 599);
    expect(await statusOf(path, key, { "If-None-Match": tag })).toBe(429);
    expect(await statusOf(`${path}?offset=9`, key, { "If-None-Match": '"other"' })).toBe(200);
  });

  test("over the limit of 304s: no page is built to say that it has not changed", async () => {
    const { slug } = await seedFeed(gateway, owner, { type: "collection", rows });
    const accountId = await gateway.createAccount();
    const key = await gateway.createKey(accountId, "read");
    const path = `/v1/feed/${slug}`;
    const peer = await gateway.startPeer();
    const elsewhere = `${peer.baseUrl}${path}?offset=3`;
    const tag = (await fetch(elsewhere, { headers: { "x-api-key": key } })).headers.get("etag");
    await revalidateOften(path, key, 600);
    const ask = (query: string) => statusOf(path + query, key, { "If-None-Match": tag as string });
    const head = (query: string) =>
      fetch(gateway.baseUrl + path + query, { method: "HEAD", headers: { "x-api-key": key } });
    // Known from here on.
    expect((await head("")).status).toBe(429);
    const before = await pageBytes();
    expect(await ask("?offset=3")).toBe(429);
    expect((await head("?offset=5")).status).toBe(429);
    expect(await pageBytes()).toBe(before);
    expect(await ask("?offset=4")).toBe(200);
  });

  test("what is a 400 or 410 is one before it is a 304, refused or not", async () => {
    const { feedId, slug } = await seedFeed(gateway, owner, { type: "collection", rows });
    const key = await gateway.createKey(await gateway.createAccount(), "read");
    const path = `/v1/feed/${slug}`;
    const first = (await (await gateway.get(`${path}?limit=2`, key)).json()) as Record<
      string,
      string
    >;
    await gateway.sql`
      update batches set status = 'retired', retired_at = now() - interval '1 hour'
      where feed_id = ${feedId}`;
    await gateway.sql`
      insert into batches (feed_id, batch_number, status, finalized_at)
      values (${feedId}, 2, 'final', now())`;
    await gateway.sql`
      update feeds set current_batch = 2, data_version = data_version + 1 where feed_id = ${feedId}`;
    await gateway.sql`
      insert into collection_rows (feed_id, batch_number, position, row_id, payload)
      select feed_id, 2, position, row_id, payload from collection_rows where feed_id = ${feedId}`;
    const all = `[${Array.from({ length: 200 }, () => "*").join(",")}]`;
    const expired = `${path}?limit=2&cursor=${first.next_cursor}`;
    const tooLarge = `${path}?jsonpath=${encodeURIComponent(`$${all}${all}`)}`;
    const any = { "If-None-Match": "*" };
    const asked = async () => [
      await statusOf(expired, key, any),
      await statusOf(tooLarge, key, any),
      await statusOf(path, key, any),
    ];
    expect(await asked()).toEqual([410, 400, 304]);
    for (const status of [200, 429]) expect(await statusOf(path, key)).toBe(status);
    expect(await asked()).toEqual([410, 400, 304]);
  });

  test("a condition is still answered, and counted once as what it asks", async () => {
    const { slug } = await seedFeed(gateway, owner, { type: "collection", rows });
    const accountId = await gateway.createAccount();
    const key = await gateway.createKey(accountId, "read");
    const path = `/v1/feed/${slug}`;
    const tag = (await gateway.get(`${path}?offset=3`, key)).headers.get("etag") as string;
    // Its memory holds no page yet.
    const peer = await gateway.startPeer();
    const ask = async (query: string, ifNoneMatch: string) => {
      const headers = { "x-api-key": key, "If-None-Match": ifNoneMatch };
      return (await fetch(`${peer.baseUrl}${path}${query}`, { headers })).status;
    };
    for (const status of [200, 429]) expect(await ask("", '"none"')).toBe(status);
    const before = await pageBytes(peer.baseUrl);
    expect(await ask("?offset=3", tag)).toBe(304);
    expect(await ask("?offset=4", tag)).toBe(429);
    // Neither needs a page: what has changed is known by the tag.
    expect(await pageBytes(peer.baseUrl)).toBe(before);
    const events = await gateway.sql`
      select operation from usage_events where account_id = ${accountId}`;
    expect(events.map(({ operation }) => operation)).toEqual(["data", "data"]);
  });
});
