import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  AccessAnsweredError,
  AccessNotNeededError,
  AccessRequestedError,
  AccessRequiredError,
  AnswerError,
  ConnectionError,
  CursorExpiredError,
  FeedForbiddenError,
  Feedgate,
  FeedNotFoundError,
  type Fetch,
  IdempotencyKeyStaleError,
  InsufficientCreditsError,
  type PushSummary,
  RateLimitedError,
  ReaderNotFoundError,
  ValidationFailedError,
} from "../../src/client/mod.ts";
import { type FaultyProxy, startFaultyProxy } from "../support/faulty_proxy.ts";
import { freePort } from "../support/free_port.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { seedFeed } from "../support/seed.ts";

const PROBLEM = { type: "about:blank", title: "t", detail: "d", request_id: "r" };
const LIMITED = {
  status: 429,
  headers: { "Retry-After": "1" },
  body: JSON.stringify({ ...PROBLEM, status: 429, code: "RATE_LIMITED", retry_after_ms: 40 }),
};
const AWAY = {
  status: 503,
  body: JSON.stringify({ ...PROBLEM, status: 503, code: "UNAVAILABLE", retry_after_ms: 20 }),
};
const BAD_GATEWAY = { status: 502, body: "<html>Bad Gateway</html>" };

let gateway: TestGateway;
let proxy: FaultyProxy;
let owner: string;
let reader: string;
let readKey: string;
let writeKey: string;

beforeAll(async () => {
  gateway = await startTestGateway({
    FEEDGATE_READ_LIMIT_FREE: "1000",
    FEEDGATE_PUSH_LIMIT: "1000",
  });
  proxy = await startFaultyProxy(gateway.baseUrl);
  owner = await gateway.createAccount();
  reader = await gateway.createAccount({ credits: 1_000 });
  readKey = await gateway.createKey(reader, "read");
  writeKey = await gateway.createKey(owner, "write");
});
afterAll(async () => {
  proxy.stop();
  await gateway.stop();
});
beforeEach(() => {
  proxy.seen.length = 0;
});

/** Between two tries, where the gateway says nothing. */
const PATIENCE = { pauseMsMax: 10 };
const consumer = (options = {}) =>
  new Feedgate({ ...PATIENCE, url: proxy.url, key: readKey, ...options });
const provider = (options = {}) =>
  new Feedgate({ ...PATIENCE, url: proxy.url, key: writeKey, ...options });
const rowsOf = (count: number, from = 0) =>
  Array.from({ length: count }, (_, place) => ({ id: from + place }));

async function collect<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  return Array.fromAsync(rows);
}

let slugs = 0;
async function newFeed(fields: object = {}) {
  slugs += 1;
  return provider().createFeed({ name: "A feed", endpoint_path: `client-${slugs}`, ...fields });
}

async function charged() {
  const { usage } = await consumer().usage({ limit: 100 });
  return usage.filter(({ operation }) => operation === "data" || operation === "stream").length;
}

