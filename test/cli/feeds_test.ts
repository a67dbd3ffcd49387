import { describe, expect, test } from "bun:test";
import { seedFeed } from "../support/seed.ts";
import { refused, startOperatedGateway, UNKNOWN_ID } from "./support.ts";

const { gateway, operator } = await startOperatedGateway();
const provider = await gateway.createAccount({ name: "A provider" });
const key = await gateway.createKey(await gateway.createAccount(), "read");

const seed = (name: string) =>
  seedFeed(gateway, provider, { type: "singleton", rows: [{ rate: 1 }], name });

async function catalog(): Promise<string[]> {
  const body = (await (await gateway.get("/v1/catalog?limit=100", key)).json()) as {
    feeds: { id: string }[];
  };
  return body.feeds.map((each) => each.id);
}

async function definitionVersion(feedId: string): Promise<bigint> {
  const rows = await gateway.sql`select definition_version from feeds where feed_id = ${feedId}`;
  return rows[0]?.definition_version;
}

describe("feed", () => {
  test("publish lists feeds at once, by id or slug, the newest published first", async () => {
    const [one, two] = [await seed("One"), await seed("Two")];
    expect(await catalog()).toEqual([]);
    const published = (await operator.json("feed", "publish", one.slug, two.feedId)) as unknown[];
    expect(published).toEqual([
      expect.objectContaining({ id: one.feedId, is_public: true, endpoint_path: one.slug }),
      expect.objectContaining({ id: two.feedId, is_public: true }),
    ]);
    expect((await catalog()).sort()).toEqual([one.feedId, two.feedId].sort());
    expect(await operator.json("feed", "unpublish", one.slug, one.feedId)).toHaveLength(1);
    expect(await catalog()).toEqual([two.feedId]);
    expect((await gateway.get(`/v1/feed/${one.slug}`, key)).status).toBe(200);
    await operator.json("feed", "publish", one.slug);
    expect(await catalog()).toEqual([one.feedId, two.feedId]);
  });

  test("publishing what is public changes nothing, not even the order", async () => {
    const [one, two] = [await seed("Three"), await seed("Four")];
    await operator.json("feed", "publish", one.slug);
    await operator.json("feed", "publish", two.slug);
    const version = await definitionVersion(one.feedId);
    const before = await catalog();
    await operator.json("feed", "publish", one.slug);
    expect(await catalog()).toEqual(before);
    expect(await definitionVersion(one.feedId)).toBe(version);
    await operator.json("feed", "unpublish", one.slug);
    expect(await definitionVersion(one.feedId)).toBe(version + 1n);
  });

  test("where one of several is unknown, none is published", async () => {
    const feed = await seed("Five");
    refused(await operator.run(["feed", "publish", feed.slug, "no-such-feed"]), "no-such-feed");
    expect(await operator.json("feed", "show", feed.slug)).toMatchObject({ is_public: false });
  });

  test("a draft may be published; it shows once it is active", async () => {
    const feed = await seed("Six");
    await gateway.sql`update feeds set status = 'draft' where feed_id = ${feed.feedId}`;
    expect(await operator.json("feed", "publish", feed.slug)).toMatchObject([
      { status: "draft", is_public: true },
    ]);
    expect(await catalog()).not.toContain(feed.feedId);
    await gateway.sql`update feeds set status = 'active' where feed_id = ${feed.feedId}`;
    expect(await catalog()).toContain(feed.feedId);
  });

  test("list takes an account and --unlisted; show gives the full row", async () => {
    const other = await gateway.createAccount();
    const feed = await seedFeed(gateway, other, { type: "stream", callPriceNanos: 1_000 });
    expect(await operator.json("feed", "list", "--account", other)).toMatchObject([
      { id: feed.feedId },
    ]);
    const row = await operator.json("feed", "show", feed.feedId.toUpperCase());
    expect(row).toMatchObject({
      id: feed.feedId,
      feed_type: "stream",
      price_type: "metered",
      price_per_1k: 0.001,
      is_public: false,
      provider: { id: other },
    });
    await operator.json("feed", "publish", feed.slug);
    const unlisted = (await operator.json("feed", "list", "--unlisted")) as { id: string }[];
    expect(unlisted.length).toBeGreaterThan(0);
    expect(unlisted.map((each) => each.id)).not.toContain(feed.feedId);
    const all = (await operator.json("feed", "list")) as { id: string }[];
    expect(all.map((each) => each.id)).toContain(feed.feedId);
    expect((await operator.run(["feed", "list"])).stdout).toContain("$0.001 per 1,000 calls");
    expect((await operator.run(["feed", "show", feed.slug])).stdout).toContain(feed.feedId);
  });

  test("an unknown feed or account is exit code 1", async () => {
    for (const argv of [
      ["feed", "show", "no-such-feed"],
      ["feed", "unpublish", "no-such-feed"],
      ["feed", "list", "--account", UNKNOWN_ID],
    ]) {
      refused(await operator.run(argv));
    }
  });

  test("show has the newest pushes, refused ones with why", async () => {
    const feed = await seed("Pushed");
    const write = await gateway.createKey(provider, "write");
    const path = `/v1/provider/feed/${feed.feedId}/push`;
    await gateway.send("POST", path, write, { rate: 2 });
    await gateway.send("POST", path, write, "[1]");
    const shown = (await operator.json("feed", "show", feed.slug)) as { pushes: unknown[] };
    expect(shown.pushes).toEqual([
      expect.objectContaining({
        stored: false,
        code: "VALIDATION_FAILED",
        detail: expect.any(String),
      }),
      expect.objectContaining({ stored: true, rows_received: 1, rows_updated: 1, code: null }),
    ]);
  });
});
