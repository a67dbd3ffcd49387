/**
 * Access in a browser: a consumer asks, the provider approves, the consumer reads; a request is declined with a reason;
 * access is taken back while a follower is open.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { HOSTILE } from "../../../pages/console/scene.ts";
import { createAdmin } from "../../../pages/console/support.ts";
import { violationsOf } from "../../../support/axe.ts";
import { hasBrowser, type Look, launchBrowser, openWatched } from "../../../support/browser.ts";
import { startTestGateway, type TestGateway } from "../../../support/gateway.ts";

/** The contract's, for a follower whose access has ended, and some time for a slow machine. */
const FOLLOWER_MS_MAX = 15_000 + 5_000;

let gateway: TestGateway;
let admin: string;
let providerKey: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  admin = await createAdmin(gateway);
  const owner = await gateway.createAccount({ name: "Provider" });
  providerKey = await gateway.createKey(owner, "write");
});
afterAll(() => gateway.stop());

/** A listed stream by request with an event. */
async function makeStream(): Promise<{ id: string; slug: string }> {
  const slug = `stream-${crypto.randomUUID().slice(0, 8)}`;
  const created = await gateway.send("POST", "/v1/provider/feed/create", providerKey, {
    name: `Stream ${HOSTILE}`,
    endpoint_path: slug,
    feed_type: "stream",
    access: "by_request",
    sample_response: { id: "sample" },
  });
  const { id } = (await created.json()) as { id: string };
  const push = `/v1/provider/feed/${id}/push`;
  const rows = [{ id: "event-1", event_timestamp: new Date().toISOString() }];
  expect((await gateway.send("POST", push, providerKey, { payload: rows })).status).toBe(200);
  const publish = `/v1/operator/feeds/${id}/publish`;
  expect((await gateway.send("POST", publish, admin, {})).status).toBe(200);
  return { id, slug };
}

const LOOKS: readonly Look[] = [
  { width: 1400, scheme: "light" },
  { width: 390, scheme: "dark", hasJavaScript: false },
];

