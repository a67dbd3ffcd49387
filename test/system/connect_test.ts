/**
 * A person connects an agent: the official client's own OAuth flow, and a real browser for the person's part.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/lib/log.ts";
import { type Gateway, startGateway } from "../../src/server.ts";
import { hasBrowser, launchBrowser, newVisitor } from "../support/browser.ts";
import { type DocumentHost, startDocumentHost } from "../support/document_host.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { createOAuthAgent, type OAuthAgent } from "../support/oauth_agent.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";

const CONFORMANCE = Bun.fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url),
);
/** The port that the conformance suite is answered at. */
const CONFORMANCE_PORT = 33_471;

let gateway: TestGateway;
/** On the same database, and its guard is open for documents on this machine. */
let open: Gateway;
let documents: DocumentHost;
let key: string;
let feed: SeededFeed;
let other: SeededFeed;

beforeAll(async () => {
  gateway = await startTestGateway();
  documents = await startDocumentHost();
  const environment = { PORT: "0", DATABASE_URL: gateway.databaseUrl };
  const { certificate } = documents;
  const config = { ...readConfig(environment), connectTrial: { certificate } };
  open = await startGateway(config, createLog({ level: "silent" }), { closingNoticeMs: 0 });
  const provider = await gateway.createAccount({ name: "Provider" });
  const metered = {
    type: "collection",
    isPublic: true,
    callPriceNanos: 8_000_000,
    rows: [{ id: 1, place: "Tonga" }],
  } as const;
  feed = await seedFeed(gateway, provider, { ...metered, name: "Earthquakes" });
  other = await seedFeed(gateway, provider, { ...metered, name: "Gold prices" });
  const accountId = await gateway.createAccount({ credits: 1_000_000, name: "Research" });
  key = await gateway.createKey(accountId, "read");
});
afterAll(async () => {
  await open.stop();
  await documents.stop();
  await gateway.stop();
});

