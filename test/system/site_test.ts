import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { GUIDE_TOPICS } from "../../src/pages/docs/guide_texts.ts";
import { SERVED_FILES } from "../../src/pages/layout/assets.ts";
import { violationsOf } from "../support/axe.ts";
import { hasBrowser, inLooks, type Look, launchBrowser, openWatched } from "../support/browser.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { seedFeed } from "../support/seed.ts";

/** Where to put screenshots of all pages, if somebody wants to look at them. */
const { SCREENSHOTS } = process.env;
const HOSTILE = `<script>alert(1)</script><img src=x onerror=alert(1)>"'${"w".repeat(90)}\u202e`;

let gateway: TestGateway;
let slug: string;
let hostile: string;
let hostileId: string;
let quakes: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  const owner = await gateway.createAccount();
  const seed = { type: "stream", isPublic: true } as const;
  const rows = [{ id: 1, event_timestamp: "2026-01-01T00:00:00Z", usd: 1 }];
  const gold = await seedFeed(gateway, owner, {
    ...seed,
    rows,
    name: "Gold",
    callPriceNanos: 1_500,
  });
  slug = gold.slug;
  await gateway.sql`
    insert into pushes (feed_id, pushed_at, stored, rows_received, rows_inserted, rows_updated,
      rows_duplicate, body_bytes, duration_ms)
    select ${gold.feedId}, now() - make_interval(days => day), true, 1, 1, 0, 0, 10, 1
    from generate_series(0, 20) as days (day), generate_series(1, 3) as times (push)`;
  // Free, so its page shows rows, a chart and a map.
  const shown = await seedFeed(gateway, owner, {
    ...seed,
    name: "Earthquakes",
    rows: Array.from({ length: 60 }, (_, place) => ({
      id: place,
      event_timestamp: new Date(Date.UTC(2018, 0, 1, place)).toISOString(),
      magnitude: (place % 7) / 2,
      depth: place,
      [HOSTILE]: HOSTILE,
      nested: { [HOSTILE]: [HOSTILE, null] },
      geometry: { type: "Point", coordinates: [place * 5 - 150, place - 30] },
    })),
  });
  quakes = shown.slug;
  const odd = await seedFeed(gateway, owner, {
    ...seed,
    rows,
    name: HOSTILE,
    oneTimePriceCents: 500,
  });
  hostile = odd.slug;
  hostileId = odd.feedId;
  const readme = `# ${HOSTILE}\n\n| a | b |\n|---|---|\n| ${HOSTILE} | x |\n\n    code ${HOSTILE}\n`;
  await gateway.sql`
    update feeds set description = ${HOSTILE}, readme_md = ${readme}, category = ${HOSTILE.slice(0, 99)},
      update_frequency_text = ${HOSTILE.slice(0, 99)},
      sample_response = ${JSON.stringify({ id: 1, text: HOSTILE })}::json
    where feed_id = ${odd.feedId}`;
});
afterAll(() => gateway.stop());

function paths(): string[] {
  return [
    "/",
    "/?q=gold",
    "/?q=nothing+at+all",
    `/feeds/${slug}`,
    `/feeds/${hostile}`,
    `/feeds/${quakes}`,
    "/feeds/none",
    "/billing",
    `/billing?feed_id=${hostileId}`,
    "/docs/guides",
    "/docs/guides/agents",
    "/docs/guides/connect",
    "/docs/guides/operators",
    "/docs",
    "/docs/errors",
    "/docs/reference/agents",
    "/docs/reference/operators",
    "/docs/try",
  ];
}

/** Of a page of dozens of operations, all built of the same parts: the first ones of each section. */
const FIRST_OPERATIONS = "{ exclude: [['.operation ~ .operation ~ .operation']] }";

/** What axe examines of pages that it would take long for, as a context of axe. */
const EXAMINED: Readonly<Record<string, string>> = {
  "/docs/reference/agents": FIRST_OPERATIONS,
  "/docs/reference/operators": FIRST_OPERATIONS,
  "/docs/try": "{ include: [['.opblock.is-open']] }",
};

