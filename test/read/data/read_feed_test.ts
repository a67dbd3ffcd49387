import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { problemOf, startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { seedFeed } from "../../support/seed.ts";

let gateway: TestGateway;
let owner: string;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway({ FEEDGATE_READ_LIMIT_FREE: "1000" });
  owner = await gateway.createAccount();
  key = await gateway.createKey(await gateway.createAccount(), "read");
});
afterAll(() => gateway.stop());

const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `row-${index}`,
    place: index,
    kind: index % 2 === 0 ? "even" : "odd",
    event_timestamp: new Date(Date.UTC(2026, 0, 1) + index * 1_000).toISOString(),
  }));

interface Answer {
  data: Record<string, unknown>[];
  limit: number;
  offset: number;
  has_more: boolean;
  next_cursor: string | null;
  _origin: { usage_id: string; timestamp: string; feed_id: string; credits_charged: number };
}

async function read(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await gateway.get(path, key, headers);
  const body = await response.json();
  expect({ path, status: response.status, code: (body as { code?: string }).code }).toEqual({
    path,
    status: 200,
    code: undefined,
  });
  return body as Answer;
}

/** Every row of a walk along next_cursor. */
async function walk(path: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: Answer = await read(cursor === "" ? path : `${path}&cursor=${cursor}`);
    found.push(...page.data);
    cursor = page.next_cursor;
  }
  return found;
}

describe("readFeed: collection", () => {
  test("pages in order of arrival, by cursor and by offset", async () => {
    const all = rows(45);
    const feed = await seedFeed(gateway, owner, { type: "collection", rows: all });
    const first = await read(`/v1/feed/${feed.feedId}`);
    expect(first).toMatchObject({ limit: 20, offset: 0, has_more: true });
    expect(first.data).toEqual(all.slice(0, 20));
    expect(first._origin.feed_id).toBe(feed.feedId);
    expect(await walk(`/v1/feed/${feed.slug}?limit=7`)).toEqual(all);
    const deep = await read(`/api/v1/feed/${feed.slug}?limit=10&offset=40`);
    expect(deep).toMatchObject({ has_more: false, next_cursor: null, offset: 40 });
    expect(deep.data).toEqual(all.slice(40));
  });

  test("Link says what next_cursor says, in the request's own form", async () => {
    const feed = await seedFeed(gateway, owner, { type: "collection", rows: rows(3) });
    const response = await gateway.get(`/api/v1/feed/${feed.slug}?limit=2&offset=0`, key);
    const { next_cursor: cursor } = (await response.json()) as Answer;
    expect(response.headers.get("link")).toBe(
      `<${gateway.baseUrl}/api/v1/feed/${feed.slug}?limit=2&cursor=${cursor}>; rel="next"`,
    );
  });

  test("a cursor is refused for another feed, another filter or when changed", async () => {
    const feed = await seedFeed(gateway, owner, { type: "collection", rows: rows(5) });
    const other = await seedFeed(gateway, owner, { type: "collection", rows: rows(5) });
    const { next_cursor: cursor } = await read(`/v1/feed/${feed.slug}?limit=2`);
    for (const path of [
      `${other.slug}?cursor=${cursor}`,
      `${feed.slug}?cursor=${cursor}&kind=eq.odd`,
      `${feed.slug}?cursor=${cursor}x`,
      `${feed.slug}?cursor=`,
    ]) {
      const problem = await problemOf(await gateway.get(`/v1/feed/${path}`, key));
      expect(problem).toMatchObject({ status: 400, code: "CURSOR_INVALID" });
    }
    expect((await read(`/v1/feed/${feed.slug}?limit=1&cursor=${cursor}`)).data).toHaveLength(1);
  });
});

describe("readFeed: stream", () => {
  test("newest first, equal times by later arrival, walked exactly once", async () => {
    const all = rows(30).map((row) => ({ ...row, event_timestamp: "2026-01-01T00:00:00.000001Z" }));
    const feed = await seedFeed(gateway, owner, { type: "stream", rows: all });
    expect(await walk(`/v1/feed/${feed.slug}?limit=7`)).toEqual([...all].reverse());
  });

  test("time bounds are inclusive, to the microsecond", async () => {
    const times = [1, 2, 3, 4].map((micro) => `2026-01-01T00:00:00.00000${micro}Z`);
    const all = times.map((event_timestamp, id) => ({ id, event_timestamp }));
    const feed = await seedFeed(gateway, owner, { type: "stream", rows: all });
    const page = await read(`/v1/feed/${feed.slug}?start_time=${times[1]}&end_time=${times[2]}`);
    expect(page.data.map(({ id }) => id)).toEqual([2, 1]);
    const spaced = "2026-01-01T02:00:00.000004+02:00";
    const late = await read(`/v1/feed/${feed.slug}?start_time=${spaced}`);
    expect(late.data.map(({ id }) => id)).toEqual([3]);
  });
});

