import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { hashKey } from "../../src/accounts/key_format.ts";
import { problemOf, startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";

let gateway: TestGateway;
let owner: string;
let ownerKey: string;
let reader: string;
let readerKey: string;
let metered: SeededFeed;
let soldOnce: SeededFeed;

beforeAll(async () => {
  gateway = await startTestGateway({ FEEDGATE_BILLING_URL: "https://pay.test/now?plan=1" });
  owner = await gateway.createAccount();
  ownerKey = await gateway.createKey(owner, "read");
  reader = await gateway.createAccount({ credits: 1 });
  readerKey = await gateway.createKey(reader, "read");
  const seed = { type: "collection", rows: [{ id: 1 }] } as const;
  metered = await seedFeed(gateway, owner, { ...seed, callPriceNanos: 1_500 });
  soldOnce = await seedFeed(gateway, owner, { ...seed, oneTimePriceCents: 500 });
});
afterAll(() => gateway.stop());

const EVENT = { id: 1, event_timestamp: "2026-01-01T00:00:00Z" };

const pathOf = ({ feedId }: SeededFeed) => `/v1/feed/${feedId}`;

/** What every 402 of the reader has. */
function paymentOf({ feedId }: SeededFeed) {
  return {
    status: 402,
    billing_url: `https://pay.test/now?plan=1&account_id=${reader}&feed_id=${feedId}`,
    balance: { credits: 1, usd: 0.000001 },
  };
}

/** A call of a tool with the reader's key. */
async function callTool(name: string, given: object) {
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } };
  const headers = { Accept: "application/json, text/event-stream" };
  const response = await gateway.send("POST", "/mcp", readerKey, call, headers);
  const [, data = ""] = /^data: (.*)$/m.exec(await response.text()) ?? [];
  return JSON.parse(data).result as { readonly structuredContent: object };
}

describe("an owner's account", () => {
  test("reads its own feeds without a purchase or a charge, by GET, HEAD and condition", async () => {
    for (const feed of [metered, soldOnce]) {
      const read = await gateway.get(pathOf(feed), ownerKey);
      expect(read.status).toBe(200);
      expect(await read.json()).toMatchObject({
        data: [{ id: 1 }],
        _origin: { credits_charged: 0 },
      });
      const head = await fetch(gateway.baseUrl + pathOf(feed), {
        method: "HEAD",
        headers: { "x-api-key": ownerKey },
      });
      expect(head.status).toBe(200);
      const etag = read.headers.get("etag") as string;
      const unchanged = await gateway.get(pathOf(feed), ownerKey, { "If-None-Match": etag });
      expect(unchanged.status).toBe(304);
    }
  });

  test("is limited and logged as every reader is", async () => {
    const before = await gateway.get(pathOf(metered), ownerKey);
    const after = await gateway.get(pathOf(metered), ownerKey);
    const left = ({ headers }: Response) => Number(headers.get("x-ratelimit-remaining"));
    expect(before.headers.get("x-ratelimit-limit")).toBe("100");
    expect(left(after)).toBe(left(before) - 1);
    const { _origin } = (await after.json()) as { _origin: { usage_id: string } };
    const logged = await gateway.sql`
      select operation, charge_nanos::int from usage_events where usage_id = ${_origin.usage_id}`;
    expect(logged.map((row) => ({ ...row }))).toEqual([{ operation: "data", charge_nanos: 0 }]);
  });
});

