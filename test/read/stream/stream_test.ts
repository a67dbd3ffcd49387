import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { REVALIDATION_LIMIT, WAITS_PER_ACCOUNT_MAX } from "../../../src/limits.ts";
import { connect } from "../../../src/postgres/client/connect.ts";
import { STATEMENTS } from "../../../src/postgres/generated/statements.ts";
import { inFunctionSet } from "../../../src/postgres/migrate/function_set.ts";
import type { Gateway } from "../../../src/server.ts";
import { readEvents } from "../../support/event_source.ts";
import { problemOf, startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { seedFeed } from "../../support/seed.ts";

interface StreamPage {
  readonly data: readonly { id: string }[];
  readonly next_offset: string;
  readonly up_to_date: boolean;
  readonly _origin: { usage_id: string; credits_charged: number; feed_id: string } | null;
}

let gateway: TestGateway;
let peer: Gateway;
let provider: string;
let write: string;
let reader: string;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway({
    FEEDGATE_READ_LIMIT_FREE: "1000",
    FEEDGATE_READ_LIMIT_PAID: "1000",
    FEEDGATE_PUSH_LIMIT: "1000",
  });
  peer = await gateway.startPeer();
  provider = await gateway.createAccount();
  write = await gateway.createKey(provider, "write");
  reader = await gateway.createAccount({ credits: 1_000 });
  key = await gateway.createKey(reader, "read");
});
afterAll(() => gateway.stop());
// Those of one test don't count in the next one.
afterEach(() => untilWaiting(0));

/** Waits until so many readers of a gateway wait, or none any more. */
async function untilWaiting(count: number, { services } = gateway.gateway): Promise<void> {
  while (services.waits.open !== count) await Bun.sleep(5);
}

async function createStream(
  rows: readonly Record<string, unknown>[] = [],
  callPriceNanos?: number,
) {
  return seedFeed(gateway, provider, {
    type: "stream",
    rows,
    ...(callPriceNanos !== undefined && { callPriceNanos }),
  });
}

function event(id: string, time = "2026-11-22T10:00:00Z") {
  return { id, event_timestamp: time };
}