for (const look of LOOKS) {
  const name = `${look.width} px, ${look.scheme}${look.hasJavaScript === false ? ", without JavaScript" : ""}`;
  describe.skipIf(!hasBrowser)(`access at ${name}`, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchBrowser();
    });
    afterAll(() => browser?.close());

    /** Signs in, and sees that all that `work` looks at fits and complains about nothing. */
    async function as(key: string, work: (page: Page) => Promise<void>): Promise<void> {
      const { context, page, complaints } = await openWatched(browser, gateway.baseUrl, look);
      await page.goto(`${gateway.baseUrl}/console/sign-in`);
      await page.fill("#key", key);
      await page.press("#key", "Enter");
      await page.waitForURL(`${gateway.baseUrl}/console`);
      await work(page);
      expect(complaints).toEqual([]);
      await context.close();
    }

    const go = async (page: Page, path: string) => {
      await page.goto(`${gateway.baseUrl}/console${path}`);
      const over = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect([path, over]).toEqual([path, 0]);
      // It is a script, so it runs only where scripts do.
      if (look.hasJavaScript === false) return;
      expect([path, await violationsOf(page)]).toEqual([path, []]);
    };
    const press = async (page: Page, button: string) => {
      await page.locator(`main button:text-is("${button}")`).first().click();
    };
    const told = (page: Page) => page.locator('.note-box[role="status"]').first().textContent();
    const main = async (page: Page) => (await page.locator("main").textContent()) ?? "";

    test("a consumer asks, the provider approves, the consumer reads; then it is taken back while a follower is open", async () => {
      const { id, slug } = await makeStream();
      const account = await gateway.createAccount({ name: `Consumer ${HOSTILE}` });
      const key = await gateway.createKey(account, "read");
      const read = async () => (await gateway.get(`/v1/feed/${slug}`, key)).status;
      expect(await read()).toBe(403);
      await as(key, async (page) => {
        await go(page, `/catalog?q=${slug}`);
        await go(page, `/catalog/${id}`);
        expect(await page.locator("#try").count()).toBe(0);
        await page.fill("#message", `For a map.\n${HOSTILE}`);
        await press(page, "Ask for access");
        expect(await told(page)).toContain("Your request was sent to the provider");
        await go(page, `/catalog/${id}`);
        expect(await main(page)).toContain("For a map.");
      });
      await as(providerKey, async (page) => {
        await go(page, "");
        await page.locator('a[href$="/readers"]').first().click();
        await page.waitForURL("**/readers");
        await go(page, `/feeds/${id}/readers`);
        expect(await main(page)).toContain("For a map.");
        await page.locator('article input[name="is_free"]').first().check();
        await press(page, "Approve");
        expect(await told(page)).toContain("can now read the feed");
        await go(page, `/feeds/${id}/readers`);
        expect(await main(page)).toContain("No pending requests");
      });
      expect(await read()).toBe(200);
      await as(key, async (page) => {
        await go(page, "/access");
        await page.locator(`a[href$="/catalog/${id}"]`).first().click();
        await page.waitForURL(`**/catalog/${id}`);
        expect(await main(page)).toContain("has granted this account access");
        await press(page, "Read");
        expect(await page.locator("#rows").textContent()).toContain("event-1");
      });

      const follower = await gateway.get(`/v1/feed/${slug}/stream?live=sse`, key);
      expect(follower.status).toBe(200);
      const followed = follower.text();
      await as(providerKey, async (page) => {
        await go(page, `/feeds/${id}/readers`);
        await press(page, "End access");
        expect(await main(page)).toContain("Its next read will be refused");
        await press(page, "Confirm");
        expect(await told(page)).toContain("Access ended.");
      });
      expect(await read()).toBe(403);
      const endedMs = performance.now();
      expect(await followed).toContain("event-1");
      expect(performance.now() - endedMs).toBeLessThan(FOLLOWER_MS_MAX);
    });

    test("a request is declined with a reason, which the consumer sees, with the time to ask again", async () => {
      const { id } = await makeStream();
      const account = await gateway.createAccount({ name: "Declined" });
      const key = await gateway.createKey(account, "read");
      await as(key, async (page) => {
        await go(page, `/catalog/${id}`);
        await press(page, "Ask for access");
        expect(await told(page)).toContain("Your request was sent to the provider");
      });
      await as(providerKey, async (page) => {
        await go(page, `/feeds/${id}/readers`);
        await page.locator("article summary").first().click();
        await page.fill('article textarea[name="reason"]', `Only for schools. ${HOSTILE}`);
        await press(page, "Decline");
        expect(await main(page)).toContain("The request from Declined will be declined");
        await press(page, "Cancel");
        expect(await page.inputValue('article textarea[name="reason"]')).toContain(
          "Only for schools",
        );
        await press(page, "Decline");
        await press(page, "Confirm");
        expect(await told(page)).toContain("Declined.");
        await go(page, `/feeds/${id}/readers?answered`);
        expect(await main(page)).toContain("Only for schools.");
      });
      await as(key, async (page) => {
        for (const path of [`/catalog/${id}`, "/access"]) {
          await go(page, path);
          expect(await main(page)).toContain("Only for schools.");
        }
        await go(page, `/catalog/${id}`);
        expect(await main(page)).toContain("You can ask again from");
        expect(await page.locator('button:has-text("Ask for access")').count()).toBe(0);
      });
    });

    test("the provider chooses who may read a feed", async () => {
      const { id, slug } = await makeStream();
      const page = () => fetch(`${gateway.baseUrl}/feeds/${slug}`).then(({ status }) => status);
      expect(await page()).toBe(200);
      await as(providerKey, async (at) => {
        await go(at, `/feeds/${id}`);
        await at.check('input[name="access"][value="invited"]');
        await press(at, "Change access");
        expect(await main(at)).toContain("no longer find the feed");
        await press(at, "Confirm");
        expect(await told(at)).toContain("Saved.");
        expect(await at.isChecked('input[name="access"][value="invited"]')).toBe(true);
      });
      // A page from memory is looked up again after a second.
      await Bun.sleep(1_100);
      expect(await page()).toBe(404);
    });
  });
}
