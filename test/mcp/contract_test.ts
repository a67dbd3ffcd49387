/**
 * The arguments and the structured results of the tools. Beyond 4.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { ToolRequest } from "../../src/api/tool_request.ts";
import { createApp } from "../../src/app.ts";
import { Metrics } from "../../src/http/metrics.ts";
import { LIMITS_DEFAULT } from "../../src/limits.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";
import { callTool, postTool, TOOL_HEADERS, toolMessage } from "../support/tools.ts";

/** Escape, bell and carriage return: what moves a terminal's cursor, colours it, and overwrites a line. */
const CONTROLS = "\u001b[2J\u0007\r";
const BIG = "9007199254740993";

let gateway: TestGateway;
let provider: string;
let reader: string;
let key: string;
let stream: SeededFeed;
let collection: SeededFeed;
let singleton: SeededFeed;

const rows = Array.from({ length: 30 }, (_, place) => ({
  id: `e${place}`,
  event_timestamp: new Date(Date.UTC(2026, 0, 1) - place * 60_000).toISOString(),
  metal: "gold",
  price: place + 0.5,
}));

beforeAll(async () => {
  gateway = await startTestGateway({
    FEEDGATE_READ_LIMIT_FREE: "1000",
    FEEDGATE_DISCOVERY_LIMIT: "1000",
  });
  provider = await gateway.createAccount();
  reader = await gateway.createAccount({ credits: 1_000 });
  key = await gateway.createKey(reader, "read");
  stream = await seedFeed(gateway, provider, {
    type: "stream",
    rows,
    name: "Gold",
    callPriceNanos: 1_500,
    isPublic: true,
  });
  collection = await seedFeed(gateway, provider, {
    type: "collection",
    texts: [
      `{"id":${BIG},"exact":1.50000000000000000001,"name":"big","tags":["a","b"]}`,
      '{"id":"a","name":"small","tags":[]}',
      '{"id":1,"name":"one"}',
    ],
    callPriceNanos: 1_000,
  });
  singleton = await seedFeed(gateway, provider, {
    type: "singleton",
    texts: [
      `{"exact":${BIG},"list":[{"n":1},{"n":2}],"\\u00e9t\\u00e9":1,"long":"${"x".repeat(50_000)}"}`,
    ],
    callPriceNanos: 1_000,
  });
});
afterAll(() => gateway.stop());

const use = (name: string, given: Record<string, unknown> = {}) =>
  callTool(gateway, key, name, given);
/** The structure of an answer that is no refusal. */
async function found(name: string, given: Record<string, unknown> = {}) {
  const { structuredContent, isError, content } = await use(name, given);
  expect([content[0].text, isError]).toEqual([content[0].text, false]);
  return structuredContent;
}

async function charges(): Promise<readonly number[]> {
  const events = await gateway.sql`
    select charge_nanos::int as charge from usage_events
    where account_id = ${reader} order by usage_id`;
  return events.map((event) => Number(event.charge));
}

async function balance(): Promise<bigint> {
  const [account] = await gateway.sql`
    select balance_nanos::text as balance from accounts where account_id = ${reader}`;
  return BigInt(account?.balance);
}

describe("buy_feed", () => {
  test("buys what describe_feed and a refusal say how to buy, once, and shows the purchase", async () => {
    const sold = await seedFeed(gateway, provider, {
      type: "collection",
      rows: [{ id: 1 }],
      oneTimePriceCents: 100,
    });
    const buyer = await gateway.createAccount({ credits: 1_500_000 });
    const buyerKey = await gateway.createKey(buyer, "read");
    const call = (name: string, given: Record<string, unknown> = {}) =>
      callTool(gateway, buyerKey, name, { feed: sold.slug, ...given });
    const described = await call("describe_feed");
    const how = `buy_feed with feed "${sold.slug}" and max_credits 1000000`;
    expect(described.structuredContent.next).toContain(how);
    const unpaid = await call("read_feed");
    expect(unpaid.structuredContent.code).toBe("PURCHASE_REQUIRED");
    expect(unpaid.structuredContent.detail).toContain(
      "buy_feed and max_credits 1000000, once the user has agreed to the price;",
    );
    const dear = await call("buy_feed", { max_credits: 999_999.999 });
    expect([dear.isError, dear.structuredContent.code]).toEqual([true, "PRICE_ABOVE_MAX"]);
    expect(dear.structuredContent).toMatchObject({ price: { credits: 1_000_000, usd: 1 } });
    const bought = await call("buy_feed", { max_credits: 1_000_000 });
    expect(bought.isError).toBe(false);
    expect(bought.structuredContent).toMatchObject({
      feed_id: sold.feedId,
      account_id: buyer,
      price: { credits: 1_000_000, usd: 1 },
      balance: { credits: 500_000, usd: 0.5 },
      receipt: { credits_charged: 1_000_000 },
    });
    const again = await call("buy_feed", { max_credits: 0 });
    expect(again.structuredContent).toMatchObject({
      purchase_id: bought.structuredContent.purchase_id,
      receipt: { credits_charged: 0 },
    });
    expect((await call("read_feed")).structuredContent.rows).toEqual([{ id: 1 }]);
    for (const given of [{}, { max_credits: -1 }, { max_credits: "1" }]) {
      expect((await call("buy_feed", given)).structuredContent.code).toBe("INVALID_PARAMETER");
    }
    const digits = await call("buy_feed", { max_credits: 0.0001 });
    expect(digits.structuredContent.code).toBe("VALIDATION_FAILED");
  });
});