async function push(
  feedId: string,
  rows: readonly Record<string, unknown>[],
  baseUrl = gateway.baseUrl,
) {
  const response = await fetch(`${baseUrl}/v1/provider/feed/${feedId}/push`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${write}` },
    body: JSON.stringify(rows),
  });
  expect(response.status).toBe(200);
}

async function follow(feed: string, query = "", headers: Record<string, string> = {}) {
  const response = await gateway.get(`/v1/feed/${feed}/stream${query}`, key, headers);
  return { response, page: (await response.json()) as StreamPage };
}

const idsOf = (page: StreamPage) => page.data.map(({ id }) => id);
const offsetOf = (page: StreamPage) => encodeURIComponent(page.next_offset);

async function operations(accountId = reader): Promise<string[]> {
  const rows = await gateway.sql`
    select operation from usage_events where account_id = ${accountId} order by usage_id`;
  return rows.map((row) => row.operation);
}

describe("a page of a stream in the order of arrival", () => {
  test("has each event once, oldest arrival first, late timestamps included", async () => {
    const { feedId, slug } = await createStream([event("b"), event("a", "2020-01-01T00:00:00Z")]);
    const first = (await follow(slug, "?limit=1")).page;
    expect([idsOf(first), first.up_to_date]).toEqual([["b"], false]);
    const second = (await follow(slug, `?offset=${offsetOf(first)}`)).page;
    expect([idsOf(second), second.up_to_date]).toEqual([["a"], true]);
    // A duplicate takes a position and is no event.
    await push(feedId, [event("c", "1999-01-01T00:00:00Z"), event("a")]);
    const third = (await follow(feedId, `?offset=${offsetOf(second)}`)).page;
    expect([idsOf(third), third.up_to_date]).toEqual([["c"], true]);
    const end = (await follow(feedId, `?offset=${offsetOf(third)}`)).page;
    expect([end.data, end.up_to_date, end._origin]).toEqual([[], true, null]);
  });

  test("costs what a data read costs, is logged as stream, and counts in the window of the feed's data", async () => {
    const { feedId, slug } = await createStream([event("a")], 1_500);
    const before = (await operations()).length;
    const { page, response } = await follow(slug);
    expect(page._origin).toMatchObject({ credits_charged: 1.5, feed_id: feedId });
    expect((await operations()).slice(before)).toEqual(["stream"]);
    const [logged] = await gateway.sql`
      select usage_id, charge_nanos::int as charged from usage_events
      where account_id = ${reader} order by usage_id desc limit 1`;
    expect(logged).toEqual({ usage_id: page._origin?.usage_id, charged: 1_500 });
    expect(response.headers.get("x-ratelimit-remaining")).toBe("999");
    const data = await gateway.get(`/v1/feed/${slug}`, key);
    expect(data.headers.get("x-ratelimit-remaining")).toBe("998");
  });

  test("that is empty is neither charged nor logged, and counts with the 304s", async () => {
    const { slug } = await createStream([event("a")], 1_000);
    const account = await gateway.createAccount({ credits: 10 });
    const own = await gateway.createKey(account, "read");
    const read = () => gateway.get(`/v1/feed/${slug}/stream?offset=now`, own);
    for (let calls = 0; calls < REVALIDATION_LIMIT; calls++)
      expect((await read()).status).toBe(200);
    expect(await operations(account)).toEqual([]);
    expect(await problemOf(await read())).toMatchObject({ status: 429, code: "RATE_LIMITED" });
    const rows = await gateway.get(`/v1/feed/${slug}/stream`, own);
    expect([rows.status, rows.headers.get("x-ratelimit-remaining")]).toEqual([200, "999"]);
  });

  test("keeps the digits and the order of the provider's own text", async () => {
    const text =
      '{"z":1.50,"id":"a","n":123456789012345678901234567890,"event_timestamp":"2026-01-01T00:00:00Z"}';
    const { slug } = await seedFeed(gateway, provider, { type: "stream", texts: [text] });
    const body = await (await gateway.get(`/v1/feed/${slug}/stream`, key)).text();
    expect(body).toStartWith(`{"data":[${text}],"next_offset":"`);
  });

  test("goes on from an offset after events around it were removed, and through another process", async () => {
    const { feedId, slug } = await createStream([event("a"), event("b"), event("c"), event("d")]);
    const { page } = await follow(slug, "?limit=2");
    await gateway.sql`delete from stream_events where feed_id = ${feedId} and row_id in ('b', 'c')`;
    const response = await fetch(
      `${peer.baseUrl}/v1/feed/${slug}/stream?offset=${offsetOf(page)}`,
      {
        headers: { "x-api-key": key },
      },
    );
    expect(idsOf((await response.json()) as StreamPage)).toEqual(["d"]);
  });

  test("of nothing yet begins at now, and is the same for an Idempotency-Key that is repeated", async () => {
    const { feedId, slug } = await createStream([event("a")], 1_000);
    const now = (await follow(slug, "?offset=now")).page;
    expect(now.data).toEqual([]);
    await push(feedId, [event("b")]);
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const query = `?offset=${offsetOf(now)}`;
    const first = (await follow(slug, query, headers)).page;
    const again = (await follow(slug, query, headers)).page;
    expect(idsOf(first)).toEqual(["b"]);
    expect(again).toEqual(first);
    const other = await gateway.get(`/v1/feed/${slug}/stream`, key, headers);
    expect(await problemOf(other)).toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED" });
    const dear = await gateway.get(`/v1/feed/${slug}/stream`, key, {
      "Feedgate-Max-Credits": "0.5",
    });
    expect(await problemOf(dear)).toMatchObject({ code: "PRICE_ABOVE_MAX" });
  });

  test("HEAD shows the limits and neither charges nor logs", async () => {
    const { slug } = await createStream([event("a")], 1_000);
    const before = (await operations()).length;
    const response = await fetch(`${gateway.baseUrl}/v1/feed/${slug}/stream?live=sse`, {
      method: "HEAD",
      headers: { "x-api-key": key },
    });
    expect([response.status, response.headers.get("x-ratelimit-limit")]).toEqual([200, "1000"]);
    expect((await operations()).length).toBe(before);
  });
});

