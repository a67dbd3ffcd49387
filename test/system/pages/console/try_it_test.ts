import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Locator, Page } from "playwright-core";
import { HOSTILE } from "../../../pages/console/scene.ts";
import { violationsOf } from "../../../support/axe.ts";
import {
  hasBrowser,
  type Look,
  launchBrowser,
  openWatched,
  tabTo,
} from "../../../support/browser.ts";
import { startTestGateway, type TestGateway } from "../../../support/gateway.ts";
import { countSales } from "../../../support/run_job.ts";

let gateway: TestGateway;
let feed: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  const write = await gateway.createKey(await gateway.createAccount({ name: "Quakes" }), "write");
  const created = await gateway.send("POST", "/v1/provider/feed/create", write, {
    name: `Earthquakes ${HOSTILE}`,
    endpoint_path: "earthquakes",
    feed_type: "stream",
    price_per_1k: 0.5,
    schema_definition: {
      type: "object",
      properties: { id: { type: "string" }, place: { type: "string" }, size: { type: "number" } },
    },
    schema_locked: true,
  });
  ({ id: feed } = (await created.json()) as { id: string });
  const payload = Array.from({ length: 30 }, (_, place) => ({
    id: `quake-${place}`,
    event_timestamp: new Date(Date.now() - place * 3_600_000).toISOString(),
    place: place % 3 === 0 ? "Tonga" : `Chile ${HOSTILE}`,
    size: place / 4,
  }));
  await gateway.send("POST", `/v1/provider/feed/${feed}/push`, write, { payload });
});
afterAll(() => gateway.stop());

/** More than any page has to tab through. */
const TABS_MAX = 100;

const LOOKS: readonly Look[] = [
  { width: 1400, scheme: "light" },
  { width: 390, scheme: "dark" },
  { width: 390, scheme: "light", hasJavaScript: false },
];

for (const look of LOOKS) {
  const name = `${look.width} px, ${look.scheme}${look.hasJavaScript === false ? ", without JavaScript" : ""}`;
  describe.skipIf(!hasBrowser)(`a consumer at ${name}`, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchBrowser();
    });
    afterAll(() => browser?.close());

    /** The page fits its window, and a reader of screens can use it. */
    const check = async (page: Page, what: string) => {
      const over = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect([what, over]).toEqual([what, 0]);
      // It is a script, so it runs only where scripts do.
      if (look.hasJavaScript === false) return;
      expect([what, await violationsOf(page)]).toEqual([what, []]);
    };
    /** Tabs on until it is reached; without JavaScript a test can't see where the focus is. */
    const reach = async (page: Page, target: Locator) => {
      if (look.hasJavaScript === false) await target.focus();
      else await tabTo(page, target, TABS_MAX);
    };
    const type = async (page: Page, field: string, text: string) => {
      await reach(page, page.locator(`#${field}`));
      await page.keyboard.insertText(text);
    };
    const enter = async (page: Page) => {
      const loaded = page.waitForEvent("load");
      await page.keyboard.press("Enter");
      await loaded;
    };
    const main = async (page: Page) => (await page.locator("main").textContent()) ?? "";

    test("corrects a filter, reads rows as a table and as JSON, and sees what they cost, by keyboard alone", async () => {
      const account = await gateway.createAccount({ name: "Reader", credits: 1_000_000 });
      const key = await gateway.createKey(account, "read");
      await gateway.sql`
        update api_keys set daily_nanos = 2000000 where account_id = ${account}`;
      const { context, page, complaints } = await openWatched(browser, gateway.baseUrl, look);
      await page.goto(`${gateway.baseUrl}/console/sign-in`);
      await type(page, "key", key);
      await page.keyboard.press("Enter");
      await page.waitForURL(`${gateway.baseUrl}/console`);
      await page.goto(`${gateway.baseUrl}/console/catalog/${feed}`);
      await check(page, "the form");
      expect(await main(page)).toContain("This read costs 0.0005 USD (500 credits)");

      await type(page, "filter_1_field", "plaice");
      await type(page, "filter_1_value", "Tonga");
      await enter(page);
      const mistake = page.locator("#filter_1_field-mistake");
      expect(await mistake.textContent()).toContain('Did you mean "place"?');
      expect(await page.locator("#filter_1_field").getAttribute("aria-describedby")).toBe(
        "filter_1_field-mistake",
      );
      await check(page, "a mistake");

      await reach(page, page.locator("#filter_1_field"));
      await page.keyboard.press("Control+A");
      await page.keyboard.insertText("place");
      await type(page, "limit", "5");
      await enter(page);
      expect(await page.locator("h1").textContent()).toBe("Result");
      expect(await page.locator("#rows tbody tr").count()).toBe(5);
      expect(await page.locator("#rows tbody").textContent()).not.toContain("Chile");
      expect(await main(page)).toContain("0.0005 USD (500 credits)");
      await check(page, "the answer");

      // Of radio buttons, one is reached by Tab and the others by arrows.
      await reach(page, page.locator('input[name="answer"]:checked'));
      await page.keyboard.press("ArrowRight");
      expect(await page.locator('section[aria-label="JSON"]').textContent()).toContain(
        '"usage_id"',
      );
      expect(await page.locator("#rows").isVisible()).toBe(false);
      await reach(page, page.locator('button:text-is("Read the next page")'));
      await enter(page);
      expect(await page.locator("#rows tbody tr").count()).toBe(5);

      await countSales(gateway.sql);
      for (const [path, words] of [
        ["", "0.001 of 0.002 USD"],
        ["/own-keys", "0.001 of 0.002 USD"],
        ["/usage", "Forecast"],
        ["/usage?range=7d", "0.001 USD"],
        ["/purchases", "No purchases"],
      ] as const) {
        await page.goto(`${gateway.baseUrl}/console${path}`);
        await check(page, path);
        expect([path, await main(page)]).toEqual([path, expect.stringContaining(words)]);
      }
      expect(await page.locator("html").textContent()).not.toContain("undefined");
      expect(complaints.filter((each) => !each.includes("status of 422"))).toEqual([]);
      await context.close();
    });
  });
}
