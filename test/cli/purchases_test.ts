import { describe, expect, test } from "bun:test";
import { type Seed, seedFeed } from "../support/seed.ts";
import { balanceOf, linesOf, refused, shareOperatedGateway, UNKNOWN_ID } from "./support.ts";

const { gateway, operator } = await shareOperatedGateway();
const provider = await gateway.createAccount();

const seed = (price: Partial<Seed> = { oneTimePriceCents: 500 }) =>
  seedFeed(gateway, provider, { type: "singleton", rows: [{ rate: 1 }], ...price });

const purchase = (word: "record" | "undo", accountId: string, feed: string, ...more: string[]) =>
  operator.run(["purchase", word, "--account", accountId, "--feed", feed, "--json", ...more]);

/** A feed that is sold once, and an account with a key that may buy it. */
async function createSale() {
  const accountId = await gateway.createAccount();
  return { feed: await seed(), accountId, key: await gateway.createKey(accountId, "read") };
}

describe("purchase record", () => {
  const record = (accountId: string, feed: string, ...more: string[]) =>
    purchase("record", accountId, feed, ...more);

  test("opens a one-time feed, costs no credit, and may be repeated", async () => {
    const { feed, accountId, key } = await createSale();
    expect((await gateway.get(`/v1/feed/${feed.slug}`, key)).status).toBe(402);
    const first = await record(accountId, feed.slug, "--reference", "receipt 1");
    expect(JSON.parse(first.stdout)).toMatchObject({
      kind: "purchase",
      credits: 0,
      account_id: accountId,
      feed_id: feed.feedId,
      reference: "receipt 1",
    });
    expect((await gateway.get(`/v1/feed/${feed.slug}`, key)).status).toBe(200);
    expect(await record(accountId, feed.feedId, "--reference", "receipt 1")).toEqual(first);
    expect(await record(accountId, feed.feedId)).toEqual(first);
    refused(await record(accountId, feed.slug, "--reference", "receipt 2"), "receipt 1");
    expect(await balanceOf(operator, accountId)).toBe(0);
    // The feed has become free since: what was recorded stays so.
    await gateway.sql`
      update feeds
      set price_type = 'free', call_price_nanos = 0, one_time_price_cents = null
      where feed_id = ${feed.feedId}`;
    expect(await record(accountId, feed.slug)).toEqual(first);
  });

  test("one reference is one purchase", async () => {
    const [one, two] = [await seed(), await seed()];
    const accountId = await gateway.createAccount();
    expect((await record(accountId, one.slug, "--reference", "receipt 3")).code).toBe(0);
    refused(await record(accountId, two.slug, "--reference", "receipt 3"), "receipt 3");
    const grant = ["credits", "grant", "--account", accountId, "--credits", "1", "--reason", "S"];
    refused(await operator.run([...grant, "--reference", "receipt 3"]), "receipt 3");
  });

  test("a feed that is not sold once, an unknown feed or account: exit code 1", async () => {
    const free = await seed({});
    const metered = await seed({ callPriceNanos: 1_000 });
    const sold = await seed();
    const accountId = await gateway.createAccount();
    refused(await record(accountId, free.slug), "has no one-time price");
    refused(await record(accountId, metered.slug), "has no one-time price");
    refused(await record(accountId, "no-such-feed"), "no-such-feed");
    refused(await record(UNKNOWN_ID, sold.slug), UNKNOWN_ID);
  });

  test("a provider's own feed is exit code 1: it reads its own feeds free, and is owed nothing", async () => {
    const own = await seed();
    refused(await record(provider, own.slug), "belongs to the account");
    expect(await operator.json("purchase", "list", "--account", provider)).toEqual([]);
  });
});

