import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { seedFeed } from "../../support/seed.ts";
import { startX402Stub } from "../../support/x402_stub.ts";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
  const owner = await gateway.createAccount();
  await seedFeed(gateway, owner, {
    type: "collection",
    rows: [{ id: "a" }],
    name: "<script>alert(1)</script> & more",
    isPublic: true,
  });
  await seedFeed(gateway, owner, { type: "collection", rows: [{ id: "a" }], name: "Unlisted" });
});
afterAll(() => gateway.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(gateway.baseUrl + path, { headers });

test("the front page is HTML for people, and JSON with links for programs", async () => {
  const html = await get("/", { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" });
  expect(html.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(html.headers.get("vary")).toContain("Accept, ");
  const page = await html.text();
  expect(page).toContain("&lt;script>alert(1)&lt;/script> &amp; more");
  expect(page).not.toContain("<script>alert(1)");
  expect(page).not.toContain("Unlisted");
  for (const accept of ["application/json", "*/*", "application/json, text/html"]) {
    const json = await get("/", { Accept: accept });
    const links = (await json.json()) as Record<string, string>;
    expect(json.headers.get("vary")).toContain("Accept");
    expect(links).toMatchObject({ mcp: `${gateway.baseUrl}/mcp` });
    for (const name of ["docs", "openapi", "skills"]) {
      expect([name, (await fetch(links[name] as string)).status]).toEqual([name, 200]);
    }
    expect((await fetch(links.catalog as string)).status).toBe(401);
  }
});

test("every link of the front page, of llms.txt and of the API catalog leads somewhere", async () => {
  const html = await (await get("/", { Accept: "text/html" })).text();
  const inPage = [...html.matchAll(/href="\.\/([^"]+)"/g)].map(([, path]) => `/${path}`);
  const text = await (await get("/llms.txt")).text();
  const inText = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, url]) => new URL(url as string));
  const catalog = await get("/.well-known/api-catalog");
  expect(catalog.headers.get("link")).toEndWith('/.well-known/api-catalog>; rel="api-catalog"');
  expect(catalog.headers.get("content-type")).toStartWith("application/linkset+json");
  const { linkset } = (await catalog.json()) as {
    linkset: readonly Record<string, readonly { href: string }[]>[];
  };
  const linked = Object.values(linkset[0] ?? {})
    .filter(Array.isArray)
    .flatMap((links) => links.map(({ href }: { href: string }) => new URL(href)));
  expect(linked.length).toBe(3);
  const paths = [...inText, ...linked].map(({ pathname }) => pathname);
  for (const path of new Set([...inPage, ...paths])) {
    const expected = path === "/mcp" ? 405 : path === "/v1/catalog" ? 401 : 200;
    expect([path, (await get(path)).status]).toEqual([path, expected]);
  }
});

test("llms.txt names export, import and other routes as the OpenAPI document has them", async () => {
  const text = await (await get("/llms.txt")).text();
  const named = [...text.matchAll(/`(GET|POST) (\S+?)`/g)].map(
    ([, method = "", url = ""]) =>
      [method.toLowerCase(), url.slice(gateway.baseUrl.length)] as const,
  );
  const paths = named.map(([, path]) => path);
  expect(paths).toContain("/v1/feed/{id}/export");
  expect(paths).toContain("/v1/provider/feed/{feed_id}/import");
  const document = (await (await get("/openapi.json")).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  for (const [method, path] of named) {
    expect([path, Object.keys(document.paths[path] ?? {})]).toEqual([
      path,
      expect.arrayContaining([method]),
    ]);
  }
});

test("the MCP server card names the endpoint and its tools", async () => {
  const card = await (await get("/.well-known/mcp/server-card.json")).json();
  expect(card).toMatchObject({
    serverInfo: { name: "feedgate" },
    transport: { type: "streamable-http", endpoint: `${gateway.baseUrl}/mcp` },
  });
  expect((card as { tools: unknown[] }).tools.length).toBe(8);
});

test("the OpenAPI document is at /openapi.json, too, and answers are revalidated", async () => {
  const [short, long] = await Promise.all([get("/openapi.json"), get("/docs/json")]);
  expect(await short.json()).toEqual(await long.json());
  for (const path of ["/openapi.json", "/llms.txt", "/.well-known/api-catalog", "/"]) {
    const first = await get(path);
    const again = await get(path, { "If-None-Match": first.headers.get("etag") ?? "" });
    expect([path, again.status]).toEqual([path, 304]);
  }
});

test("texts for agents say how to pay where payments are taken, and only in the ways that are", async () => {
  const stub = startX402Stub();
  const peer = await gateway.startPeer(stub.environment);
  const read = async (path: string) => (await fetch(`http://127.0.0.1:${peer.port}${path}`)).text();
  const skill = "/.well-known/agent-skills/feedgate/SKILL.md";
  for (const path of ["/llms.txt", skill, "/billing"]) {
    const text = await read(path);
    expect({ path, isNamed: text.includes("x402") }).toEqual({ path, isNamed: true });
    expect({ path, isLink: /pay_url|person pays|By card/.test(text) }).toEqual({
      path,
      isLink: false,
    });
    expect(await (await fetch(gateway.baseUrl + path)).text()).not.toContain("/v1/topups");
  }
  await stub.stop();
});
