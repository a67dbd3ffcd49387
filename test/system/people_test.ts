/**
 * Strangers join a gateway on which nobody has an account, in a real browser, by a real mail server.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { present } from "../../src/lib/assert.ts";
import { browser as cookieJar, tablesWith } from "../people/support.ts";
import { violationsOf } from "../support/axe.ts";
import { hasBrowser, launchBrowser, newVisitor, openWatched } from "../support/browser.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { createOAuthAgent } from "../support/oauth_agent.ts";
import { type OpenIdHost, startOpenIdProvider } from "../support/openid_provider.ts";
import { seedFeed } from "../support/seed.ts";
import { type SmtpHost, startSmtpHost } from "../support/smtp_host.ts";
import { startWorld, type World } from "../torture/world.ts";

describe.skipIf(!hasBrowser)("strangers", () => {
  let mails: SmtpHost;
  let provider: OpenIdHost;
  let gateway: TestGateway;
  let browser: Browser;

  beforeAll(async () => {
    mails = await startSmtpHost();
    provider = await startOpenIdProvider();
    gateway = await startTestGateway({
      ...provider.variables,
      FEEDGATE_SIGN_UP: "open",
      FEEDGATE_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
      FEEDGATE_MAIL_FROM: "Feedgate <feeds@example.com>",
      FEEDGATE_WELCOME_CREDITS: "6000000",
      FEEDGATE_WELCOME_DAY_CREDITS: "100000000",
      FEEDGATE_TERMS_URL: "https://example.com/terms",
    });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway.stop();
    await provider.stop();
    await mails.stop();
  });

  async function visit(options: { javaScriptEnabled?: boolean } = {}) {
    const context = await newVisitor(browser, {
      viewport: { width: 1100, height: 900 },
      ...options,
    });
    return { page: await context.newPage(), close: () => context.close() };
  }

  test("one joins from the front page, makes a key with a budget, reads, buys, and rotates the key", async () => {
    const owner = await gateway.createAccount({ name: "Provider" });
    const rows = [{ id: 1, place: "Tonga" }];
    const feed = await seedFeed(gateway, owner, {
      type: "collection",
      isPublic: true,
      oneTimePriceCents: 500,
      rows,
    });
    const { page, close } = await visit({ javaScriptEnabled: false });
    await page.goto(gateway.baseUrl);
    await page.click("nav >> text=Get a key");
    await join(page, mails, { address: "ada@example.com", name: "Ada Lovelace" });
    await page.waitForSelector("text=Connect an agent");
    await page.click("a:has-text('Create a key')");
    await page.fill("#key_name", "news agent");
    await page.fill("#daily", "6");
    await page.click("text=Create the key");
    const key = (await page.textContent("pre"))?.trim() ?? "";
    const read = () => gateway.get(`/v1/feed/${feed.slug}`, key);
    expect((await read()).status).toBe(402);
    const bought = await gateway.send("POST", `/v1/feed/${feed.slug}/purchase`, key, {
      max_credits: 5_000_000,
    });
    expect(bought.status).toBe(201);
    expect(await (await read()).json()).toMatchObject({ data: rows });

    await page.goto(`${gateway.baseUrl}/console/own-keys`);
    await page.click("text=Rotate");
    await page.check("[name=leaked]");
    await confirm(page);
    const next = (await page.textContent("pre"))?.trim() ?? "";
    expect((await read()).status).toBe(403);
    expect((await gateway.get(`/v1/feed/${feed.slug}`, next)).status).toBe(200);
    await page.click("text=Sign out");
    await page.waitForSelector("text=Sign in or sign up");
    await close();
  });

  test("another joins by OpenID Connect, publishes a feed from a file, and asks for review", async () => {
    const { page, close } = await visit();
    await page.goto(`${gateway.baseUrl}/console/sign-in`);
    await page.click("text=Continue with");
    await page.fill("[name=email]", "grace@example.com");
    await page.click("button[value=agree]");
    await page.waitForSelector("#name");
    await page.fill("#name", "Grace Hopper");
    await page.check("[name=terms]");
    await page.click("text=Create my account");
    await page.click("text=New feed");
    await page.setInputFiles("#file", {
      name: "city-temperatures.csv",
      mimeType: "text/csv",
      buffer: Buffer.from("id,city,temp\n1,Lima,19.4\n2,Tokyo,21\n"),
    });
    await page.click("button:has-text('Preview the file')");
    await page.fill("#description", "Temperatures of cities, in Celsius");
    await page.click("button:has-text('Publish')");
    await confirm(page);
    await page.waitForURL("**/feeds/*?done=submitted");
    const [row] = await gateway.sql`
      select feeds.review, accounts.name from feeds join accounts using (account_id)
      where endpoint_path = 'city-temperatures'`;
    expect(row).toMatchObject({ review: "waiting", name: "Grace Hopper" });
    await close();
  });

  test("a third connects an agent by OAuth without ever seeing a key, and chooses who pays", async () => {
    const agent = createOAuthAgent({ address: `${gateway.baseUrl}/mcp/connect`, name: "Official" });
    expect(await agent.connect()).toBe("sent");
    const { page, close } = await visit();
    await page.goto(agent.sentTo().href);
    await join(page, mails, { address: "alan@example.com", name: "Alan Turing" });
    await page.waitForSelector("text=Connect Official?");
    await page.click("button[value=agree]");
    await agent.finish();
    const account = await agent.call("get_account", {});
    expect(account).toMatchObject({ isError: false, name: "Alan Turing" });
    await close();

    // Removed from the account, the person takes the agent along.
    const [row] = await gateway.sql`select person_id from persons where name = 'Alan Turing'`;
    await gateway.sql`select change_member(account_id, person_id, null, null, 'test') from members
      where person_id = ${row?.person_id}`;
    await expect(agent.call("get_account", {})).rejects.toThrow();
    await agent.stop();
  });
});

describe.skipIf(!hasBrowser)("an account of several people, on two processes", () => {
  let mails: SmtpHost;
  let world: World;
  let browser: Browser;

  beforeAll(async () => {
    mails = await startSmtpHost();
    [world, browser] = await Promise.all([
      startWorld({
        gateways: 2,
        environment: {
          FEEDGATE_SIGN_UP: "open",
          FEEDGATE_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
          FEEDGATE_MAIL_FROM: "feeds@example.com",
          FEEDGATE_WELCOME_CREDITS: "6000000",
          FEEDGATE_WELCOME_DAY_CREDITS: "100000000",
        },
      }),
      launchBrowser(),
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    await world.stop();
    await mails.stop();
  });

  test("the code page and the page of a new person fit both widths, and axe finds nothing", async () => {
    for (const look of [
      { width: 1400, scheme: "light" },
      { width: 390, scheme: "dark" },
    ] as const) {
      const { page, complaints, context } = await openWatched(
        browser,
        present(world.bases[0]),
        look,
      );
      const examine = async () => {
        const over = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        expect([page.url(), over, await violationsOf(page)]).toEqual([page.url(), 0, []]);
      };
      const address = `look${look.width}@example.com`;
      await page.goto(`${world.bases[0]}/console/sign-in`);
      await page.fill("#address", address);
      await page.press("#address", "Enter");
      await page.waitForSelector("#code");
      await examine();
      await page.fill("#code", "00000000");
      await page.press("#code", "Enter");
      await page.waitForSelector("[role=alert]");
      await examine();
      await page.fill("#code", await codeOf(mails, address));
      await page.press("#code", "Enter");
      await page.waitForSelector("#name");
      await examine();
      // The browser names the answer to the mistyped code.
      expect(complaints.filter((complaint) => !complaint.includes("status of 401"))).toEqual([]);
      await context.close();
    }
  });

  async function openAt(place: number): Promise<Page> {
    const page = await (await newVisitor(browser, { javaScriptEnabled: false })).newPage();
    await page.goto(`${world.bases[place]}/console/sign-in`);
    return page;
  }

  /** Presses a button of the row that names someone, and confirms. */
  async function changeMember(page: Page, name: string, button: string): Promise<void> {
    await page.click(`tr:has-text("${name}") >> button:has-text("${button}")`);
    await confirm(page);
  }

  test("an owner invites, promotes, demotes and removes a member, who is out at once on the other", async () => {
    const owner = await openAt(0);
    await join(owner, mails, { address: "ida@example.com", name: "Ida Rhodes", hasTerms: false });
    await owner.waitForSelector("text=Connect an agent");
    await owner.goto(`${world.bases[0]}/console/members`);
    await owner.fill("[name=address]", "joan@example.com");
    await owner.click("button:text-is('Invite')");
    await confirm(owner);
    await owner.waitForSelector("td:has-text('joan@example.com')");

    const member = await openAt(1);
    await signIn(member, mails, "joan@example.com");
    await member.fill("#name", "Joan Clarke");
    await member.press("#name", "Enter");
    await member.click("a:text-is('View it')");
    await member.click("button:text-is('Accept')");
    await member.waitForSelector("text=You are now a member of this account.");
    const members = `${world.bases[1]}/console/members`;
    const pageOf = async (path: string) =>
      (await member.goto(`${world.bases[1]}/console/${path}`))?.status();
    await member.goto(members);
    expect(await member.locator("button:text-is('Invite')").count()).toBe(0);

    await owner.goto(`${world.bases[0]}/console/members`);
    await changeMember(owner, "Joan Clarke", "Make owner");
    await member.goto(members);
    expect(await member.locator("button:text-is('Invite')").count()).toBe(1);

    // The member fills in the form as an owner, and sends it as a mere member.
    await member.fill("[name=address]", "friend@example.com");
    await changeMember(owner, "Joan Clarke", "Make member");
    await member.click("button:text-is('Invite')");
    expect(await member.textContent("main")).toContain("owner");
    expect(await invitationsTo("friend@example.com")).toBe(0);
    expect(await pageOf("members")).toBe(200);

    await changeMember(owner, "Joan Clarke", "Remove");
    await member.goto(members);
    expect(await member.textContent("body")).not.toContain("Ida Rhodes");
    await member.context().close();
    await owner.context().close();
  });

  test("an owner closes the account: nothing of the person is left, and the ledger adds up", async () => {
    const address = "zoe.quick@example.com";
    const name = "Zoe Quick of Leeds";
    const page = await openAt(0);
    await join(page, mails, { address, name, hasTerms: false });
    await page.click("a:has-text('Create a key')");
    await page.fill("#key_name", `key of ${name}`);
    await page.click("text=Create the key");
    const key = (await page.textContent("pre"))?.trim() ?? "";
    const readAt = async (place: number) =>
      (await fetch(`${world.bases[place]}/v1/account`, { headers: { "x-api-key": key } })).status;
    expect(await readAt(1)).toBe(200);

    await page.goto(`${world.bases[0]}/console/settings`);
    await page.fill("[name=typed_name]", "Zoe");
    await page.click("button:text-is('Close the account')");
    await page.waitForSelector("text=The name doesn't match");
    await page.fill("[name=typed_name]", name);
    await page.click("button:text-is('Close the account')");
    await confirm(page);
    await page.waitForSelector("text=The account was closed.");
    expect(await readAt(0)).toBe(403);
    expect(await readAt(1)).toBe(403);
    expect(await tablesWith(world.sql, address)).toEqual([]);
    expect(await tablesWith(world.sql, name)).toEqual([]);
    const [sums] = await world.sql`
      select
        (select sum(balance_nanos) from accounts)::text as balances,
        (select sum(amount_nanos) from credit_ledger)::text as ledger`;
    expect(Number(sums?.ledger)).toBeGreaterThan(0);
    expect(sums?.balances).toBe(sums?.ledger);
    await page.context().close();
  });

  async function invitationsTo(address: string): Promise<number> {
    const [row] = await world.sql<{ count: number }[]>`
      select count(*)::int as count from invitations where address = ${address}`;
    return present(row).count;
  }
});

