import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { HOSTILE, type Scene, setScene } from "../../../pages/console/scene.ts";
import { dangersIn, signIn } from "../../../pages/console/support.ts";
import { invite, join } from "../../../people/support.ts";
import { violationsOf } from "../../../support/axe.ts";
import {
  hasBrowser,
  inLooks,
  type Look,
  launchBrowser,
  openWatched,
  type Watched,
} from "../../../support/browser.ts";
import { startTestGateway, type TestGateway } from "../../../support/gateway.ts";
import { countSales } from "../../../support/run_job.ts";

/** Pages that one walk looks at; a list of many entries is one page of each kind. */
const PAGES_MAX = 60;

/** What every page says to browsers. */
const UNFRAMED = {
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};
/** Gzipped: a page with everything and its files. */
const PAGE_BYTES_MAX = 60 * 1_024;

let gateway: TestGateway;
let scene: Scene;
/** The console of a person who owns the provider's account, on a process that sends mail. */
let person: Visited;

/** A gateway, and the cookie of whoever is signed in there. */
interface Visited {
  readonly baseUrl: string;
  readonly cookie: string;
}

beforeAll(async () => {
  gateway = await startTestGateway();
  scene = await setScene(gateway);
  const { baseUrl } = await gateway.startPeer({
    FEEDGATE_SMTP_URL: "smtp://127.0.0.1:1",
    FEEDGATE_MAIL_FROM: "gate@example.com",
  });
  const { adminKey: admin, providerAccount: account } = scene;
  const address = "ada@example.com";
  await invite(gateway, { admin, account, address, role: "owner" });
  await invite(gateway, { admin, account, address: "guest@example.com", role: "member" });
  const at = await join({ ...gateway, baseUrl }, address, { name: HOSTILE, accepts: true });
  person = { baseUrl, cookie: at.cookie() };
});
afterAll(() => gateway.stop());

/** An address without what tells two pages of the same kind apart. */
function kindOf(address: URL): string {
  const path = address.pathname.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID");
  return `${path}?${[...address.searchParams.keys()].sort().join("&")}`;
}

/** Whoever signs in with a key. */
async function visited(key: string): Promise<Visited> {
  const { baseUrl } = gateway;
  return { baseUrl, cookie: (await signIn(baseUrl, key)).cookie };
}

/** The walks of those who set the scene, which no test here changes. */
const walks = new Map<string | Visited, Promise<ReadonlyMap<string, string>>>();

/** What `walk` finds, which is asked for once. */
function pagesOf(who: string | Visited): Promise<ReadonlyMap<string, string>> {
  const known = walks.get(who);
  if (known !== undefined) return known;
  const walking = walk(who);
  walks.set(who, walking);
  return walking;
}

