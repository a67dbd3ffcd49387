import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { createApp } from "../../../src/app.ts";
import { createCall } from "../../../src/http/call.ts";
import { Metrics } from "../../../src/http/metrics.ts";
import { Problem } from "../../../src/http/problem_details.ts";
import { EXPORTS_LIMIT } from "../../../src/limits.ts";
import { createExports } from "../../../src/read/export/export_feed.ts";
import { createReadPipeline } from "../../../src/read/pipeline/pipeline.ts";
import { askAgain } from "../../support/ask_again.ts";
import { waitFor } from "../../support/processes.ts";
import { type FeedOptions, type PushScene, startPushScene } from "../../support/push_scene.ts";

/** Until PostgreSQL has noticed that a client went away. */
/** Of 40 KB each: several times what sockets hold. */
const LONG_ROWS = 600;
const FREED_MS_MAX = 20_000;

let scene: PushScene;
/** Of an account with 1,000 credits, of one without any, and of the owner. */
let reader: string;
let readerId: string;
let poor: string;
let owner: string;
beforeAll(async () => {
  scene = await startPushScene();
  const { gateway } = scene;
  readerId = await gateway.createAccount({ credits: 1_000 });
  reader = await gateway.createKey(readerId, "read");
  poor = await gateway.createKey(await gateway.createAccount(), "read");
  owner = await gateway.createKey(scene.accountId, "read");
});
afterAll(() => scene.gateway.stop());

interface Exported {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The ids of NDJSON, or undefined. */
  readonly ids: readonly unknown[] | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: answers are compared as a client would see them
  readonly problem: any;
}

async function exportFeed(
  feedId: string,
  { query = "", key = reader, headers = {}, method = "GET" } = {},
): Promise<Exported> {
  const response = await fetch(`${scene.gateway.baseUrl}/v1/feed/${feedId}/export${query}`, {
    method,
    headers: { "x-api-key": key, "accept-encoding": "identity", ...headers },
  });
  const text = await response.text();
  const { status } = response;
  const isRows = status === 200 && response.headers.get("content-type") === "application/x-ndjson";
  return {
    status,
    headers: response.headers,
    text,
    ids: isRows ? idsOf(text) : undefined,
    problem: status === 200 ? undefined : JSON.parse(text || "null"),
  };
}

function idsOf(text: string): unknown[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line).id);
}

interface FilledOptions extends FeedOptions {
  readonly rows?: number;
  readonly price?: "free" | "metered" | "one_time";
}

/** A feed with rows of the ids 0, 1 and so on. */
async function filledFeed({
  rows = 1_000,
  price = "free",
  ...options
}: FilledOptions = {}): Promise<string> {
  const feedId = await scene.createFeed(options);
  for (let start = 0; start < rows; start += 500) {
    const count = Math.min(500, rows - start);
    await scene.push(
      feedId,
      Array.from({ length: count }, (_, at) => ({ id: start + at, n: `row ${start + at}` })),
    );
  }
  await scene.gateway.sql`
    update feeds
    set price_type = ${price},
      call_price_nanos = ${price === "metered" ? 1_000n : price === "free" ? 0n : null},
      one_time_price_cents = ${price === "one_time" ? 100 : null},
      definition_version = definition_version + 1
    where feed_id = ${feedId}`;
  return feedId;
}

async function balanceOf(accountId: string): Promise<bigint> {
  const rows = await scene.gateway.sql`
    select balance_nanos from accounts where account_id = ${accountId}`;
  return rows[0]?.balance_nanos / 1_000n;
}

const upTo = (count: number, from = 0) => Array.from({ length: count }, (_, at) => from + at);

