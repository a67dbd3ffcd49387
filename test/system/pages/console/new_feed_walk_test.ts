/**
 * From a file to a priced, published feed, in a real browser: without JavaScript, and looked at in both widths.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { violationsOf } from "../../../support/axe.ts";
import { hasBrowser, launchBrowser, openWatched } from "../../../support/browser.ts";
import { startTestGateway, type TestGateway } from "../../../support/gateway.ts";

const CSV = `code,name,height,seen
LIM,Jorge <b>Chávez</b>,34,2026-11-01
HND,羽田空港,6,2026-11-02
CDG,"Charles ""de"" Gaulle",119,2026-11-03
`;
const LOOKS = [
  { width: 1400, scheme: "light" },
  { width: 390, scheme: "dark" },
] as const;

let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  key = await gateway.createKey(await gateway.createAccount({ name: "Provider" }), "write");
});
afterAll(() => gateway.stop());

describe.skipIf(!hasBrowser)("a new feed", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  const signIn = async (page: Page) => {
    await page.goto(`${gateway.baseUrl}/console/sign-in`);
    await page.fill("#key", key);
    await page.press("#key", "Enter");
    await page.waitForURL(`${gateway.baseUrl}/console`);
  };
  const press = async (page: Page, button: string) => {
    const loaded = page.waitForEvent("load");
    await page.click(`button:has-text("${button}")`);
    await loaded;
  };
  const begin = async (page: Page) => {
    await page.goto(`${gateway.baseUrl}/console/new`);
    const buffer = Buffer.from(CSV);
    await page.setInputFiles("#file", { name: "airports.csv", mimeType: "text/csv", buffer });
    await press(page, "Preview the file");
  };

  test("is made from a file, priced and published without JavaScript", async () => {
    const look = { width: 390, hasJavaScript: false } as const;
    const { context, page, complaints } = await openWatched(browser, gateway.baseUrl, look);
    await signIn(page);
    await page.click("nav >> text=New feed");
    await begin(page);
    const text = (await page.locator("main").textContent()) ?? "";
    expect(text).toContain("code becomes id");
    expect(text).toContain("Jorge <b>Chávez</b>");
    expect(await page.inputValue("#name")).toBe("Airports");
    const schema = await page.inputValue("#schema_definition");
    await page.fill("#schema_definition", schema.replace('"integer"', '"whole"'));
    await page.fill("#description", "Airports, with their height in metres");
    await page.check('[value="metered"]');
    await page.fill("#price_per_1k", "0.25");
    await press(page, "Publish");
    await press(page, "Confirm");
    expect(await page.locator(".source mark").textContent()).toContain('"type": "whole"');
    expect(await page.inputValue("#price_per_1k")).toBe("0.25");
    await page.fill("#schema_definition", schema);
    await press(page, "Publish");
    expect(await page.locator(".note-box").textContent()).toContain(
      "“Airports” will contain 3 rows",
    );
    await press(page, "Confirm");
    await page.waitForURL("**/feeds/*?done=submitted");
    expect(await page.locator("main").textContent()).toMatch(/3 new/);
    const [feed] = await gateway.sql`
      select status, review, call_price_nanos::int as price from feeds
      where endpoint_path = 'airports'`;
    expect(feed).toEqual({ status: "active", review: "waiting", price: 250_000 });
    expect(complaints.filter((each) => !each.includes("status of 422"))).toEqual([]);
    await context.close();
    const reader = await gateway.createAccount({ credits: 1_000 });
    const read = await gateway.get("/v1/feed/airports", await gateway.createKey(reader, "read"));
    expect(await read.json()).toMatchObject({
      data: [{ id: "LIM", height: 34 }, { id: "HND" }, { name: 'Charles "de" Gaulle' }],
    });
  });

  test("its pages fit both widths, axe finds nothing, and the browser complains about nothing", async () => {
    for (const look of LOOKS) {
      const { context, page, complaints } = await openWatched(browser, gateway.baseUrl, look);
      const inspect = async (place: string) => {
        const over = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        expect([look.width, place, over]).toEqual([look.width, place, 0]);
        expect([look.width, place, await violationsOf(page)]).toEqual([look.width, place, []]);
      };
      await signIn(page);
      await page.goto(`${gateway.baseUrl}/console/new`);
      await inspect("start");
      await begin(page);
      await page.locator("details").evaluateAll((all) => {
        for (const each of all) each.setAttribute("open", "");
      });
      await inspect("proposal");
      await page.fill("#schema_definition", '{\n  "type": "whole"\n}');
      await press(page, "Save as draft");
      await inspect("marked");
      await page.fill("#schema_definition", "{}");
      await press(page, "Publish");
      await inspect("confirmation");
      expect(complaints.filter((each) => !each.includes("status of 422"))).toEqual([]);
      await context.close();
    }
  });
});