describe("readFeed: singleton", () => {
  test("the document and _origin, nothing else", async () => {
    const feed = await seedFeed(gateway, owner, { type: "singleton", rows: [{ a: { b: 1 } }] });
    const body = await read(`/v1/feed/${feed.slug}?limit=5&offset=2`);
    expect(Object.keys(body)).toEqual(["data", "_origin"]);
    expect(body.data as unknown).toEqual({ a: { b: 1 } });
  });
});

describe("readFeed: filters", () => {
  const cases: readonly [query: string, ids: unknown[]][] = [
    ["n=eq.5", [1, 2, 3]],
    ["n=eq.5.0", [1, 2]],
    ["n=eq.true", [4]],
    ["n=eq.null", [5]],
    ["n=eq.", [6]],
    ["payload.limit=eq.x", [7]],
    ["payload.a.b=eq.y", [8]],
    ["d%C3%A9j%C3%A0%20vu=eq.z", [9]],
    ["__proto__=eq.p", [10]],
    ["n=eq.5&id=eq.2", [2]],
    ["n=eq.%00", []],
    ["n=eq.1e999", []],
    ["n=eq.1e-16384", []],
    ["n=eq.-1e-99999999999999999999", []],
    ["n=eq.0e-16384", [13, 14]],
    ["n=eq.0e99999999999", [13, 14]],
    ["n=eq.-0.0", [13, 14]],
    ["s=eq.a%220e5,%2010e5", [14]],
    [`n=eq.5.${"0".repeat(1_000)}`, []],
    // Most rows lack it.
    ["s=eq.null", []],
  ];
  test("strings by text, numbers by value, literals by kind", async () => {
    const text = [
      '{"id":1,"n":5}',
      '{"id":2,"n":5.0}',
      '{"id":3,"n":"5"}',
      '{"id":4,"n":true}',
      '{"id":5,"n":null}',
      '{"id":6,"n":""}',
      '{"id":7,"limit":"x"}',
      '{"id":8,"a.b":"y"}',
      '{"id":9,"déjà vu":"z"}',
      '{"id":10,"__proto__":"p"}',
      '{"id":11,"n":[5]}',
      '{"id":12,"n":{"5":5}}',
      '{"id":13,"n":0e9999}',
      '{"id":14,"n":0e-16384,"s":"a\\"0e5, 10e5","x":[10e5,-0.0E-99999999999999999999]}',
    ];
    const feed = await seedFeed(gateway, owner, { type: "collection", texts: text });
    for (const [query, ids] of cases) {
      const page = await read(`/v1/feed/${feed.slug}?${query}`);
      expect({ query, ids: page.data.map(({ id }) => id) }).toEqual({ query, ids });
    }
  });
});

describe("readFeed: ids", () => {
  test("order of the request, unknown left out, repeats once, commas encoded", async () => {
    const all = [{ id: "a,b" }, { id: "c/d" }, { id: "🦊" }, { id: 7 }];
    const feed = await seedFeed(gateway, owner, { type: "collection", rows: all });
    const page = await read(`/v1/feed/${feed.slug}?ids=%F0%9F%A6%8A,nope,a%2Cb&ids=7,7`);
    expect(page.data.map(({ id }) => id)).toEqual(["🦊", "a,b", 7]);
    expect(page).toMatchObject({ limit: 4, offset: 0, has_more: false, next_cursor: null });
  });
});

describe("readFeed: projection", () => {
  test("paths and constructions are applied to data", async () => {
    const feed = await seedFeed(gateway, owner, {
      type: "collection",
      texts: ['{"id":1,"price":{"value":12345678901234567890.10}}'],
    });
    const path = encodeURIComponent("$[*].{nr: id, usd: price.value}");
    const response = await gateway.get(`/v1/feed/${feed.slug}?jsonpath=${path}`, key);
    expect(await response.text()).toStartWith(
      '{"data":[{"nr":1,"usd":12345678901234567890.10}],"limit":20,',
    );
  });
});

