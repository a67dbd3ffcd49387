import { afterAll, describe, expect, test } from "bun:test";
import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/lib/log.ts";
import { startGateway } from "../../src/server.ts";
import { shareTestGateway } from "../support/gateway.ts";
import { seedFeed } from "../support/seed.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const SECRET = "a-payload-that-no-log-may-hold";

const lines: string[] = [];
const scene = await shareTestGateway();
const logging = await startGateway(
  readConfig({ PORT: "0", DATABASE_URL: scene.databaseUrl }),
  createLog({ level: "debug", isReadable: false, write: (line) => lines.push(line) }),
);
const accountId = await scene.createAccount();
const readKey = await scene.createKey(accountId, "read");
const writeKey = await scene.createKey(accountId, "write");
const feed = await seedFeed(scene, accountId, {
  type: "collection",
  rows: [{ id: 1, text: SECRET }],
});
afterAll(async () => {
  await logging.stop();
  await scene.stop();
});

/** The answer's status, and the one line that its request left. */
async function call(method: string, path: string, init: RequestInit = {}) {
  const before = lines.length;
  const response = await fetch(logging.baseUrl + path, { method, ...init });
  await response.text();
  // Background work may log at any time.
  const id = response.headers.get("x-request-id");
  const added = lines
    .slice(before)
    .map((line) => JSON.parse(line))
    .filter((line) => line.request_id === id);
  expect(added).toHaveLength(1);
  return { status: response.status, line: added[0] as Record<string, unknown> };
}

const reading = () => ({ headers: { "x-api-key": readKey } });
const writing = (body: unknown) => ({
  headers: { Authorization: `Bearer ${writeKey}`, "Content-Type": "application/json" },
  body: JSON.stringify(body),
});