describe.skipIf(!hasBrowser)("public pages in a browser", () => {
  let browser: Browser;
  const complaints: (readonly string[])[] = [];

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  async function open(look?: Look): Promise<Page> {
    const watched = await openWatched(browser, gateway.baseUrl, look);
    complaints.push(watched.complaints);
    return watched.page;
  }

  /** One with parameters, and one with a body that can be edited, each with all its answers. */
  async function openOperations(page: Page): Promise<void> {
    for (const id of ["searchFeeds", "buyFeed"]) {
      const operation = page.locator(`.opblock[id$="-${id}"]`);
      await operation.locator(".opblock-summary-control").click();
      await operation.locator(".responses-table pre").first().waitFor();
    }
    const body = page.locator('.opblock[id$="-buyFeed"]');
    await body.locator("button.try-out__btn").click();
    await body.locator("textarea").first().waitFor();
  }

  /** What sticks out depends on the width, and colours on the scheme. Screenshots are of all four. */
  const LOOKS: readonly Look[] = [
    { width: 1_400, scheme: "light" },
    { width: 390, scheme: "dark" },
    ...(SCREENSHOTS === undefined
      ? []
      : ([
          { width: 1_400, scheme: "dark" },
          { width: 390, scheme: "light" },
        ] as const)),
  ];

  test("at each width and in each scheme nothing sticks out, and axe finds nothing serious", async () => {
    const page = await open(LOOKS[0]);
    const addresses = paths().map((path) => gateway.baseUrl + path);
    for await (const { address, look, isFirst } of inLooks(page, addresses, LOOKS)) {
      const path = address.slice(gateway.baseUrl.length);
      const name = `${path} at ${look.width} pixels, ${look.scheme}`;
      if (path === "/docs/try" && isFirst) await openOperations(page);
      const over = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect([name, over]).toEqual([name, 0]);
      if (SCREENSHOTS !== undefined) {
        const file = `${path.replace(/[^a-z]+/g, "_")}-${look.width}-${look.scheme}.png`;
        const isWhole = path !== "/docs/try";
        await page.screenshot({ path: `${SCREENSHOTS}/${file}`, fullPage: isWhole });
      }
      const where = EXAMINED[path] ?? "document";
      const violations = await violationsOf(page, { where, isSeriousOnly: true });
      expect([name, violations]).toEqual([name, []]);
    }
    await page.context().close();
  });

  test("at 1,400 pixels every table of the guides is seen whole", async () => {
    const page = await open({ width: 1_400 });
    for (const guide of Object.keys(GUIDE_TOPICS)) {
      await page.goto(`${gateway.baseUrl}/docs/guides/${guide}`);
      const cut = await page.evaluate(
        "[...document.querySelectorAll('.markdown .scroll')].filter((table) => table.scrollWidth > table.clientWidth + 1).map((table) => table.innerText.slice(0, 80))",
      );
      expect([guide, cut]).toEqual([guide, []]);
    }
    await page.context().close();
  });

  test("a guide has its contents once at each width: beside the text, or folded above it", async () => {
    for (const hasJavaScript of [true, false]) {
      const page = await open({ hasJavaScript });
      await page.goto(`${gateway.baseUrl}/docs/guides/connect`);
      const beside = page.locator("nav.contents");
      const above = page.locator("details.contents-above");
      const link = above.getByRole("link", { name: "Claude Code", exact: true });
      for (const width of [390, 768, 1_000, 1_080, 1_081, 1_400]) {
        await page.setViewportSize({ width, height: 900 });
        const shown = [await beside.isVisible(), await above.isVisible()];
        expect([width, ...shown]).toEqual([width, width > 1_080, width <= 1_080]);
      }
      await page.setViewportSize({ width: 390, height: 900 });
      expect(await link.isVisible()).toBe(false);
      await above.locator("summary").click();
      await link.click();
      expect(new URL(page.url()).hash).toBe("#claude-code");
      await page.context().close();
    }
  });

  test("a feed's chart is drawn from its table, also after the window changed", async () => {
    const page = await open({ width: 1_400 });
    await page.goto(`${gateway.baseUrl}/feeds/${slug}`);
    await page.locator(".chart canvas").waitFor();
    await page.setViewportSize({ width: 390, height: 900 });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.waitForFunction("document.querySelector('.chart canvas').clientWidth < 390");
    expect(await page.locator(".chart canvas").count()).toBe(1);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    await page.locator(".chart summary").click();
    expect(await page.locator(".chart details tbody tr").count()).toBe(30);
    await page.context().close();
  });

  test("rows are drawn by the field that one chooses, and on a map", async () => {
    const page = await open({ width: 390, scheme: "dark" });
    await page.goto(`${gateway.baseUrl}/feeds/${quakes}`);
    const chart = page.locator("figure[data-rows]");
    await chart.locator("canvas").waitFor();
    const legend = chart.locator(".u-legend");
    expect(await legend.textContent()).toContain("magnitude");
    await chart.locator("select").selectOption({ label: "depth" });
    await legend.getByText("depth").waitFor();
    expect(await chart.locator("canvas").count()).toBe(1);
    expect(await page.locator(".map circle").count()).toBe(50);
    const outline = await page.evaluate(
      "fetch(document.querySelector('.map image').href.baseVal).then((answer) => answer.text())",
    );
    expect(outline).toContain("Natural Earth");
    await page.context().close();
  });

  test("tabs work by keyboard and without JavaScript, and show one part each", async () => {
    for (const hasJavaScript of [true, false]) {
      const page = await open({ width: 390, hasJavaScript });
      await page.goto(`${gateway.baseUrl}/feeds/${quakes}`);
      const group = page.getByRole("group", { name: "How to read it" });
      const shown = () => page.locator(".tabs:has([name=how]) > .tab:visible").allTextContents();
      expect((await shown()).join()).toContain("curl -H");
      await group.getByRole("radio", { name: "curl" }).focus();
      for (const [name, text] of [
        ["TypeScript", "feedgate.rows("],
        ["Python", "urllib.request"],
        ["MCP", "/mcp"],
        ["Skill", "SKILL.md"],
      ] as const) {
        await page.keyboard.press("ArrowRight");
        expect(await group.getByRole("radio", { name }).isChecked()).toBe(true);
        const parts = await shown();
        expect([name, parts.length]).toEqual([name, 1]);
        expect(parts[0]).toContain(text);
      }
      const table = page.locator("#rows");
      expect(await table.isVisible()).toBe(true);
      await page.getByRole("group", { name: "View" }).getByRole("radio", { name: "JSON" }).check();
      expect(await table.isVisible()).toBe(false);
      expect(await page.locator("figure[data-rows]").isVisible()).toBe(hasJavaScript);
      await page.context().close();
    }
  });

  test("by keyboard: past the header to the content, and through a search", async () => {
    const page = await open({ width: 390 });
    await page.goto(gateway.baseUrl);
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toContain("Skip");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.id")).toBe("q");
    await page.keyboard.type("gold");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/?q=gold");
    expect(await page.locator("main").textContent()).toContain("Gold");
    await page.context().close();
  });

  test("without JavaScript each page is whole: figures as a table, times in UTC, no dead buttons", async () => {
    const page = await open({ width: 390, hasJavaScript: false });
    for (const path of paths()) {
      await page.goto(gateway.baseUrl + path);
      expect([path, await page.locator("main h1").count()]).toEqual([path, 1]);
    }
    await page.goto(`${gateway.baseUrl}/feeds/${slug}`);
    expect(await page.locator("main").textContent()).toMatch(/\d\d:\d\d UTC/);
    expect(await page.locator(".plot").isVisible()).toBe(false);
    await page.locator(".chart summary").click();
    expect(await page.locator(".chart details tbody tr").first().isVisible()).toBe(true);
    expect(await page.locator(".copy button").count()).toBe(0);
    await page.context().close();
  });

  test("a page with everything is under 60 KB over the wire, and asks for its files once", async () => {
    const html = await (
      await fetch(`${gateway.baseUrl}/feeds/${hostile}`, {
        headers: { "Accept-Encoding": "identity" },
      })
    ).text();
    const files = [...html.matchAll(/(?:src|href)="\.\.(\/assets\/[^"]+)"/g)].map(
      ([, path]) => path,
    );
    let bytes = Bun.gzipSync(html).length;
    for (const path of files) {
      const file = await fetch(gateway.baseUrl + path);
      expect(file.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      bytes += Bun.gzipSync(new Uint8Array(await file.arrayBuffer())).length;
    }
    expect(files.length).toBe(6);
    expect(bytes).toBeLessThan(60 * 1_024);
  });

  test("all scripts and styles of all pages are under 60 KB over the wire", async () => {
    const own = [...SERVED_FILES.values()].filter(({ type }) => type !== "image/svg+xml");
    let bytes = own.reduce((sum, { text }) => sum + Bun.gzipSync(text).length, 0);
    for (const name of ["docs.css", "docs.js"]) {
      const file = await fetch(`${gateway.baseUrl}/docs/assets/${name}`);
      bytes += Bun.gzipSync(new Uint8Array(await file.arrayBuffer())).length;
    }
    expect(bytes).toBeLessThan(60 * 1_024);
  });

  test("no page asked another host, and the browser logged nothing", () => {
    // The browser says so of every 404.
    const isExpected = /\/feeds\/none: .*\b404\b/;
    expect(complaints.flat().filter((each) => !isExpected.test(each))).toEqual([]);
  });
});
