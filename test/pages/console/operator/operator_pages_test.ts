import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../../../support/gateway.ts";
import { countSales } from "../../../support/run_job.ts";
import { type Scene, setScene } from "../scene.ts";
import { fieldsIn, signIn, type Visitor, visitor } from "../support.ts";

let gateway: TestGateway;
let scene: Scene;
let who: Visitor;

beforeAll(async () => {
  gateway = await startTestGateway();
  scene = await setScene(gateway);
  await countSales(gateway.sql);
  who = await signIn(gateway.baseUrl, scene.adminKey);
});
afterAll(() => gateway.stop());

async function html(path: string): Promise<string> {
  const answer = await who.get(path);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
}

/** The lines of a page's file. */
async function linesOf(path: string): Promise<readonly string[]> {
  const answer = await who.get(path);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([
    200,
    "text/csv; charset=utf-8",
  ]);
  expect(answer.headers.get("content-disposition")).toContain(".csv");
  return (await answer.text()).split("\r\n");
}

describe("an account's pages", () => {
  test("each part has an address of its own, and links to the others", async () => {
    const base = `/accounts/${scene.consumerAccount}`;
    for (const [part, words] of [
      ["", "Suspend this account"],
      ["/keys", "Create key"],
      ["/usage", "By feed"],
      ["/money", "Add credits"],
      ["/settings", "Close the account"],
    ] as const) {
      const page = await html(base + part);
      expect(page).toContain(words);
      for (const other of ["", "/keys", "/usage", "/money", "/settings"]) {
        expect(page).toContain(`console${base}${other}"`);
      }
      expect(page).toMatch(new RegExp(`console${base}${part}" aria-current="page"`));
    }
  });

  test("a change opens where it belongs, and its confirmation names the account and the amount in USD", async () => {
    const base = `/accounts/${scene.consumerAccount}`;
    const suspend = { act: "suspend", suspend_reason: "spam" };
    expect(await (await who.post(base, suspend)).text()).toContain("Consumer ");
    const close = await (await who.post(`${base}/settings`, { act: "close" })).text();
    expect(close).toMatch(
      /Consumer .* will be closed permanently.*balance of [\d.]+ USD \([\d,]+ credits\)/s,
    );
    const wrong = await who.post(base, { act: "grant", usd_added: "1", reason: "x" });
    expect(wrong.status).toBe(400);
  });

  test("ranges of time are links, and days that are none are refused", async () => {
    const path = `/accounts/${scene.consumerAccount}/usage`;
    expect(await html(`${path}?range=7d`)).toContain('href="?range=7d" aria-current="true"');
    expect(await html(`${path}?from=2026-01-01&to=2026-01-02`)).toContain(
      "No calls in this period.",
    );
    expect((await who.get(`${path}?from=2026-13-01`)).status).toBe(400);
    const included = await html(`${path}?searches=yes&range=7d`);
    expect(included).toContain("searches=yes");
  });

  test("times have seconds where calls are listed, and a zone everywhere", async () => {
    const page = await html(`/accounts/${scene.consumerAccount}/usage`);
    expect(page).toMatch(/ data-exact>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC</);
  });
});