describe("rows are a list", () => {
  test("each value that a jsonpath matches is a row, with fields and without", async () => {
    for (const [feed, given, expected] of [
      [collection, { jsonpath: "$[1].name" }, ["small"]],
      [collection, { jsonpath: "$[1].name", fields: ["id"] }, ["small"]],
      [collection, { jsonpath: "$[1]", fields: ["name"] }, [{ name: "small" }]],
      [collection, { jsonpath: "$[1].none" }, [null]],
      [collection, { jsonpath: "$[0].tags" }, [["a", "b"]]],
      [collection, { jsonpath: "$[*].tags[*]" }, ["a", "b"]],
      [
        collection,
        { jsonpath: "$[:2].{label: name, tags: tags}", fields: ["label"] },
        [{ label: "big" }, { label: "small" }],
      ],
      [singleton, { jsonpath: "$.list[1].n" }, [2]],
      [singleton, { jsonpath: "$.list[*].n" }, [1, 2]],
      [singleton, { fields: ["été", "list"] }, [{ list: [{ n: 1 }, { n: 2 }], été: 1 }]],
      [singleton, { jsonpath: "$.list", fields: ["n"] }, [[{ n: 1 }, { n: 2 }]]],
    ] as const) {
      const before = (await charges()).length;
      const structure = await found("read_feed", { feed: feed.slug, ...given });
      expect([given, structure.rows]).toEqual([given, expected]);
      expect(structure.receipt).toMatchObject({ credits_charged: 1 });
      expect((await charges()).length).toBe(before + 1);
    }
  });

  test("lists are there though they are empty", async () => {
    expect(await found("search_feeds", { query: "nothing-is-like-this" })).toMatchObject({
      feeds: [],
    });
    expect(await found("search_feeds", { category: "nothing" })).toMatchObject({ feeds: [] });
    const none = { feed: stream.slug, filters: { metal: "none" }, fields: ["id"] };
    expect(await found("read_feed", none)).toMatchObject({ rows: [], has_more: false });
    expect(await found("follow_stream", { feed: stream.slug, offset: "now" })).toMatchObject({
      rows: [],
      up_to_date: true,
    });
    expect(await found("get_records", { feed: stream.slug, ids: ["none"] })).toMatchObject({
      rows: [],
      missing: ["none"],
    });
    expect(await found("get_records", { feed: stream.slug, ids: ["e1"] })).toMatchObject({
      rows: [{ id: "e1" }],
      missing: [],
    });
    const unused = await gateway.createKey(await gateway.createAccount(), "read");
    const { structuredContent } = await callTool(gateway, unused, "get_account");
    expect(structuredContent.usage).toEqual([]);
  });

  test("a read that was charged and can't be answered is refunded", async () => {
    const before = await balance();
    const { services } = gateway.gateway;
    const { app } = createApp({
      ...services,
      http: { ...services.http, metrics: new Metrics() },
    });
    const answer = await app.handle(
      new ToolRequest(
        `http://localhost/v1/feed/${collection.slug}`,
        { headers: { "x-api-key": key } },
        {
          take() {
            throw new Error("as told");
          },
        },
      ),
    );
    expect(answer.status).toBe(500);
    const usage = await (await gateway.get("/v1/usage?limit=1", key)).json();
    expect(usage).toMatchObject({ usage: [{ operation: "data", credits_charged: 0 }] });
    expect(await balance()).toBe(before);
  });
});