describe("readFeed: refusals", () => {
  test("each in its place, as problem+json, and none of them counts", async () => {
    const feed = await seedFeed(gateway, owner, { type: "collection", rows: rows(1) });
    const single = await seedFeed(gateway, owner, { type: "singleton", rows: [{ a: 1 }] });
    const writeKey = await gateway.createKey(owner, "write");
    const cases: readonly [string, string | undefined, number, string][] = [
      [feed.slug, undefined, 401, "KEY_REQUIRED"],
      [feed.slug, "fg_read_nonsense", 403, "KEY_INVALID"],
      [`${feed.slug}?limit=0`, writeKey, 403, "KEY_PERMISSION"],
      ["nowhere?limit=0", key, 400, "INVALID_PARAMETER"],
      ["nowhere?jsonpath=x[", key, 400, "JSONPATH_INVALID"],
      ["nowhere?jsonpath=$[?(1)]", key, 400, "JSONPATH_FILTER_DISABLED"],
      ["nowhere?a.b=eq.1", key, 400, "OPERATOR_DISABLED"],
      ["nowhere?a=gt.1", key, 400, "OPERATOR_DISABLED"],
      ["nowhere?a=like.b*", key, 400, "OPERATOR_DISABLED"],
      ["nowhere?a=not.eq.5", key, 400, "OPERATOR_DISABLED"],
      ["nowhere?a=in.(1,2)", key, 400, "OPERATOR_DISABLED"],
      ["nowhere?a=eq(any).5", key, 400, "OPERATOR_DISABLED"],
      ["nowhere?ids=1&limit=2", key, 400, "INVALID_PARAMETER"],
      ["nowhere?cursor=x&offset=1", key, 400, "INVALID_PARAMETER"],
      ["nowhere?cursor=x", key, 404, "FEED_NOT_FOUND"],
      ["nowhere?limit=1", key, 404, "FEED_NOT_FOUND"],
      [`${feed.slug}?limit=0`, key, 400, "INVALID_PARAMETER"],
      [`${feed.slug}?limit=abc`, key, 400, "INVALID_PARAMETER"],
      [`${feed.slug}?limit=1&limit=2`, key, 400, "INVALID_PARAMETER"],
      [`${feed.slug}?start_time=2026-01-01T00:00:00Z`, key, 400, "INVALID_PARAMETER"],
      [`${feed.slug}?lmit=2`, key, 400, "INVALID_PARAMETER"],
      [`${feed.slug}?x=%ff`, key, 400, "INVALID_PARAMETER"],
      [`${single.slug}?ids=1`, key, 400, "INVALID_PARAMETER"],
      [`${single.slug}?a=eq.1`, key, 400, "INVALID_PARAMETER"],
    ];
    for (const [path, withKey, status, code] of cases) {
      const response = await gateway.get(`/v1/feed/${path}`, withKey);
      expect({ path, ...(await problemOf(response)) }).toMatchObject({
        path,
        status,
        code,
        type: "application/problem+json",
      });
      expect(response.headers.get("cache-control")).toBe("private, no-cache");
      if (status === 401) expect(response.headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  test("a draft that was never pushed to is not found, like an unknown feed", async () => {
    const { feedId } = await seedFeed(gateway, owner, { type: "collection", rows: [] });
    await gateway.sql`update feeds set status = 'draft' where feed_id = ${feedId}`;
    const problem = await problemOf(await gateway.get(`/v1/feed/${feedId}`, key));
    expect(problem).toMatchObject({ status: 404, code: "FEED_NOT_FOUND" });
  });

  test("a cursor is good in every process on the database", async () => {
    const feed = await seedFeed(gateway, owner, { type: "collection", rows: rows(3) });
    const path = `/v1/feed/${feed.slug}?limit=1`;
    const first = (await (await gateway.get(path, key)).json()) as { next_cursor: string };
    const peer = await gateway.startPeer();
    const next = await fetch(`${peer.baseUrl}${path}&cursor=${first.next_cursor}`, {
      headers: { "x-api-key": key },
    });
    expect(next.status).toBe(200);
  });

  test("x-api-key wins where both headers are sent", async () => {
    const feed = await seedFeed(gateway, owner, { type: "collection", rows: rows(1) });
    const path = `/v1/feed/${feed.slug}`;
    const other = await gateway.get(path, key, { Authorization: "Bearer fg_read_nonsense" });
    expect(other.status).toBe(200);
    const wrong = await gateway.get(path, "fg_read_nonsense", { Authorization: `Bearer ${key}` });
    expect(await problemOf(wrong)).toMatchObject({ status: 403, code: "KEY_INVALID" });
  });

  test("a revoked key is refused before anything about the feed, also if the feed was known", async () => {
    const accountId = await gateway.createAccount();
    const revoked = await gateway.createKey(accountId, "read");
    const feed = await seedFeed(gateway, owner, { type: "collection", rows: rows(1) });
    expect((await gateway.get(`/v1/feed/${feed.slug}`, revoked)).status).toBe(200);
    await gateway.sql`update api_keys set revoked_at = now() where account_id = ${accountId}`;
    for (const path of ["nope", `${feed.slug}?limit=0`]) {
      expect(await problemOf(await gateway.get(`/v1/feed/${path}`, revoked))).toMatchObject({
        status: 403,
        code: "KEY_INVALID",
      });
    }
    const headers = { "Idempotency-Key": "no key" };
    const keyed = await gateway.get(`/v1/feed/${feed.slug}`, revoked, headers);
    expect(await problemOf(keyed)).toMatchObject({ status: 403, code: "KEY_INVALID" });
  });

  test("a feed that is active but has no rows is not synced", async () => {
    const feed = await seedFeed(gateway, owner, { type: "collection", rows: [] });
    const response = await gateway.get(`/v1/feed/${feed.slug}`, key);
    expect(await problemOf(response)).toMatchObject({ status: 404, code: "FEED_NOT_SYNCED" });
  });
});

describe("readFeed: conditional reads", () => {
  test("a feed that takes over another's slug is not unchanged", async () => {
    const first = await seedFeed(gateway, owner, { type: "singleton", rows: [{ who: "A" }] });
    const second = await seedFeed(gateway, owner, { type: "singleton", rows: [{ who: "B" }] });
    const path = `/v1/feed/${first.slug}`;
    const tag = (await gateway.get(path, key)).headers.get("etag") as string;
    const write = await gateway.createKey(owner, "write");
    const moves = [
      [first.feedId, `${first.slug}-left`],
      [second.feedId, first.slug],
    ];
    for (const [feedId, slug] of moves) {
      const edit = `/v1/provider/feed/${feedId}/edit`;
      expect((await gateway.send("PATCH", edit, write, { endpoint_path: slug })).status).toBe(200);
    }
    const response = await gateway.get(path, key, { "If-None-Match": tag });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ data: { who: "B" } });
  });

  test("what has changed is read, also where memory is behind and no 304 is left in the minute", async () => {
    const feed = await seedFeed(gateway, owner, { type: "singleton", rows: [{ n: 1 }] });
    const path = `/v1/feed/${feed.slug}`;
    const account = await gateway.createAccount();
    const own = await gateway.createKey(account, "read");
    const tag = (await gateway.get(path, own)).headers.get("etag") as string;
    const conditions = Array.from({ length: 601 }, async () => {
      const { status } = await gateway.get(path, own, { "If-None-Match": tag });
      return status;
    });
    const statuses = await Promise.all(conditions);
    expect(statuses.filter((status) => status === 304)).toHaveLength(600);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    // As another process does it.
    await gateway.sql`
      with pushed as (
        update documents set payload = '{"n":2}' where feed_id = ${feed.feedId}
      )
      update feeds set data_version = data_version + 1 where feed_id = ${feed.feedId}`;
    const response = await gateway.get(path, own, { "If-None-Match": tag });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ data: { n: 2 } });
  });

  test("304 while the data is the same; HEAD has the headers and costs nothing", async () => {
    const feed = await seedFeed(gateway, owner, { type: "collection", rows: rows(2) });
    const first = await gateway.get(`/v1/feed/${feed.slug}`, key);
    const tag = first.headers.get("etag") as string;
    expect(tag).toStartWith('W/"');
    const remaining = Number(first.headers.get("x-ratelimit-remaining"));
    const same = await gateway.get(`/v1/feed/${feed.slug}`, key, {
      "If-None-Match": `"x", ${tag}`,
    });
    expect(same.status).toBe(304);
    const head = await fetch(`${gateway.baseUrl}/v1/feed/${feed.slug}`, {
      method: "HEAD",
      headers: { "x-api-key": key },
    });
    expect(head.status).toBe(200);
    expect(head.headers.get("etag")).toBe(tag);
    await gateway.sql`update feeds set data_version = data_version + 1 where feed_id = ${feed.feedId}`;
    const changed = await gateway.get(`/v1/feed/${feed.slug}`, key, { "If-None-Match": tag });
    expect(changed.status).toBe(200);
    expect(Number(changed.headers.get("x-ratelimit-remaining"))).toBe(remaining - 1);
  });
});
