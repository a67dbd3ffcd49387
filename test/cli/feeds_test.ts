import { describe, expect, test } from "bun:test";
import { lockWaiters } from "../support/lock_waiters.ts";
import { seedFeed } from "../support/seed.ts";
import {
  failed,
  linesOf,
  refused,
  runInTerminal,
  startOperatedGateway,
  UNKNOWN_ID,
} from "./support.ts";

const { gateway, operator } = await startOperatedGateway();
const provider = await gateway.createAccount({ name: "A provider" });
const key = await gateway.createKey(await gateway.createAccount(), "read");

const seed = (name: string) =>
  seedFeed(gateway, provider, { type: "singleton", rows: [{ rate: 1 }], name });

const stamped = (row: object) => ({ ...row, event_timestamp: "2026-01-01T00:00:00Z" });

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

  test("where one of several is deleted while they are published, none is", async () => {
    const [one, two] = [await seed("Five A"), await seed("Five B")];
    const deleting = await gateway.sql.reserve();
    await deleting`begin`;
    await deleting`update feeds set deleted_at = now() where feed_id = ${two.feedId}`;
    const publishing = operator.run(["feed", "publish", one.slug, two.feedId]);
    await lockWaiters(gateway.sql);
    await deleting`commit`;
    deleting.release();
    refused(await publishing, "deleted");
    expect(await operator.json("feed", "show", one.slug)).toMatchObject({ is_public: false });
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

describe("feed show", () => {
  test("shows what is to be reviewed: size, schema, sample and newest rows, as many as asked", async () => {
    const write = await gateway.createKey(provider, "write");
    const definition = {
      name: "To review",
      endpoint_path: "to-review",
      feed_type: "stream",
      schema_definition: { type: "object", properties: { id: { type: "integer" } } },
      sample_response: { id: 7, note: "a sample" },
    };
    const created = await gateway.send("POST", "/v1/provider/feed/create", write, definition);
    const { id } = (await created.json()) as { id: string };
    const events = [1, 2, 3, 4, 5].map((second) => ({
      id: second,
      event_timestamp: `2026-01-01T00:00:0${second}Z`,
      exact: 1.5,
    }));
    const body = JSON.stringify(events).replaceAll("1.5", "12345678901234567890.10");
    await gateway.send("POST", `/v1/provider/feed/${id}/push`, write, body);
    const { stdout } = await operator.run(["feed", "show", "to-review"]);
    expect(stdout).toMatch(/^state +active$/m);
    expect(stdout).toMatch(/^contents +5 rows, \d+ bytes$/m);
    expect(stdout).toContain(
      'schema:\n  {"type":"object","properties":{"id":{"type":"integer"}}}\n',
    );
    expect(stdout).toContain('sample:\n  {"id":7,"note":"a sample"}\n');
    const [, rows = ""] = /^newest rows \(3 of 5\):\n((?: {2}.*\n)+)/m.exec(stdout) ?? [];
    expect(linesOf(rows).map((line) => line.trim().slice(0, 8))).toEqual([
      '{"id":5,',
      '{"id":4,',
      '{"id":3,',
    ]);
    expect(rows).toContain('"exact":12345678901234567890.10');
    const none = await operator.run(["feed", "show", "to-review", "--rows", "0"]);
    expect(none.stdout).not.toContain("newest rows");
    const all = await operator.run(["feed", "show", "to-review", "--rows", "100", "--json"]);
    expect(all.stdout).toContain('"newest_rows":[{"id":5,');
    expect(JSON.parse(all.stdout)).toMatchObject({ row_count: 5, bytes: expect.any(Number) });
    expect(JSON.parse(all.stdout).newest_rows).toHaveLength(5);
    failed(await operator.run(["feed", "show", "to-review", "--rows", "101"]), 2, "--rows");
  });

  test("shows the rows of a collection's current batch that came last, and a singleton's document", async () => {
    const rows = [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }];
    const collection = await seedFeed(gateway, provider, { type: "collection", rows });
    const newest = async (slug: string) =>
      (await operator.json("feed", "show", slug, "--rows", "2")) as { newest_rows: unknown };
    expect((await newest(collection.slug)).newest_rows).toEqual([{ id: 4 }, { id: 3 }]);
    expect((await newest((await seed("A document")).slug)).newest_rows).toEqual([{ rate: 1 }]);
  });

  test("what providers write says nothing to a terminal, and a long row is cut", async () => {
    const rows = [{ id: "a", text: `\u001b[2J\u202e${"x".repeat(1_000)}` }];
    const feed = await seedFeed(gateway, provider, { type: "stream", rows: rows.map(stamped) });
    const { stdout } = await operator.run(["feed", "show", feed.slug]);
    expect(stdout).not.toContain("\u001b");
    expect(stdout).not.toContain("\u202e");
    expect(stdout).toContain("\\u202exxx");
    expect(stdout).toContain("xxx…\n");
  });

  test("the state is first of all that of the operator", async () => {
    const feed = await seed("Of many states");
    const state = async () =>
      /^state +(.*)$/m.exec((await operator.run(["feed", "show", feed.slug])).stdout)?.[1];
    await operator.json("feed", "suspend", feed.slug, "--reason", "a complaint");
    expect(await state()).toBe("suspended: a complaint (status set by the provider: active)");
    await operator.json("feed", "delete", feed.slug);
    expect(await state()).toMatch(/^deleted 2\d{3}-.*Z, 1 row left to remove$/);
  });

  test("to suspend or resume it again changes nothing", async () => {
    const { feedId } = await seed("Suspended once");
    const record = async () => {
      const rows =
        await gateway.sql`select to_jsonb(feeds) as feed from feeds where feed_id = ${feedId}`;
      return { rows, events: await operator.json("audit", "--feed", feedId) };
    };
    // Nobody has suspended it.
    const fresh = await record();
    await operator.json("feed", "resume", feedId);
    expect(await record()).toEqual(fresh);
    const suspend = ["feed", "suspend", feedId, "--reason", "a complaint"];
    await operator.json(...suspend);
    const suspended = await record();
    expect(suspended).not.toEqual(fresh);
    await operator.json(...suspend);
    expect(await record()).toEqual(suspended);
  });
});

describe("feed delete", () => {
  /** Deletes on a terminal, with an answer to the question. */
  const onTerminal = (argv: readonly string[], input: string) =>
    runInTerminal(["feed", "delete", ...argv], {
      columns: 200,
      environment: { DATABASE_URL: operator.databaseUrl },
      input,
    });
  const isDeleted = async (slug: string) =>
    "deleted_at" in ((await operator.json("feed", "show", slug)) as object);

  test("on a terminal it names what goes and asks; only yes deletes", async () => {
    const feed = await seed("Asked\u001b[2J about");
    for (const answer of ["n\n", "\n"]) {
      const lines = await onTerminal([feed.slug], answer);
      expect(lines.join("\n")).toContain(
        `Permanently delete the feed ${feed.slug} (Asked\\u001b[2J about) of A provider, with 1 row, `,
      );
      expect(lines.join("\n")).toContain("feedgate: nothing was deleted");
      expect(await isDeleted(feed.slug)).toBe(false);
    }
    await onTerminal([feed.slug], "y\n");
    expect(await isDeleted(feed.slug)).toBe(true);
  });

  test("with --yes, --json, or without a terminal, it asks nobody", async () => {
    const [one, two, three] = [await seed("Yes"), await seed("Json"), await seed("Piped")];
    expect((await onTerminal([one.slug, "--yes"], "")).join("\n")).not.toContain("delete the feed");
    await onTerminal([two.slug, "--json"], "");
    await operator.run(["feed", "delete", three.slug]);
    for (const { slug } of [one, two, three]) expect(await isDeleted(slug)).toBe(true);
  });
});