describe("the log line of a request", () => {
  test("names route, status, account, key and feed by id, on every keyed route", async () => {
    const { feedId, slug } = feed;
    const calls: [string, string, string, RequestInit, boolean][] = [
      ["GET", "/v1/catalog", "/v1/catalog", reading(), false],
      ["GET", `/v1/search?q=${SECRET}`, "/v1/search", reading(), false],
      ["GET", "/v1/account", "/v1/account", reading(), false],
      ["GET", "/v1/usage", "/v1/usage", reading(), false],
      ["GET", `/v1/feed/${slug}?text=eq.${SECRET}`, "/v1/feed/{id}", reading(), true],
      ["GET", `/api/v1/feed/${feedId}`, "/v1/feed/{id}", reading(), true],
      ["GET", `/v1/feed/${slug}/metadata`, "/v1/feed/{id}/metadata", reading(), true],
      ["GET", "/v1/provider/feeds", "/v1/provider/feeds", writing(undefined), false],
      [
        "POST",
        `/v1/provider/feed/${feedId}/push`,
        "/v1/provider/feed/{feed_id}/push",
        writing({ payload: [{ id: 1, text: SECRET }] }),
        true,
      ],
      [
        "PATCH",
        `/v1/provider/feed/${feedId}/edit`,
        "/v1/provider/feed/{feed_id}/edit",
        writing({ description: SECRET }),
        true,
      ],
    ];
    for (const [method, path, route, init, isOfFeed] of calls) {
      const { headers, body } = init;
      const { status, line } = await call(method, path, {
        headers: { ...headers, traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01` },
        ...(method !== "GET" && { body }),
      } as RequestInit);
      expect(status).toBe(200);
      expect(line).toMatchObject({ level: "info", message: "request", method, route, status: 200 });
      expect(line.account).toBe(accountId);
      expect(line.key).toBeString();
      expect(line.trace_id).toBe(TRACE_ID);
      expect(line.feed).toBe(isOfFeed ? feedId : undefined);
    }
  });

  test("names the feed that a create has made", async () => {
    const body = { name: SECRET, endpoint_path: "logged" };
    const { status, line } = await call("POST", "/v1/provider/feed/create", writing(body));
    expect(status).toBe(201);
    expect(line.feed).toBeString();
  });

  test("a read shows the credits that it was charged, and a repeat 0", async () => {
    const readerId = await scene.createAccount({ credits: 100 });
    const otherKey = await scene.createKey(readerId, "read");
    const priced = await seedFeed(scene, accountId, {
      type: "collection",
      rows: [{ id: 1 }],
      callPriceNanos: 1_500,
    });
    const path = `/v1/feed/${priced.slug}`;
    const keyed = { headers: { "x-api-key": otherKey, "Idempotency-Key": "once" } };
    expect((await call("GET", path, keyed)).line.credits).toBe(1.5);
    expect((await call("GET", path, keyed)).line.credits).toBe(0);
    expect((await call("GET", "/v1/catalog", reading())).line.credits).toBe(0);
    expect(
      Object.keys((await call("HEAD", path, { headers: { "x-api-key": otherKey } })).line),
    ).not.toContain("credits");
    expect(Object.keys((await call("GET", "/v1/account", reading())).line)).not.toContain(
      "credits",
    );
  });

  test("a problem shows its code", async () => {
    for (const [path, init, code] of [
      ["/v1/feed/no-such-feed", reading(), "FEED_NOT_FOUND"],
      [`/v1/feed/${feed.slug}?limit=x`, reading(), "INVALID_PARAMETER"],
      ["/v1/catalog", {}, "KEY_REQUIRED"],
      ["/v1/no-such-route", {}, "ROUTE_NOT_FOUND"],
    ] as const) {
      const { line } = await call("GET", path, init);
      expect([path, line.code, Object.keys(line).includes("credits")]).toEqual([path, code, false]);
    }
    expect(Object.keys((await call("GET", "/v1/catalog", reading())).line)).not.toContain("code");
  });

  test("a refusal has one, too; a traceparent that is none is left out", async () => {
    const { line } = await call("GET", "/v1/catalog", {
      headers: { "x-api-key": "fg_read_nonsense", traceparent: "x" },
    });
    expect(line).toMatchObject({ route: "/v1/catalog", status: 403 });
    expect(Object.keys(line)).not.toContain("account");
    expect(Object.keys(line)).not.toContain("trace_id");
    await call("POST", `/v1/provider/feed/${feed.feedId}/push`, writing({ payload: SECRET }));
  });

  test("one refused call is found by the request id that its client was told", async () => {
    const lost = await fetch(`${logging.baseUrl}/v1/feed/no-such-feed`, reading());
    const { request_id: requestId } = (await lost.json()) as { request_id: string };
    const own = { "x-api-key": readKey, "X-Request-Id": "of-the-client" };
    await fetch(`${logging.baseUrl}/v1/feed/${feed.slug}?limit=x`, { headers: own });
    const message = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "read_feed", arguments: { feed: "no-such-feed" } },
    };
    const tool = await fetch(`${logging.baseUrl}/mcp`, {
      method: "POST",
      headers: {
        "x-api-key": readKey,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01`,
      },
      body: JSON.stringify(message),
    });
    await tool.text();
    const found = (id: string | null) =>
      lines
        .map((line) => JSON.parse(line))
        .filter((line) => line.request_id === id)
        .map(({ route, code, trace_id }) => [route, code, trace_id]);
    expect(found(requestId)).toEqual([["/v1/feed/{id}", "FEED_NOT_FOUND", undefined]]);
    expect(found("of-the-client")).toEqual([["/v1/feed/{id}", "INVALID_PARAMETER", undefined]]);
    // The tool's own call and the one that it made share the id, and the trace.
    expect(found(tool.headers.get("x-request-id"))).toEqual([
      ["/v1/feed/{id}", "FEED_NOT_FOUND", TRACE_ID],
      ["/mcp", undefined, TRACE_ID],
    ]);
  });

  test("the trace and the caller's span are those of the traceparent, if it is one", async () => {
    const span = "b7ad6b7169203331";
    const traced = async (traceparent: string) => {
      const { line } = await call("GET", "/v1/catalog", {
        headers: { "x-api-key": readKey, traceparent },
      });
      return [line.trace_id, line.parent_span_id];
    };
    expect(await traced(`00-${TRACE_ID}-${span}-01`)).toEqual([TRACE_ID, span]);
    expect(await traced(`cc-${TRACE_ID}-${span}-01-what-comes-later`)).toEqual([TRACE_ID, span]);
    for (const none of [
      `00-${TRACE_ID}-${span}-01-more`,
      `ff-${TRACE_ID}-${span}-01`,
      `00-${"0".repeat(32)}-${span}-01`,
      `00-${TRACE_ID}-${"0".repeat(16)}-01`,
      `00-${TRACE_ID.toUpperCase()}-${span}-01`,
      `00-${TRACE_ID}-${span}`,
    ]) {
      expect([none, ...(await traced(none))]).toEqual([none, undefined, undefined]);
    }
  });

  test("no line holds a key, a query or a payload", () => {
    const text = lines.join("\n");
    expect(lines.length).toBeGreaterThan(10);
    for (const secret of [readKey, writeKey, SECRET, "fg_read", "fg_write", "Bearer"]) {
      expect(text).not.toContain(secret);
    }
  });
});

test.each([
  ["refused", [401]],
  ["none", []],
] as const)("FEEDGATE_LOG_REQUESTS=%s logs these answers: %p", async (logged, statuses) => {
  const own: string[] = [];
  const gateway = await startGateway(
    readConfig({ PORT: "0", DATABASE_URL: scene.databaseUrl, FEEDGATE_LOG_REQUESTS: logged }),
    createLog({ level: "info", isReadable: false, write: (line) => own.push(line) }),
    { hasJobs: false },
  );
  expect((await fetch(`${gateway.baseUrl}/v1/feed/${feed.feedId}`, reading())).status).toBe(200);
  expect((await fetch(`${gateway.baseUrl}/v1/feed/${feed.feedId}`)).status).toBe(401);
  await gateway.stop();
  const requests = own
    .map((line) => JSON.parse(line))
    .filter(({ message }) => message === "request");
  expect(requests.map(({ status }) => status)).toEqual([...statuses]);
});