/** The code of the newest mail to an address, once it is there. */
async function codeOf(mails: SmtpHost, address: string): Promise<string> {
  for (;;) {
    const mail = mails.received.findLast(({ to }) => to.includes(address));
    const code = /^Subject: .*\b(\d{8})\b/m.exec(mail?.raw ?? "")?.[1];
    if (code !== undefined) return code;
    await Bun.sleep(20);
  }
}

/** From the sign-in page to the page behind it, by keyboard. */
async function signIn(page: Page, mails: SmtpHost, address: string): Promise<void> {
  await page.fill("#address", address);
  await page.press("#address", "Enter");
  await page.waitForSelector("#code");
  await page.fill("#code", await codeOf(mails, address));
  await page.press("#code", "Enter");
}

/** From the sign-in page to the first page of a new account, by keyboard. */
async function join(
  page: Page,
  mails: SmtpHost,
  { address, name, hasTerms = true }: { address: string; name: string; hasTerms?: boolean },
): Promise<void> {
  await signIn(page, mails, address);
  await page.waitForSelector("#name");
  await page.fill("#name", name);
  if (hasTerms) await page.check("[name=terms]");
  await page.press("#name", "Enter");
}

async function confirm(page: Page): Promise<void> {
  await page.click("button:has-text('Confirm')");
}

