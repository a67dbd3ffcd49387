import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Readable } from "node:stream";
import type { Browser, Locator, Page } from "playwright-core";
import { type Scene, setScene } from "../../../pages/console/scene.ts";
import { signIn } from "../../../pages/console/support.ts";
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
let scene: Scene;

beforeAll(async () => {
  gateway = await startTestGateway();
  scene = await setScene(gateway);
});
afterAll(() => gateway.stop());

/** More than any page has to tab through. */
const TABS_MAX = 300;

type Fields = Readonly<Record<string, string>>;

async function balanceOf(account: string): Promise<number> {
  const rows = await gateway.sql`
    select balance_nanos from accounts where account_id = ${account}`;
  return Number(rows[0]?.balance_nanos) / 1_000;
}

/** Each width and scheme once, with and without JavaScript; `walk_test.ts` looks at every page in both. */
const LOOKS: readonly Look[] = [
  { width: 390, scheme: "dark" },
  { width: 1400, scheme: "light", hasJavaScript: false },
];

for (const [turn, look] of LOOKS.entries()) {
  const name = `${look.width} px, ${look.scheme}${look.hasJavaScript === false ? ", without JavaScript" : ""}`;
  describe.skipIf(!hasBrowser)(`jobs at ${name}`, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchBrowser();
    });
    afterAll(() => browser?.close());

    /** Signs in by keyboard alone, and looks on while `work` goes on. */
    async function as(key: string, work: (page: Page) => Promise<void>): Promise<void> {
      const { context, page, complaints } = await openWatched(browser, gateway.baseUrl, look);
      await page.goto(`${gateway.baseUrl}/console/sign-in`);
      await reach(page, page.locator("#key"));
      await page.keyboard.insertText(key);
      await page.keyboard.press("Enter");
      await page.waitForURL(`${gateway.baseUrl}/console`);
      await work(page);
      expect(complaints.filter((each) => !each.includes("status of 422"))).toEqual([]);
      await context.close();
    }

    const enter = async (page: Page) => {
      const loaded = page.waitForEvent("load");
      await page.keyboard.press("Enter");
      await loaded;
    };
    /** Tabs on until it is reached; without JavaScript a test can't see where the focus is. */
    const reach = async (page: Page, target: Locator) => {
      if (look.hasJavaScript === false) await target.focus();
      else await tabTo(page, target, TABS_MAX);
    };
    const press = async (page: Page, button: string) => {
      await reach(page, page.locator(`button:has-text("${button}")`).first());
      await enter(page);
    };
    /** Opens a part of the page that is folded. */
    const unfold = async (page: Page, summary: string) => {
      await reach(page, page.locator(`summary:has-text("${summary}")`).first());
      await page.keyboard.press("Enter");
    };
    const follow = async (page: Page, link: string) => {
      await reach(page, page.locator(link).first());
      await enter(page);
    };
    const fill = async (page: Page, field: string, text: string) => {
      await reach(page, page.locator(field));
      await page.keyboard.press("Control+A");
      if (text === "") await page.keyboard.press("Delete");
      else await page.keyboard.insertText(text);
    };
    /** Presses a button, reads what will happen, answers what it is asked, and agrees. */
    const confirm = async (page: Page, button: string, answers: Fields = {}): Promise<string> => {
      await press(page, button);
      const asked = (await page.locator(".note-box").textContent()) ?? "";
      for (const [name, value] of Object.entries(answers)) await fill(page, `#${name}`, value);
      await press(page, "Confirm");
      return asked;
    };
    const told = (page: Page) => page.locator('.note-box[role="status"]').first().textContent();
    const go = (page: Page, path: string) => page.goto(`${gateway.baseUrl}/console${path}`);

    /** A feed that waits for its review. */
    async function offer(): Promise<string> {
      const created = await gateway.send("POST", "/v1/provider/feed/create", scene.providerKey, {
        name: "Offered",
        endpoint_path: `offered-${crypto.randomUUID().slice(0, 8)}`,
        schema_definition: { type: "object", properties: { id: { type: "string" } } },
      });
      const { id } = (await created.json()) as { id: string };
      const push = `/v1/provider/feed/${id}/push`;
      const rows = [{ id: "row-to-look-at" }];
      await gateway.send("POST", push, scene.providerKey, { payload: rows });
      const edit = `/v1/provider/feed/${id}/edit`;
      await gateway.send("PATCH", edit, scene.providerKey, { request_review: true });
      return id;
    }

    test("operator: balances match the ledger; a waiting feed is looked at and published, another declined", async () => {
      const [good, bad] = [await offer(), await offer()];
      await as(scene.adminKey, async (page) => {
        expect(await page.locator("main").textContent()).toMatch(/ledger/i);
        await go(page, "/reviews");
        await follow(page, `a[href$="/feeds/${good}"]`);
        await page.waitForURL(`**/feeds/${good}`);
        expect(await page.locator("main").textContent()).toContain("row-to-look-at");
        expect(await confirm(page, "Publish")).toContain("catalog");
        expect(await told(page)).toContain("now listed");
        await go(page, `/feeds/${bad}`);
        await fill(page, "#reason", "no sample");
        expect(await confirm(page, "Decline")).toContain("no sample");
        expect(await told(page)).toContain("declined");
      });
      const rows = await gateway.sql`
        select feed_id, is_public, review, review_reason from feeds where feed_id in (${good}, ${bad})`;
      expect(rows.find((row) => row.feed_id === good)?.is_public).toBe(true);
      expect(rows.find((row) => row.feed_id === bad)).toMatchObject({ review_reason: "no sample" });
    });

    test("operator: credits are granted, a read is refunded, a leaked key is found and revoked", async () => {
      const leaked = await gateway.createKey(scene.consumerAccount, "read");
      const read = await gateway.get("/v1/feed/metered", leaked);
      const { _origin: origin } = (await read.json()) as { _origin: { usage_id: string } };
      const code = `LOOK${turn}`;
      const feedsMax = `${100 + turn}`;
      const promotion = { code, credits: 5 };
      await gateway.send("POST", "/v1/operator/promotions", scene.adminKey, promotion);
      const before = await balanceOf(scene.consumerAccount);
      await as(scene.adminKey, async (page) => {
        const account = `/accounts/${scene.consumerAccount}`;
        await go(page, `${account}/money`);
        await fill(page, "#usd_added", "0.0000125");
        await fill(page, "#reason", "a present");
        await press(page, "Add credits");
        expect(await told(page)).toContain("to the account's balance");
        await unfold(page, "Redeem a promotion code");
        await fill(page, "#code", code);
        await press(page, "Redeem");
        expect(await told(page)).toContain("redeemed");
        await go(page, `${account}/usage`);
        expect(await page.locator("main").textContent()).toContain("metered <script>");
        const refund = { refund_reason: "twice" };
        expect(await confirm(page, "Refund", refund)).toContain(origin.usage_id);
        expect(await told(page)).toContain("was refunded to the account");
        await go(page, `${account}/settings`);
        await fill(page, "#max_feeds", feedsMax);
        await press(page, "Save");
        expect(await told(page)).toContain("Saved");
        expect(await page.inputValue("#max_feeds")).toBe(feedsMax);
        await go(page, "/keys");
        await fill(page, "#key", leaked);
        await enter(page);
        expect(await page.locator("main").textContent()).toContain(leaked.slice(0, 12));
        expect(await page.content()).not.toContain(leaked.slice(16));
        expect(page.url()).not.toContain(leaked.slice(16));
        await fill(page, "#daily", "0.0002505");
        await press(page, "Save");
        expect(await told(page)).toContain("Saved");
        expect(await page.inputValue("#daily")).toBe("0.0002505");
        expect(await confirm(page, "Replace with a new key")).toContain("24 hours");
        expect(await page.locator("main pre").textContent()).toMatch(/^fg_read_\w{38}/);
        await go(page, "/keys");
        await fill(page, "#key", leaked);
        await enter(page);
        expect(await confirm(page, "Revoke")).toContain("next request");
      });
      expect(await balanceOf(scene.consumerAccount)).toBe(before + 12.5 + 500 + 5);
      expect((await gateway.get("/v1/account", leaked)).status).toBe(403);
    });

    test("provider: a file is pushed, a refused push says why, the listing is corrected, earnings are seen", async () => {
      const { waiting } = scene.feeds;
      await countSales(gateway.sql);
      const earned = await fetch(`${gateway.baseUrl}/v1/provider/earnings`, {
        headers: { authorization: `Bearer ${scene.providerKey}` },
      });
      const { totals } = (await earned.json()) as { totals: { net_usd: number } };
      await as(scene.providerKey, async (page) => {
        await go(page, `/feeds/${waiting}`);
        expect(await page.locator("main").textContent()).toContain("VALIDATION_FAILED");
        await go(page, `/feeds/${waiting}/push`);
        const file = (text: string) => ({
          name: "rows.json",
          mimeType: "application/json",
          buffer: Buffer.from(text),
        });
        await page.setInputFiles("#file", file('[{"id":"7","text":7}]'));
        await press(page, "Push");
        expect(await page.locator('[role="alert"]').textContent()).toContain(
          "row 1: /text: must be",
        );
        const id = `pushed-${turn}`;
        await page.setInputFiles("#file", file(`[{"id":"${id}","text":"seven"}]`));
        await press(page, "Push");
        expect(await page.locator("main").textContent()).toMatch(/New rows\s*1/);
        await press(page, "Confirm");
        expect(await page.locator("h1").textContent()).toBe("Stored");
        expect(await page.locator("main").textContent()).toMatch(/New rows\s*1/);
        await go(page, `/feeds/${waiting}/edit`);
        await fill(page, "#schema_definition", "{ no JSON");
        await fill(page, "#description", "These words stay.");
        await press(page, "Preview and save");
        expect(await page.inputValue("#description")).toBe("These words stay.");
        // Each takes more than the one before, so it surprises agents.
        const text = { type: ["string", "null"].slice(0, turn + 1) };
        const schema = { type: "object", properties: { id: {}, text } };
        await fill(page, "#schema_definition", JSON.stringify(schema));
        await fill(page, "#category", "");
        await fill(page, "#name", "Corrected");
        await press(page, "Preview and save");
        expect(await page.locator('[role="alert"]').textContent()).toContain(
          "increase the schema version",
        );
        await fill(page, "#schema_version", `${2_000 + turn}`);
        await press(page, "Preview and save");
        const preview = (await page.locator("main").textContent()) ?? "";
        expect(preview).toContain("Its new schema is breaking");
        expect(preview).toContain("Corrected");
        await press(page, "Cancel");
        expect(await page.inputValue("#name")).toBe("Corrected");
        expect(await confirm(page, "Preview and save")).toContain("Its new schema is breaking");
        await go(page, `/feeds/${waiting}`);
        expect(await page.locator("main").textContent()).toContain("Corrected");
        expect(await page.locator("main").textContent()).not.toContain("Category");
        await go(page, "/earnings");
        expect(totals.net_usd).toBeGreaterThanOrEqual(1);
        expect(await page.locator(".figure").first().textContent()).toContain(
          // With at least two decimals.
          `Net${String(totals.net_usd).replace(/^\d+$/, "$&.00").replace(/\.\d$/, "$&0")} USD`,
        );
        expect(await page.locator('[aria-label="Earnings by feed"]').textContent()).toContain(
          "once ",
        );
        const loading = page.waitForEvent("download");
        await reach(page, page.locator('a[href*="?statement="]').first());
        await page.keyboard.press("Enter");
        const statement = await (await loading).createReadStream();
        const csv = await new Response(Readable.toWeb(statement) as ReadableStream).text();
        expect(csv).toStartWith("date,reads,paid_reads,");
      });
    });

    test("provider: a listing that is saved as it was shown stays as it was", async () => {
      const key = await gateway.createKey(await gateway.createAccount(), "write");
      const texts = {
        name: "  Round  trip ",
        description: "  two\n\nlines\r\n ",
        readme_md: "\n  code\n\ttab\n",
        category: " a category ",
        update_frequency_text: "daily\nor so ",
      };
      const created = await gateway.send("POST", "/v1/provider/feed/create", key, {
        ...texts,
        endpoint_path: `untidy-${turn}`,
        feed_type: "stream",
      });
      const { id } = (await created.json()) as { id: string };
      const textsNow = async () => {
        const [row] = await gateway.sql`
          select name, description, readme_md, category, update_frequency_text
          from feeds where feed_id = ${id}`;
        return row;
      };
      await as(key, async (page) => {
        await go(page, `/feeds/${id}/edit`);
        await confirm(page, "Preview and save");
        expect(await textsNow()).toEqual(texts);
        await go(page, `/feeds/${id}/edit`);
        await fill(page, "#description", " one\n line ");
        await fill(page, "#readme_md", "");
        await press(page, "Preview and save");
        await press(page, "Cancel");
        expect(await page.inputValue("#description")).toBe(" one\n line ");
        expect(await confirm(page, "Preview and save")).toContain("schema does not change");
      });
      expect(await textsNow()).toEqual({
        ...texts,
        description: " one\n line ",
        readme_md: null,
      });
    });

    test("consumer: a feed is bought after its price is confirmed, a read is tried, spending is seen by feed and key, sessions end", async () => {
      const buyer = await gateway.createAccount({ credits: 2_000_000, name: "Buyer" });
      const key = await gateway.createKey(buyer, "read");
      await as(key, async (page) => {
        expect(await page.locator("main").textContent()).toContain("2.00 USD2,000,000 credits");
        await go(page, "/catalog?q=once");
        await follow(page, `a[href$="/catalog/${scene.feeds.once}"]`);
        await page.waitForURL(`**/catalog/${scene.feeds.once}`);
        expect(await confirm(page, "Buy for 1.00 USD")).toContain("1,000,000 credits");
        expect(await told(page)).toContain("Purchased");
        await go(page, `/catalog/${scene.feeds.metered}`);
        await press(page, "Read");
        const shown = await page.locator("main").textContent();
        expect(shown).toContain("curl");
        expect(shown).toContain('"usage_id"');
        await countSales(gateway.sql);
        await go(page, "/usage");
        const spent = async (by: string) =>
          (await page.locator(`[aria-label="Spending by ${by}"] tbody tr`).allTextContents()).join(
            "\n",
          );
        expect(await spent("feed")).toMatch(/once .*1\.00 USD1\.00 USDShow calls$/m);
        expect(await spent("feed")).toMatch(/metered .*0\.0005 USD0\.0005 USDShow calls$/m);
        expect(await spent("key")).toContain("1.0005 USD1.0005 USDShow calls");
        expect(await page.locator("main").textContent()).toContain("purchase");
        expect(await page.locator("main").textContent()).toContain("metered <script>");
        await go(page, "/own-keys");
        expect(await page.locator("main").textContent()).toContain(
          `${key.slice(0, 12)}… this session`,
        );
        await press(page, "Sign out");
        await page.waitForURL("**/console/sign-in");
        await go(page, "");
        expect(await page.locator("#key").count()).toBe(1);
      });
      const elsewhere = await signIn(gateway.baseUrl, key);
      const isSignedIn = async () => !(await (await elsewhere.get("")).text()).includes('id="key"');
      expect(await isSignedIn()).toBe(true);
      await as(key, async (page) => {
        await press(page, "Sign out everywhere");
        await page.waitForURL("**/console/sign-in");
      });
      expect(await isSignedIn()).toBe(false);
      expect(await balanceOf(buyer)).toBe(1_000_000 - 500);
    });
  });
}