describe("purchase undo", () => {
  const undo = (accountId: string, feed: string, reason = "paid back") =>
    purchase("undo", accountId, feed, "--reason", reason);

  test("keeps its reason in the ledger, says the same if it is repeated, and the feed may be bought again", async () => {
    const { feed, accountId } = await createSale();
    const bought = await purchase("record", accountId, feed.slug);
    const first = await undo(accountId, feed.slug);
    expect(JSON.parse(first.stdout)).toEqual({
      entry_id: expect.any(Number),
      account_id: accountId,
      kind: "purchase_undo",
      credits: 0,
      balance_before_credits: 0,
      balance_after_credits: 0,
      reason: "paid back",
      reference: `purchase_undo:${JSON.parse(bought.stdout).entry_id}`,
      created_at: expect.any(String),
      feed_id: feed.feedId,
    });
    expect(await undo(accountId, feed.feedId, "another reason")).toEqual(first);
    const argv = ["--account", accountId, "--feed", feed.slug, "--reason", "again"];
    const told = await operator.run(["purchase", "undo", ...argv]);
    expect([told.code, linesOf(told.stderr).length]).toEqual([0, 1]);
    expect(told.stderr).toContain("already undone");
    const again = await purchase("record", accountId, feed.slug);
    expect(again.code).toBe(0);
    expect(again.stdout).not.toBe(bought.stdout);
    const second = await undo(accountId, feed.slug);
    expect(JSON.parse(second.stdout).entry_id).not.toBe(JSON.parse(first.stdout).entry_id);
    expect(await undo(accountId, feed.slug)).toEqual(second);
    expect(await balanceOf(operator, accountId)).toBe(0);
  });

  test("a late retry of the purchase does not open the feed again; another reference does", async () => {
    const { feed, accountId, key } = await createSale();
    const retry = () => purchase("record", accountId, feed.slug, "--reference", "receipt 8");
    await retry();
    await undo(accountId, feed.slug);
    refused(await retry(), 'with reference "receipt 8" was undone');
    expect((await gateway.get(`/v1/feed/${feed.slug}`, key)).status).toBe(402);
    const paid = await purchase("record", accountId, feed.slug, "--reference", "receipt 9");
    expect(paid.code).toBe(0);
    refused(await retry(), 'with reference "receipt 9"');
    expect((await gateway.get(`/v1/feed/${feed.slug}`, key)).status).toBe(200);
  });

  test("the next request of each kind is refused, by every process that knew of the purchase", async () => {
    const { baseUrl } = await gateway.startPeer();
    const { feed, accountId, key } = await createSale();
    const send = (base: string, method: string, headers: Record<string, string>) =>
      fetch(`${base}/v1/feed/${feed.slug}`, { method, headers: { "x-api-key": key, ...headers } });
    for (const [method, headers, granted] of [
      ["GET", {}, 200],
      ["HEAD", {}, 200],
      ["GET", { "If-None-Match": "*" }, 304],
      ["GET", { "Idempotency-Key": "bought" }, 200],
    ] as const) {
      const statuses = () =>
        Promise.all(
          [gateway.baseUrl, baseUrl].map(
            async (base) => (await send(base, method, headers)).status,
          ),
        );
      expect((await purchase("record", accountId, feed.slug)).code).toBe(0);
      // The second time, both know of it.
      for (let times = 0; times < 2; times++) {
        expect([method, headers, await statuses()]).toEqual([method, headers, [granted, granted]]);
      }
      expect((await undo(accountId, feed.slug)).code).toBe(0);
      expect([method, headers, await statuses()]).toEqual([method, headers, [402, 402]]);
    }
    const refusal = await send(baseUrl, "GET", {});
    expect(await refusal.json()).toMatchObject({ code: "PURCHASE_REQUIRED" });
  });

  test("at once with reads of two gateways: none is granted that is sent when it is done", async () => {
    const { baseUrl } = await gateway.startPeer();
    const { feed, accountId, key } = await createSale();
    let isDone = false;
    const read = async (_: unknown, index: number) => {
      const base = index % 2 === 0 ? baseUrl : gateway.baseUrl;
      const statuses: number[] = [];
      for (let isLast = false; !isLast; ) {
        isLast = isDone;
        const url = `${base}/v1/feed/${feed.slug}`;
        const method = index % 3 === 0 ? "GET" : "HEAD";
        statuses.push((await fetch(url, { method, headers: { "x-api-key": key } })).status);
      }
      return statuses.at(-1);
    };
    for (let times = 0; times < 5; times++) {
      await purchase("record", accountId, feed.slug);
      isDone = false;
      const reading = Array.from({ length: 9 }, read);
      await undo(accountId, feed.slug);
      isDone = true;
      for (const last of await Promise.all(reading)) expect(last).toBeOneOf([402, 429]);
    }
  });

  test("what was not bought, an unknown feed or account: exit code 1; a missing or blank option: exit code 2", async () => {
    const { feed, accountId } = await createSale();
    refused(await undo(accountId, feed.slug), "has not bought");
    refused(await undo(accountId, "no-such-feed"), "no-such-feed");
    refused(await undo(UNKNOWN_ID, feed.slug), UNKNOWN_ID);
    await purchase("record", accountId, feed.slug);
    for (const more of [
      [],
      ["--reason", " "],
      ["--reason", "x".repeat(501)],
      ["--reason", "S", "--reference", "R"],
      ["--reason", "S", "more"],
    ]) {
      expect((await purchase("undo", accountId, feed.slug, ...more)).code).toBe(2);
    }
    const argv = ["purchase", "undo", "--reason", "S"];
    expect((await operator.run([...argv, "--account", accountId])).code).toBe(2);
    expect((await operator.run([...argv, "--feed", feed.slug])).code).toBe(2);
    // Nothing was undone by any of them.
    expect((await undo(accountId, feed.slug)).code).toBe(0);
  });
});

