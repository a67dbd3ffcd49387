import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { present } from "../../src/lib/assert.ts";
import { groupsOf, type ReferenceDocument } from "../../src/pages/docs/reference_document.ts";
import { hasBrowser, launchBrowser, openWatched } from "../support/browser.ts";
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
  test("the page to try operations out has security headers, and names no other host", async () => {
    const response = await gateway.get("/docs/try");
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
      expect(address).toMatch(/^\.\.?\//);
      const asset = await fetch(new URL(address as string, response.url));
      expect(asset.status).toBe(200);
      expect(asset.headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  test("the docs page, the document and the assets are revalidated by tag, HEAD included", async () => {
    for (const path of ["/docs", "/docs/try", "/docs/json", "/docs/assets/swagger-ui-bundle.js"]) {
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
    expect((await gateway.get("/docs/reference/agents?x=1")).status).toBe(400);
    expect((await gateway.get("/docs/reference/__proto__")).status).toBe(404);
    expect((await gateway.get("/docs/try/__proto__")).status).toBe(404);
    expect((await gateway.get("/docs/assets/nothing.js")).status).toBe(404);
    expect((await gateway.get("/docs/assets/__proto__")).status).toBe(404);
    expect((await gateway.get("/docs/")).status).toBe(404);
  });
});

describe.skipIf(!hasBrowser)("pages of the docs in a browser", () => {
  let browser: Browser;
  let page: Page;
  let complaints: readonly string[];

  beforeAll(async () => {
    browser = await launchBrowser();
    ({ page, complaints } = await openWatched(browser, gateway.baseUrl));
    // One load for all: rendering takes seconds of processor time.
    await page.goto(`${gateway.baseUrl}/docs/try`);
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

  test("an error's address leads to its row, and without JavaScript to a link to it", async () => {
    for (const hasJavaScript of [true, false]) {
      const watched = await openWatched(browser, gateway.baseUrl, { hasJavaScript });
      await watched.page.goto(`${gateway.baseUrl}/docs#errors-rate-limited`);
      if (!hasJavaScript) await watched.page.locator(".moved:target a").click();
      await watched.page.waitForURL("**/docs/errors#errors-rate-limited");
      // Given as text: it runs in the page, whose types are not ours.
      await watched.page.waitForFunction(
        "(({ top }) => top >= 0 && top < innerHeight)(document.querySelector('tr:target').getBoundingClientRect())",
      );
      expect(await watched.page.locator("tr:target").textContent()).toContain("retry_after_ms");
      expect(watched.complaints).toEqual([]);
      await watched.context.close();
    }
  });

  test("the page to try operations out lists every operation of agents, and leads to the others'", async () => {
    const shown = await page
      .locator(".opblock")
      .evaluateAll((blocks) => blocks.map(({ id }) => id));
    const document = (await (await gateway.get("/docs/json")).json()) as ReferenceDocument;
    const [agents] = groupsOf(document);
    const expected = present(agents)
      .sections.flatMap(({ routes }) => routes)
      .map(({ tags, operationId }) => `operations-${tags[0]}-${operationId}`);
    expect(shown.sort()).toEqual(expected.sort());
    const others = page.getByRole("navigation", { name: "Callers" }).getByRole("link");
    expect(await others.allTextContents()).toEqual(["Agents", "Providers", "Operators"]);
    if (process.env.SCREENSHOT) {
      const path = process.env.SCREENSHOT.replace(".png", "-top.png");
      await page.screenshot({ path, fullPage: true });
    }
  });

  test("it takes a key, and shows the answers of a search and of a read", async () => {
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

  test("it asked no other host, and the browser logged nothing", () => {
    expect(complaints).toEqual([]);
  });
});