describe("what is no follower's request", () => {
  test("is refused with the code that says why, uncharged", async () => {
    const { slug } = await createStream([event("a")]);
    const other = await createStream([event("a")]);
    const collection = await seedFeed(gateway, provider, {
      type: "collection",
      rows: [{ id: "a" }],
    });
    const { page } = await follow(slug);
    const foreign = offsetOf((await follow(other.slug)).page);
    const cut = page.next_offset.slice(0, -1);
    const forged = page.next_offset.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
    const before = (await operations()).length;
    const refused = async (path: string, headers: Record<string, string> = {}) => {
      const { status, code } = await problemOf(await gateway.get(`/v1/feed/${path}`, key, headers));
      return `${status} ${code}`;
    };
    for (const live of ["", "&live=long-poll", "&live=sse"]) {
      for (const bad of [foreign, cut, forged, "", "end", "%00"]) {
        expect(await refused(`${slug}/stream?offset=${bad}${live}`)).toBe("400 CURSOR_INVALID");
      }
      expect(await refused(`${collection.slug}/stream?limit=1${live}`)).toBe("400 NOT_A_STREAM");
      expect(await refused(`no-such-feed/stream?limit=1${live}`)).toBe("404 FEED_NOT_FOUND");
      expect(await refused(`${slug}/stream?limit=0${live}`)).toBe("400 INVALID_PARAMETER");
      expect(await refused(`${slug}/stream?cursor=x${live}`)).toBe("400 INVALID_PARAMETER");
      const lastEvent = { "Last-Event-ID": forged };
      expect(await refused(`${slug}/stream?limit=1${live}`, lastEvent)).toBe("400 CURSOR_INVALID");
    }
    expect(await refused(`${slug}/stream?live=websocket`)).toBe("400 INVALID_PARAMETER");
    expect(await refused(`${slug}/stream?live=sse&live=sse`)).toBe("400 INVALID_PARAMETER");
    const sold = await seedFeed(gateway, provider, { type: "stream", oneTimePriceCents: 500 });
    for (const live of ["", "?live=long-poll", "?live=sse"]) {
      expect(await refused(`${sold.slug}/stream${live}`)).toBe("402 PURCHASE_REQUIRED");
      const wrong = await gateway.get(`/v1/feed/${slug}/stream${live}`, "fg_read_wrong");
      expect((await problemOf(wrong)).code).toBe("KEY_INVALID");
    }
    expect((await operations()).length).toBe(before);
  });
});

