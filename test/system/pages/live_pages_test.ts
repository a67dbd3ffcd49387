import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { violationsOf } from "../../support/axe.ts";
import {
  hasBrowser,
  type Look,
  launchBrowser,
  openWatched,
  type Watched,
} from "../../support/browser.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { insertAdminKey } from "../../support/insert_key.ts";
import { type SeededFeed, seedFeed } from "../../support/seed.ts";

const LOOKS = [
  { width: 1_400, scheme: "light" },
  { width: 390, scheme: "dark" },
] as const;

let gateway: TestGateway;
let owner: string;
let write: string;
let quakes: SeededFeed;
let browser: Browser;

beforeAll(async () => {
  gateway = await startTestGateway();
  owner = await gateway.createAccount({ credits: 1_000 });
  write = await gateway.createKey(owner, "write");
  const rows = Array.from({ length: 5 }, (_, place) => ({
    id: place,
    event_timestamp: new Date(Date.UTC(2026, 0, 1, place)).toISOString(),
    magnitude: 4 + place / 10,
  }));
  quakes = await seedFeed(gateway, owner, {
    type: "stream",
    rows,
    isPublic: true,
    name: "Earthquakes worldwide",
  });
  await gateway.sql`
    update feeds set description = 'Every earthquake of magnitude 4 and above.',
      schema_definition = '{"properties":{"magnitude":{"type":"number"}}}'::json
    where feed_id = ${quakes.feedId}`;
  await seedFeed(gateway, owner, { type: "stream", rows, isPublic: true, name: "Gold prices" });
  if (hasBrowser) browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway.stop();
});