describe("choosing", () => {
  test("several accounts of a name, or of a part of it, are listed to choose from", async () => {
    const twins = [
      await gateway.createAccount({ name: "Twin", credits: 5_000_000 }),
      await gateway.createAccount({ name: "Twin" }),
    ];
    const sent = { act: "payout", payee: "Twin", usd: "1", payout_reference: "choice" };
    const choice = await (await who.post("/money", sent)).text();
    expect(choice).toContain("Several accounts match “Twin”");
    expect(choice).toContain("5.00 USD, created");
    for (const id of twins) expect(choice).toContain(`type="radio" name="payee" value="${id}"`);
    const asked = await (await who.post("/money", { ...sent, payee: twins[1] ?? "" })).text();
    expect(asked).toContain("1.00 USD will be recorded as paid to Twin");
    const back = await who.post("/money", { ...sent, confirmed: "no" });
    expect(await back.text()).toMatch(/<input id="payee"[^>]* value="Twin"/);
  });

  test("a purchase names account and feed by parts of their names", async () => {
    const account = await gateway.createAccount({ name: "Buys by transfer" });
    const sent = { act: "purchase", buyer: "by transf", bought: "once <" };
    const asked = await (await who.post("/money", sent)).text();
    expect(asked).toContain("Buys by transfer has paid for once ");
    expect(fieldsIn(asked)).toMatchObject({ buyer: account, bought: scene.feeds.once });
    const { answer } = await who.act("/money", { ...sent, ...fieldsIn(asked) });
    expect(answer.headers.get("location")).toContain("done=recorded");
    // From the account's own page, the account is known.
    const path = `/accounts/${account}/money`;
    expect(await html(path)).toContain("once");
    const undo = fieldsIn(await html(path));
    const undone = await who.act(path, { ...undo, act: "undo", undo_reason: "mistake" });
    expect(undone.asked).toContain("by Buys by transfer will be undone");
    expect(undone.answer.headers.get("location")).toContain("done=undone");
  });

  test("names are suggested as one types", async () => {
    const names = async (query: string) => (await who.get(`/find?${query}`)).json();
    expect(await names("of=feeds&q=onc")).toEqual(["once"]);
    expect(await names("of=accounts&q=zq7731")).toEqual([expect.stringContaining("zq7731")]);
    expect(await names("of=accounts&q=no+such+name")).toEqual([]);
    const page = await html("/find?q=zq7731");
    expect(page).toContain(scene.foreignAccount);
    expect(page).toContain(scene.foreignFeed);
    expect(await html("/money")).toContain('<datalist id="buyer-names">');
    const consumer = await signIn(gateway.baseUrl, scene.consumerKey);
    expect((await consumer.get("/find?of=accounts&q=z")).status).toBe(404);
    expect(await (await visitor(gateway.baseUrl).get("/find?of=accounts")).text()).not.toStartWith(
      "[",
    );
  });

  test("accounts and feeds are found by a part of their name, sorted and filtered by links", async () => {
    expect(await html("/accounts?q=zq7731")).not.toContain(scene.consumerAccount);
    const page = await html("/accounts?sort=name&state=open");
    expect(page).toContain('href="?sort=name&amp;state=suspended"');
    expect(page).toContain('href="?state=open&amp;sort=oldest"');
    expect(await html("/feeds?q=onc")).not.toContain(scene.feeds.metered);
    expect(await html("/feeds?status=active&review=listed")).toContain(scene.feeds.metered);
    expect(await html("/feeds?review=waiting")).not.toContain(scene.feeds.metered);
  });
});

describe("files", () => {
  test("every table is a file with the page's filters, and no text in it is a formula", async () => {
    await gateway.createAccount({ name: '=cmd|"x"', credits: 1 });
    const lines = await linesOf("/accounts?csv=accounts&q=cmd");
    expect(lines[0]).toBe("Name,Balance (USD),Feed limit,State,Created,ID");
    expect(lines[1]).toStartWith(`"'=cmd|""x""",0.000001,`);
    expect(lines).toHaveLength(3);
    const account = `/accounts/${scene.consumerAccount}`;
    for (const [path, head] of [
      ["?csv=traffic&range=24h", "Time (UTC),Reads,"],
      ["?csv=top-feeds", "Feed,Provider,Reads,"],
      ["?csv=waiting", "Feed,Slug,"],
      ["/reviews?csv=waiting", "Feed,Slug,"],
      ["/feeds?csv=feeds", "Feed,Slug,"],
      [`/feeds/${scene.feeds.metered}?csv=readers`, "Account,Reads,"],
      [`/feeds/${scene.feeds.waiting}?csv=pushes`, "When,Outcome,Rows,Reason"],
      [`${account}?csv=days&range=7d`, "Day (UTC),Spent (USD),"],
      [`${account}/keys?csv=keys`, "Key,Name,"],
      [`${account}/usage?csv=calls`, "When,Call,Feed,"],
      [`${account}/usage?csv=spending-by-feed`, "Feed,Reads,"],
      [`${account}/settings?csv=members`, "Name,Address,"],
      [`/accounts/${scene.providerAccount}/money?csv=payouts`, "When,Payout,Paid (USD),"],
      ["/money?csv=purchases", "When,Feed,Buyer,"],
      ["/money?csv=promotions", "Code,Amount (USD),"],
      ["/audit?csv=audit", "When,Who,What,"],
    ] as const) {
      const [first = ""] = await linesOf(path);
      expect([path, first.slice(0, head.length)]).toEqual([path, head]);
    }
    expect((await linesOf(`${account}?csv=days&range=7d`)).length).toBe(9);
    // Any other name is the page itself.
    expect(await html("/accounts?csv=none")).toContain("<h1>");
  });
});