describe("a long poll", () => {
  test("is answered as soon as an event arrives, through its own process or another", async () => {
    const { feedId, slug } = await createStream([event("a")], 1_000);
    for (const baseUrl of [gateway.baseUrl, peer.baseUrl]) {
      const now = (await follow(slug, "?offset=now")).page;
      const waiting = follow(slug, `?offset=${offsetOf(now)}&live=long-poll`);
      await untilWaiting(1);
      const id = crypto.randomUUID();
      await push(feedId, [event(id)], baseUrl);
      const { page } = await waiting;
      expect(idsOf(page)).toEqual([id]);
      expect(page._origin?.credits_charged).toBe(1);
    }
  });

  test("that is sent again with its Idempotency-Key gets the same events, and is stale once others came", async () => {
    for (const offset of ["start", "now"]) {
      const { feedId, slug } = await createStream([], 1_000);
      // So that there is something to follow.
      await push(feedId, [event("a")]);
      const begin = offset === "now" ? "now" : offsetOf((await follow(slug, "?offset=now")).page);
      const before = (await operations()).length;
      const headers = { "Idempotency-Key": crypto.randomUUID() };
      const query = `?offset=${begin}&live=long-poll`;
      const waiting = follow(slug, query, headers);
      await untilWaiting(1);
      // A duplicate moves the offset, and then an event comes.
      await push(feedId, [event("a")]);
      await Bun.sleep(100);
      await push(feedId, [event("b")]);
      const { page } = await waiting;
      expect(idsOf(page)).toEqual(["b"]);
      for (const baseUrl of [gateway.baseUrl, peer.baseUrl]) {
        const again = await fetch(`${baseUrl}/v1/feed/${slug}/stream${query}`, {
          headers: { "x-api-key": key, ...headers },
        });
        expect([offset, again.status, await again.json()]).toEqual([offset, 200, page]);
      }
      expect((await operations()).length).toBe(before + 1);
      await push(feedId, [event("c")]);
      const stale = await gateway.get(`/v1/feed/${slug}/stream${query}`, key, headers);
      expect((await problemOf(stale)).body).toMatchObject({
        status: 409,
        code: "IDEMPOTENCY_KEY_STALE",
        usage_id: page._origin?.usage_id,
      });
      expect((await operations()).length).toBe(before + 1);
    }
  });

  test("counts once with the 304s, however often it and other followers are woken for nothing", async () => {
    const events = Array.from({ length: 70 }, (_, place) => event(`row-${place}`));
    const { feedId, slug } = await createStream(events);
    const own = await gateway.createKey(await gateway.createAccount(), "read");
    const path = `/v1/feed/${slug}/stream?offset=now`;
    const waiting = Array.from({ length: 6 }, () => gateway.get(`${path}&live=long-poll`, own));
    const url = `${gateway.baseUrl}${path}&live=sse`;
    const sources = await Promise.all(
      Array.from({ length: 6 }, () => readEvents(url, { "x-api-key": own })),
    );
    await untilWaiting(waiting.length + sources.length);
    for (const { id } of events) {
      const removed = await fetch(`${gateway.baseUrl}/v1/provider/feed/${feedId}/rows?ids=${id}`, {
        method: "DELETE",
        headers: { Authorization: `Bearer ${write}` },
      });
      expect(removed.status).toBe(200);
      await Bun.sleep(5);
    }
    const { admission } = gateway.gateway.services;
    await admission.idle();
    const head = await fetch(`${gateway.baseUrl}/v1/feed/${slug}`, {
      method: "HEAD",
      headers: { "x-api-key": own },
    });
    expect(head.status).toBe(200);
    await push(feedId, [event("last")]);
    for (const answer of await Promise.all(waiting)) {
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("last")]);
    }
    for (const source of sources) source.close();
    // Twelve followers and one HEAD.
    const left = REVALIDATION_LIMIT - 13;
    for (let calls = 0; calls < left; calls++) {
      expect((await gateway.get(path, own)).status).toBe(200);
    }
    expect(await problemOf(await gateway.get(path, own))).toMatchObject({ code: "RATE_LIMITED" });
  });

  test("ends with 404 when the feed is taken down meanwhile", async () => {
    const { slug, feedId } = await createStream([event("a")]);
    const waiting = gateway.get(`/v1/feed/${slug}/stream?offset=now&live=long-poll`, key);
    await untilWaiting(1);
    await gateway.sql`
      update feeds set status = 'inactive', definition_version = definition_version + 1
      where feed_id = ${feedId}`;
    expect(await problemOf(await waiting)).toMatchObject({ status: 404, code: "FEED_NOT_FOUND" });
  });
});

