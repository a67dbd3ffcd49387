import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { PROBLEM_CODES } from "../../src/api/reference/problem_docs.ts";
import { anchorOf } from "../../src/http/problem_details.ts";
import { hasBrowser, launchBrowser, openWatched } from "../support/browser.ts";
import { loadContract } from "../support/contract.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { seedFeed } from "../support/seed.ts";

let gateway: TestGateway;
let key: string;
let slug: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  key = await gateway.createKey(await gateway.createAccount(), "read");
  const rows = [
    { id: 1, place: "Tonga" },
    { id: 2, place: "Chile" },
  ];
  const owner = await gateway.createAccount();
  const feed = await seedFeed(gateway, owner, { type: "collection", rows, name: "Earthquakes" });
  await gateway.sql`
    update feeds set is_public = true, published_at = now() where feed_id = ${feed.feedId}`;
  slug = feed.slug;
});
afterAll(() => gateway.stop());

describe("docs page", () => {
  test("the docs page has security headers, and names no other host", async () => {
    const response = await gateway.get("/docs");
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
    });
    expect(headers["content-security-policy"]).toStartWith(
      "default-src 'none'; script-src 'self';",
    );
    expect(headers["content-security-policy"]).not.toContain("unsafe-eval");
    const loaded = [...(await response.text()).matchAll(/(?:src|href)="([^"#]+)"/g)];
    for (const [, address] of loaded) {
      expect(address).toStartWith("./");
      const asset = await gateway.get((address as string).slice(1));
      expect(asset.status).toBe(200);
      expect(asset.headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  test("the docs page has an anchor for every problem code, to which problems point", async () => {
    const html = await (await gateway.get("/docs")).text();
    for (const code of PROBLEM_CODES)
      expect(html).toContain(`<article id="${anchorOf(code)}" class="problem">`);
    const problem = (await (await gateway.get("/v1/catalog")).json()) as { type: string };
    const { hash, pathname } = new URL(problem.type);
    expect([pathname, hash]).toEqual(["/docs", "#errors-key-required"]);
  });

  test("the docs page, the document and the assets are revalidated by tag, HEAD included", async () => {
    for (const path of ["/docs", "/docs/json", "/docs/assets/swagger-ui-bundle.js"]) {
      const response = await fetch(gateway.baseUrl + path, { method: "HEAD" });
      const etag = response.headers.get("etag") as string;
      expect([path, response.status, await response.text()]).toEqual([path, 200, ""]);
      const again = await gateway.get(path, undefined, { "If-None-Match": etag });
      expect([path, again.status]).toEqual([path, 304]);
    }
  });

  test("the docs page refuses unknown parameters and files", async () => {
    expect((await gateway.get("/docs?x=1")).status).toBe(400);
    expect((await gateway.get("/docs/json?x=1")).status).toBe(400);
    expect((await gateway.get("/docs/assets/nothing.js")).status).toBe(404);
    expect((await gateway.get("/docs/assets/__proto__")).status).toBe(404);
    expect((await gateway.get("/docs/")).status).toBe(404);
  });
});

describe.skipIf(!hasBrowser)("docs page in a browser", () => {
  let browser: Browser;
  let page: Page;
  let complaints: readonly string[];

  beforeAll(async () => {
    browser = await launchBrowser();
    ({ page, complaints } = await openWatched(browser, gateway.baseUrl));
    // One load for all: rendering takes seconds of processor time.
    await page.goto(`${gateway.baseUrl}/docs#errors-rate-limited`);
    await page.locator(".opblock").first().waitFor();
  });
  afterAll(() => browser?.close());

  /** Opens an operation, fills its parameters, executes, and returns what the page shows. */
  async function execute(operationId: string, parameters: Record<string, string>): Promise<string> {
    const block = page.locator(`[id$="-${operationId}"].opblock`);
    await block.locator(".opblock-summary-control").click();
    await block.locator("button.try-out__btn").click();
    for (const [name, value] of Object.entries(parameters)) {
      await block.locator(`tr[data-param-name="${name}"] input`).fill(value);
    }
    await block.locator("button.execute").click();
    const answer = block.locator(".live-responses-table .response");
    await answer.waitFor();
    return (await answer.textContent()) ?? "";
  }

  test("an error's address leads to its explanation on the docs page", async () => {
    const article = page.locator("#errors-rate-limited");
    await article.waitFor();
    // Given as text: it runs in the page, whose types are not ours.
    await page.waitForFunction(
      "(({ top }) => top >= 0 && top < innerHeight)(document.getElementById('errors-rate-limited').getBoundingClientRect())",
    );
    expect(await article.textContent()).toContain("retry_after_ms");
    if (process.env.SCREENSHOT) {
      await page.screenshot({ path: process.env.SCREENSHOT.replace(".png", "-errors.png") });
    }
  });

  test("the docs page lists every operation", async () => {
    const shown = await page
      .locator(".opblock")
      .evaluateAll((blocks) => blocks.map(({ id }) => id));
    const { document } = await loadContract(gateway.baseUrl);
    const expected = Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .map(({ tags, operationId }) => `operations-${tags[0]}-${operationId}`);
    expect(shown.sort()).toEqual(expected.sort());
    if (process.env.SCREENSHOT) {
      const path = process.env.SCREENSHOT.replace(".png", "-top.png");
      await page.screenshot({ path, fullPage: true });
    }
  });

  test("the docs page takes a key, and shows the answers of a search and of a read", async () => {
    await page.locator("button.authorize").first().click();
    const form = page.locator(".auth-container", { hasText: "apiKey" });
    await form.locator("input").first().fill(key);
    await form.locator("button[type=submit]").click();
    await page.locator(".close-modal").click();
    const found = await execute("searchFeeds", { q: "earthquakes" });
    expect(found).toContain("200");
    expect(found).toContain(slug);
    const read = await execute("readFeed", { id: slug, limit: "1" });
    expect(read).toContain("200");
    expect(read).toContain("Tonga");
    expect(read).not.toContain("Chile");
    expect(read).toContain("x-ratelimit-remaining: 9");
    if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT });
  });

  test("the docs page asked no other host, and the browser logged nothing", () => {
    expect(complaints).toEqual([]);
  });
});