describe("a feed's page", () => {
  test("lists who reads it, keeps Delete apart, and its confirmations name it", async () => {
    const path = `/feeds/${scene.feeds.metered}`;
    const page = await html(path);
    const readers = page.slice(page.indexOf("<h2>Readers</h2>"), page.indexOf("As an agent"));
    expect(readers).toContain(scene.consumerAccount);
    expect(page).toMatch(/<section class="apart"><h2>Delete the feed<\/h2>/);
    const asked = await (await who.post(path, { act: "delete" })).text();
    expect(asked).toMatch(/metered .* will be deleted permanently, with its \d+ rows?\./);
  });
});

describe("the audit trail", () => {
  test("is in plain words, with money in USD, and filtered by who, what and when", async () => {
    const path = `/feeds/${scene.feeds.metered}`;
    await who.act(path, { act: "unpublish" });
    await who.act(path, { act: "publish" });
    const page = await html(`/audit?feed_id=${scene.feeds.metered}`);
    expect(page).toContain("Feed unpublished");
    expect(page).not.toContain("true →");
    expect(page).toContain("0.50 USD per 1,000 calls");
    const credits = await html(`/audit?what=credits&account_id=${scene.consumerAccount}`);
    expect(credits).toContain("amount: 10.00 USD (10,000,000 credits)");
    expect(credits).not.toContain("Account created");
    const [, by = ""] = /href="\?([^"]*who=[^"]*)"/.exec(credits) ?? [];
    const own = await html(`/audit?${by.replaceAll("&amp;", "&")}`);
    expect(own).toContain("Credits added");
    expect(await html("/audit")).toContain(">access to feeds</a>");
    expect(await html("/audit?who=operator+nobody")).toContain("No changes match");
    expect(await html("/audit?from=2020-01-01&to=2020-01-02")).toContain("No changes match");
    expect(await html("/audit?q=zq7731")).toContain(`account_id=${scene.foreignAccount}`);
  });
});

test("the sign-in says which agent waits, and that nobody has checked its name", async () => {
  const made = await fetch(`${gateway.baseUrl}/oauth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      client_name: "Research <b>bot</b>",
      redirect_uris: ["http://127.0.0.1:9/callback"],
    }),
  });
  const { client_id: id } = (await made.json()) as { client_id: string };
  const signInAt = async (client: string) => {
    const next = `/oauth/authorize?${new URLSearchParams({ client_id: client })}`;
    const query = new URLSearchParams({ next });
    return (await visitor(gateway.baseUrl).get(`/sign-in?${query}`)).text();
  };
  const page = await signInAt(id);
  expect(page).toContain("Research &lt;b>bot&lt;/b>");
  expect(page).toContain("Its name is not verified");
  expect(await signInAt("https://agent.example/client.json")).toContain(
    "<strong>agent.example</strong> wants to connect",
  );
  for (const none of [crypto.randomUUID(), "x", "http://agent.example/"]) {
    expect(await signInAt(none)).not.toContain("wants to connect");
  }
});