describe("server-sent events", () => {
  /** With windows of one read. */
  let limited: TestGateway;
  beforeAll(async () => {
    limited = await startTestGateway({ FEEDGATE_READ_LIMIT_FREE: "1" });
  });
  afterAll(() => limited.stop());

  test("bring rows as they arrive, each a logged read whose id resumes", async () => {
    const { feedId, slug } = await createStream([event("a"), event("b")], 1_000);
    const before = (await operations()).length;
    const url = `${gateway.baseUrl}/v1/feed/${slug}/stream?live=sse`;
    const source = await readEvents(url, { "x-api-key": key });
    expect(source.response.headers.get("content-type")).toBe("text/event-stream");
    const first = await source.next("rows");
    expect(idsOf(JSON.parse(first.data))).toEqual(["a", "b"]);
    await push(feedId, [event("c")]);
    const second = await source.next("rows");
    expect(idsOf(JSON.parse(second.data))).toEqual(["c"]);
    await push(feedId, [event("d")], peer.baseUrl);
    const third = await source.next("rows");
    expect(JSON.parse(third.data)._origin.credits_charged).toBe(1);
    expect(third.id).toBe(JSON.parse(third.data).next_offset);
    source.close();
    expect((await operations()).slice(before)).toEqual(["stream", "stream", "stream"]);
    const resumed = await readEvents(url, {
      "x-api-key": key,
      Accept: "text/event-stream",
      "Last-Event-ID": second.id,
    });
    expect(idsOf(JSON.parse((await resumed.next("rows")).data))).toEqual(["d"]);
    resumed.close();
    const refused = { Accept: "application/json, text/event-stream;q=0" };
    const page = await gateway.get(`/v1/feed/${slug}/stream`, key, refused);
    expect(page.headers.get("content-type")).toStartWith("application/json");
  });

  test("give a follower of now the offset where it began, so that it misses nothing if it is cut off", async () => {
    const { feedId, slug } = await createStream([event("a")]);
    const url = `${gateway.baseUrl}/v1/feed/${slug}/stream?live=sse&offset=now`;
    const source = await readEvents(url, { "x-api-key": key });
    await source.next("");
    const { id } = await source.next("");
    source.close();
    await push(feedId, [event("b")]);
    const resumed = await readEvents(url, { "x-api-key": key, "Last-Event-ID": id });
    expect(idsOf(JSON.parse((await resumed.next("rows")).data))).toEqual(["b"]);
    resumed.close();
  });

  test("tell a follower of now at once where that is, also if the window has no room", async () => {
    const owner = await limited.createAccount();
    const [waiting, other] = [await limited.createAccount(), await limited.createAccount()];
    const own = await limited.createKey(waiting, "read");
    const rows = [event("a")];
    const { feedId, slug } = await seedFeed(limited, owner, { type: "stream", rows });
    expect((await limited.get(`/v1/feed/${slug}`, own)).status).toBe(200);
    const url = `${limited.baseUrl}/v1/feed/${slug}/stream?live=sse`;
    const source = await readEvents(`${url}&offset=now`, { "x-api-key": own });
    await source.next("");
    const { id } = await source.next("");
    source.close();
    const pushed = await limited.send(
      ...(["POST", `/v1/provider/feed/${feedId}/push`] as const),
      await limited.createKey(owner, "write"),
      [event("b")],
    );
    expect(pushed.status).toBe(200);
    const otherKey = await limited.createKey(other, "read");
    const resumed = await readEvents(url, { "x-api-key": otherKey, "Last-Event-ID": id });
    expect(idsOf(JSON.parse((await resumed.next("rows")).data))).toEqual(["b"]);
    resumed.close();
  });

  test("end with the problem when the credits are spent, and when the feed is taken down", async () => {
    const { feedId, slug } = await createStream([event("a")], 1_000);
    const account = await gateway.createAccount({ credits: 2 });
    const own = await gateway.createKey(account, "read");
    const headers = { "x-api-key": own, Accept: "text/event-stream" };
    const source = await readEvents(`${gateway.baseUrl}/v1/feed/${slug}/stream`, headers);
    for (const id of ["b", "c"]) {
      await source.next("rows");
      await push(feedId, [event(id)]);
    }
    const end = JSON.parse((await source.next("end")).data);
    expect(end).toMatchObject({ status: 402, code: "INSUFFICIENT_CREDITS", price: { credits: 1 } });
    expect(await source.next("rows").catch(String)).toContain("ended");

    const other = await readEvents(`${gateway.baseUrl}/v1/feed/${slug}/stream?offset=now`, {
      ...headers,
      "x-api-key": key,
    });
    await other.next("");
    await gateway.sql`
      update feeds set status = 'inactive', definition_version = definition_version + 1
      where feed_id = ${feedId}`;
    expect(JSON.parse((await other.next("end")).data).code).toBe("FEED_NOT_FOUND");
  });

  test("wait for room where the window is full, without an end", async () => {
    const owner = await limited.createAccount();
    const account = await limited.createAccount();
    const own = await limited.createKey(account, "read");
    const { slug } = await seedFeed(limited, owner, {
      type: "stream",
      rows: [event("a"), event("b")],
    });
    const source = await readEvents(`${limited.baseUrl}/v1/feed/${slug}/stream?live=sse&limit=1`, {
      "x-api-key": own,
    });
    expect(idsOf(JSON.parse((await source.next("rows")).data))).toEqual(["a"]);
    const none = await Promise.race([source.next("rows"), Bun.sleep(100)]);
    expect(none).toBeUndefined();
    source.close();
  });

  test("end at the next event once the key is revoked, and nothing is charged", async () => {
    const { feedId, slug } = await createStream([event("a")], 1_000);
    const account = await gateway.createAccount({ credits: 5 });
    const own = await gateway.createKey(account, "read");
    const source = await readEvents(
      `${gateway.baseUrl}/v1/feed/${slug}/stream?offset=now&live=sse`,
      {
        "x-api-key": own,
      },
    );
    await gateway.sql`update api_keys set revoked_at = now() where account_id = ${account}`;
    await push(feedId, [event("b")]);
    expect(JSON.parse((await source.next("end")).data)).toMatchObject({
      status: 403,
      code: "KEY_INVALID",
    });
    expect(await operations(account)).toEqual([]);
  });

  test("end at the next event once their account's grant has ended", async () => {
    for (const [access, code] of [
      ["invited", "FEED_NOT_FOUND"],
      ["by_request", "ACCESS_REQUIRED"],
    ] as const) {
      const { feedId, slug } = await createStream([event("a")]);
      const account = await gateway.createAccount();
      const own = await gateway.createKey(account, "read");
      await gateway.sql`update feeds set access = ${access} where feed_id = ${feedId}`;
      await gateway.sql`select grant_access(${feedId}, ${account}, false, null, null, 'test')`;
      const source = await readEvents(`${gateway.baseUrl}/v1/feed/${slug}/stream?live=sse`, {
        "x-api-key": own,
      });
      await source.next("rows");
      await gateway.sql`delete from access_grants where feed_id = ${feedId}`;
      await push(feedId, [event("b")]);
      expect(JSON.parse((await source.next("end")).data)).toMatchObject({ code });
      expect(await operations(account)).toHaveLength(1);
    }
  });

  test("end with a problem and a time to come back when the gateway drains; a long poll is 204", async () => {
    const { slug } = await createStream([event("a")]);
    const draining = await gateway.startPeer();
    const headers = { "x-api-key": key };
    const url = `${draining.baseUrl}/v1/feed/${slug}/stream?offset=now`;
    const source = await readEvents(`${url}&live=sse`, headers);
    const polling = fetch(`${url}&live=long-poll`, { headers });
    await untilWaiting(2, draining);
    const stopped = draining.stop();
    const end = JSON.parse((await source.next("end")).data);
    expect(end).toMatchObject({ code: "UNAVAILABLE", retry_after_ms: 1_000 });
    const polled = await polling;
    expect([polled.status, polled.headers.get("retry-after")]).toEqual([204, "1"]);
    await stopped;
  });
});