describe("402", () => {
  test("INSUFFICIENT_CREDITS has price, balance, and an address that names account and feed", async () => {
    const { status, body } = await problemOf(await gateway.get(pathOf(metered), readerKey));
    expect(status).toBe(402);
    const { feedId } = metered;
    const billingUrl = `https://pay.test/now?plan=1&account_id=${reader}&feed_id=${feedId}`;
    expect(body).toEqual({
      type: expect.any(String),
      title: expect.any(String),
      status: 402,
      detail: `This call costs 1.5 credits and the balance is 1. Add credits at ${billingUrl}.`,
      code: "INSUFFICIENT_CREDITS",
      request_id: expect.any(String),
      billing_url: billingUrl,
      price: { credits: 1.5, usd: 0.0000015 },
      balance: { credits: 1, usd: 0.000001 },
    });
  });

  test("PURCHASE_REQUIRED has the price of the purchase, to GET and to a condition", async () => {
    for (const headers of [{}, { "If-None-Match": "*" }] as Record<string, string>[]) {
      const { body } = await problemOf(await gateway.get(pathOf(soldOnce), readerKey, headers));
      expect(body).toMatchObject({
        ...paymentOf(soldOnce),
        code: "PURCHASE_REQUIRED",
        price: { credits: 5_000_000, usd: 5 },
      });
      expect(body.detail).toBe(
        `This feed has a one-time price of $5.00, and this account has not bought it. Add credits at ${body.billing_url} (the balance is 1), then buy it with POST /v1/feed/${soldOnce.feedId}/purchase and {"max_credits": 5000000}; after that, all reads of it are free.`,
      );
    }
  });

  test("PRICE_ABOVE_MAX has price, maximum, balance and the address", async () => {
    const { body } = await problemOf(
      await gateway.get(pathOf(metered), readerKey, { "Feedgate-Max-Credits": "0.125" }),
    );
    expect(body).toMatchObject({
      ...paymentOf(metered),
      code: "PRICE_ABOVE_MAX",
      price: { credits: 1.5, usd: 0.0000015 },
      max_credits: 0.125,
    });
  });

  test("KEY_BUDGET_SPENT has price, budget, balance and the address", async () => {
    const key = await gateway.createKey(reader, "read");
    await gateway.sql`update api_keys set daily_nanos = 1000 where key_hash = ${hashKey(key)}`;
    const { body } = await problemOf(await gateway.get(pathOf(metered), key));
    expect(body).toMatchObject({
      ...paymentOf(metered),
      code: "KEY_BUDGET_SPENT",
      price: { credits: 1.5, usd: 0.0000015 },
      budget: { credits: 1, usd: 0.000001 },
      spent: { credits: 0, usd: 0 },
    });
  });

  test("a refusal shows the current balance, though another was remembered", async () => {
    const account = await gateway.createAccount({ credits: 2 });
    const key = await gateway.createKey(account, "read");
    expect((await gateway.get(pathOf(metered), key)).status).toBe(200);
    await gateway.sql`
      update accounts set balance_nanos = balance_nanos + 500000 where account_id = ${account}`;
    const { body } = await problemOf(await gateway.get(pathOf(soldOnce), key));
    expect(body.balance).toEqual({ credits: 500.5, usd: 0.0005005 });
  });

  test("MCP's problem documents have the same members", async () => {
    const { structuredContent } = await callTool("read_feed", { feed: soldOnce.slug });
    expect(structuredContent).toMatchObject({
      ...paymentOf(soldOnce),
      code: "PURCHASE_REQUIRED",
      price: { credits: 5_000_000, usd: 5 },
    });
    const dear = await callTool("read_feed", { feed: metered.slug, max_credits: 0.5 });
    expect(dear.structuredContent).toMatchObject({
      ...paymentOf(metered),
      code: "PRICE_ABOVE_MAX",
      max_credits: 0.5,
    });
  });

  test("the end of a stream of events has the same members", async () => {
    const seed = { type: "stream", rows: [EVENT], callPriceNanos: 1_500 } as const;
    const stream = await seedFeed(gateway, owner, seed);
    const path = `${pathOf(stream)}/stream?live=sse`;
    const text = await (await gateway.get(path, readerKey)).text();
    const [, data = ""] = /^event: end\ndata: (.*)$/m.exec(text) ?? [];
    expect(JSON.parse(data)).toMatchObject({
      ...paymentOf(stream),
      code: "INSUFFICIENT_CREDITS",
      price: { credits: 1.5, usd: 0.0000015 },
    });
  });

  test("PURCHASE_REQUIRED shows the current price, though another was remembered", async () => {
    await gateway.sql`
      update feeds set one_time_price_cents = 700, definition_version = definition_version + 1
      where feed_id = ${soldOnce.feedId}`;
    const { body } = await problemOf(await gateway.get(pathOf(soldOnce), readerKey));
    expect(body.price).toEqual({ credits: 7_000_000, usd: 7 });
  });
});