describe("fields", () => {
  test("what is kept keeps its digits and its order, and escaped names are found", async () => {
    const { content, structuredContent } = await use("read_feed", {
      feed: collection.slug,
      fields: ["exact", "id", "nowhere"],
      limit: 1,
    });
    expect(content[0].text).toStartWith(
      `{"rows":[{"id":${BIG},"exact":1.50000000000000000001}],"fields_not_found":["nowhere"],`,
    );
    expect(structuredContent.next_cursor).toBeString();
    const records = await found("get_records", {
      feed: collection.slug,
      ids: ["a", BIG, "1", "1.0"],
      fields: ["name"],
    });
    expect(records).toMatchObject({
      rows: [{ name: "small" }, { name: "big" }, { name: "one" }],
      missing: ["1.0"],
    });
    const followed = await found("follow_stream", { feed: stream.slug, fields: ["id"] });
    expect((followed.rows as unknown[]).slice(0, 2)).toEqual([{ id: "e0" }, { id: "e1" }]);
  });

  test("an idempotency key is bound to the fields", async () => {
    const given = { feed: collection.slug, idempotency_key: "fields", fields: ["id"] };
    const first = await found("read_feed", given);
    expect((await found("read_feed", given)).receipt).toEqual(first.receipt as object);
    const other = await use("read_feed", { ...given, fields: ["name"] });
    expect(other.structuredContent.code).toBe("IDEMPOTENCY_KEY_REUSED");
  });
});

describe("bounds that the caller sets", () => {
  test("get_records and follow_stream heed max_credits, uncharged", async () => {
    const before = (await charges()).length;
    for (const [name, given] of [
      ["read_feed", {}],
      ["get_records", { ids: ["e1"] }],
      ["follow_stream", {}],
    ] as const) {
      const dear = await use(name, { feed: stream.slug, ...given, max_credits: 1.499 });
      expect([name, dear.isError, dear.structuredContent.code]).toEqual([
        name,
        true,
        "PRICE_ABOVE_MAX",
      ]);
    }
    expect((await charges()).length).toBe(before);
    expect(
      (await found("follow_stream", { feed: stream.slug, max_credits: 1.5 })).receipt,
    ).toMatchObject({ credits_charged: 1.5 });
  });

  test("get_records is charged once under an idempotency key", async () => {
    const given = { feed: stream.slug, ids: ["e1"], idempotency_key: "records" };
    const before = (await charges()).length;
    const first = await found("get_records", given);
    expect((await found("get_records", given)).receipt).toEqual(first.receipt as object);
    expect((await charges()).length).toBe(before + 1);
  });

  test("a document that is longer than max_chars is refused before the charge, and fields make it fit", async () => {
    const before = (await charges()).length;
    const refused = await use("read_feed", { feed: singleton.slug });
    expect(refused.structuredContent).toMatchObject({ code: "INVALID_PARAMETER", status: 400 });
    expect(refused.content[0].text).toContain("max_chars");
    expect(refused.content[0].text).toContain("fields");
    expect(refused.content[0].text).toContain("together with the receipt and the limits");
    expect((await charges()).length).toBe(before);
    const longer = await use("read_feed", { feed: singleton.slug, max_chars: 1_000_000 });
    expect(longer.isError).toBe(false);
    expect(longer.content[0].text.length).toBeWithin(50_000, 80_001);
    const picked = await use("read_feed", { feed: singleton.slug, fields: ["exact"] });
    expect(picked.content[0].text).toStartWith(`{"rows":[{"exact":${BIG}}],`);
    expect((await charges()).length).toBe(before + 2);
  });

  test("a refusal speaks of the tool's arguments, not of a query's", async () => {
    const line = async (name: string, given: Record<string, unknown>) => {
      const { isError, content } = await use(name, given);
      expect(isError).toBe(true);
      return content[0].text;
    };
    expect(await line("search_feeds", { query: "  " })).toStartWith(
      "QUERY_REQUIRED: query is blank",
    );
    expect(await line("get_records", { feed: singleton.slug, ids: ["a"] })).toEndWith(
      "with read_feed.",
    );
  });

  test("one row is always given, and the text is no longer than max_chars otherwise", async () => {
    const one = await use("read_feed", { feed: stream.slug, max_chars: 1 });
    expect(one.structuredContent).toMatchObject({ rows: [{ id: "e0" }], has_more: true });
    const some = await use("read_feed", { feed: stream.slug, max_chars: 1_500, fields: ["id"] });
    expect(some.content[0].text.length).toBeLessThanOrEqual(1_500);
  });
});

