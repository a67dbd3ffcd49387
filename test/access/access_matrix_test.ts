/**
 * Every route that names a feed, from the app's own table, with everybody who may ask: owner, granted, ended, taken back,
 * asked, stranger, and nobody. A route that is added is held to this by being there.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { shareTestGateway, type TestGateway } from "../support/gateway.ts";
import { type RouteOfApp, readRouteTable } from "../support/route_table.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";

const ACCESS = ["open", "by_request", "invited"] as const;
type Access = (typeof ACCESS)[number];

/** Answers with rows, so it needs access. */
const OF_DATA = ["GET /v1/feed/:id", "GET /v1/feed/:id/export", "GET /v1/feed/:id/stream"];
/** Describes the feed or is about asking, so that all who find the feed are answered. */
const OF_FINDING = [
  "GET /v1/feed/:id/metadata",
  "POST /v1/feed/:id/access-requests",
  "POST /v1/feed/:id/purchase",
];

interface Somebody {
  readonly name: string;
  readonly accountId: string | undefined;
  /** A read key, and a write key for providers' routes. */
  readonly keys: { readonly read: string; readonly write: string } | undefined;
  readonly mayRead: boolean;
}

let gateway: TestGateway;
let routes: readonly RouteOfApp[];
let owner: Somebody;

beforeAll(async () => {
  gateway = await shareTestGateway({
    FEEDGATE_DISCOVERY_LIMIT: "100000",
    FEEDGATE_READ_LIMIT_FREE: "100000",
  });
  const table = await readRouteTable({ DATABASE_URL: gateway.databaseUrl });
  routes = table.filter(
    ({ method, path }) =>
      /^[A-Z]+$/.test(method) &&
      method !== "ALL" &&
      !path.startsWith("/api/v1") &&
      // An operator sees every feed, and the console is behind a session.
      !/^\/(v1\/operator|console)/.test(path) &&
      /\/feeds?\/:/.test(path),
  );
  owner = await somebody("owner", true);
});
afterAll(() => gateway.stop());

async function somebody(name: string, mayRead: boolean): Promise<Somebody> {
  const accountId = await gateway.createAccount({ credits: 1_000, name });
  const read = await gateway.createKey(accountId, "read");
  const write = await gateway.createKey(accountId, "write");
  return { name, accountId, keys: { read, write }, mayRead };
}

/** Everybody, with a feed of this access that they stand so to. */
async function scene(access: Access): Promise<{ feed: SeededFeed; all: readonly Somebody[] }> {
  const feed = await seedFeed(gateway, owner.accountId ?? "", {
    type: "stream",
    rows: [{ id: 1, event_timestamp: "2026-01-01T00:00:00Z" }],
    isPublic: true,
  });
  const { feedId } = feed;
  const { sql } = gateway;
  // So that each unknown slug is as near to it as any other.
  const slug = `zz${crypto.randomUUID()}`;
  await sql`update feeds set access = 'by_request', endpoint_path = ${slug} where feed_id = ${feedId}`;
  const granted = await somebody("granted", true);
  const ended = await somebody("ended", access === "open");
  const takenBack = await somebody("taken back", access === "open");
  const asked = await somebody("asked", access === "open");
  const stranger = await somebody("stranger", access === "open");
  const nobody = { name: "nobody", accountId: undefined, keys: undefined, mayRead: false };
  for (const { accountId } of [granted, ended, takenBack]) {
    await sql`select grant_access(${feedId}, ${accountId ?? ""}, false, null, null, 'test')`;
  }
  // All of them are in memory as readers.
  for (const { keys } of [granted, ended, takenBack, owner]) {
    expect((await gateway.get(`/v1/feed/${slug}`, keys?.read)).status).toBe(200);
  }
  await gateway.send("POST", `/v1/feed/${slug}/access-requests`, asked.keys?.read, {});
  await sql`
    update access_grants set expires_at = now() where feed_id = ${feedId} and account_id = ${ended.accountId ?? ""}`;
  await sql`
    delete from access_grants where feed_id = ${feedId} and account_id = ${takenBack.accountId ?? ""}`;
  await sql`
    update feeds set access = ${access}, definition_version = definition_version + 1
    where feed_id = ${feedId}`;
  return {
    feed: { feedId, slug },
    all: [owner, granted, ended, takenBack, asked, stranger, nobody],
  };
}

