import { afterAll, beforeAll, expect, test } from "bun:test";
import { createAdmin, makeLink } from "../../../pages/console/support.ts";
import { hasBrowser, launchBrowser, newVisitor } from "../../../support/browser.ts";
import { startTestGateway, type TestGateway } from "../../../support/gateway.ts";

const BROWSER_MS_MAX = 120_000;

let gateway: TestGateway;
let admin: string;
let account: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  admin = await createAdmin(gateway);
  account = await gateway.createAccount({ name: "Acme" });
});
afterAll(() => gateway.stop());

test.skipIf(!hasBrowser)(
  "a browser that comes from another site, which shows the link as an image, is signed in by the button",
  async () => {
    const link = await makeLink(gateway, { admin, account, permission: "read" });
    const html = `<img src="${link}"><a href="${link}">Go</a>`;
    const site = Bun.serve({
      port: 0,
      hostname: "localhost",
      fetch: () => new Response(html, { headers: { "Content-Type": "text/html" } }),
    });
    const browser = await launchBrowser();
    const page = await (await newVisitor(browser, {})).newPage();
    await page.goto(`http://localhost:${site.port}/`);
    await page.click("a");
    await page.click("main button");
    // The strict cookie comes along at once.
    await page.waitForSelector("text=Sign out everywhere");
    expect(page.url()).toBe(`${gateway.baseUrl}/console`);
    await browser.close();
    await site.stop(true);
  },
  BROWSER_MS_MAX,
);