describe("limits and amounts", () => {
  test("read_feed and describe_feed show the limit in figures", async () => {
    const read = await found("read_feed", { feed: stream.slug });
    expect(read.limits).toEqual({
      limit: LIMITS_DEFAULT.readsPaid,
      remaining: expect.any(Number),
      reset_seconds: expect.any(Number),
    });
    const free = await seedFeed(gateway, provider, { type: "collection", rows: [{ id: 1 }] });
    for (const [feed, limit] of [
      [stream, LIMITS_DEFAULT.readsPaid],
      [free, 1_000],
    ] as const) {
      const { limits } = await found("describe_feed", { feed: feed.slug });
      expect(limits).toEqual({ limit, window_seconds: 60 });
    }
  });

  test("samples and balances keep their digits", async () => {
    await gateway.sql`
      update feeds set sample_response = ${`{"id":${BIG},"exact":1.10}`}
      where feed_id = ${stream.feedId}`;
    const { content } = await use("describe_feed", { feed: stream.slug });
    expect(content[0].text).toContain(`"sample":{"id":${BIG},"exact":1.10}`);
    const rich = await gateway.createAccount({ credits: 9_007_199_254 });
    await gateway.sql`
      update accounts set balance_nanos = ${`${BIG}123`} where account_id = ${rich}`;
    const richKey = await gateway.createKey(rich, "read");
    const account = await callTool(gateway, richKey, "get_account");
    expect(account.content[0].text).toContain(`"credits":${BIG}.123`);
    expect(account.sent).toContain(`"structuredContent":{"id":"${rich}"`);
  });
});

describe("search_feeds by category", () => {
  test("a category alone lists its feeds, whatever word it is", async () => {
    const filed: SeededFeed[] = [];
    for (const category of ["Other", "The", "—", "C++"]) {
      const feed = await seedFeed(gateway, provider, {
        type: "collection",
        rows: [{ id: 1 }],
        isPublic: true,
      });
      await gateway.sql`update feeds set category = ${category} where feed_id = ${feed.feedId}`;
      filed.push(feed);
      const { feeds, total } = await found("search_feeds", { category: category.toLowerCase() });
      expect([category, total, feeds]).toMatchObject([
        category,
        1,
        [{ slug: feed.slug, category }],
      ]);
    }
    for (const { feedId } of filed) {
      await gateway.sql`update feeds set category = 'Other' where feed_id = ${feedId}`;
    }
    const page = await found("search_feeds", { category: "OTHER", limit: 3 });
    expect(page).toMatchObject({ total: 4, has_more: true });
    expect((page.feeds as { slug: string }[]).map(({ slug }) => slug)).toEqual(
      filed
        .toReversed()
        .slice(0, 3)
        .map(({ slug }) => slug),
    );
    const rest = await found("search_feeds", { category: "other", limit: 3, offset: 3 });
    expect(rest).toMatchObject({ feeds: [{ slug: filed[0]?.slug }], has_more: false });
    expect(await found("search_feeds", { category: "uncategorized" })).toMatchObject({
      feeds: [{ slug: stream.slug, description: "", fields: [] }],
    });
  });
});

