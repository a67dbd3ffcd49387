import { afterAll, beforeAll, expect, test } from "bun:test";
import notices from "../../../src/docs/guides/notices.md" with { type: "text" };
import { typedCommand } from "../../../src/lib/own_process.ts";
import { NOTICE_TYPES } from "../../../src/notices/notice_types.ts";
import { GUIDE_NAMES } from "../../../src/pages/docs/guide_texts.ts";
import { problemOf, shareTestGateway, type TestGateway } from "../../support/gateway.ts";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await shareTestGateway();
});
afterAll(() => gateway.stop());

test("each guide is a page of its own, whose links work", async () => {
  for (const name of GUIDE_NAMES) {
    const url = `${gateway.baseUrl}/docs/guides/${name}`;
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    const html = await response.text();
    expect(html.match(/<h1/g)).toHaveLength(1);
    expect(html).toContain("<h2 id=");
    for (const [, address = ""] of html.matchAll(/(?:href|src)="([^"]+)"/g)) {
      const { origin, pathname, hash } = new URL(address, url);
      expect({ address, origin }).toEqual({ address, origin: gateway.baseUrl });
      const linked = await fetch(origin + pathname);
      expect({ address, status: linked.status }).toEqual({ address, status: 200 });
      const text = await linked.text();
      if (hash !== "") expect(text).toContain(` id="${hash.slice(1)}"`);
    }
  }
});

test("a guide's contents lead to its headings, also where they are folded above the text", async () => {
  for (const name of GUIDE_NAMES) {
    const html = await (await fetch(`${gateway.baseUrl}/docs/guides/${name}`)).text();
    const [above = ""] = /<details class="contents-above">.*?<\/details>/s.exec(html) ?? [];
    const leads = [...above.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    const headings = [...html.matchAll(/<h2 id="([^"]+)"/g)].map(([, id]) => id);
    expect([name, leads]).toEqual([name, headings]);
  }
});

test("guides show this gateway's address, and commands as they work here", async () => {
  const base = "https://feeds.example.com/$&/base";
  const other = await gateway.startPeer({ FEEDGATE_BASE_URL: base });
  for (const name of GUIDE_NAMES) {
    const own = await (await fetch(`${gateway.baseUrl}/docs/guides/${name}`)).text();
    const elsewhere = await (
      await fetch(`http://127.0.0.1:${other.port}/docs/guides/${name}`)
    ).text();
    const isExample = /(?<!proxy_pass )http:\/\/127\.0\.0\.1:3000\b/;
    for (const html of [own, elsewhere]) {
      expect([name, isExample.exec(html)]).toEqual([name, null]);
      expect([name, /your-gateway/.exec(html)]).toEqual([name, null]);
      expect([name, /(?:^|\$ |<code>)feedgate [a-z]+ /m.exec(html)]).toEqual([name, null]);
    }
    if (own.includes(`${gateway.baseUrl}/v1/`)) {
      expect(elsewhere).toContain("https://feeds.example.com/$&amp;/base/v1/");
    }
  }
  const connect = await (await fetch(`http://127.0.0.1:${other.port}/docs/guides/connect`)).text();
  expect(connect).toContain("<code>https://feeds.example.com/$&amp;/base/mcp/connect</code>");
  expect(connect).toContain("<code>https://feeds.example.com/$&amp;/base/console</code>");
  const operators = await (await fetch(`${gateway.baseUrl}/docs/guides/operators`)).text();
  expect(operators).toContain(`$ ${typedCommand()} account create --name`);
  expect(operators).toContain(`<code>${typedCommand()} backup FILE</code>`);
});

test("/docs/guides lists all guides, and links to them", async () => {
  const url = `${gateway.baseUrl}/docs/guides`;
  const html = await (await fetch(url)).text();
  for (const name of GUIDE_NAMES) {
    const [, address = ""] = new RegExp(`<dt><a href="([^"]*/${name})">`).exec(html) ?? [];
    expect([name, (await fetch(new URL(address, url))).status]).toEqual([name, 200]);
  }
});

test("the index of the search leads to every section of every guide, and has its words", async () => {
  const index = await gateway.get("/docs/assets/guides.json");
  expect(index.headers.get("content-type")).toBe("application/json");
  const sections = (await index.json()) as Record<string, string>[];
  for (const name of GUIDE_NAMES) {
    const html = await (await fetch(`${gateway.baseUrl}/docs/guides/${name}`)).text();
    const own = sections.filter(({ guide }) => guide === name);
    const ids = [...html.matchAll(/<h[23] id="([^"]+)"/g)].map(([, id]) => id);
    expect([name, own.map(({ id }) => id)]).toEqual([name, ["", ...ids]]);
  }
  const found = sections.find(({ guide, id }) => guide === "agents" && id === "follow-a-stream");
  expect(found).toMatchObject({ title: "Agents", heading: "Follow a stream" });
  expect(found?.text).toContain("Last-Event-ID");
  expect(JSON.stringify(sections)).not.toMatch(/<\/|&amp;|&lt;/);
});

test("each guide leads to the one before and the one after it, in the order of the menu", async () => {
  for (const [place, name] of GUIDE_NAMES.entries()) {
    const html = await (await fetch(`${gateway.baseUrl}/docs/guides/${name}`)).text();
    const linked = (rel: string) =>
      new RegExp(`<a class="[^"]+" rel="${rel}" href="./([a-z]+)"`).exec(html)?.[1];
    expect([name, linked("prev"), linked("next")]).toEqual([
      name,
      GUIDE_NAMES[place - 1],
      GUIDE_NAMES[place + 1],
    ]);
  }
});

test("the guide of notices names every type", () => {
  const missing = Object.keys(NOTICE_TYPES).filter((type) => !notices.includes(`\`${type}\``));
  expect(missing).toEqual([]);
});

test("a guide is compressed, and revalidated by its tag", async () => {
  const url = `${gateway.baseUrl}/docs/guides/agents`;
  const response = await fetch(url, { headers: { "Accept-Encoding": "gzip" } });
  expect(response.headers.get("content-encoding")).toBe("gzip");
  const etag = response.headers.get("etag") as string;
  expect((await fetch(url, { headers: { "If-None-Match": etag } })).status).toBe(304);
});

test("the reference leads to all guides; an unknown guide is 404 and names them", async () => {
  const page = await (await fetch(`${gateway.baseUrl}/docs`)).text();
  for (const name of GUIDE_NAMES) expect(page).toContain(`href="./docs/guides/${name}"`);
  const problem = await problemOf(await fetch(`${gateway.baseUrl}/docs/guides/none`));
  expect(problem).toMatchObject({ status: 404, code: "ROUTE_NOT_FOUND" });
  expect(problem.body.detail).toContain("agents, connect, providers");
});