describe("export", () => {
  test("all rows of a collection come in order of arrival, as they were pushed", async () => {
    const feedId = await filledFeed({ type: "collection", rows: 2_000 });
    await scene.push(
      feedId,
      `[{"id":"last", "n":1.10, "q":"a \\"b\\" \\\\ \\n \\u00fc,;\\u0001"}]`,
    );
    const { headers, text, ids } = await exportFeed(feedId);
    expect(ids).toEqual([...upTo(2_000), "last"]);
    expect(text.split("\n").at(-2)).toBe(
      `{"id":"last","n":1.10,"q":"a \\"b\\" \\\\ \\n \\u00fc,;\\u0001"}`,
    );
    const { endpoint_path: slug, data_version } = await scene.feed(feedId);
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "application/x-ndjson",
      "content-disposition": `attachment; filename="${slug}.ndjson"`,
      "feedgate-data-version": String(data_version),
      "feedgate-row-count": "2001",
      "feedgate-credits-charged": "0",
      "cache-control": "private, no-cache",
      "x-ratelimit-limit": "6",
      "x-ratelimit-remaining": "5",
    });
    const usage = await scene.gateway.sql`
      select usage_id, operation, charge_nanos from usage_events where feed_id = ${feedId}`;
    expect(usage).toMatchObject([
      { usage_id: headers.get("feedgate-usage-id"), operation: "export" },
    ]);
    expect((await exportFeed(slug)).ids?.length).toBe(2_001);
  });

  test("a stream comes oldest arrival first, without what is past its retention", async () => {
    const feedId = await scene.createFeed({ type: "stream" });
    const day = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    await scene.push(feedId, [
      { id: "new", event_timestamp: day(1) },
      { id: "old", event_timestamp: day(9) },
      { id: "late", event_timestamp: day(2) },
    ]);
    expect((await exportFeed(feedId)).ids).toEqual(["new", "old", "late"]);
    await scene.gateway.sql`
      update feeds
      set retention_days = 7, definition_version = definition_version + 1
      where feed_id = ${feedId}`;
    const { ids, headers } = await exportFeed(feedId);
    expect(ids).toEqual(["new", "late"]);
    expect(headers.get("feedgate-row-count")).toBe("2");
  });

  test("a stream that was a collection, pushed to without rows, comes whole, and its metadata counts its rows", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    await scene.push(feedId, []);
    const { gateway, key } = scene;
    const path = `/v1/provider/feed/${feedId}/edit`;
    const edited = await gateway.send("PATCH", path, key, { feed_type: "stream" });
    expect(edited.status).toBe(200);
    await scene.push(feedId, [{ id: "a" }, { id: "b" }]);
    expect((await exportFeed(feedId)).ids).toEqual(["a", "b"]);
    const metadata = await gateway.get(`/v1/feed/${feedId}/metadata`, reader);
    expect(await metadata.json()).toMatchObject({ row_count: 2 });
  });

  test("it costs a read for each hundred rows, at once and once, and the owner nothing", async () => {
    const feedId = await filledFeed({ type: "collection", rows: 950, price: "metered" });
    const before = await balanceOf(readerId);
    const { headers } = await exportFeed(feedId);
    expect(headers.get("feedgate-credits-charged")).toBe("10");
    expect(await balanceOf(readerId)).toBe(before - 10n);
    const usage = await scene.gateway.get("/v1/usage?limit=1", reader);
    expect(await usage.json()).toMatchObject({
      usage: [{ operation: "export", feed_id: feedId, credits_charged: 10 }],
    });
    const own = await exportFeed(feedId, { key: owner });
    expect(own.headers.get("feedgate-credits-charged")).toBe("0");
    expect(own.ids?.length).toBe(950);
  });

  test("what can't be paid, or costs more than the caller wants, is 402 before the first byte", async () => {
    const feedId = await filledFeed({ type: "stream", rows: 950, price: "metered" });
    const unpaid = await exportFeed(feedId, { key: poor });
    expect(unpaid).toMatchObject({
      status: 402,
      problem: { code: "INSUFFICIENT_CREDITS", price: { credits: 10 } },
    });
    const headers = { "feedgate-max-credits": "9.999" };
    expect((await exportFeed(feedId, { headers })).problem).toMatchObject({
      code: "PRICE_ABOVE_MAX",
    });
    // Refusals are no exports.
    for (let times = 0; times < 6; times++) {
      expect((await exportFeed(feedId, { headers: { "feedgate-max-credits": "10" } })).status).toBe(
        200,
      );
    }
    const limited = await exportFeed(feedId);
    expect(limited.status).toBe(429);
    expect(limited.problem.code).toBe("RATE_LIMITED");
    expect(limited.problem.retry_after_ms).toBeGreaterThan(3_480_000);
    expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(3_480);
    const [, left] = /;t=(\d+)$/.exec(limited.headers.get("ratelimit") ?? "") ?? [];
    expect(Number(left)).toBeGreaterThan(3_480);
    const usage = await scene.gateway.sql`
      select count(*)::int as events, sum(charge_nanos)::bigint as nanos
      from usage_events
      where feed_id = ${feedId}`;
    expect(usage).toMatchObject([{ events: 6, nanos: 60_000n }]);
  });

  test("a feed that is sold once must be bought, and is then exported free", async () => {
    const feedId = await filledFeed({ type: "collection", price: "one_time" });
    expect((await exportFeed(feedId)).problem).toMatchObject({ code: "PURCHASE_REQUIRED" });
    await scene.gateway.sql`
      insert into purchases (account_id, feed_id, price_cents) values (${readerId}, ${feedId}, 100)`;
    const { ids, headers } = await exportFeed(feedId);
    expect(ids?.length).toBe(1_000);
    expect(headers.get("feedgate-credits-charged")).toBe("0");
  });

  test("a key's scope and budget hold", async () => {
    const { gateway } = scene;
    const feedId = await filledFeed({ type: "collection", price: "metered" });
    const other = await filledFeed({ type: "collection", rows: 1 });
    const key = await gateway.createKey(readerId, "read");
    await gateway.sql`
      update api_keys set daily_nanos = 9000, feed_ids = array[${feedId}::uuid]
      where key_hash = sha256(${key}::bytea)`;
    expect((await exportFeed(other, { key })).problem).toMatchObject({ code: "KEY_SCOPE" });
    expect((await exportFeed(feedId, { key })).problem).toMatchObject({ code: "KEY_BUDGET_SPENT" });
  });

  test("it is gzipped where the client takes that", async () => {
    const feedId = await filledFeed({ type: "collection" });
    const response = await fetch(`${scene.gateway.baseUrl}/v1/feed/${feedId}/export?format=csv`, {
      headers: { "x-api-key": reader, "accept-encoding": "gzip" },
      decompress: false,
    });
    expect(response.headers.get("content-encoding")).toBe("gzip");
    const text = gunzipSync(await response.arrayBuffer()).toString();
    expect(text.split("\r\n").slice(0, 2)).toEqual(["id,n,_other", "0,row 0,"]);
    expect(text.split("\r\n").length).toBe(1_002);
  });

  test("CSV has the schema's columns in its order, and the rest in _other", async () => {
    const schema = { properties: { name: {}, event_timestamp: {}, tags: {}, id: {}, price: {} } };
    const feedId = await scene.createFeed({ type: "stream", schema });
    await scene.push(
      feedId,
      `[{"price":1.10,"id":1,"event_timestamp":"2026-01-01T00:00:00Z","name":"=a,\\"b\\"\\n","tags":[1, {"x":"y"}],"more":{"a":1e2},"x\\"":null},{"id":"2","event_timestamp":"2026-01-01T00:00:00Z","name":null}]`,
    );
    const { text, headers } = await exportFeed(feedId, { query: "?format=csv" });
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    expect(text).toBe(
      "id,event_timestamp,name,tags,price,_other\r\n" +
        '1,2026-01-01T00:00:00Z,"=a,""b""\n","[1,{""x"":""y""}]",1.10,"{""more"":{""a"":1e2},""x\\"""":null}"\r\n' +
        "2,2026-01-01T00:00:00Z,,,,\r\n",
    );
  });

  test("HEAD has the headers, and is neither charged nor counted", async () => {
    const feedId = await filledFeed({ type: "collection", price: "metered" });
    const { status, headers, text } = await exportFeed(feedId, { method: "HEAD" });
    expect({ status, text, rows: headers.get("feedgate-row-count") }).toEqual({
      status: 200,
      text: "",
      rows: "1000",
    });
    expect((await exportFeed(feedId)).headers.get("x-ratelimit-remaining")).toBe("5");
  });

  test("no session is opened and no row counted for HEAD, or before window, price and the hourly limit", async () => {
    const feedId = await filledFeed({ type: "collection", price: "metered" });
    const { services } = scene.gateway.gateway;
    let opened = 0;
    const { app } = createApp({
      ...services,
      http: { ...services.http, metrics: new Metrics() },
      openSnapshot: async () => {
        opened += 1;
        return await services.openSnapshot();
      },
    });
    const statusOf = async (key: string, method = "GET") => {
      const url = `http://localhost/v1/feed/${feedId}/export`;
      const answer = await app.handle(new Request(url, { method, headers: { "x-api-key": key } }));
      await answer.arrayBuffer();
      return answer.status;
    };
    expect(await statusOf(poor, "HEAD")).toBe(402);
    expect(await statusOf(poor)).toBe(402);
    expect(await statusOf(reader, "HEAD")).toBe(200);
    expect(opened).toBe(0);
    const statuses: number[] = [];
    for (let times = 0; times < EXPORTS_LIMIT + 2; times++) statuses.push(await statusOf(reader));
    expect(statuses).toEqual([...Array(EXPORTS_LIMIT).fill(200), 429, 429]);
    expect(opened).toBe(EXPORTS_LIMIT);
  });

  test("what is no collection and no stream, not there, or not asked for rightly is refused", async () => {
    const singleton = await scene.createFeed({ type: "singleton" });
    await scene.push(singleton, { a: 1 });
    expect((await exportFeed(singleton)).problem).toMatchObject({ code: "INVALID_PARAMETER" });
    expect((await exportFeed(crypto.randomUUID())).status).toBe(404);
    const feedId = await filledFeed({ type: "collection", rows: 3 });
    const query = async (text: string) => (await exportFeed(feedId, { query: text })).problem?.code;
    expect(await query("?format=xml")).toBe("INVALID_PARAMETER");
    expect(await query("?after=1")).toBe("INVALID_PARAMETER");
    expect(await query("?version=x")).toBe("INVALID_PARAMETER");
    expect(await query("?limit=1")).toBe("INVALID_PARAMETER");
    expect(await query("?version=99")).toBe("CURSOR_EXPIRED");
    expect(await query("?version=1&after=nobody")).toBe("CURSOR_EXPIRED");
    expect(await query("?version=1&after=%00")).toBe("CURSOR_EXPIRED");
  });
});

