import { afterAll, beforeAll, expect, test } from "bun:test";
import { GUIDE_NAMES } from "../../src/docs/guide_texts.ts";
import { problemOf, startTestGateway, type TestGateway } from "../support/gateway.ts";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
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
