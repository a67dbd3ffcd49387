/**
 * Who may read a feed that is not open, over two gateways: whatever one of them changes holds for the other's next
 * read.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { present } from "../../src/lib/assert.ts";
import { shareTestGateway, type TestGateway } from "../support/gateway.ts";
import { runJob } from "../support/run_job.ts";
import { type Seed, type SeededFeed, seedFeed } from "../support/seed.ts";

type Access = "open" | "by_request" | "invited";

interface Someone {
  readonly id: string;
  readonly read: string;
}

let gateway: TestGateway;
let peerUrl: string;
let owner: Someone & { readonly write: string };

beforeAll(async () => {
  gateway = await shareTestGateway();
  peerUrl = (await gateway.startPeer()).baseUrl;
  const { id, read } = await someone();
  owner = { id, read, write: await gateway.createKey(id, "write") };
});
afterAll(() => gateway.stop());

async function someone(credits = 1_000): Promise<Someone> {
  const id = await gateway.createAccount({ credits });
  return { id, read: await gateway.createKey(id, "read") };
}

async function feedOf(
  access: Access,
  seed: Partial<Seed> = {},
): Promise<SeededFeed & { readonly word: string }> {
  const word = `w${crypto.randomUUID().slice(0, 8)}`;
  const feed = await seedFeed(gateway, owner.id, {
    type: "stream",
    rows: [{ id: 1, event_timestamp: "2026-01-01T00:00:00Z" }],
    isPublic: true,
    name: `Feed ${word}`,
    ...seed,
  });
  await gateway.sql`update feeds set access = ${access} where feed_id = ${feed.feedId}`;
  return { ...feed, word };
}

async function answerOf(response: Response) {
  const { _origin: _, ...body } = (await response.json()) as Record<string, unknown>;
  return { status: response.status, code: body.code, body };
}

const read = async ({ slug }: SeededFeed, key: string, base = gateway.baseUrl) =>
  answerOf(await fetch(`${base}/v1/feed/${slug}`, { headers: { "x-api-key": key } }));

async function provide(method: string, feed: SeededFeed, path: string, body?: unknown) {
  const response = await fetch(`${gateway.baseUrl}/v1/provider/feed/${feed.feedId}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${owner.write}`,
      ...(body !== undefined && { "Content-Type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return response.status === 204 ? { status: 204, code: undefined, body: {} } : answerOf(response);
}

const grant = (feed: SeededFeed, { id }: Someone, terms: object = {}) =>
  provide("PUT", feed, `/readers/${id}`, terms);
const end = (feed: SeededFeed, { id }: Someone) => provide("DELETE", feed, `/readers/${id}`);

async function ask(feed: SeededFeed, who: Someone, message?: string) {
  return answerOf(
    await gateway.send("POST", `/v1/feed/${feed.slug}/access-requests`, who.read, { message }),
  );
}

describe("a feed by request", () => {
  test("is listed and described for all, and read by those whom its owner approves", async () => {
    const feed = await feedOf("by_request");
    const reader = await someone();
    const listed = await gateway.get(`/v1/search?q=${feed.word}`, reader.read);
    expect(await listed.json()).toMatchObject({ results: [{ id: feed.feedId }] });
    const metadata = await gateway.get(`/v1/feed/${feed.slug}/metadata`, reader.read);
    expect(await metadata.json()).toMatchObject({ access: "by_request" });
    expect(await read(feed, reader.read)).toMatchObject({
      status: 403,
      code: "ACCESS_REQUIRED",
      body: { request_path: `/v1/feed/${feed.feedId}/access-requests` },
    });
    expect((await read(feed, owner.read)).status).toBe(200);

    const asked = await ask(feed, reader, "For a map.");
    expect(asked).toMatchObject({
      status: 201,
      body: { status: "waiting", message: "For a map." },
    });
    expect(await ask(feed, reader)).toMatchObject({
      code: "ACCESS_REQUESTED",
      body: { retry_at: null },
    });
    const { request_id: requestId } = asked.body;
    const waiting = await provide("GET", feed, "/access-requests?status=waiting");
    expect(waiting.body).toMatchObject({ requests: [{ request_id: requestId }] });
    const approved = await provide("POST", feed, `/access-requests/${requestId}/approve`, {});
    expect(approved).toMatchObject({ status: 200, body: { status: "approved" } });
    expect((await read(feed, reader.read, peerUrl)).status).toBe(200);
    expect(await ask(feed, reader)).toMatchObject({ code: "ACCESS_NOT_NEEDED" });
    const again = await provide("POST", feed, `/access-requests/${requestId}/decline`, {});
    expect(again).toMatchObject({ status: 409, code: "ACCESS_ANSWERED" });

    expect((await end(feed, reader)).status).toBe(204);
    expect(await read(feed, reader.read, peerUrl)).toMatchObject({ code: "ACCESS_REQUIRED" });
    expect(await end(feed, reader)).toMatchObject({ status: 404, code: "READER_NOT_FOUND" });
  });

  test("tells why a request was declined, and takes another one after 7 days", async () => {
    const feed = await feedOf("by_request");
    const reader = await someone();
    const { request_id: requestId } = (await ask(feed, reader)).body;
    const reason = "For schools only.";
    await provide("POST", feed, `/access-requests/${requestId}/decline`, { reason });
    const own = await gateway.get("/v1/account/access-requests", reader.read);
    expect(await own.json()).toMatchObject({ requests: [{ status: "declined", reason }] });
    expect(await ask(feed, reader)).toMatchObject({
      status: 409,
      code: "ACCESS_REQUESTED",
      body: { retry_at: expect.stringContaining("T") },
    });
    await gateway.sql`
      update access_requests set answered_at = answered_at - interval '7 days'
      where request_id = ${requestId as string}`;
    expect((await ask(feed, reader)).status).toBe(201);
  });

  test("that is deleted keeps no request that waits, and those that were answered", async () => {
    const feed = await feedOf("by_request");
    const [waiting, declined] = [await someone(), await someone()];
    await ask(feed, waiting, "For a map.");
    const { request_id: requestId } = (await ask(feed, declined)).body;
    await provide("POST", feed, `/access-requests/${requestId}/decline`, {});
    await gateway.sql`select delete_feed(${owner.id}, ${feed.feedId}, 'test', 5)`;
    await runJob(gateway.sql, "deleted feeds");
    const kept = await gateway.sql`
      select request_id from access_requests where feed_id = ${feed.feedId}`;
    expect(kept.map((row) => row.request_id)).toEqual([requestId]);
  });

  test("that becomes an invited one is no longer in the list of whoever asked for it", async () => {
    const feed = await feedOf("by_request");
    const [stranger, reader] = [await someone(), await someone()];
    await ask(feed, stranger);
    await ask(feed, reader);
    await grant(feed, reader);
    await provide("PATCH", feed, "/edit", { access: "invited" });
    const requestsOf = async ({ read: key }: Someone) => {
      const answer = await gateway.get("/v1/account/access-requests", key);
      return ((await answer.json()) as { requests: unknown[] }).requests;
    };
    expect(await requestsOf(stranger)).toEqual([]);
    expect(await requestsOf(reader)).toMatchObject([{ feed_id: feed.feedId, status: "approved" }]);
    const { body } = await provide("GET", feed, "/access-requests");
    expect(body).toMatchObject({ requests: [{ status: "approved" }, { status: "waiting" }] });
  });

  test("can't be bought without a grant, and what was bought stays readable", async () => {
    const feed = await feedOf("by_request", { oneTimePriceCents: 100 });
    const reader = await someone(10_000_000);
    const buy = async () =>
      answerOf(
        await gateway.send("POST", `/v1/feed/${feed.slug}/purchase`, reader.read, {
          max_credits: 1_000_000,
        }),
      );
    expect(await buy()).toMatchObject({ status: 403, code: "ACCESS_REQUIRED" });
    await grant(feed, reader);
    expect(await read(feed, reader.read)).toMatchObject({ code: "PURCHASE_REQUIRED" });
    expect((await buy()).status).toBe(201);
    await end(feed, reader);
    expect((await read(feed, reader.read, peerUrl)).status).toBe(200);
    await gateway.sql`update feeds set access = 'invited' where feed_id = ${feed.feedId}`;
    expect((await read(feed, reader.read, peerUrl)).status).toBe(200);
    await gateway.sql`select undo_purchase(${reader.id}, ${feed.feedId}, 'test', 'test')`;
    expect((await read(feed, reader.read, peerUrl)).status).toBe(404);
  });
});

describe("an invited feed", () => {
  test("is no feed for strangers, wherever they look, and one for its owner and readers", async () => {
    const feed = await feedOf("invited");
    const [stranger, reader] = [await someone(), await someone()];
    await grant(feed, reader);
    // As near to other slugs as each other.
    const slug = `zz${crypto.randomUUID()}`;
    await gateway.sql`update feeds set endpoint_path = ${slug} where feed_id = ${feed.feedId}`;
    const hidden = { ...feed, slug };
    const unknown = { slug: `zz${crypto.randomUUID()}`, feedId: crypto.randomUUID() };
    const looks = (
      of: SeededFeed,
      key: string | undefined,
      base: string,
    ): readonly Promise<unknown>[] =>
      [
        `/v1/feed/${of.slug}`,
        `/v1/feed/${of.feedId}`,
        `/v1/feed/${of.slug}/metadata`,
        `/v1/feed/${of.slug}/stream`,
        `/v1/feed/${of.slug}/export`,
        `/public/feeds/${of.feedId}/agent-skill`,
        `/feeds/${of.slug}`,
      ].map(async (path) => {
        const response = await fetch(base + path, { headers: key ? { "x-api-key": key } : {} });
        const { status, headers } = response;
        const body = (await response.text())
          .replaceAll(of.slug, "SLUG")
          .replaceAll(of.feedId, "ID")
          .replace(/"request_id":"[^"]*"/, "");
        return {
          path: path.replace(of.slug, "SLUG").replace(of.feedId, "ID"),
          status,
          body,
          etag: headers.get("etag"),
        };
      });
    // The owner and a reader have it in memory of both gateways.
    for (const base of [gateway.baseUrl, peerUrl]) {
      for (const key of [owner.read, reader.read]) {
        const [bySlug, byId, metadata, stream, exported, skill, page] = (await Promise.all(
          looks(hidden, key, base),
        )) as { status: number }[];
        expect([bySlug, byId, metadata, stream, exported].map((each) => each?.status)).toEqual([
          200, 200, 200, 200, 200,
        ]);
        expect([skill?.status, page?.status]).toEqual([404, 404]);
      }
      for (const key of [stranger.read, undefined]) {
        expect(await Promise.all(looks(hidden, key, base))).toEqual(
          await Promise.all(looks(unknown, key, base)),
        );
      }
    }
    const stillReads = await read(hidden, reader.read);
    expect(stillReads.status).toBe(200);
    expect(await ask(hidden, stranger)).toMatchObject({ status: 404, code: "FEED_NOT_FOUND" });
  });

  test("is in catalog and search of its owner and its readers alone", async () => {
    const feed = await feedOf("invited");
    const [stranger, reader] = [await someone(), await someone()];
    const foundBy = async ({ read: key }: Someone, base: string) => {
      const hits = async (path: string, member: "feeds" | "results") => {
        const answer = await fetch(base + path, { headers: { "x-api-key": key } });
        const body = (await answer.json()) as Record<string, unknown>;
        const found = body[member] as { id: string }[];
        expect([path, answer.status]).toEqual([path, 200]);
        return { total: body.total, has: found.some(({ id }) => id === feed.feedId) };
      };
      const search = await hits(`/v1/search?q=${feed.word}`, "results");
      const catalog = await hits("/v1/catalog?limit=100", "feeds");
      return [search.total, search.has, catalog.has];
    };
    // All three are in memory before the grant.
    expect(await foundBy(stranger, peerUrl)).toEqual([0, false, false]);
    expect(await foundBy(reader, peerUrl)).toEqual([0, false, false]);
    await grant(feed, reader);
    expect(await foundBy(reader, peerUrl)).toEqual([1, true, true]);
    expect(await foundBy(owner, peerUrl)).toEqual([1, true, true]);
    expect(await foundBy(stranger, peerUrl)).toEqual([0, false, false]);
    await end(feed, reader);
    expect(await foundBy(reader, gateway.baseUrl)).toEqual([0, false, false]);
  });

  test("is in catalog and search of an owner that was in memory when it was created", async () => {
    const creator = await someone();
    const write = await gateway.createKey(creator.id, "write");
    const word = `w${crypto.randomUUID().slice(0, 8)}`;
    const found = async (base: string) => {
      const paths = ["/v1/catalog?limit=100", `/v1/search?q=${word}`];
      const texts = paths.map(async (path) =>
        (await fetch(base + path, { headers: { "x-api-key": creator.read } })).text(),
      );
      return (await Promise.all(texts)).map((text) => text.includes(`Feed ${word}`));
    };
    const bases = [gateway.baseUrl, peerUrl];
    for (const base of bases) expect(await found(base)).toEqual([false, false]);
    const created = await gateway.send("POST", "/v1/provider/feed/create", write, {
      name: `Feed ${word}`,
      endpoint_path: word,
      feed_type: "stream",
      access: "invited",
    });
    const { id } = (await created.json()) as { id: string };
    // A push does not change the account.
    const row = { id: "1", event_timestamp: "2026-01-01T00:00:00Z" };
    const pushed = await gateway.send("POST", `/v1/provider/feed/${id}/push`, write, [row]);
    expect([created.status, pushed.status]).toEqual([201, 200]);
    await gateway.sql`update feeds set is_public = true where feed_id = ${id}`;
    for (const base of bases) expect(await found(base)).toEqual([true, true]);
  });

  test("is paged with the feeds of all, each once", async () => {
    const feeds = [await feedOf("invited"), await feedOf("invited")];
    await feedOf("open");
    const reader = await someone();
    for (const feed of feeds) await grant(feed, reader);
    const ids: string[] = [];
    let total = 0;
    for (let offset = 0; ; offset += 3) {
      const answer = await gateway.get(`/v1/catalog?limit=3&offset=${offset}`, reader.read);
      const page = (await answer.json()) as {
        total: number;
        has_more: boolean;
        feeds: { id: string }[];
      };
      ids.push(...page.feeds.map(({ id }) => id));
      total = page.total;
      if (!page.has_more) break;
    }
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBe(total);
    expect(ids).toEqual(expect.arrayContaining(feeds.map(({ feedId }) => feedId)));
  });
});

describe("access", () => {
  test("that an edit closes or opens holds from the next read on, on every process", async () => {
    const feed = await feedOf("open");
    const reader = await someone();
    const edit = (access: Access) =>
      gateway.send("PATCH", `/v1/provider/feed/${feed.feedId}/edit`, owner.write, { access });
    for (const [access, status] of [
      ["open", 200],
      ["by_request", 403],
      ["open", 200],
      ["invited", 404],
      ["by_request", 403],
      ["open", 200],
    ] as const) {
      expect((await edit(access)).status).toBe(200);
      for (const base of [peerUrl, gateway.baseUrl]) {
        expect([access, (await read(feed, reader.read, base)).status]).toEqual([access, status]);
      }
    }
    const wrong = await gateway.send(
      "PATCH",
      `/v1/provider/feed/${feed.feedId}/edit`,
      owner.write,
      { access: "closed" },
    );
    expect(wrong.status).toBe(422);
  });

  test("ends at the moment that the grant names, also for a reader in memory", async () => {
    const feed = await feedOf("invited");
    const reader = await someone();
    await grant(feed, reader, { expires_at: "2099-01-01T00:00:00Z" });
    expect((await read(feed, reader.read)).status).toBe(200);
    // Behind the back of the account's version: time alone ends it.
    const endsMs = Date.now() + 100;
    await grant(feed, reader, { expires_at: new Date(endsMs).toISOString() });
    // On a busy machine it may have ended before this read.
    const first = await read(feed, reader.read);
    expect([200, 404]).toContain(first.status);
    await Bun.sleep(Math.max(0, endsMs - Date.now()) + 1);
    const last = await read(feed, reader.read);
    expect(last).toMatchObject({ status: 404, code: "FEED_NOT_FOUND" });
  });

  test("is answered as it was written, also if a repeat changes nothing", async () => {
    const feed = await feedOf("by_request");
    const reader = await someone();
    const asked = await ask(feed, reader, "For a map.");
    const terms = { is_free: true, expires_at: "2099-01-01T00:00:00Z", note: "a school" };
    const first = await grant(feed, reader, terms);
    expect(first).toMatchObject({
      status: 200,
      body: { account_id: reader.id, ...terms, expires_at: expect.stringContaining("2099") },
    });
    expect(await grant(feed, reader, terms)).toEqual(first);
    const listed = await provide("GET", feed, "/readers");
    expect(listed.body).toMatchObject({ readers: [first.body] });
    const own = await gateway.get("/v1/account/access-requests", reader.read);
    const { requests } = (await own.json()) as { requests: Record<string, unknown>[] };
    const { status, answered_at, ...unanswered } = present(requests[0]);
    expect([status, typeof answered_at]).toEqual(["approved", "string"]);
    expect(asked.body).toEqual({ ...unanswered, status: "waiting", answered_at: null });
  });

  test("for nothing: a metered feed is not charged, a one-time feed need not be bought", async () => {
    for (const seed of [{ callPriceNanos: 5_000 }, { oneTimePriceCents: 100 }]) {
      const feed = await feedOf("open", seed);
      const reader = await someone();
      // It has a grant already, so that memory knows of some.
      await grant(await feedOf("invited"), reader);
      const before = await read(feed, reader.read, peerUrl);
      expect(before.status).toBe("callPriceNanos" in seed ? 200 : 402);
      const creditsToReadAll = async (base: string) => {
        const answer = await fetch(`${base}/v1/feed/${feed.slug}/metadata`, {
          headers: { "x-api-key": reader.read },
        });
        const { credits_to_read_all: credits } = (await answer.json()) as Record<string, unknown>;
        return [credits, answer.headers.get("etag")];
      };
      const [priced, pricedTag] = await creditsToReadAll(peerUrl);
      expect(priced).toBeGreaterThan(0);
      await grant(feed, reader, { is_free: true });
      for (const base of [peerUrl, gateway.baseUrl, peerUrl]) {
        const [free, freeTag] = await creditsToReadAll(base);
        expect(free).toBe(0);
        expect(freeTag).not.toBe(pricedTag);
      }
      const balance = async () => {
        const answer = await gateway.get("/v1/account", reader.read);
        return ((await answer.json()) as { balance: { credits: number } }).balance.credits;
      };
      const credits = await balance();
      for (const base of [peerUrl, gateway.baseUrl]) {
        expect((await read(feed, reader.read, base)).status).toBe(200);
      }
      expect(await balance()).toBe(credits);
      await grant(feed, reader, { is_free: false });
      expect(await creditsToReadAll(peerUrl)).toEqual([priced, pricedTag]);
      const after = await read(feed, reader.read, peerUrl);
      expect(after.status).toBe(before.status);
      if (after.status === 200) expect(await balance()).toBe(credits - 5);
    }
  });

  test("of one account is shown as in the list, until it ends", async () => {
    const feed = await feedOf("by_request");
    const [reader, stranger] = [await someone(), await someone()];
    const granted = await grant(feed, reader, { is_free: true, note: "a school" });
    const show = ({ id }: { readonly id: string }) => provide("GET", feed, `/readers/${id}`);
    expect(await show(reader)).toEqual(granted);
    const none = { status: 404, code: "READER_NOT_FOUND" };
    expect(await show(stranger)).toMatchObject(none);
    expect(await show({ id: "unknown" })).toMatchObject(none);
    await gateway.sql`
      update access_grants set expires_at = now() where account_id = ${reader.id}`;
    expect(await show(reader)).toMatchObject(none);
  });

  test("a repeat under an Idempotency-Key needs it, too", async () => {
    const feed = await feedOf("by_request");
    const reader = await someone();
    await grant(feed, reader);
    const repeat = (base: string) =>
      fetch(`${base}/v1/feed/${feed.slug}`, {
        headers: { "x-api-key": reader.read, "idempotency-key": "once" },
      });
    expect((await repeat(gateway.baseUrl)).status).toBe(200);
    expect((await repeat(peerUrl)).status).toBe(200);
    await end(feed, reader);
    expect((await repeat(peerUrl)).status).toBe(403);
    const etag = (
      await fetch(`${peerUrl}/v1/feed/${feed.slug}`, {
        headers: { "x-api-key": owner.read },
      })
    ).headers.get("etag");
    const unchanged = await fetch(`${peerUrl}/v1/feed/${feed.slug}`, {
      headers: { "x-api-key": reader.read, "if-none-match": present(etag ?? undefined) },
    });
    expect(unchanged.status).toBe(403);
  });

  test("can't be given to the owner, nobody, a closed account, or until a time that has passed", async () => {
    const feed = await feedOf("invited");
    const closed = await someone();
    await gateway.sql`select close_account(${closed.id}, null, 'test')`;
    const nobody = { id: crypto.randomUUID(), read: "" };
    expect(await grant(feed, owner)).toMatchObject({ status: 409, code: "ACCESS_NOT_NEEDED" });
    expect(await grant(feed, nobody)).toMatchObject({ status: 404, code: "ACCOUNT_NOT_FOUND" });
    expect(await grant(feed, closed)).toMatchObject({ status: 404, code: "ACCOUNT_NOT_FOUND" });
    const reader = await someone();
    const past = await grant(feed, reader, { expires_at: "2020-01-01T00:00:00Z" });
    expect(past).toMatchObject({ status: 422, body: { errors: [{ path: "/expires_at" }] } });
    const long = await grant(feed, reader, { note: "x".repeat(2_001) });
    expect(long.status).toBe(422);
    const open = await feedOf("open");
    expect(await ask(open, reader)).toMatchObject({ status: 409, code: "ACCESS_NOT_NEEDED" });
    const byRequest = await feedOf("by_request");
    expect((await ask(byRequest, reader, "x".repeat(2_001))).status).toBe(422);
    expect((await ask(byRequest, reader, "x".repeat(2_000))).status).toBe(201);
  });

  test("of a feed is listed page by page, and another account's feed is forbidden", async () => {
    const feed = await feedOf("invited");
    const readers = [await someone(), await someone(), await someone()];
    for (const reader of readers) await grant(feed, reader, { note: "n" });
    const ids: unknown[] = [];
    for (let cursor = ""; ; ) {
      const page = await provide("GET", feed, `/readers?limit=2${cursor && `&cursor=${cursor}`}`);
      const { readers: found, next_cursor: next } = page.body as {
        readers: { account_id: string }[];
        next_cursor: string | null;
      };
      ids.push(...found.map(({ account_id: id }) => id));
      if (next === null) break;
      cursor = next;
    }
    expect(ids).toEqual(readers.map(({ id }) => id).reverse());
    const other = await someone();
    const otherKey = await gateway.createKey(other.id, "write");
    const foreign = await gateway.send(
      "GET",
      `/v1/provider/feed/${feed.feedId}/readers`,
      otherKey,
      undefined,
    );
    expect(foreign.status).toBe(403);
  });
});