describe("an export that goes on", () => {
  test("with the same Idempotency-Key it gives each row once, is charged once, and is counted once", async () => {
    const feedId = await filledFeed({ type: "stream", rows: 1_000, price: "metered" });
    const headers = { "idempotency-key": crypto.randomUUID() };
    const before = await balanceOf(readerId);
    const first = await exportFeed(feedId, { headers });
    const version = first.headers.get("feedgate-data-version");
    await scene.push(feedId, [{ id: "later" }]);
    let after = 299;
    const seen = upTo(300);
    for (const count of [300, 399]) {
      const query = `?version=${version}&after=${after}`;
      const { ids = [], headers: answered } = await exportFeed(feedId, { query, headers });
      expect(ids.length).toBe(1_000 - after - 1);
      seen.push(...(ids.slice(0, count) as number[]));
      after += count;
      expect(answered.get("feedgate-usage-id")).toBe(first.headers.get("feedgate-usage-id"));
    }
    expect(seen).toEqual(upTo(999));
    expect(await balanceOf(readerId)).toBe(before - 10n);
    const { headers: next } = await exportFeed(feedId);
    expect(next.get("x-ratelimit-remaining")).toBe("4");
    expect(next.get("feedgate-credits-charged")).toBe("11");
    // Without its version it is a repeat of what has changed.
    const stale = await exportFeed(feedId, { headers });
    expect(stale.problem).toMatchObject({
      code: "IDEMPOTENCY_KEY_STALE",
      usage_id: first.headers.get("feedgate-usage-id"),
    });
    const reused = await exportFeed(feedId, { headers, query: `?format=csv&version=${version}` });
    expect(reused.problem).toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED" });
  });

  test("without the key the remaining rows are charged", async () => {
    const feedId = await filledFeed({ type: "collection", rows: 1_000, price: "metered" });
    const first = await exportFeed(feedId);
    const version = first.headers.get("feedgate-data-version");
    const { headers, ids } = await exportFeed(feedId, { query: `?version=${version}&after=849` });
    expect(ids).toEqual(upTo(150, 850));
    expect(headers.get("feedgate-credits-charged")).toBe("2");
    expect(headers.get("x-ratelimit-remaining")).toBe("4");
  });

  test("a CSV that goes on has the same columns and no second header", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    await scene.push(feedId, [
      { id: 1, a: 1 },
      { id: 2, b: 2 },
      { id: 3, a: 3 },
    ]);
    const first = await exportFeed(feedId, { query: "?format=csv" });
    expect(first.text).toBe("id,a,b,_other\r\n1,1,,\r\n2,,2,\r\n3,3,,\r\n");
    const version = first.headers.get("feedgate-data-version");
    const next = await exportFeed(feedId, { query: `?format=csv&version=${version}&after=2` });
    expect(next.text).toBe("3,3,,\r\n");
  });

  test("a CSV that goes on keeps its columns, though the schema was edited meanwhile", async () => {
    const feedId = await scene.createFeed({
      type: "collection",
      schema: { properties: { id: {}, a: {}, b: {} } },
    });
    await scene.push(feedId, [
      { id: 1, a: 1 },
      { id: 2, b: 2 },
      { id: 3, a: 3 },
    ]);
    const headers = { "Idempotency-Key": "columns" };
    const first = await exportFeed(feedId, { query: "?format=csv", headers });
    expect(first.text).toStartWith("id,a,b,_other\r\n");
    const version = first.headers.get("feedgate-data-version");
    await scene.gateway.sql`
      update feeds
      set schema_definition = '{"properties":{"id":{},"c":{},"a":{}}}',
        definition_version = definition_version + 1
      where feed_id = ${feedId}`;
    const query = `?format=csv&version=${version}&after=2`;
    expect((await exportFeed(feedId, { query, headers })).text).toBe("3,3,,\r\n");
    expect((await exportFeed(feedId, { query })).text).toBe("3,3,,\r\n");
    expect((await exportFeed(feedId, { query: "?format=csv" })).text).toStartWith(
      "id,c,a,_other\r\n",
    );
  });

  test("a collection's version lasts until its rows are replaced or removed, and past another batch", async () => {
    const feedId = await filledFeed({ type: "collection", rows: 10 });
    const first = await exportFeed(feedId);
    const query = `?version=${first.headers.get("feedgate-data-version")}&after=4`;
    // Rows that are added change no earlier version.
    await scene.push(feedId, [{ id: "added" }]);
    expect((await exportFeed(feedId, { query })).ids).toEqual([5, 6, 7, 8, 9]);
    await scene.push(feedId, { payload: [{ id: "swapped" }], batch_complete: true });
    expect((await exportFeed(feedId, { query })).ids).toEqual([5, 6, 7, 8, 9]);
    expect((await exportFeed(feedId)).ids).toEqual(["swapped"]);

    const other = await filledFeed({ type: "collection", rows: 10 });
    const version = (await exportFeed(other)).headers.get("feedgate-data-version");
    await scene.push(other, [{ id: 7, n: "another" }]);
    const replaced = await exportFeed(other, { query: `?version=${version}&after=4` });
    expect(replaced).toMatchObject({ status: 410, problem: { code: "CURSOR_EXPIRED" } });
    expect((await exportFeed(other)).text).toContain("another");

    const removing = await filledFeed({ type: "collection", rows: 10 });
    const before = (await exportFeed(removing)).headers.get("feedgate-data-version");
    await fetch(`${scene.gateway.baseUrl}/v1/provider/feed/${removing}/rows?ids=7`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${scene.key}` },
    });
    expect((await exportFeed(removing, { query: `?version=${before}&after=4` })).status).toBe(410);
    expect((await exportFeed(removing)).ids).toEqual([0, 1, 2, 3, 4, 5, 6, 8, 9]);
  });

  test("removed events of a stream are left out", async () => {
    const feedId = await filledFeed({ type: "stream", rows: 10 });
    const version = (await exportFeed(feedId)).headers.get("feedgate-data-version");
    await fetch(`${scene.gateway.baseUrl}/v1/provider/feed/${feedId}/rows?ids=7`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${scene.key}` },
    });
    const { ids } = await exportFeed(feedId, { query: `?version=${version}&after=5` });
    expect(ids).toEqual([6, 8, 9]);
  });
});