interface Seen {
  readonly status: number;
  /** With what differs between any two calls or feeds taken out. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Headers of the call's time or of its account's windows, which any call has. */
const PASSING = /^(date|x-request-id|.*ratelimit.*|retry-after|server-timing)$/;

async function send(
  { method, path }: RouteOfApp,
  feed: SeededFeed,
  { keys }: Somebody,
): Promise<Seen> {
  const name = path.includes(":feed_id") ? feed.feedId : feed.slug;
  const [named = "", ...rest] = path.split(/:(?:id|feed_id|slug)(?=\/|$)/);
  const address =
    named + name + rest.join(crypto.randomUUID()).replace(/:\w+/, crypto.randomUUID());
  const key = path.includes("/provider/") ? keys?.write : keys?.read;
  const response = await fetch(gateway.baseUrl + address, {
    method,
    redirect: "manual",
    headers: {
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(method === "POST" && { "Content-Type": "application/json" }),
    },
    ...(method === "POST" && { body: path.endsWith("/purchase") ? '{"max_credits":1}' : "{}" }),
  });
  const headers = [...response.headers].filter(([header]) => !PASSING.test(header));
  const plain = (text: string) =>
    text
      .replaceAll(feed.slug, "SLUG")
      .replaceAll(feed.feedId, "ID")
      .replace(/"(request_id|retry_after_ms)":("[^"]*"|\d+)/g, "");
  return {
    status: response.status,
    body: plain(await response.text()),
    headers: Object.fromEntries(headers.map(([header, value]) => [header, plain(value)])),
  };
}

const nameOf = ({ method, path }: RouteOfApp) => `${method} ${path}`;

describe("every route that names a feed", () => {
  test("for readers is known here to answer with rows, or not", () => {
    const ofReaders = routes.filter(({ path }) => path.startsWith("/v1/feed/"));
    expect(ofReaders.map(nameOf).sort()).toEqual([...OF_DATA, ...OF_FINDING].sort());
  });

  for (const access of ACCESS) {
    test(`${access}: rows are for those who may read it`, async () => {
      const { feed, all } = await scene(access);
      for (const route of routes.filter((each) => OF_DATA.includes(nameOf(each)))) {
        for (const who of all) {
          const { status, body } = await send(route, feed, who);
          const place = [nameOf(route), who.name];
          const expected = who.keys === undefined ? 401 : who.mayRead ? 200 : refusedBy(access);
          expect([...place, status]).toEqual([...place, expected]);
          if (expected === 403) expect(body).toContain('"code":"ACCESS_REQUIRED"');
        }
      }
    });
  }

  test("invited: whoever may not read it is answered as for a feed that there is not", async () => {
    const { feed, all } = await scene("invited");
    const unknown = { feedId: crypto.randomUUID(), slug: `zz${crypto.randomUUID()}` };
    for (const route of routes) {
      for (const who of all.filter(({ mayRead }) => !mayRead)) {
        const place = [nameOf(route), who.name];
        expect([...place, await send(route, feed, who)]).toEqual([
          ...place,
          await send(route, unknown, who),
        ]);
      }
    }
  });

  test("by_request: all find it, and are told the same of it", async () => {
    const { feed, all } = await scene("by_request");
    const described = new Set<string>();
    for (const who of all) {
      if (who.keys === undefined) continue;
      const answer = await gateway.get(`/v1/feed/${feed.slug}/metadata`, who.keys.read);
      expect([who.name, answer.status]).toEqual([who.name, 200]);
      const { _origin: _, ...metadata } = (await answer.json()) as { _origin: unknown };
      described.add(JSON.stringify(metadata));
    }
    expect(described.size).toBe(1);
  });
});

function refusedBy(access: Access): number {
  return access === "invited" ? 404 : 403;
}