describe("what providers write", () => {
  test("no control character of a feed's texts is left in an answer, plain or escaped", async () => {
    const feed = await seedFeed(gateway, provider, {
      type: "collection",
      texts: [JSON.stringify({ id: "a", text: CONTROLS })],
      isPublic: true,
      name: `Red${CONTROLS} alert`,
    });
    await gateway.sql`
      update feeds
      set description = ${`Once${CONTROLS} more`},
        category = ${`Loud${CONTROLS}`},
        sample_response = ${JSON.stringify({ [`k${CONTROLS}`]: [`v${CONTROLS}`] })}
      where feed_id = ${feed.feedId}`;
    for (const [name, given] of [
      ["search_feeds", { query: "red alert" }],
      ["describe_feed", { feed: feed.slug }],
    ] as const) {
      const { sent, structuredContent, content } = await use(name, given);
      expect([name, structuredContent]).toEqual([name, JSON.parse(content[0].text)]);
      const shown = JSON.stringify(structuredContent);
      expect(shown).toContain("Red[2J alert");
      for (const escaped of ["\\u001b", "\\u0007", "\\r"]) {
        expect([name, escaped, shown.includes(escaped)]).toEqual([name, escaped, false]);
        expect([name, escaped, sent.includes(escaped)]).toEqual([name, escaped, false]);
      }
      expect(sent.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
    }
    // Rows are exact, and stay escaped on their way.
    const read = await use("read_feed", { feed: feed.slug });
    expect(read.structuredContent.rows).toEqual([{ id: "a", text: CONTROLS }]);
    expect(read.sent.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
    expect(read.content[0].text).not.toMatch(/\p{Cc}/u);
  });
});

/** The status line and the rest of an answer to a request with this `Host`. */
async function withHost(host: string, body: string): Promise<string> {
  const { hostname, port } = new URL(gateway.baseUrl);
  const head = [
    "POST /mcp HTTP/1.1",
    `Host: ${host}`,
    "Connection: close",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `x-api-key: ${key}`,
    ...Object.entries(TOOL_HEADERS).map(([name, value]) => `${name}: ${value}`),
  ];
  const answer = Promise.withResolvers<string>();
  let text = "";
  const socket = connect(Number(port), hostname, () =>
    socket.write(`${head.join("\r\n")}\r\n\r\n${body}`),
  );
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.on("close", () => answer.resolve(text));
  socket.on("error", answer.reject);
  return answer.promise;
}

describe("POST /mcp over HTTP", () => {
  test("an odd Host is no fault of the gateway's", async () => {
    const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    for (const host of ["a b", "", "[::1", "x:99999", "a/b"]) {
      for (const body of [list, toolMessage("search_feeds", {}), "{"]) {
        const answer = await withHost(host, body);
        expect([host, answer.slice(0, 12)]).toEqual([
          host,
          body === "{" ? "HTTP/1.1 400" : "HTTP/1.1 200",
        ]);
      }
    }
  });

  test("tools and resources work behind a base URL that has a path", async () => {
    const peer = await gateway.startPeer({ FEEDGATE_BASE_URL: "https://feeds.example.org/data" });
    const baseUrl = `http://127.0.0.1:${peer.port}`;
    const read = await callTool({ baseUrl }, key, "read_feed", { feed: stream.slug, limit: 1 });
    expect(read.structuredContent).toMatchObject({ rows: [{ id: "e0" }] });
    const params = { uri: `feedgate://feed/${stream.slug}` };
    const message = { jsonrpc: "2.0", id: 1, method: "resources/read", params };
    const skill = await postTool(baseUrl, JSON.stringify(message), {});
    expect(await skill.text()).toContain("text/markdown");
  });

  test("bodies are JSON of up to 128 KiB, plain or gzipped; all else is 415 or 413", async () => {
    const message = (length: number) => {
      const start = '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"x":"';
      return `${start}${"x".repeat(length - start.length - 4)}"}}}`;
    };
    const send = async (body: string | Uint8Array, headers: Record<string, string> = {}) => {
      const answer = await postTool(gateway.baseUrl, body, { "x-api-key": key, ...headers });
      const text = await answer.text();
      return { status: answer.status, text };
    };
    expect((await send(message(131_072))).status).toBe(200);
    expect(await send(message(131_073))).toMatchObject({
      status: 413,
      text: expect.stringContaining('"max_bytes":131072'),
    });
    const ping = message(100);
    expect((await send(gzipSync(ping), { "Content-Encoding": "gzip" })).status).toBe(200);
    for (const [body, headers] of [
      [brotliCompressSync(ping), { "Content-Encoding": "br" }],
      [ping, { "Content-Type": "text/plain" }],
    ] as const) {
      const { status, text } = await send(body, headers);
      expect([headers, status, JSON.parse(text).code]).toEqual([
        headers,
        415,
        "UNSUPPORTED_MEDIA_TYPE",
      ]);
    }
  });

  test("a page of another site is refused with a code of its own", async () => {
    const answer = await postTool(gateway.baseUrl, toolMessage("get_account", {}), {
      Origin: "https://evil.test",
    });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ status: 403, code: "ORIGIN_FORBIDDEN" });
  });
});