describe("exports beside pushes", () => {
  test("each export is one version, while batches swap and rows are replaced", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    const batch = (round: number, rows = 400) => ({
      payload: upTo(rows).map((id) => ({ id, round })),
      batch_complete: true,
    });
    await scene.push(feedId, batch(0));
    let isOver = false;
    const pushing = (async () => {
      for (let round = 1; !isOver; round++) {
        if (round % 2 === 0) await scene.push(feedId, batch(round));
        else await scene.push(feedId, { payload: batch(round).payload });
      }
    })();
    for (let times = 0; times < 24; times++) {
      const key = await scene.gateway.createKey(await scene.gateway.createAccount(), "read");
      const { text, status } = await exportFeed(feedId, { key });
      expect(status).toBe(200);
      const rounds = new Set(
        text
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line).round),
      );
      expect(rounds.size).toBe(1);
    }
    isOver = true;
    await pushing;
  });

  test("a client that goes away frees its place, and one that reads slowly holds little", async () => {
    const feedId = await scene.createFeed({ type: "stream" });
    const filler = "x".repeat(40_000);
    for (let start = 0; start < LONG_ROWS; start += 40) {
      await scene.push(
        feedId,
        upTo(40, start).map((id) => ({ id, filler })),
      );
    }
    const isNoneOpen = async () => {
      const [row] = await scene.gateway.sql`
        select count(*)::int as open from pg_stat_activity where query like '%csv, quote%' and pid <> pg_backend_pid() and state = 'active'`;
      return row?.open === 0;
    };
    for (let times = 0; times < 3; times++) {
      const leaving = new AbortController();
      const response = await askAgain(() =>
        fetch(`${scene.gateway.baseUrl}/v1/feed/${feedId}/export`, {
          headers: { "x-api-key": reader, "accept-encoding": "identity" },
          signal: leaving.signal,
        }),
      );
      expect(response.status).toBe(200);
      await response.body?.getReader().read();
      leaving.abort();
      expect(await waitFor(isNoneOpen, FREED_MS_MAX)).toBe(true);
    }
    // An account has three places at most.
    const open = await Promise.all(
      upTo(4).map(async () => {
        const key = await scene.gateway.createKey(scene.accountId, "read");
        return fetch(`${scene.gateway.baseUrl}/v1/feed/${feedId}/export`, {
          headers: { "x-api-key": key, "accept-encoding": "identity" },
        });
      }),
    );
    expect(open.map(({ status }) => status).sort()).toEqual([200, 200, 200, 503]);
    await Promise.all(open.map(({ body }) => body?.cancel()));
    expect(await waitFor(isNoneOpen, FREED_MS_MAX)).toBe(true);
    expect((await exportFeed(feedId, { key: owner })).ids?.length).toBe(LONG_ROWS);
  });

  test("one that is not read gives its place to an account that has none", async () => {
    const feedId = await scene.createFeed({ type: "stream" });
    const filler = "x".repeat(40_000);
    for (let start = 0; start < 400; start += 40) {
      await scene.push(
        feedId,
        upTo(40, start).map((id) => ({ id, filler })),
      );
    }
    const { services } = scene.gateway.gateway;
    const exportOf = createExports(services, createReadPipeline(services), { givesWayMs: 0 });
    const asked = { reference: feedId, after: undefined, version: undefined };
    const begin = async (key: string) => {
      const url = `http://localhost/v1/feed/${feedId}/export`;
      const call = createCall(new Request(url, { headers: { "x-api-key": key } }), "/export");
      const principal = await services.keys.authenticate(call, "read");
      return exportOf({ call, principal }, { ...asked, format: "ndjson" });
    };
    const keys = await Promise.all(
      upTo(4).map(async () => scene.gateway.createKey(await scene.gateway.createAccount(), "read")),
    );
    const [greedy = "", second = "", third = "", late = ""] = keys;
    const stuck = [greedy, greedy, greedy, second, third];
    for (const key of stuck) expect(await begin(key)).not.toBeInstanceOf(Problem);
    expect(await begin(greedy)).toBeInstanceOf(Problem);
    const answer = await begin(late);
    if (answer instanceof Problem || !(answer.body instanceof ReadableStream)) {
      throw new Error("the late account has no export");
    }
    expect(idsOf(await new Response(answer.body).text())).toEqual(upTo(400));
  });
});