describe("purchase list", () => {
  test("has what accounts have bought and still have, newest first", async () => {
    const feeds = [await seed(), await seed()];
    const [one, two] = [
      await gateway.createAccount(),
      await gateway.createAccount({ name: "Two" }),
    ];
    const record = (accountId: string, feed: number, ...more: string[]) => {
      const argv = ["purchase", "record", "--account", accountId, "--feed"];
      return operator.json(...argv, feeds[feed]?.slug as string, ...more);
    };
    await record(one, 0, "--reference", "receipt 10");
    await record(two, 0);
    await record(one, 1);
    const list = async (...argv: string[]) =>
      (await operator.json("purchase", "list", ...argv)) as Record<string, unknown>[];
    const of = (accountId: string, feed: number) => ({
      account_id: accountId,
      feed_id: feeds[feed]?.feedId,
    });
    expect((await list()).slice(0, 3)).toMatchObject([of(one, 1), of(two, 0), of(one, 0)]);
    expect(await list("--account", "Two")).toMatchObject([of(two, 0)]);
    const [, first] = await list("--account", one);
    expect(first).toEqual({
      purchase_id: expect.any(String),
      paid_from: "elsewhere",
      entry_id: expect.any(Number),
      ...of(one, 0),
      endpoint_path: feeds[0]?.slug,
      price_usd: 5,
      reference: "receipt 10",
      purchased_at: expect.any(String),
    });
    const undo = ["purchase", "undo", "--account", one, "--reason", "S", "--feed"];
    await operator.json(...undo, feeds[0]?.slug as string);
    expect(await list("--account", one)).toMatchObject([of(one, 1)]);
    const { stdout } = await operator.run(["purchase", "list", "--account", one]);
    const [header, ...lines] = linesOf(stdout);
    expect(header).toMatch(/^PURCHASED +ACCOUNT +SLUG +USD +PAID FROM +REFERENCE +FEED +PURCHASE$/);
    expect(lines).toEqual([expect.stringContaining(feeds[1]?.slug as string)]);
    expect(await list("--account", provider)).toEqual([]);
  });

  test("of an unknown account is exit code 1; a blank one, a wrong entry and an argument are exit code 2", async () => {
    refused(await operator.run(["purchase", "list", "--account", UNKNOWN_ID]), UNKNOWN_ID);
    for (const argv of [["--account", " "], ["--after", "x"], ["--after", "0"], [UNKNOWN_ID]]) {
      expect((await operator.run(["purchase", "list", ...argv])).code).toBe(2);
    }
  });
});