test("kill -9 between proof, account and welcome credits: nobody gets two of them, and none is lost", async () => {
  const mails = await startSmtpHost();
  const world = await startWorld({
    gateways: 2,
    environment: {
      FEEDGATE_SIGN_UP: "open",
      FEEDGATE_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
      FEEDGATE_MAIL_FROM: "feeds@example.com",
      FEEDGATE_WELCOME_CREDITS: "100",
      // Each person of this test comes from an address of its own.
      FEEDGATE_TRUSTED_PROXIES: "127.0.0.1",
    },
  });
  const { sql, bases } = world;
  const people = Array.from({ length: 24 }, (_, place) => `person${place}@example.com`);
  try {
    await Promise.all(
      people.map(async (address, place) => {
        const at = cookieJar(bases, { "x-forwarded-for": `198.51.100.${place + 1}` });
        await at.untilAnswered(() => at.post("/console/sign-in", { address }));
        // If an answer was lost, there are two mails, and the browser has the token of one.
        const waiting = await sql<{ body_text: string }[]>`
          select body_text from mails where address = ${address}`;
        const sent = mails.received.filter(({ to }) => to.includes(address));
        const texts = [...waiting.map((row) => row.body_text), ...sent.map(({ raw }) => raw)];
        const codes = new Set(texts.map((text) => present(/\b\d{8}\b/.exec(text)?.[0])));
        if (place % 8 === 3) void world.killGateway(place % 2);
        const statuses: number[] = [];
        for (const code of codes) {
          const enter = () => at.post("/console/sign-in/code", { code });
          statuses.push((await at.untilAnswered(enter)).status);
        }
        expect(statuses).toContain(303);
        if (place % 8 === 5) void world.killGateway((place + 1) % 2);
        await at.untilAnswered(() => at.post("/console/join", { name: address }));
      }),
    );
    const [made] = await sql`
      select
        (select count(*)::int from persons) as persons,
        (select count(*)::int from members) as members,
        (select count(*)::int from accounts) as accounts,
        (select count(*)::int from credit_ledger where reason = 'welcome credits') as grants,
        (select count(*)::int from accounts where balance_nanos <> 100000) as others`;
    const all = people.length;
    expect(made).toEqual({ persons: all, members: all, accounts: all, grants: all, others: 0 });
  } finally {
    await world.stop();
    await mails.stop();
  }
});
