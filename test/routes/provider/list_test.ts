import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { problemOf, shareTestGateway, type TestGateway } from "../../support/gateway.ts";

const FEEDS = "/v1/provider/feeds";

interface OpenBatch {
  readonly batch_id: string;
  readonly rows: number;
  readonly begun_at: string;
  readonly closes_at: string;
}

interface Page {
  readonly feeds: readonly (Record<string, unknown> & { readonly open_batches: OpenBatch[] })[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  readonly has_more: boolean;
}

let gateway: TestGateway;
let key: string;
beforeAll(async () => {
  gateway = await shareTestGateway();
  key = await newKey();
});
afterAll(() => gateway.stop());

async function newKey(): Promise<string> {
  return gateway.createKey(await gateway.createAccount(), "write");
}

const list = (search = "", as = key, method = "GET") =>
  fetch(gateway.baseUrl + FEEDS + search, {
    method,
    headers: { Authorization: `Bearer ${as}` },
  });

const pageOf = async (search = "", as = key) => (await (await list(search, as)).json()) as Page;

async function create(slug: string, as = key): Promise<Record<string, unknown>> {
  const body = { name: slug, endpoint_path: slug, sample_response: { b: 1, a: 2 } };
  const response = await gateway.send("POST", "/v1/provider/feed/create", as, body);
  return (await response.json()) as Record<string, unknown>;
}

describe("GET /v1/provider/feeds", () => {
  test("an account without feeds has an empty page", async () => {
    expect(await pageOf("", await newKey())).toEqual({
      feeds: [],
      total: 0,
      limit: 20,
      offset: 0,
      has_more: false,
    });
  });

  test("one of 150 own feeds is found by its id or slug; anything else is 403", async () => {
    const owner = await gateway.createAccount();
    const many = await gateway.createKey(owner, "write");
    await gateway.sql`
      insert into feeds (account_id, name, endpoint_path, created_at)
      select ${owner}, 'feed ' || number, 'many-' || number, now() - make_interval(secs => number)
      from generate_series(1, 150) as number`;
    const rows = await gateway.sql`select feed_id from feeds where endpoint_path = 'many-150'`;
    const { feed_id: last } = rows[0] as { feed_id: string };
    for (const reference of [last, last.toUpperCase(), "many-150"]) {
      const page = await pageOf(`?feed_id=${reference}&full=true`, many);
      expect([page.total, page.has_more]).toEqual([1, false]);
      expect(page.feeds[0]).toMatchObject({
        id: last,
        endpoint_path: "many-150",
        open_batches: [],
      });
    }
    expect((await pageOf(`?feed_id=${last}&status=active`, many)).feeds).toEqual([]);
    expect((await pageOf("?offset=100&limit=100", many)).feeds).toHaveLength(50);
    const foreign = (await create("foreign", await newKey())).id as string;
    for (const reference of [foreign, "foreign", "none", crypto.randomUUID()]) {
      const problem = await problemOf(await list(`?feed_id=${reference}`, many));
      expect([problem.status, problem.code]).toEqual([403, "FEED_FORBIDDEN"]);
    }
    await gateway.sql`update feeds set deleted_at = now() where feed_id = ${last}`;
    expect((await list(`?feed_id=${last}`, many)).status).toBe(403);
  });

  test("own feeds only, slim rows, drafts included, newest first", async () => {
    const {
      max_feeds_allowed: _max,
      feeds_used: _used,
      warnings: _warnings,
      schema_definition: _schema,
      readme_md: _readme,
      sample_response: sample,
      ...first
    } = await create("first");
    await create("second");
    await create("foreign", await newKey());
    const response = await list();
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("private, no-cache");
    expect(response.headers.get("content-type")).toBe("application/json");
    const page = (await response.json()) as Page;
    expect(page).toMatchObject({ total: 2, limit: 20, offset: 0, has_more: false });
    expect(page.feeds.map(({ name }) => name)).toEqual(["second", "first"]);
    expect(page.feeds[1]).toEqual({
      ...first,
      row_count: 0,
      open_batches: [],
      last_refusal: null,
      reads: 0,
      readers: 0,
      net_usd: 0,
    });
    const full = await pageOf("?full=true");
    expect(full.feeds[1]).toMatchObject({ schema_definition: null, readme_md: null });
    expect(full.feeds[1]?.sample_response).toEqual(sample);
    expect(await pageOf("?status=draft")).toMatchObject({ total: 2, feeds: { length: 2 } });
    expect(await pageOf("?status=active")).toMatchObject({ total: 0, feeds: [] });
  });

  test("what readers see of each feed, and the batches that wait to be completed", async () => {
    const own = await newKey();
    const day = 24 * 60 * 60_000;
    const { id: collection } = await create("in-batches", own);
    const push = async (id: unknown, body: unknown) => {
      const path = `/v1/provider/feed/${id}/push`;
      const response = await gateway.send("POST", path, own, body);
      expect(response.status).toBe(200);
      return Date.parse(((await response.json()) as { last_sync_at: string }).last_sync_at);
    };
    const listed = async () => (await pageOf("", own)).feeds;
    const batch = (ids: number[], batch_id: string, batch_complete = false) => ({
      payload: ids.map((id) => ({ id })),
      batch_id,
      batch_complete,
    });
    await push(collection, batch([1, 2], "first"));
    expect(await listed()).toMatchObject([
      // Readers see it, so it is not closed for its age.
      { row_count: 2, open_batches: [{ batch_id: "first", rows: 2, closes_at: null }] },
    ]);
    const begun = await push(collection, batch([1, 2, 3], "second"));
    const pushed = await push(collection, batch([4], "second"));
    await push(collection, batch([5], "third"));
    await push(collection, batch([], "first", true));
    const [feed] = await listed();
    const [third, second] = feed?.open_batches ?? [];
    expect(feed).toMatchObject({ row_count: 2, open_batches: { length: 2 } });
    expect(third).toMatchObject({ batch_id: "third", rows: 1 });
    expect(second).toMatchObject({ batch_id: "second", rows: 4 });
    expect(Date.parse(second?.begun_at ?? "")).toBe(begun);
    expect(Date.parse(second?.closes_at ?? "")).toBe(pushed + day);
    await push(collection, batch([6], "third", true));
    expect(await listed()).toMatchObject([{ row_count: 2, open_batches: [] }]);
    const { id: stream } = await create("in-order", own);
    await push(stream, { a: 1 });
    expect(await listed()).toMatchObject([{ row_count: 1, open_batches: [] }, { row_count: 2 }]);
  });

  test("a suspended feed has the operator's reason, and any other has none", async () => {
    const own = await newKey();
    const { id } = await create("suspended", own);
    await create("running", own);
    await gateway.sql`update feeds set suspension_reason = 'no "licence"' where feed_id = ${String(id)}`;
    const { feeds } = await pageOf("", own);
    expect(feeds.map((feed) => feed.suspension_reason)).toEqual([undefined, 'no "licence"']);
    const [one] = (await pageOf(`?feed_id=${id}`, own)).feeds;
    expect(one?.suspension_reason).toBe('no "licence"');
  });

  test("of very many open batches the newest 20 are listed", async () => {
    const own = await newKey();
    const { id } = await create("very-open", own);
    await gateway.sql`
      insert into batches (feed_id, batch_number, batch_id, status)
      select ${String(id)}, number, 'b' || number, 'open' from generate_series(1, 30) as number`;
    await gateway.sql`update feeds set current_batch = 1, feed_type = 'collection' where feed_id = ${String(id)}`;
    const [feed] = (await pageOf("", own)).feeds;
    const names = feed?.open_batches.map((each) => each.batch_id);
    expect(names).toEqual(Array.from({ length: 20 }, (_, index) => `b${30 - index}`));
  });

  test("pages by limit and offset; a limit above 100 is capped", async () => {
    const own = await newKey();
    for (let i = 1; i <= 5; i++) await create(`paged-${i}`, own);
    const names = async (search: string) => {
      const page = await pageOf(search, own);
      return [page.feeds.map(({ name }) => name), page.has_more, page.total];
    };
    expect(await names("?limit=2")).toEqual([["paged-5", "paged-4"], true, 5]);
    expect(await names("?limit=2&offset=4")).toEqual([["paged-1"], false, 5]);
    expect(await names("?offset=999999999999999")).toEqual([[], false, 5]);
    expect((await pageOf("?limit=101", own)).limit).toBe(100);
    const alias = await fetch(`${gateway.baseUrl}/api${FEEDS}`, {
      headers: { Authorization: `Bearer ${own}` },
    });
    expect(((await alias.json()) as Page).total).toBe(5);
  });

  test("a list of own feeds with a wrong parameter is 400 INVALID_PARAMETER", async () => {
    for (const search of [
      "?limit=0",
      "?limit=x",
      "?offset=-1",
      "?limit=1&limit=2",
      "?status=open",
      "?full=1",
    ]) {
      expect(await problemOf(await list(search))).toMatchObject({
        status: 400,
        code: "INVALID_PARAMETER",
      });
    }
  });

  test("401 and 403 for the wrong key, also where the parameters are wrong", async () => {
    const accountId = await gateway.createAccount();
    const readKey = await gateway.createKey(accountId, "read");
    const revoked = await gateway.createKey(accountId, "write");
    expect((await list("", revoked)).status).toBe(200);
    await gateway.sql`update api_keys set revoked_at = now() where account_id = ${accountId}
      and permission = 'write'`;
    for (const search of ["", "?limit=0"]) {
      const keyless = await gateway.get(FEEDS + search);
      expect(await problemOf(keyless)).toMatchObject({ status: 401, code: "KEY_REQUIRED" });
      const reading = await list(search, readKey);
      expect(await problemOf(reading)).toMatchObject({ status: 403, code: "KEY_PERMISSION" });
      const dead = await list(search, revoked);
      expect(await problemOf(dead)).toMatchObject({ status: 401, code: "KEY_INVALID" });
    }
  });

  test("HEAD has the headers and no body, and 429 comes after 120 reads a minute", async () => {
    const own = await newKey();
    for (let i = 0; i < 3; i++) {
      const head = await list("", own, "HEAD");
      expect(head.status).toBe(200);
      expect(head.headers.get("content-type")).toBe("application/json");
      expect(await head.text()).toBe("");
    }
    const answers = await Promise.all(Array.from({ length: 121 }, () => list("", own)));
    // A busy machine may answer 503 to one that it has counted.
    const [refused, ...others] = answers.filter(
      ({ status }) => status !== 200 && status !== 503,
    ) as [Response];
    expect([refused.status, others]).toEqual([429, []]);
    expect(refused.headers.get("x-ratelimit-limit")).toBe("120");
    expect(await problemOf(refused)).toMatchObject({ status: 429, code: "RATE_LIMITED" });
  });
});
