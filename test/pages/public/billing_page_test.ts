import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { UNKNOWN_ID } from "../../cli/support.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { type SeededFeed, seedFeed } from "../../support/seed.ts";

const WORDS =
  "Send the money to <Acme> & Sons:\nIBAN DE00 1234\n\nQuestions: pay@acme.example\n \n";
const HOSTILE = "<script>alert(1)</script>\u202e";

let gateway: TestGateway;
let account: string;
let sold: SeededFeed;
let metered: SeededFeed;
let unlisted: SeededFeed;

beforeAll(async () => {
  gateway = await startTestGateway({ FEEDGATE_BILLING_TEXT: WORDS });
  account = await gateway.createAccount();
  const seed = { type: "collection", rows: [{ id: 1 }] } as const;
  const listed = { ...seed, isPublic: true };
  sold = await seedFeed(gateway, account, { ...listed, name: HOSTILE, oneTimePriceCents: 500 });
  metered = await seedFeed(gateway, account, { ...listed, name: "Gold", callPriceNanos: 1_500 });
  unlisted = await seedFeed(gateway, account, { ...seed, name: "Hidden", callPriceNanos: 7_000 });
});
afterAll(() => gateway.stop());

async function pageAt(query: string): Promise<string> {
  const response = await gateway.get(`/billing${query}`);
  expect([query, response.status]).toEqual([query, 200]);
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(response.headers.get("cache-control")).toBe("private, no-cache");
  return response.text();
}

describe("/billing", () => {
  test("a 402's own address leads to it, and it says what is to be paid, by whom, and how", async () => {
    const reader = await gateway.createAccount();
    const key = await gateway.createKey(reader, "read");
    const refused = await gateway.get(`/v1/feed/${metered.slug}`, key);
    const { billing_url: url } = (await refused.json()) as { billing_url: string };
    expect(url).toStartWith(`${gateway.baseUrl}/billing?`);
    const page = await pageAt(new URL(url).search);
    expect(page).toContain(`>Gold</a> <code>${metered.slug}</code>`);
    expect(page).toContain("0.0015 USD per 1,000 calls");
    expect(page).toContain(`<code>${reader}</code>`);
    expect(page).toContain("Once the credits are in the balance");
  });

  test("the operator's words are plain text in paragraphs", async () => {
    const page = await pageAt("");
    expect(page).toContain(
      '<p class="words">Send the money to &lt;Acme> &amp; Sons:\nIBAN DE00 1234</p><p class="words">Questions: pay@acme.example</p>',
    );
    expect(page).not.toContain('<p class="words"></p>');
    expect(page).toContain("your account ID, which <code>GET /v1/account</code> returns.");
  });

  test("a provider's text is escaped, and hides nothing", async () => {
    const page = await pageAt(`?feed_id=${sold.feedId}`);
    expect(page).toContain("&lt;script>alert(1)&lt;/script></a> <code>");
    expect(page).toContain("5.00 USD once");
    expect(page).toContain("has recorded the purchase, the feed can be read");
    expect(page).toContain("POST /v1/feed/{id}/purchase");
    expect(page).not.toContain("<script>");
    expect(page).not.toContain("\u202e");
  });

  test("what is no id is not repeated, and a feed that is not listed looks like an unknown one", async () => {
    const plain = await pageAt("");
    const hostile = encodeURIComponent(`"><script>alert(1)</script>`);
    expect(await pageAt(`?account_id=${hostile}&feed_id=${hostile}`)).toBe(plain);
    expect(await pageAt(`?feed_id=${unlisted.feedId}`)).toBe(plain);
    expect(await pageAt(`?feed_id=${UNKNOWN_ID}`)).toBe(plain);
  });

  test("another parameter is 400; HEAD and a condition are answered", async () => {
    expect((await gateway.get("/billing?feed=1")).status).toBe(400);
    const head = await fetch(`${gateway.baseUrl}/billing`, { method: "HEAD" });
    const etag = head.headers.get("etag") as string;
    const again = await gateway.get("/billing", undefined, { "If-None-Match": etag });
    expect([head.status, again.status]).toEqual([200, 304]);
  });

  test("without words it says to ask the operator; with a page of the operator's it leads there", async () => {
    const silent = await gateway.startPeer({ FEEDGATE_BILLING_TEXT: "" });
    expect(await (await fetch(`${silent.baseUrl}/billing`)).text()).toContain(
      "Contact its operator",
    );
    const other = await gateway.startPeer({ FEEDGATE_BILLING_URL: "https://pay.test/now?a=1" });
    const page = await (await fetch(`${other.baseUrl}/billing?account_id=${account}`)).text();
    expect(page).toContain(`href="https://pay.test/now?a=1&amp;account_id=${account}"`);
  });
});