test("an account has 20 followers that wait; one more is 429, and there is room when one has gone", async () => {
  const { slug } = await createStream([event("a")]);
  const own = await gateway.createKey(await gateway.createAccount(), "read");
  const url = `${gateway.baseUrl}/v1/feed/${slug}/stream?offset=now&live=sse`;
  const open = () => readEvents(url, { "x-api-key": own });
  const sources = await Promise.all(Array.from({ length: WAITS_PER_ACCOUNT_MAX }, open));
  for (const live of ["sse", "long-poll"]) {
    const over = await gateway.get(`/v1/feed/${slug}/stream?offset=now&live=${live}`, own);
    expect(over.headers.get("retry-after")).toBe("5");
    expect(await problemOf(over)).toMatchObject({ status: 429, code: "TOO_MANY_WAITS" });
  }
  sources[0]?.close();
  await untilWaiting(WAITS_PER_ACCOUNT_MAX - 1);
  const again = await open();
  expect(again.response.status).toBe(200);
  for (const source of [...sources, again]) source.close();
});

describe("a conditional read with Prefer: wait", () => {
  test("is answered when the page has changed, through its own process or another", async () => {
    const { feedId, slug } = await seedFeed(gateway, provider, {
      type: "collection",
      rows: [{ id: "a" }],
      callPriceNanos: 1_000,
    });
    for (const baseUrl of [gateway.baseUrl, peer.baseUrl]) {
      const known = await gateway.get(`/v1/feed/${slug}`, key);
      const waiting = gateway.get(`/v1/feed/${slug}`, key, {
        "If-None-Match": known.headers.get("etag") ?? "",
        Prefer: "respond-async, wait=10",
      });
      await untilWaiting(1);
      const id = crypto.randomUUID();
      await push(feedId, [{ id }], baseUrl);
      const answer = await waiting;
      expect(answer.status).toBe(200);
      expect(answer.headers.get("preference-applied")).toBe("wait=10");
      expect(await answer.text()).toContain(id);
    }
  });

  test("that is sent again with its Idempotency-Key gets the same answer until the page changes again", async () => {
    const { feedId, slug } = await seedFeed(gateway, provider, {
      type: "collection",
      rows: [{ id: "a" }],
      callPriceNanos: 1_000,
    });
    const known = await gateway.get(`/v1/feed/${slug}`, key);
    const headers = {
      "If-None-Match": known.headers.get("etag") ?? "",
      "Idempotency-Key": crypto.randomUUID(),
      Prefer: "wait=10",
    };
    const read = async () => {
      const answer = await gateway.get(`/v1/feed/${slug}`, key, headers);
      const body = (await answer.json()) as { _origin: StreamPage["_origin"] };
      return { status: answer.status, body };
    };
    const before = (await operations()).length;
    const waiting = read();
    await untilWaiting(1);
    await push(feedId, [{ id: "b" }]);
    const first = await waiting;
    expect(first.status).toBe(200);
    expect(await read()).toEqual(first);
    await push(feedId, [{ id: "c" }]);
    expect((await read()).body).toMatchObject({
      code: "IDEMPOTENCY_KEY_STALE",
      usage_id: first.body._origin?.usage_id,
    });
    expect((await operations()).length).toBe(before + 1);
  });
});

