/**
 * An agent that knows nothing but the endpoint: it finds gold prices, reads a year of them, pages on, and is
 * told what to do when its credits are spent.
 *
 * @module
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { shareTestGateway, type TestGateway } from "../support/gateway.ts";
import { seedFeed } from "../support/seed.ts";

let gateway: TestGateway;
let client: Client;

beforeAll(async () => {
  gateway = await shareTestGateway();
  const provider = await gateway.createAccount();
  const months = Array.from({ length: 40 }, (_, month) => ({
    id: `m${month}`,
    event_timestamp: new Date(Date.UTC(2023, month, 1)).toISOString(),
    price_usd: 1_800 + month,
  }));
  const shared = { type: "stream", isPublic: true, callPriceNanos: 1_000 } as const;
  await seedFeed(gateway, provider, { ...shared, rows: months, name: "Gold prices by month" });
  await seedFeed(gateway, provider, { ...shared, rows: months, name: "Weather of Bern" });
  const key = await gateway.createKey(await gateway.createAccount({ credits: 2 }), "read");
  client = new Client({ name: "agent", version: "1" });
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  const address = new URL(`${gateway.baseUrl}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit }));
});
afterAll(async () => {
  await client.close();
  await gateway.stop();
});

/** The structure of the answer, and its text. */
async function use(name: string, given: Record<string, unknown>) {
  const { structuredContent, content, isError } = await client.callTool({ name, arguments: given });
  const [first] = content;
  return {
    ...(structuredContent as Record<string, unknown>),
    isError: isError === true,
    text: first?.type === "text" ? first.text : "",
  } as Record<string, unknown> & { readonly isError: boolean; readonly text: string };
}

test("an agent finds gold prices, reads twelve months, pages on, and learns how to pay", async () => {
  const found = await use("search_feeds", { query: "gold prices" });
  const [gold] = found.feeds as readonly { slug: string; price: string }[];
  expect(gold?.price).toBe("$0.001 per 1,000 calls");
  const feed = gold?.slug;
  const described = await use("describe_feed", { feed });
  expect(described.newest_event).toBe("2026-04-01T00:00:00Z");
  const year = { feed, start_time: "2025-05-01T00:00:00Z", end_time: "2026-04-30T00:00:00Z" };
  const first = await use("read_feed", { ...year, limit: 8 });
  const second = await use("read_feed", { ...year, limit: 8, cursor: first.next_cursor });
  const rows = [first.rows, second.rows].flat() as readonly { event_timestamp: string }[];
  expect(rows.map((row) => row.event_timestamp.slice(0, 7)).toReversed()).toEqual(
    Array.from({ length: 12 }, (_, month) =>
      new Date(Date.UTC(2025, 4 + month, 1)).toISOString().slice(0, 7),
    ),
  );
  expect(second.has_more).toBe(false);
  const unpaid = await use("read_feed", { feed });
  expect(unpaid).toMatchObject({ isError: true, code: "INSUFFICIENT_CREDITS", status: 402 });
  expect(unpaid.text).toContain("Add credits at http");
  const account = await use("get_account", {});
  expect(account.balance).toEqual({ credits: 0, usd: 0 });
  expect((account.usage as unknown[]).length).toBe(4);
});
