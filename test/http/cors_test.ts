import { afterAll, describe, expect, test } from "bun:test";
import { HEADERS } from "../../src/api/reference/header_docs.ts";
import { ConfigError, readConfig } from "../../src/config.ts";
import { shareTestGateway } from "../support/gateway.ts";
import { seedFeed } from "../support/seed.ts";

const APP = "https://app.example.com";
const OTHER = "https://other.example.com";

const gateway = await shareTestGateway();
afterAll(() => gateway.stop());
const { baseUrl: listed } = await gateway.startPeer({
  FEEDGATE_CORS_ORIGINS: `${APP}, http://localhost:8080`,
});
const { baseUrl: open } = await gateway.startPeer({ FEEDGATE_CORS_ORIGINS: "*" });
const accountId = await gateway.createAccount();
const readKey = await gateway.createKey(accountId, "read");
const feed = await seedFeed(gateway, accountId, { type: "collection", rows: [{ id: 1 }] });

function preflight(baseUrl: string, origin = APP, path = `/v1/feed/${feed.slug}`) {
  const headers = { Origin: origin, "Access-Control-Request-Method": "GET" };
  return fetch(baseUrl + path, { method: "OPTIONS", headers });
}

function read(baseUrl: string, origin: string) {
  const headers = { Origin: origin, "x-api-key": readKey };
  return fetch(`${baseUrl}/v1/feed/${feed.slug}`, { headers });
}

describe("CORS", () => {
  test("off: OPTIONS is 405, and no answer has a header of it", async () => {
    const refused = await preflight(gateway.baseUrl);
    expect(refused.status).toBe(405);
    const answer = await read(gateway.baseUrl, APP);
    expect(answer.status).toBe(200);
    for (const { headers } of [refused, answer]) {
      expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  });

  test("a preflight of a listed origin is 204, with the route's methods and our headers", async () => {
    const answer = await preflight(listed);
    expect(answer.status).toBe(204);
    expect(answer.headers.get("access-control-allow-origin")).toBe(APP);
    expect(answer.headers.get("access-control-allow-methods")).toBe("GET, HEAD");
    expect(answer.headers.get("access-control-allow-headers")).toMatch(/X-Api-Key/);
    expect(answer.headers.get("access-control-allow-headers")).toMatch(/Idempotency-Key/);
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
    expect(answer.headers.get("vary")).toContain("Origin");
    const push = await preflight(listed, APP, `/api/v1/provider/feed/${feed.feedId}/push`);
    expect(push.headers.get("access-control-allow-methods")).toBe("POST");
  });

  test("an MCP client on a page of a listed origin may send the protocol's headers", async () => {
    const answer = await preflight(listed, APP, "/mcp");
    expect([answer.status, answer.headers.get("access-control-allow-methods")]).toEqual([
      204,
      "POST",
    ]);
    for (const name of ["Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name"]) {
      expect(answer.headers.get("access-control-allow-headers")).toContain(name);
    }
    const headers = {
      Origin: APP,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const listing = await fetch(`${listed}/mcp`, { method: "POST", headers, body });
    expect(listing.status).toBe(200);
    expect(listing.headers.get("access-control-allow-origin")).toBe(APP);
  });

  test("a listed origin sees the answer and the headers that an agent needs; errors too", async () => {
    const answer = await read(listed, APP);
    expect(answer.headers.get("access-control-allow-origin")).toBe(APP);
    const exposed = answer.headers.get("access-control-expose-headers")?.split(", ") ?? [];
    // Browsers show `Cache-Control` anyway, and have acted on `Vary`.
    const documented = Object.keys(HEADERS).filter(
      (name) => name !== "Cache-Control" && name !== "Vary",
    );
    expect(documented.filter((name) => !exposed.includes(name))).toEqual([]);
    expect(answer.headers.get("vary")).toBe("Accept-Encoding, Origin");
    const refused = await fetch(`${listed}/v1/catalog`, { headers: { Origin: APP } });
    expect(refused.status).toBe(401);
    expect(refused.headers.get("access-control-allow-origin")).toBe(APP);
  });

  test("another origin gets nothing, and caches keep the two apart", async () => {
    for (const answer of [await preflight(listed, OTHER), await read(listed, OTHER)]) {
      expect(answer.headers.get("access-control-allow-origin")).toBeNull();
      expect(answer.headers.get("vary")).toContain("Origin");
    }
  });

  test("*: every origin, and nothing that varies by it", async () => {
    const answer = await read(open, OTHER);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("vary") ?? "").not.toContain("Origin");
    expect((await preflight(open, OTHER)).status).toBe(204);
  });

  test("OPTIONS that is no preflight stays 405, and an unknown route 404", async () => {
    const plain = await fetch(`${listed}/v1/catalog`, { method: "OPTIONS" });
    expect([plain.status, plain.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect((await preflight(listed, APP, "/nothing")).status).toBe(404);
  });

  test("an origin with a path, a wildcard or no scheme is a mistake in the environment", () => {
    for (const origins of [
      "https://app.example.com/",
      "app.example.com",
      "https://*.x.com,*",
      ",",
    ]) {
      expect(() => readConfig({ FEEDGATE_CORS_ORIGINS: origins })).toThrow(ConfigError);
    }
    expect(readConfig({}).corsOrigins).toBeUndefined();
  });
});