/** Every kind of page that links of a session lead to: address and HTML. */
async function walk(who: string | Visited): Promise<ReadonlyMap<string, string>> {
  const { baseUrl, cookie } = typeof who === "string" ? await visited(who) : who;
  const pages = new Map<string, string>();
  const kinds = new Set<string>();
  const todo = [new URL("/console", baseUrl)];
  for (let next = todo.shift(); next !== undefined; next = todo.shift()) {
    if (kinds.has(kindOf(next)) || kinds.size >= PAGES_MAX) continue;
    kinds.add(kindOf(next));
    const answer = await fetch(next, { headers: { cookie } });
    expect([next.href, answer.status]).toEqual([next.href, 200]);
    expect([next.href, Object.fromEntries(answer.headers)]).toMatchObject([
      next.href,
      next.pathname === "/billing" ? UNFRAMED : { ...UNFRAMED, "cache-control": "no-store" },
    ]);
    expect(answer.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(answer.headers.has("set-cookie")).toBe(false);
    const html = await answer.text();
    // A statement is a file.
    if (!answer.headers.get("content-type")?.startsWith("text/html")) continue;
    pages.set(next.href, html);
    for (const [, href = ""] of html.matchAll(/<a[^>]* href="([^"#]*)/g)) {
      const address = new URL(href.replaceAll("&amp;", "&"), next);
      // The footer's links are public, and have pages and tests of their own.
      if (/^\/(console|billing)/.test(address.pathname)) todo.push(address);
    }
  }
  return pages;
}

describe("every page of every role", () => {
  test("a page of one account shows nothing of another's", async () => {
    const { foreignMarker, foreignAccount, foreignFeed } = scene;
    for (const key of [scene.consumerKey, scene.providerKey, person]) {
      const pages = await pagesOf(key);
      expect(pages.size).toBeGreaterThan(4);
      for (const [address, html] of pages) {
        const shown = [foreignMarker, foreignAccount, foreignFeed].filter((mark) =>
          html.includes(mark),
        );
        expect([address, shown]).toEqual([address, []]);
      }
    }
  });

  test("a stranger's texts run nowhere and stay where they belong", async () => {
    for (const key of [scene.adminKey, scene.consumerKey, scene.providerKey, person]) {
      for (const [address, html] of await pagesOf(key)) {
        expect([address, dangersIn(html)]).toEqual([address, []]);
        // Characters that would turn the text around. An input shows what there is, so that it can be corrected.
        const shown = html.replace(/ value="[^"]*"|<textarea.*?<\/textarea>/gs, "");
        expect([address, shown.match(/.{0,60}\u202e/)?.[0]]).toEqual([address, undefined]);
      }
    }
  });

  test("a page with its style and scripts is under 60 KB over the wire", async () => {
    const sizes = new Map<string, number>();
    const sizeOf = async (file: URL) => {
      const bytes = new Uint8Array(await (await fetch(file)).arrayBuffer());
      const size = sizes.get(file.pathname) ?? Bun.gzipSync(bytes).length;
      sizes.set(file.pathname, size);
      return size;
    };
    for (const key of [scene.adminKey, scene.consumerKey, scene.providerKey]) {
      for (const [address, html] of await pagesOf(key)) {
        let size = Bun.gzipSync(html).length;
        for (const [, path = ""] of html.matchAll(/(?:src|href)="([^"]*\/assets\/[^"]+)"/g)) {
          size += await sizeOf(new URL(path, address));
        }
        expect([address, size < PAGE_BYTES_MAX]).toEqual([address, true]);
      }
    }
    // The stylesheets, the scripts and the icon.
    expect(sizes.size).toBe(6);
  });

  test("what was deleted or suspended is named without a link, in the lists of who bought or sold it", async () => {
    const owner = await gateway.createAccount({ name: "Owner" });
    const buyer = await gateway.createAccount({ credits: 2_000_000, name: "Buyer" });
    const [write, read] = [
      await gateway.createKey(owner, "write"),
      await gateway.createKey(buyer, "read"),
    ];
    const ids: string[] = [];
    for (const slug of ["gone-later", "suspended-later"]) {
      const price = { price_type: "one_time", one_time_price_cents: 100 };
      const body = { name: slug, endpoint_path: slug, feed_type: "collection", ...price };
      const created = await gateway.send("POST", "/v1/provider/feed/create", write, body);
      const { id } = (await created.json()) as { id: string };
      const rows = { payload: [{ id: "1" }] };
      await gateway.send("POST", `/v1/provider/feed/${id}/push`, write, rows);
      const most = { max_credits: 1_000_000 };
      const bought = await gateway.send("POST", `/v1/feed/${id}/purchase`, read, most);
      expect(bought.status).toBe(201);
      ids.push(id);
    }
    await countSales(gateway.sql);
    const [gone, suspended] = ids;
    const operator = await signIn(gateway.baseUrl, scene.adminKey);
    await operator.act(`/feeds/${gone}`, { act: "delete" });
    await operator.act(`/feeds/${suspended}`, { act: "suspend", reason: "test" });
    for (const [key, paths] of [
      [read, ["", "/usage", "/purchases"]],
      [write, ["/earnings"]],
    ] as const) {
      // Each link of each page leads to a page.
      await walk(key);
      const who = await signIn(gateway.baseUrl, key);
      for (const path of paths) {
        expect([path, await (await who.get(path)).text()]).toEqual([
          path,
          expect.stringContaining("gone-later"),
        ]);
      }
    }
  });

  test("a page that there is not keeps the visitor's menu", async () => {
    const who = await signIn(gateway.baseUrl, scene.adminKey);
    for (const [path, answer] of [
      ["/catalog", await who.get("/catalog")],
      ["/accounts/none", await who.get("/accounts/none")],
      ["/money", await who.post("/money", { act: "none" })],
    ] as const) {
      const html = await answer.text();
      expect([path, answer.status]).toEqual([path, path === "/money" ? 400 : 404]);
      expect(html).toContain("(operator)");
      expect(html).toContain('href="../');
      expect(html).toContain("Find a key</a>");
    }
  });

  test("another account's feed, account or key is not found by its address", async () => {
    for (const key of [scene.consumerKey, scene.providerKey]) {
      const { cookie } = await signIn(gateway.baseUrl, key);
      for (const path of [
        `/accounts/${scene.foreignAccount}`,
        `/feeds/${scene.foreignFeed}`,
        `/accounts/${scene.consumerAccount}`,
      ]) {
        const answer = await fetch(`${gateway.baseUrl}/console${path}`, { headers: { cookie } });
        expect([path, await answer.text()]).toEqual([
          path,
          expect.not.stringContaining(scene.foreignMarker),
        ]);
        expect([path, [403, 404].includes(answer.status)]).toEqual([path, true]);
      }
    }
  });
});

describe.skipIf(!hasBrowser)("every page in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  const LOOKS: readonly Look[] = [
    { width: 1400, scheme: "light" },
    { width: 390, scheme: "dark" },
  ];

  test("person: pages fit both widths, axe finds nothing, and the browser complains about nothing", async () => {
    const addresses = [...(await pagesOf(person)).keys(), `${person.baseUrl}/console/sign-in`];
    expect(addresses.length).toBeGreaterThan(12);
    const [name = "", value = ""] = person.cookie.split("=");
    const watched = await openWatched(browser, person.baseUrl, LOOKS[0]);
    await watched.context.addCookies([{ name, value, url: person.baseUrl, sameSite: "Strict" }]);
    await lookAt(watched, addresses);
  });

  /** Looks at each page, and closes the browser's window. */
  async function lookAt(
    { context, page, complaints }: Watched,
    addresses: readonly string[],
  ): Promise<void> {
    for await (const { address, look } of inLooks(page, addresses, LOOKS)) {
      const place = `${look.width} ${look.scheme} ${address}`;
      const over = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect([place, over]).toEqual([place, 0]);
      expect([place, await violationsOf(page)]).toEqual([place, []]);
    }
    expect(complaints).toEqual([]);
    await context.close();
  }

  for (const role of ["admin", "provider", "consumer"] as const) {
    test(`${role}: pages fit both widths, axe finds nothing, and the browser complains about nothing`, async () => {
      const key = scene[`${role}Key`];
      const addresses = [...(await pagesOf(key)).keys()];
      const watched = await openWatched(browser, gateway.baseUrl, LOOKS[0]);
      const { page } = watched;
      await page.goto(`${gateway.baseUrl}/console/sign-in`);
      await page.fill("#key", key);
      await page.press("#key", "Enter");
      await page.waitForURL(`${gateway.baseUrl}/console`);
      await lookAt(watched, addresses);
    });
  }

  test("a gateway's pages work without JavaScript: sign in, look, sign out", async () => {
    const look = { width: 390, hasJavaScript: false } as const;
    const { context, page } = await openWatched(browser, gateway.baseUrl, look);
    await page.goto(`${gateway.baseUrl}/console`);
    await page.fill("#key", scene.adminKey);
    await page.click("main button[type=submit]");
    await page.waitForURL(`${gateway.baseUrl}/console`);
    // The charts' figures are there as tables.
    await page.locator("figure.chart details summary").first().click();
    expect(await page.locator("figure.chart table").first().isVisible()).toBe(true);
    await page.click("text=Sign out");
    await page.waitForURL(`${gateway.baseUrl}/console/sign-in`);
    await context.close();
  });
});