test("a page is read by the index of positions once a stream that was small has grown", async () => {
  const { feedId } = await createStream([event("a")]);
  const session = connect(
    { url: gateway.databaseUrl },
    { connectionsMax: 1, statementTimeoutMs: 0 },
  );
  const read = (position: number) =>
    session.unsafe(inFunctionSet(STATEMENTS.read_stream_tail), [feedId, String(position), "20"], {
      prepare: true,
    });
  await gateway.sql`analyze stream_events`;
  for (let times = 0; times < 8; times++) await read(0);
  await gateway.sql`
    insert into stream_events (feed_id, position, row_id, event_at, payload)
    select ${feedId}, n, n::text, now() - n * interval '1 second', json_build_object('id', n)
    from generate_series(2, 20000) as n`;
  // Autovacuum does this within a minute; the plan of the small stream ends with it.
  await gateway.sql`analyze stream_events`;
  await session`begin`;
  const fetched = async () => {
    const [row] = await session`
      select coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::int as rows
      from pg_stat_xact_user_tables where relname = 'stream_events'`;
    return row?.rows;
  };
  const before = await fetched();
  const [page] = await read(10_000);
  expect(page).toMatchObject({ last_position: 10_020n, has_more: true });
  expect((await fetched()) - before).toBeLessThan(100);
  await session`rollback`;
  await session.end();
});