describe("Feedgate.read", () => {
  test("gives a page with its receipt, a document as one row, and what a path picks as rows", async () => {
    const { slug } = await seedFeed(gateway, owner, { type: "collection", rows: rowsOf(3) });
    const page = await consumer().read(slug, { limit: 2 });
    expect(page).toMatchObject({ rows: rowsOf(2), hasMore: true });
    expect(page.origin.usage_id).toBeString();
    const next = await consumer().read(slug, { cursor: page.nextCursor ?? "" });
    expect(next).toMatchObject({ rows: [{ id: 2 }], hasMore: false, nextCursor: null });
    expect((await consumer().read(slug, { jsonpath: "$[*].id" })).rows as unknown).toEqual([
      0, 1, 2,
    ]);
    const one = await seedFeed(gateway, owner, { type: "singleton", rows: [{ a: 1 }] });
    expect(await consumer().read(one.slug)).toMatchObject({ rows: [{ a: 1 }], nextCursor: null });
  });

  test("filters by any field, one named like a parameter or with a dot included", async () => {
    const rows = [
      { id: "a", limit: 5, "x.y": true, payload: null },
      { id: "b", limit: 6, "x.y": false, payload: null },
    ];
    const { slug } = await seedFeed(gateway, owner, { type: "collection", rows });
    for (const filters of [{ limit: 5 }, { "x.y": true }, { id: "a", payload: null }]) {
      expect((await consumer().read(slug, { filters })).rows).toMatchObject([{ id: "a" }]);
    }
  });

  test("waits as long as a 429 or a 503 says, tries again, and is charged once", async () => {
    const { slug } = await seedFeed(gateway, owner, { type: "collection", rows: rowsOf(1) });
    const retries: number[] = [];
    const before = await charged();
    proxy.fail(LIMITED, AWAY, BAD_GATEWAY, "cut before", "cut behind", { cutAfterBytes: 10 });
    const feedgate = consumer({
      onRetry: ({ waitMs }: { waitMs: number }) => retries.push(waitMs),
    });
    expect((await feedgate.read(slug)).rows).toEqual(rowsOf(1));
    // Some runtimes repeat a request by themselves if an old connection is closed.
    expect(retries.length).toBeGreaterThanOrEqual(5);
    const reads = proxy.seen.filter(({ line }) => line.includes(slug));
    expect(reads).toHaveLength(7);
    // The header is a second, and the body says 40 ms: the longer one counts.
    expect(retries.slice(0, 2)).toEqual([1_000, 20]);
    expect(await charged()).toBe(before + 1);
    const keys = new Set(reads.map(({ headers }) => headers["idempotency-key"]));
    expect(keys.size).toBe(1);
  });

  test("gives up if it is told to come back too late, and after so many tries", async () => {
    proxy.fail({ ...LIMITED, headers: { "Retry-After": "3600" } });
    await expect(consumer().read("any")).rejects.toBeInstanceOf(RateLimitedError);
    proxy.fail(AWAY, AWAY, AWAY);
    await expect(consumer({ retries: 2 }).read("any")).rejects.toMatchObject({
      name: "UnavailableError",
      code: "UNAVAILABLE",
      status: 503,
    });
    proxy.fail(BAD_GATEWAY);
    const failed = consumer({ retries: 0 }).read("any");
    await expect(failed).rejects.toBeInstanceOf(AnswerError);
  });

  test("asks by the tag of what it has, which is free, and keeps no more than it may", async () => {
    const { slug } = await seedFeed(gateway, owner, { type: "collection", rows: rowsOf(2) });
    const feedgate = consumer();
    const first = await feedgate.read(slug);
    const before = await charged();
    expect(await feedgate.read(slug)).toEqual(first);
    expect(await charged()).toBe(before);
    const forgetful = consumer({ cacheCharsMax: 0 });
    await forgetful.read(slug);
    await forgetful.read(slug);
    expect(await charged()).toBe(before + 2);
  });

  test("is another read if an answer was lost and the data has changed since, unless the key is the caller's", async () => {
    const feed = await newFeed();
    const { slug } = { slug: feed.endpoint_path as string };
    await provider().push(slug, rowsOf(1));
    const read = (options = {}) => consumer({ cacheCharsMax: 0 }).read(slug, options);
    const moved = () => provider({ url: gateway.baseUrl }).push(slug, rowsOf(1, 1));
    const later = { ...LIMITED, headers: { "Retry-After": "1" } };
    proxy.fail("cut behind", later);
    const reading = read();
    await Bun.sleep(100);
    await moved();
    expect((await reading).rows).toHaveLength(2);
    proxy.fail("cut behind", later);
    const mine = read({ idempotencyKey: "mine" });
    await Bun.sleep(100);
    await provider({ url: gateway.baseUrl }).push(slug, rowsOf(1, 2));
    await expect(mine).rejects.toBeInstanceOf(IdempotencyKeyStaleError);
  });

  test("ends with the signal's reason, also between two tries", async () => {
    const reason = new Error("enough");
    await expect(consumer().read("any", { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
    proxy.fail({ ...LIMITED, headers: { "Retry-After": "60" } });
    const controller = new AbortController();
    const reading = consumer().read("any", { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 50);
    await expect(reading).rejects.toBe(reason);
  });

  test("refuses at once what no header can hold", async () => {
    const cases = [
      ["fg_read_…", '"…" (U+2026)'],
      ["fg_read_a\nb", " U+000A,"],
      ["\ufefffg_read_a", " U+FEFF,"],
      ["fg_\u0001", " U+0001,"],
    ] as const;
    for (const [text, shown] of cases) {
      expect(() => consumer({ key: text })).toThrow(`key contains ${shown.trim()}`);
      const read = consumer().read("any", { idempotencyKey: text });
      await expect(read).rejects.toThrow(`idempotencyKey contains ${shown.trim()}`);
      const pages = consumer().pages("any", { idempotencyKey: text });
      await expect(pages.next()).rejects.toBeInstanceOf(TypeError);
    }
    const resume = "export.fg_read_….." as const;
    await expect(consumer().exportRows("any", { resume }).next()).rejects.toThrow("resume must be");
    expect(proxy.seen).toEqual([]);
    // Whitespace around a key, as at the end of a file, is not sent.
    expect((await consumer({ key: `${readKey}\n` }).catalog()).feeds).toBeArray();
  });

  test("says that a gateway is away, and that it does not answer in time", async () => {
    const away = new Feedgate({ url: `http://127.0.0.1:${freePort()}`, key: readKey, retries: 0 });
    await expect(away.catalog()).rejects.toBeInstanceOf(ConnectionError);
    const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    const slow = new Feedgate({
      url: `http://127.0.0.1:${silent.port}`,
      retries: 0,
      timeoutMs: 50,
    });
    await expect(slow.catalog()).rejects.toThrow("no response within 50 ms");
    silent.stop(true);
  });

  test("keeps every digit with a parser of one's own", async () => {
    const texts = ['{"id":9007199254740993,"x":0.1000000000000000055511151231257827,"s":"a\\"]}"}'];
    const { slug } = await seedFeed(gateway, owner, { type: "collection", texts });
    const exact = new Feedgate({ url: proxy.url, key: readKey, parseRow: (text) => text });
    expect((await exact.read(slug)).rows).toEqual(texts);
    expect(await collect(exact.rows(slug))).toEqual(texts);
    const one = await seedFeed(gateway, owner, { type: "singleton", texts });
    expect((await exact.read(one.slug)).rows).toEqual(texts);
  });

  test("goes through a gateway behind a path", async () => {
    const server = Bun.serve({
      port: 0,
      fetch: ({ url }) => Response.json({ data: [], _origin: {}, next_cursor: null, path: url }),
    });
    const feedgate = new Feedgate({ url: `http://127.0.0.1:${server.port}/base/` });
    expect((await feedgate.read("a b")).rows).toEqual([]);
    expect(() => new Feedgate({ url: "ftp://x" })).toThrow("http");
    server.stop(true);
  });
});

describe("Feedgate.rows", () => {
  test("gives every row once over all pages, through faults, each page charged once", async () => {
    const { slug } = await seedFeed(gateway, owner, { type: "collection", rows: rowsOf(450) });
    const before = await charged();
    proxy.fail("pass", "cut behind", "pass", AWAY, { cutAfterBytes: 100 });
    expect(await collect(consumer().rows(slug))).toEqual(rowsOf(450));
    expect(await charged()).toBe(before + 5);
  });

  test("throws if the batch has gone", async () => {
    const feed = await newFeed();
    const slug = feed.endpoint_path as string;
    await provider().push(slug, rowsOf(250), { isBatch: true });
    const walk = consumer().pages(slug);
    expect((await walk.next()).value?.rows).toHaveLength(100);
    await provider().push(slug, rowsOf(1), { isBatch: true });
    await gateway.sql`
      delete from collection_rows where feed_id = ${feed.id} and batch_number = 1`;
    await gateway.sql`delete from row_totals where feed_id = ${feed.id} and batch_number = 1`;
    await gateway.sql`delete from batches where feed_id = ${feed.id} and batch_number = 1`;
    await expect(walk.next()).rejects.toBeInstanceOf(CursorExpiredError);
  });
});

describe("Feedgate.exportRows", () => {
  const rowsIn = async (parts: AsyncIterable<{ rows: readonly unknown[] }>) =>
    (await collect(parts)).flatMap(({ rows }) => rows);

  test("gives all rows of one version, through faults, and is charged once", async () => {
    const seed = { type: "collection", rows: rowsOf(3_000), callPriceNanos: 1_000 } as const;
    const { slug } = await seedFeed(gateway, owner, seed);
    const before = (await consumer().account()).balance.credits;
    proxy.fail(AWAY, "cut behind", { cutAfterBytes: 20_000 }, { cutAfterBytes: 5_000 });
    expect(await rowsIn(consumer().exportRows(slug))).toEqual(rowsOf(3_000));
    expect((await consumer().account()).balance.credits).toBe(before - 30);
    const costly = consumer().exportRows(slug, { maxCredits: 29 });
    await expect(costly.next()).rejects.toMatchObject({ code: "PRICE_ABOVE_MAX" });
  });

  test("goes on in another process, keeps digits, and has no rows of an empty feed", async () => {
    const texts = rowsOf(5_000).map(({ id }) => `{"id":"a.b%${id}","x":1.10}`);
    const { slug } = await seedFeed(gateway, owner, { type: "collection", texts });
    const exact = new Feedgate({ url: proxy.url, key: readKey, parseRow: (text) => text });
    const { value: first } = await exact.exportRows(slug).next();
    if (first === undefined) throw new Error("there are rows");
    expect(first.rowCount).toBe(5_000);
    const rest = await rowsIn(exact.exportRows(slug, { resume: first.resume }));
    expect([...first.rows, ...rest]).toEqual(texts);
    await expect(exact.exportRows(slug, { resume: "x" }).next()).rejects.toThrow("resume must be");
    const feed = await newFeed();
    await provider().push(feed.id, rowsOf(1));
    await provider().push(feed.id, [], { isBatch: true });
    expect(await rowsIn(exact.exportRows(feed.id))).toEqual([]);
  });
});

describe("Feedgate.records", () => {
  test("gives more than 100 records in their order, without those that are unknown", async () => {
    const { slug } = await seedFeed(gateway, owner, { type: "collection", rows: rowsOf(300) });
    const ids = [...rowsOf(150, 100).map(({ id }) => id), "a,b", "none"];
    expect(await consumer().records(slug, ids)).toEqual(rowsOf(150, 100));
  });
});

describe("Feedgate.follow", () => {
  test("gives every event once: pages first, then as they come, over cut connections and a restart", async () => {
    const port = String(freePort());
    let served = await gateway.startPeer({ PORT: port });
    const link = await startFaultyProxy(`http://127.0.0.1:${port}`);
    const feed = await newFeed({ feed_type: "stream" });
    const slug = feed.endpoint_path as string;
    await provider().push(slug, rowsOf(150));
    const ended = new AbortController();
    const seen: number[] = [];
    const follower = new Feedgate<{ id: number }>({ ...PATIENCE, url: link.url, key: readKey });
    link.fail("cut behind", "pass", "pass", "cut before", { cutAfterBytes: 30 }, AWAY);
    const following = (async () => {
      for await (const { rows } of follower.follow(slug, { signal: ended.signal })) {
        seen.push(...rows.map(({ id }) => id));
      }
    })();
    const until = async (count: number) => {
      for (let tries = 0; seen.length < count && tries < 400; tries++) await Bun.sleep(25);
      expect(seen).toEqual(rowsOf(count).map(({ id }) => id));
    };
    await until(150);
    await provider().push(slug, rowsOf(5, 150));
    await until(155);
    await served.stop();
    served = await gateway.startPeer({ PORT: port });
    await provider().push(slug, rowsOf(5, 155));
    await until(160);
    const reason = new Error("done");
    ended.abort(reason);
    await expect(following).rejects.toBe(reason);
    link.stop();
  });

  test("reads a page again if its answer was lost and an event has come since", async () => {
    const feed = await newFeed({ feed_type: "stream" });
    const slug = feed.endpoint_path as string;
    await provider().push(slug, rowsOf(1));
    let isFirst = true;
    const lossy: Fetch = async (url, init) => {
      const response = await fetch(url, init);
      if (!isFirst) return response;
      isFirst = false;
      await response.text();
      await provider().push(slug, rowsOf(1, 1));
      throw new TypeError("the answer is lost");
    };
    const pages = consumer({ fetch: lossy }).follow(slug, { isLive: false });
    expect((await collect(pages)).flatMap(({ rows }) => rows)).toMatchObject(rowsOf(2));
  });

  test("begins with what comes next, and throws what waiting does not help against", async () => {
    const feed = await newFeed({ feed_type: "stream" });
    const slug = feed.endpoint_path as string;
    await provider().push(slug, rowsOf(1));
    const events = consumer().follow(slug, { offset: "now" });
    const next = events.next();
    for (let tries = 0; proxy.seen.every(({ line }) => !line.includes("live=sse")); tries++) {
      await Bun.sleep(20);
      if (tries > 100) throw new Error("it does not connect");
    }
    while (gateway.gateway.services.waits.open === 0) await Bun.sleep(5);
    await provider().push(slug, rowsOf(1, 7));
    expect((await next).value).toMatchObject({ rows: [{ id: 7 }] });
    await events.return();
    const refused = consumer().follow("no-such-feed", { offset: "now" });
    await expect(refused.next()).rejects.toBeInstanceOf(FeedNotFoundError);
    const away = consumer({ url: `http://127.0.0.1:${freePort()}` });
    const lost = away.follow(slug, { offset: "now", outageMsMax: 300 });
    await expect(lost.next()).rejects.toBeInstanceOf(ConnectionError);
  });
});

describe("Feedgate.push", () => {
  test("divides any number of rows into requests within the limits, and says how far it is", async () => {
    const feed = await newFeed();
    const progress: number[] = [];
    async function* made() {
      for (const row of rowsOf(1_201)) yield row.id % 2 ? row : JSON.stringify(row);
    }
    const summary = await provider().push(feed.id, made(), {
      onProgress: ({ rowsReceived }: PushSummary) => progress.push(rowsReceived),
    });
    expect(progress).toEqual([500, 1_000, 1_201]);
    expect(summary).toMatchObject({ requests: 3, rowsReceived: 1_201, rowsInserted: 1_201 });
    expect(summary.receipt?.feed_type).toBe("collection");
    expect(await collect(consumer().rows(feed.id))).toEqual(rowsOf(1_201));
    // 2 MB are reached before 500 rows are.
    const large = rowsOf(120, 10_000).map((row) => ({ ...row, text: "é".repeat(20_000) }));
    expect(await provider().push(feed.id, large)).toMatchObject({ requests: 3, rowsInserted: 120 });
  });

  test("makes its requests smaller for a gateway with smaller limits", async () => {
    const small = await gateway.startPeer({
      FEEDGATE_ROWS: "100",
      FEEDGATE_REQUEST_BODY_BYTES: "4000",
      FEEDGATE_ROW_BYTES: "1000",
    });
    const feed = await newFeed();
    const feedgate = provider({ url: small.baseUrl });
    const summary = await feedgate.push(feed.id, rowsOf(900), { isBatch: true });
    expect(summary).toMatchObject({ rowsReceived: 900, rowsInserted: 900 });
    expect(summary.receipt).toMatchObject({ batch_complete: true, is_visible: true });
    expect(await collect(consumer().rows(feed.id))).toEqual(rowsOf(900));
  });

  test("as a batch replaces all rows at once, and a lost answer changes nothing", async () => {
    const feed = await newFeed();
    await provider().push(feed.id, rowsOf(3));
    proxy.fail("cut behind", "pass", "pass", "cut behind");
    const sent: boolean[] = [];
    const summary = await provider().push(feed.id, rowsOf(1_100, 10), {
      isBatch: true,
      onProgress: ({ receipt }) => sent.push(receipt?.is_visible === true),
    });
    expect(sent).toEqual([false, false, true]);
    expect(summary.receipt?.batch_id).toBe(summary.batchId);
    expect(await collect(consumer().rows(feed.id))).toEqual(rowsOf(1_100, 10));
    await provider().push(feed.id, [], { isBatch: true });
    expect(await collect(consumer().rows(feed.id))).toEqual([]);
  });

  test("pushes a document, and checks one without storing it", async () => {
    const feed = await newFeed({ feed_type: "singleton" });
    expect(await provider().push(feed.id, { a: 1 }, { isDryRun: true })).toMatchObject({
      receipt: { dry_run: true },
    });
    await provider().push(feed.id, '{"a":12345678901234567890}');
    const exact = new Feedgate({ url: proxy.url, key: readKey, parseRow: (text) => text });
    expect((await exact.read(feed.id)).rows).toEqual(['{"a":12345678901234567890}']);
  });

  test("a refusal says how many rows were stored before, and where the mistakes are", async () => {
    const feed = await newFeed();
    const rows = [...rowsOf(500), { no: "id" }];
    const refused = await provider()
      .push(feed.id, rows)
      .catch((error) => error);
    expect(refused).toBeInstanceOf(ValidationFailedError);
    expect(refused.rowsBefore).toBe(500);
    expect(refused.problem.errors[0].path).toBe("/payload/0");
    await expect(consumer().push(feed.id, rowsOf(1))).rejects.toMatchObject({
      code: "KEY_PERMISSION",
    });
    await expect(provider().push("not-mine", rowsOf(1))).rejects.toBeInstanceOf(FeedForbiddenError);
  });

  test("creates a feed once, though the answer was lost, and edits it", async () => {
    proxy.fail("cut behind");
    const feed = await newFeed({ description: "one" });
    const edited = await provider().editFeed(feed.id, { description: "two" });
    expect(edited).toMatchObject({ id: feed.id, description: "two" });
    const { feeds } = await provider().ownFeeds({ limit: 100 });
    expect(feeds.filter(({ endpoint_path }) => endpoint_path === feed.endpoint_path)).toHaveLength(
      1,
    );
  });
});

describe("Feedgate.importFile", () => {
  const lines = (count: number, from = 0) =>
    rowsOf(count, from)
      .map((row) => `${JSON.stringify(row)}\n`)
      .join("");

  test("replaces a collection, adds to a stream, and sends a file again that was cut", async () => {
    const feed = await newFeed({ feed_type: "collection" });
    const options = { format: "ndjson" } as const;
    expect(await provider().importFile(feed.id, lines(2), options)).toMatchObject({
      rows_inserted: 2,
      is_visible: true,
    });
    proxy.fail("cut before", AWAY, "cut behind");
    const file = new Blob([lines(3, 10)]);
    expect(await provider().importFile(feed.id, file, options)).toMatchObject({ rows_received: 3 });
    expect(await collect(consumer().rows(feed.id))).toEqual(rowsOf(3, 10));
    const stream = await newFeed({ feed_type: "stream" });
    const csv = () => new Blob(["id,n\n1,a\n2,b\n"]).stream();
    for (const rows_inserted of [2, 0]) {
      const receipt = await provider().importFile(stream.id, csv, { format: "csv" });
      expect(receipt).toMatchObject({ rows_received: 2, rows_inserted });
    }
  });

  test("throws the bad lines, and a cut that can't be repeated", async () => {
    const feed = await newFeed({ feed_type: "collection" });
    const bad = provider().importFile(feed.id, '{"id":1}\n{"no":2}\n', { format: "ndjson" });
    await expect(bad).rejects.toMatchObject({
      code: "VALIDATION_FAILED",
      problem: { errors: [{ line: 2 }] },
    });
    proxy.fail("cut behind");
    const once = { format: "ndjson", isRepeatable: false } as const;
    const cut = provider().importFile(feed.id, lines(1), once);
    await expect(cut).rejects.toBeInstanceOf(ConnectionError);
    const reason = new Error("enough");
    const aborted = { format: "ndjson", signal: AbortSignal.abort(reason) } as const;
    await expect(provider().importFile(feed.id, lines(1), aborted)).rejects.toBe(reason);
  });

  test("says how far the gateway is", async () => {
    const feed = await newFeed({ feed_type: "collection" });
    const seen: number[] = [];
    let parts = 0;
    async function* slowly() {
      while (seen.length === 0) {
        yield new TextEncoder().encode(lines(10, parts * 10));
        parts += 1;
        await Bun.sleep(20);
      }
    }
    const direct = provider({ url: gateway.baseUrl });
    const receipt = await direct.importFile(feed.id, () => streamOf(slowly()), {
      format: "ndjson",
      onProgress: ({ rows }: { rows: number }) => seen.push(rows),
    });
    expect(receipt.rows_inserted).toBe(10 * parts);
  });
});

function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

describe("Feedgate, for consumers", () => {
  test("searches, describes, buys once and lists what was bought", async () => {
    const name = "Prices of tin in Cornwall";
    const seed = { type: "collection", rows: rowsOf(1), name, isPublic: true } as const;
    const { slug } = await seedFeed(gateway, owner, { ...seed, oneTimePriceCents: 100 });
    expect((await consumer().search("tin")).results[0]).toMatchObject({
      name,
      endpoint_path: slug,
    });
    expect((await consumer().catalog()).feeds.map((feed) => feed.name)).toContain(name);
    expect(await consumer().describe(slug)).toMatchObject({ name, price_type: "one_time" });
    const poor = consumer().buy(slug, { maxCredits: 1_000_000 });
    await expect(poor).rejects.toBeInstanceOf(InsufficientCreditsError);
    const rich = await gateway.createAccount({ credits: 2_000_000 });
    const buyer = consumer({ key: await gateway.createKey(rich, "read") });
    proxy.fail("cut behind");
    expect(await buyer.buy(slug, { maxCredits: 1_000_000 })).toMatchObject({
      price: { credits: 1_000_000 },
      balance: { credits: 1_000_000 },
    });
    expect((await buyer.purchases()).purchases).toHaveLength(1);
    expect((await buyer.account()).balance.credits).toBe(1_000_000);
    expect((await buyer.read(slug)).origin.credits_charged).toBe(0);
  });

  test("asks for access, and providers answer, grant, list and end it", async () => {
    const { slug } = await seedFeed(gateway, owner, { type: "collection", rows: rowsOf(1) });
    await provider().editFeed(slug, { access: "by_request" });
    const account = await gateway.createAccount();
    const agent = consumer({ key: await gateway.createKey(account, "read") });
    await expect(agent.read(slug)).rejects.toBeInstanceOf(AccessRequiredError);
    const asked = await agent.requestAccess(slug, { message: "For a map" });
    expect(asked).toMatchObject({ message: "For a map", status: "waiting", account_id: account });
    await expect(agent.requestAccess(slug)).rejects.toBeInstanceOf(AccessRequestedError);
    const { requests } = await provider().feedAccessRequests(slug, { status: "waiting" });
    expect(requests).toEqual([asked]);
    const approved = await provider().approveAccess(slug, asked.request_id, { isFree: true });
    expect(approved.status).toBe("approved");
    await expect(provider().declineAccess(slug, asked.request_id)).rejects.toBeInstanceOf(
      AccessAnsweredError,
    );
    expect((await agent.read(slug)).rows).toEqual(rowsOf(1));
    expect((await agent.accessRequests({ limit: 1 })).requests).toMatchObject([
      { status: "approved" },
    ]);
    await expect(agent.requestAccess(slug)).rejects.toBeInstanceOf(AccessNotNeededError);
    const terms = { expiresAt: "2999-01-01T00:00:00Z", note: "until then" };
    expect(await provider().setReader(slug, account, terms)).toMatchObject({
      is_free: false,
      note: "until then",
    });
    const { readers } = await provider().readers(slug);
    expect(readers).toMatchObject([{ account_id: account }]);
    expect(readers).toEqual([await provider().reader(slug, account)]);
    await provider().removeReader(slug, account);
    await expect(provider().reader(slug, account)).rejects.toBeInstanceOf(ReaderNotFoundError);
    await expect(provider().removeReader(slug, account)).rejects.toBeInstanceOf(
      ReaderNotFoundError,
    );
    await expect(agent.read(slug)).rejects.toBeInstanceOf(AccessRequiredError);
    const again = await agent.requestAccess(slug);
    const reason = "For schools only";
    expect(await provider().declineAccess(slug, again.request_id, { reason })).toMatchObject({
      status: "declined",
      reason,
    });
    const invited = await provider().inviteReader(slug, "ada@example.com", { isFree: true });
    expect((await provider().readerInvitations(slug)).invitations).toEqual([invited]);
    await provider().withdrawReaderInvitation(slug, invited.id);
    expect((await provider().readerInvitations(slug)).invitations).toEqual([]);
  });
});
