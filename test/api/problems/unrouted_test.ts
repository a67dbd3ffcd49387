import { afterAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { problemOf, startTestGateway } from "../../support/gateway.ts";
import { readRouteTable } from "../../support/route_table.ts";
import { seedFeed } from "../../support/seed.ts";

const gateway = await startTestGateway();
afterAll(() => gateway.stop());
const readKey = await gateway.createKey(await gateway.createAccount(), "read");
const feed = await seedFeed(gateway, await gateway.createAccount(), {
  type: "collection",
  rows: [{ id: 1, name: "a" }],
});

/** Status and code of the answer to a target that is sent byte for byte: `fetch` would normalize it. */
function send(target: string, hosts: readonly string[] = ["localhost"], method = "GET") {
  const { hostname, port } = new URL(gateway.baseUrl);
  const head = [
    `${method} ${target} HTTP/1.1`,
    ...hosts.map((host) => `Host: ${host}`),
    `x-api-key: ${readKey}`,
    "Connection: close",
    "Content-Length: 0",
  ];
  return new Promise<{ status: number; code: string | undefined }>((resolve, reject) => {
    let text = "";
    const socket = connect(Number(port), hostname, () =>
      socket.write(Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1")),
    );
    socket.on("error", reject);
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    socket.on("close", () => {
      const status = Number(text.split(" ")[1]);
      resolve({ status, code: /"code":"([A-Z_]+)"/.exec(text)?.[1] });
    });
  });
}

const INVALID_REQUEST = { status: 400, code: "INVALID_REQUEST" };

test("a path that leads to a route only once it is normalized is 400", async () => {
  for (const path of [
    "/x\\..\\metrics",
    "/v1/feed/%2e%2e/catalog",
    "/v1/feed/%2E./catalog",
    "/v1/feed/../catalog",
    "/v1/./search?q=gold",
    "/api/v1/./usage",
    `/v1/catalog/../feed/${feed.feedId}`,
    `/v1\\feed/${feed.feedId}/metadata`,
    "/docs/../healthz",
    "/v1/../docs",
    "/./.well-known/agent-skills/index.json",
    "http://localhost/x/../metrics",
  ]) {
    expect([path, await send(path)]).toEqual([path, INVALID_REQUEST]);
  }
  for (const path of ["/v1/feed/../nope", "/v1/feed/..", "/v1/feed/%2e%2e/metadata"]) {
    expect([path, (await send(path)).status]).toEqual([path, 404]);
  }
  for (const path of ["/metrics", "http://localhost/metrics", "/v1/catalog?x=eq.1"]) {
    const { status } = await send(path);
    expect([path, status]).toEqual([path, path.includes("?") ? 400 : 200]);
  }
});

test("a path parameter that would be a dot segment, or holds a backslash, leads nowhere", async () => {
  for (const path of ["/v1/feed/a\\..\\..\\catalog", "/v1/feed/a%5c..%5ccatalog"]) {
    expect([path, (await send(path)).status]).toEqual([path, 404]);
  }
});

test("a request with two Host headers is 400", async () => {
  expect(await send("/v1/catalog", ["localhost", "localhost"])).toEqual(INVALID_REQUEST);
  expect(await send("/v1/catalog", ["localhost", "other"])).toEqual(INVALID_REQUEST);
  expect(await send("/v1/catalog", ["localhost, other"])).toEqual(INVALID_REQUEST);
  expect(await send("/nope", ["localhost", "other"])).toEqual(INVALID_REQUEST);
  expect(await send("/v1/catalog")).toMatchObject({ status: 200 });
});

test("a Host that can't be read is no fault of the gateway's, on any route", async () => {
  const routes = await readRouteTable({ DATABASE_URL: gateway.databaseUrl });
  expect(routes.length).toBeGreaterThan(100);
  for (const { method, path } of routes) {
    const target = path.replaceAll(/:\w+/g, feed.feedId).replace("*", "any");
    for (const host of ["a b", "[::1"]) {
      const { status } = await send(target, [host], method);
      expect({ method, path, host, isFault: !(status < 500) }).toMatchObject({ isFault: false });
    }
  }
});

describe("a query of bytes that are no UTF-8", () => {
  const invalid = { status: 400, code: "INVALID_PARAMETER" };
  test("is 400 and not charged, raw as encoded", async () => {
    const [before] = await gateway.sql`select count(*)::int as events from usage_events`;
    for (const query of [
      "name=eq.\xff\xfe",
      "name=eq.%FF%FE",
      "\xc3=eq.a",
      "ids=\xe9",
      "limit=1&\xf0\x9f",
      "jsonpath=$.\xed\xa0\x80",
    ]) {
      expect([query, await send(`/v1/feed/${feed.feedId}?${query}`)]).toEqual([query, invalid]);
    }
    expect(await send("/v1/search?q=\xff")).toEqual(invalid);
    const [after] = await gateway.sql`select count(*)::int as events from usage_events`;
    expect(after?.events).toBe(before?.events);
  });

  test("raw UTF-8 is read as it is", async () => {
    // "é" as its two bytes.
    expect(await send(`/v1/feed/${feed.feedId}?name=eq.\xc3\xa9`)).toMatchObject({ status: 200 });
  });
});

test("an unknown route is 404, and another method 405 with Allow", async () => {
  for (const path of ["/none", "/xwell-known/agent-skills/index.json"]) {
    const unknown = await gateway.get(path);
    expect(await problemOf(unknown)).toMatchObject({ status: 404, code: "ROUTE_NOT_FOUND" });
    expect(unknown.headers.get("x-request-id")).toBeString();
  }
  for (const [method, path, allow] of [
    ["PUT", "/healthz", "GET, HEAD"],
    ["DELETE", "/v1/catalog", "GET, HEAD"],
    ["GET", `/v1/provider/feed/${feed.feedId}/push`, "POST"],
    ["POST", `/api/v1/provider/feed/${feed.feedId}/edit`, "PATCH"],
  ] as const) {
    const other = await fetch(gateway.baseUrl + path, { method });
    const isKeyed = path.includes("/v1/");
    expect([path, other.headers.get("allow")]).toEqual([path, allow]);
    expect(other.headers.get("cache-control")).toBe(isKeyed ? "private, no-cache" : null);
    expect(await problemOf(other)).toMatchObject({ status: 405, code: "METHOD_NOT_ALLOWED" });
  }
});

test("an unknown path is answered with the route that it is close to", async () => {
  const detailOf = async (path: string) =>
    (await problemOf(await gateway.get(path, readKey))).body.detail as string;
  for (const [path, route] of [
    ["/v1/catalogue", "/v1/catalog"],
    ["/v1/catalog/", "/v1/catalog"],
    ["/feed/quakes", "/v1/feed/{id}"],
    ["/v1/feeds/quakes/metadata", "/v1/feed/{id}/metadata"],
    ["/v1/serach", "/v1/search"],
  ] as const) {
    expect({ path, detail: await detailOf(path) }).toEqual({
      path,
      detail: `No route has this path. Did you mean ${route}, or another route in ${gateway.baseUrl}/docs?`,
    });
  }
  const far = await detailOf("/v2/nothing/like/it");
  expect(far).toBe(`No route has this path. See all routes at ${gateway.baseUrl}/docs.`);
});

test("a browser gets a page, and a program a problem document, for an address that has no page", async () => {
  const browser = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
  for (const [path, status, title, root] of [
    ["/nope", 404, "Page not found", "."],
    ["/console/nope", 404, "Page not found", ".."],
    ["/docs/guides/nope", 404, "Page not found", "../.."],
    ["/mcp", 405, "This address is for programs", "."],
    ["/mcp/connect", 405, "This address is for programs", ".."],
    ["/?offset=-1", 400, "Invalid parameter", "."],
  ] as const) {
    const page = await gateway.get(path, undefined, browser);
    const text = await page.text();
    expect([path, page.status, page.headers.get("content-type")]).toEqual([
      ...[path, status],
      "text/html; charset=utf-8",
    ]);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(page.headers.get("vary")).toBe("Accept");
    expect(text).toContain(`<h1>${title}</h1>`);
    expect(text).toContain(`href="${root}/assets/page.`);
    expect(text).toContain(page.headers.get("x-request-id") ?? "no id");
    // A program gets the same as before.
    if (path !== "/?offset=-1") {
      const { status: programs } = await problemOf(await gateway.get(path));
      expect([path, programs]).toEqual([path, status]);
    }
  }
  const forPrograms = await (await gateway.get("/mcp", undefined, browser)).text();
  expect(forPrograms).toContain("Give it to an agent or another program.");
  const hostile = await gateway.get("/<script>alert(1)</script>", undefined, browser);
  expect(await hostile.text()).not.toContain("alert(1)");
  const keyed = await gateway.get("/v1/catalog", undefined, browser);
  expect(await problemOf(keyed)).toMatchObject({ status: 401, code: "KEY_REQUIRED" });
  const long = await gateway.get("/".repeat(8_000), undefined, browser);
  expect((await long.text()).length).toBeLessThan(10_000);
});

test("an unknown slug is answered with the listed one that it is close to, and never one that is not listed", async () => {
  const account = await gateway.createAccount();
  const seed = { type: "collection", rows: [{ id: 1 }] } as const;
  const listed = await seedFeed(gateway, account, { ...seed, isPublic: true });
  const unlisted = await seedFeed(gateway, account, seed);
  await gateway.sql`update feeds set endpoint_path = 'earthquakes' where feed_id = ${listed.feedId}`;
  await gateway.sql`update feeds set endpoint_path = 'gold-prices' where feed_id = ${unlisted.feedId}`;
  for (const rest of ["", "/metadata"]) {
    const near = await problemOf(await gateway.get(`/v1/feed/earthquake${rest}`, readKey));
    expect(near.body).toMatchObject({
      code: "FEED_NOT_FOUND",
      detail: 'No active feed has this id or endpoint_path. Did you mean "earthquakes"?',
    });
    const hidden = await problemOf(await gateway.get(`/v1/feed/gold-price${rest}`, readKey));
    expect(hidden.body.detail).toEndWith("Find one with GET /v1/catalog.");
  }
});
