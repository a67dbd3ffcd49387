import { afterAll, beforeAll, expect, test } from "bun:test";
import { shareTestGateway, type TestGateway } from "../../support/gateway.ts";
import { seedFeed } from "../../support/seed.ts";
import { signIn } from "./support.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await shareTestGateway();
});
afterAll(() => gateway.stop());

test("/billing shows a signed-in consumer the price of an unlisted feed, whether it is bought, and whom a link is for", async () => {
  const account = await gateway.createAccount({ credits: 10_000_000, name: "Buyer" });
  const key = await gateway.createKey(account, "read");
  const { cookie } = await signIn(gateway.baseUrl, key);
  const { feedId, slug } = await seedFeed(gateway, await gateway.createAccount(), {
    type: "collection",
    rows: [{ id: 1 }],
    oneTimePriceCents: 500,
  });
  const refused = await gateway.get(`/v1/feed/${slug}`, key);
  const { billing_url: url } = (await refused.json()) as { billing_url: string };
  const pageOf = async (headers: Record<string, string>) => (await fetch(url, { headers })).text();
  const before = await pageOf({ cookie });
  expect(before).toContain("5.00 USD once");
  expect(before).toContain(`href="./console/catalog/${feedId}"`);
  expect(before).toContain("Buy it with your balance");
  expect(before).not.toContain("another account");
  // Nobody else learns that there is such a feed.
  expect(await pageOf({})).not.toContain("5.00 USD");
  const bought = await gateway.send("POST", `/v1/feed/${slug}/purchase`, key, {
    max_credits: 5_000_000,
  });
  expect(bought.status).toBe(201);
  const after = await pageOf({ cookie });
  expect(after).toContain("You have bought this feed");
  expect(after).not.toContain("Buy it with your balance");
  const other = await gateway.createAccount({ credits: 1, name: "Another" });
  const stranger = await signIn(gateway.baseUrl, await gateway.createKey(other, "read"));
  const theirs = await pageOf({ cookie: stranger.cookie });
  expect(theirs).toContain("This link is for a different account.");
  expect(theirs).toContain("Buy it with your balance");
});

test("/billing shows a signed-in consumer the balance, and nobody else", async () => {
  const account = await gateway.createAccount({ credits: 1_234_567, name: "Acme" });
  const { cookie } = await signIn(gateway.baseUrl, await gateway.createKey(account, "read"));
  const pageOf = async (headers: Record<string, string>) =>
    (await fetch(`${gateway.baseUrl}/billing`, { headers })).text();
  expect(await pageOf({ cookie })).toContain("1,234,567");
  expect(await pageOf({ cookie })).toContain("Acme");
  expect(await pageOf({})).not.toContain("Your balance");
  // Who publishes has no balance to pay from.
  const provider = await signIn(gateway.baseUrl, await gateway.createKey(account, "write"));
  expect(await pageOf({ cookie: provider.cookie })).not.toContain("Your balance");
});