/** As the script writes a time, with its zone. Without the script it begins with the year. */
const LOCAL_TIME = /^[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d\d [AP]M UTC$/;

let watched: Watched | undefined;
afterEach(async () => {
  expect(watched?.complaints ?? []).toEqual([]);
  await watched?.context.close();
  watched = undefined;
});

async function open(path: string, look: Look = {}): Promise<Page> {
  watched = await openWatched(browser, gateway.baseUrl, look);
  await watched.page.goto(gateway.baseUrl + path);
  return watched.page;
}

let pushed = 100;
async function push(magnitude: number): Promise<void> {
  pushed += 1;
  const body = [{ id: pushed, event_timestamp: "2026-02-01T00:00:00Z", magnitude }];
  const path = `/v1/provider/feed/${quakes.feedId}/push`;
  expect((await gateway.send("POST", path, write, body)).status).toBe(200);
}

async function signIn(page: Page, key: string): Promise<void> {
  await page.goto(`${gateway.baseUrl}/console/sign-in`);
  await page.locator("input[name=key]").fill(key);
  await page.locator("input[name=key]").press("Enter");
  await page.waitForURL("**/console");
}

async function examine(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS) {
    const { width } = page.viewportSize() ?? { width: 0 };
    await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}-${width}.png` });
  }
  expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
  // Tables of a guide have no names of their own.
  expect(await violationsOf(page, { isSeriousOnly: name === "guides" })).toEqual([]);
}

const live = (page: Page) => page.locator("p.live");
/** Until the page is connected. */
const whenLive = (page: Page) => live(page).getByText("Live").waitFor();

describe.skipIf(!hasBrowser)("search as you type", () => {
  for (const look of LOOKS) {
    test(`at ${look.width} pixels, results change while one types, and say why they match`, async () => {
      const page = await open("/", look);
      await page.locator("#q").pressSequentially("magnit");
      await page.waitForURL("**/?q=magnit");
      const found = page.locator("#found");
      await found.getByText("1 feed for “magnit”").waitFor();
      expect(await found.locator("li.card").count()).toBe(1);
      expect(await found.locator("li mark").allTextContents()).toEqual(["magnitude", "magnitude"]);
      expect(await found.locator(".why").textContent()).toBe(
        "Matches description and field magnitude",
      );
      expect(await page.title()).toContain("magnit");
      // What is typed stays where it is, with its cursor.
      expect(await page.evaluate("document.activeElement.id")).toBe("q");
      expect(await page.locator("search [role=status]").textContent()).toContain("1 feed for");
      expect(await found.locator("time").first().textContent()).toMatch(LOCAL_TIME);
      await examine(page, "search");
      await page.locator("#q").fill("");
      await page.waitForURL(`${gateway.baseUrl}/`);
      await found.getByText("Gold prices").waitFor();
    });
  }

  test("each search is asked for once, and the form works by Enter and without JavaScript", async () => {
    const page = await open("/");
    const asked: string[] = [];
    page.on("request", (request) => {
      const { search } = new URL(request.url());
      if (search !== "") asked.push(search);
    });
    for (const words of ["gold", "earth", "gold", "earth"]) {
      await page.locator("#q").fill(words);
      await page.waitForURL(`**/?q=${words}`);
    }
    expect(asked).toEqual(["?q=gold", "?q=earth"]);
    await page.locator("#q").press("Enter");
    await page.getByRole("heading", { name: "Feeds for “earth”" }).waitFor();
    await watched?.context.close();
    const plain = await open("/", { hasJavaScript: false });
    await plain.locator("#q").fill("gold");
    await plain.locator("#q").press("Enter");
    await plain.waitForURL("**/?q=gold");
    expect(await plain.locator("#found mark").allTextContents()).toEqual(["Gold"]);
  });
});

describe.skipIf(!hasBrowser)("the search of guides", () => {
  for (const look of LOOKS) {
    test(`at ${look.width} pixels, it finds sections, shows the words, and leads there by keyboard`, async () => {
      const page = await open("/docs/guides/agents", look);
      const box = page.getByRole("searchbox", { name: "Search the guides" });
      await box.pressSequentially("rotate key");
      const found = page.locator(".guide-search .found");
      await found.locator("li").first().waitFor();
      expect(await found.getByRole("status").textContent()).toMatch(/^\d+ sections$/);
      expect(await found.locator("li").first().locator("mark").count()).toBeGreaterThan(0);
      await examine(page, "guides");
      await page.keyboard.press("ArrowDown");
      const target = await page.evaluate("document.activeElement.getAttribute('href')");
      expect(target).toContain("docs/guides/");
      await page.keyboard.press("Enter");
      await page.waitForURL((url) => url.href.endsWith(String(target).replace(/^[./]+/, "")));
      expect(await page.locator(":target").isVisible()).toBe(true);
    });
  }

  test("words that no guide has are said so; Escape closes; without JavaScript there is no box", async () => {
    const page = await open("/docs/guides");
    const box = page.getByRole("searchbox", { name: "Search the guides" });
    await box.fill("zzyzx <b>");
    await page.getByText("No guide contains “zzyzx <b>”.").waitFor();
    await box.press("Escape");
    expect(await page.locator(".guide-search .found").isVisible()).toBe(false);
    await watched?.context.close();
    const plain = await open("/docs/guides", { hasJavaScript: false });
    expect(await plain.locator(".guide-search").isVisible()).toBe(false);
  });
});

describe.skipIf(!hasBrowser)("pages that update", () => {
  for (const look of LOOKS) {
    test(`at ${look.width} pixels, a feed's page shows a push, and keeps what one has set`, async () => {
      const page = await open(`/feeds/${quakes.slug}`, look);
      await whenLive(page);
      const rows = page.locator("#rows tbody tr");
      const before = await rows.count();
      const how = page.getByRole("group", { name: "How to read it" });
      await how.getByRole("radio", { name: "Python" }).check();
      await page.locator("figure.chart[data-rows] canvas").waitFor();
      await page.locator(".chart > details summary").click();
      const magnitude = look.width === 390 ? 9.3 : 9.1;
      await push(magnitude);
      await page.locator("#rows td", { hasText: String(magnitude) }).waitFor();
      expect(await rows.count()).toBe(before + 1);
      expect(await how.getByRole("radio", { name: "Python" }).isChecked()).toBe(true);
      expect(await page.evaluate("document.activeElement.tagName")).toBe("SUMMARY");
      expect(await page.locator(".chart > details").last().getAttribute("open")).not.toBeNull();
      expect(await page.locator("figure.chart canvas").count()).toBe(2);
      // The code kept its one button.
      expect(await page.locator(".copy .copy").count()).toBe(0);
      expect(await page.locator("main time").first().textContent()).toMatch(LOCAL_TIME);
      expect(await live(page).textContent()).toContain("Live · updated");
      await examine(page, "live");
    });
  }

  test("a hidden page is not connected, and is up to date when it is seen again", async () => {
    const page = await open(`/feeds/${quakes.slug}`);
    await whenLive(page);
    const hide = (state: string) =>
      page.evaluate(
        `Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));`,
      );
    const { viewers } = gateway.gateway.services;
    await hide("hidden");
    for (let tries = 0; viewers.open > 0 && tries < 200; tries++) await Bun.sleep(10);
    expect(viewers.open).toBe(0);
    await push(8.8);
    await hide("visible");
    await page.locator("#rows td", { hasText: "8.8" }).first().waitFor();
  });

  test("without JavaScript a page is not connected", async () => {
    const page = await open(`/feeds/${quakes.slug}`, { hasJavaScript: false });
    expect(await page.locator("h1").textContent()).toBe("Earthquakes worldwide");
    await Bun.sleep(300);
    expect(gateway.gateway.services.viewers.open).toBe(0);
  });

  test("a provider's page of a feed shows a push in its history, until one signs out elsewhere", async () => {
    const page = await open("/console/sign-in");
    await signIn(page, write);
    await page.goto(`${gateway.baseUrl}/console/feeds/${quakes.feedId}`);
    await whenLive(page);
    const history = page.getByRole("list", { name: "Pushes" }).locator("li");
    const before = await history.count();
    await push(7);
    await history.nth(before).waitFor();
    // What is typed is not put elsewhere by a newer page.
    const box = page.locator("main textarea").first();
    const sample = await box.inputValue();
    await box.fill('{"id": "mine"}');
    const shown = await history.count();
    await push(7.05);
    await Bun.sleep(300);
    expect([await history.count(), await box.inputValue()]).toEqual([shown, '{"id": "mine"}']);
    await box.fill(sample);
    await push(7.07);
    await history.nth(shown + 1).waitFor();
    await gateway.sql`delete from console_sessions`;
    await push(7.1);
    await live(page).waitFor({ state: "hidden" });
    expect(gateway.gateway.services.viewers.open).toBe(0);
  });

  test("the answer of “Try it” says that there is new data, and reads again when one wants it", async () => {
    const page = await open("/console/sign-in", { width: 390 });
    await signIn(page, await gateway.createKey(owner, "read"));
    await page.goto(`${gateway.baseUrl}/console/catalog/${quakes.feedId}`);
    await page.getByRole("button", { name: "Read", exact: true }).click();
    await page.locator("#rows").waitFor();
    await whenLive(page);
    const note = page.locator("[data-live-note]");
    expect(await note.isVisible()).toBe(false);
    await push(6.6);
    await note.waitFor();
    await examine(page, "try");
    await note.getByRole("button", { name: "Read again" }).click();
    await page.locator("#rows td", { hasText: "6.6" }).first().waitFor();
  });

  test("the operators' overview shows a feed that waits for review", async () => {
    const page = await open("/console/sign-in");
    await signIn(page, (await insertAdminKey(gateway)).key);
    await whenLive(page);
    const draft = await seedFeed(gateway, owner, {
      type: "stream",
      rows: [],
      name: "Waits for review",
    });
    await gateway.sql`update feeds set review = 'waiting' where feed_id = ${draft.feedId}`;
    await page.getByRole("link", { name: "Waits for review" }).first().waitFor();
    await examine(page, "overview");
  });
});