describe.skipIf(!hasBrowser)("a person connects an agent", () => {
  let browser: Browser;
  const agents: OAuthAgent[] = [];

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => {
    for (const agent of agents) await agent.stop();
    await browser?.close();
  });

  function agentOf(baseUrl: string, name: string, documentUrl?: string): OAuthAgent {
    const agent = createOAuthAgent({
      address: `${baseUrl}/mcp/connect`,
      name,
      ...(documentUrl !== undefined && { documentUrl }),
    });
    agents.push(agent);
    return agent;
  }

  /** A browser of its own. What it complains of, and whom it tells where it comes from, is noted. */
  async function visit() {
    const context = await newVisitor(browser, { viewport: { width: 1100, height: 900 } });
    const page = await context.newPage();
    const complaints: string[] = [];
    const referers: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error" && !/favicon/.test(message.location().url)) {
        complaints.push(message.text());
      }
    });
    page.on("request", (request) => {
      const { referer = "" } = request.headers();
      // Within the gateway's own pages an address may be told.
      const isElsewhere = new URL(request.url()).origin !== new URL(gateway.baseUrl).origin;
      if (isElsewhere && referer.includes("/oauth/")) referers.push(referer);
    });
    return { page, complaints, referers, close: () => context.close() };
  }

  /** As from a page of another site, whose click leads here: a strict cookie does not come along. */
  async function followLink(page: Page, address: URL): Promise<void> {
    const link = `<a href="${address.href.replaceAll("&", "&amp;")}">Connect</a>`;
    const site = serveElsewhere(() => link);
    await page.goto(site.url);
    await page.click("a");
    await page.waitForURL(`${address.origin}/**`);
    await site.stop();
  }

  /** A site that is not the gateway's: localhost, which to a browser is another one than 127.0.0.1. */
  function serveElsewhere(html: (path: string) => string) {
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ url }) =>
        new Response(html(new URL(url).pathname), { headers: { "Content-Type": "text/html" } }),
    });
    return { url: `http://localhost:${server.port}`, stop: () => server.stop(true) };
  }

  async function signIn(page: Page, with_: string): Promise<void> {
    await page.fill("input[name=key]", with_);
    await page.press("input[name=key]", "Enter");
  }

  test("it registers, the person signs in and agrees, it spends its budget, and is ended", async () => {
    const agent = agentOf(gateway.baseUrl, "Official client");
    expect(await agent.connect()).toBe("sent");
    const { page, complaints, referers, close } = await visit();
    await followLink(page, agent.sentTo());
    await signIn(page, key);
    await page.waitForSelector("text=Connect Official client?");
    if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT });
    await page.fill("input[name=daily_usd]", "0.02");
    // Feeds are named after "Only these" alone, and stay in sight while one is named.
    const choice = page.locator(`input[name=feed_id][value="${feed.feedId}"]`);
    expect(await choice.isVisible()).toBe(false);
    await page.check("input[name=feeds][value=some]");
    await choice.check();
    await page.check("input[name=feeds][value=all]");
    expect(await choice.isVisible()).toBe(true);
    await page.click("button[value=agree]");
    await page.waitForSelector("text=You chose “All feeds” but also selected some.");
    expect(await choice.isChecked()).toBe(true);
    expect(complaints.splice(0)).toEqual([expect.stringContaining("status of 422")]);
    await page.check("input[name=feeds][value=some]");
    await page.click("button[value=agree]");
    await page.waitForSelector("text=You may close this page");
    const answer = await agent.finish();
    expect(answer.get("iss")).toBe(gateway.baseUrl);
    expect(agent.accessToken()).toStartWith("fg_read_");

    expect(await agent.call("search_feeds", { query: "earthquakes" })).toMatchObject({
      isError: false,
    });
    const read = () => agent.call("read_feed", { feed: feed.slug });
    expect(await read()).toMatchObject({ isError: false, rows: [{ id: 1, place: "Tonga" }] });
    expect(await read()).toMatchObject({ isError: false });
    const spent = await read();
    expect(spent).toMatchObject({ isError: true, code: "KEY_BUDGET_SPENT" });
    expect(String(spent.text)).toContain(String(spent.resets_at));
    expect(await agent.call("read_feed", { feed: other.slug })).toMatchObject({
      isError: true,
      code: "KEY_SCOPE",
    });

    await page.goto(`${gateway.baseUrl}/console`);
    await page.waitForSelector("text=Official client");
    expect(await page.textContent("main")).toContain("0.016 of 0.02 USD");
    await page.click("button[value=end_agent]");
    await page.click("button[name=confirmed][value=yes]");
    await page.waitForSelector("text=No agents are connected");
    // The next call is 401, so the client asks again.
    const before = agent.sentTo().href;
    const refused = await agent.call("search_feeds", {}).catch((error: unknown) => error);
    expect(String(refused)).toMatch(/unauthorized/i);
    expect(agent.sentTo().href).not.toBe(before);

    expect(complaints).toEqual([]);
    expect(referers).toEqual([]);
    await close();
  });

  test("who is signed in already comes from another site and agrees at once; declining tells the client", async () => {
    const agent = agentOf(gateway.baseUrl, "Second client");
    await agent.connect();
    const { page, close } = await visit();
    await page.goto(`${gateway.baseUrl}/console/sign-in`);
    await signIn(page, key);
    await page.waitForSelector("text=Research");
    await followLink(page, agent.sentTo());
    await page.waitForSelector("text=Connect Second client?");
    await page.click("button[value=decline]");
    await page.waitForSelector("text=You may close this page");
    expect(new URL(page.url()).searchParams.get("error")).toBe("access_denied");
    await close();
  });

  test("a client is known by its metadata document", async () => {
    const path = "/agent.json";
    const agent = agentOf(open.baseUrl, "Not this name", documents.origin + path);
    documents.serve(path, () =>
      Response.json({
        client_id: documents.origin + path,
        client_name: "Documented client",
        redirect_uris: ["http://127.0.0.1/callback"],
        token_endpoint_auth_method: "none",
      }),
    );
    expect(await agent.connect()).toBe("sent");
    expect(agent.sentTo().searchParams.get("client_id")).toBe(documents.origin + path);
    const { page, close } = await visit();
    await page.goto(agent.sentTo().href);
    await signIn(page, key);
    await page.waitForSelector("text=Connect Documented client?");
    expect(await page.textContent("main")).toContain(new URL(documents.origin).host);
    await page.click("button[value=agree]");
    await page.waitForSelector("text=You may close this page");
    await agent.finish();
    expect(await agent.call("get_account", {})).toMatchObject({
      isError: false,
      agents: [{ name: "Documented client" }],
    });
    await close();
  });

  test("the page can't be put into a frame, and a form of another site does nothing", async () => {
    const agent = agentOf(gateway.baseUrl, "Framed client");
    await agent.connect();
    const { page, close } = await visit();
    await page.goto(`${gateway.baseUrl}/console/sign-in`);
    await signIn(page, key);
    await page.waitForSelector("text=Research");
    const address = agent.sentTo().href;
    const evil = serveElsewhere((path) =>
      path === "/frame"
        ? `<iframe src="${address}"></iframe>`
        : `<form method="post" action="${address}"><input name="decision" value="agree"></form><script>document.forms[0].submit()</script>`,
    );
    await page.goto(`${evil.url}/frame`);
    await page.waitForTimeout(500);
    const framed = page.frames().map((frame) => frame.url());
    expect(framed.filter((url) => url.startsWith(gateway.baseUrl))).toEqual([]);
    await page.goto(`${evil.url}/form`);
    await page.waitForSelector("text=Connect Framed client?");
    const [row] = await gateway.sql`
      select count(*)::int as found from agent_connections where client_name = 'Framed client'`;
    expect(row?.found).toBe(0);
    await evil.stop();
    await close();
  });

  test("the consent page is usable at 390 px and by keyboard alone", async () => {
    const owner = await gateway.createAccount();
    const long = { name: "w".repeat(200), type: "collection", isPublic: true } as const;
    const { feedId } = await seedFeed(gateway, owner, long);
    await gateway.sql`
      update feeds set endpoint_path = ${"w".repeat(80)} where feed_id = ${feedId}`;
    const agent = agentOf(gateway.baseUrl, "Keyboard client");
    await agent.connect();
    const { page, close } = await visit();
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(agent.sentTo().href);
    await page.focus("input[name=key]");
    await page.keyboard.type(key);
    await page.keyboard.press("Enter");
    await page.waitForSelector("text=Connect Keyboard client?");
    await page.check("input[name=feeds][value=some]");
    const width = await page.evaluate("document.documentElement.scrollWidth");
    expect(width).toBeLessThanOrEqual(390);
    await page.check("input[name=feeds][value=all]");
    for (let steps = 0; steps < 40; steps++) {
      await page.keyboard.press("Tab");
      const value = await page.evaluate("document.activeElement.value");
      if (value === "agree") break;
    }
    await page.keyboard.press("Enter");
    await page.waitForSelector("text=You may close this page");
    await agent.finish();
    await close();
  });

  test("the gateway conforms to the scenarios for authorization servers", async () => {
    const callback = `http://127.0.0.1:${CONFORMANCE_PORT}/callback`;
    const registered = await gateway.send("POST", "/oauth/register", undefined, {
      redirect_uris: [callback],
      client_name: "Conformance",
    });
    const { client_id: clientId } = (await registered.json()) as { client_id: string };
    const child = Bun.spawn(
      [
        ...[process.execPath, CONFORMANCE, "authorization", "--url", gateway.baseUrl],
        ...["--client-id", clientId, "--port", String(CONFORMANCE_PORT)],
        ...["--resource", `${gateway.baseUrl}/mcp/connect`],
      ],
      { stdout: "pipe", stderr: "pipe" },
    );
    const { page, close } = await visit();
    let output = "";
    let isSent = false;
    for await (const chunk of child.stdout) {
      output += new TextDecoder().decode(chunk);
      const address = /^(http\S+\/oauth\/authorize\?\S+)$/m.exec(output)?.[1];
      if (address === undefined || isSent) continue;
      isSent = true;
      await page.goto(address);
      await signIn(page, key);
      await page.click("button[value=agree]");
    }
    const errors = await new Response(child.stderr).text();
    expect({ code: await child.exited, output: output + errors }).toMatchObject({ code: 0 });
    expect(isSent).toBe(true);
    expect(output).not.toMatch(/[1-9]\d* failed|FAILURE/);
    await close();
  });
});
