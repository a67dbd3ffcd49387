/**
 * A gateway that stands still, as under SIGSTOP or on a machine that swaps, while another one goes on with its
 * accounts. What it remembers when it wakes is of before, and so is what it had under way.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { arrayLiteral } from "../../src/postgres/client/array_literal.ts";
import { countLogged, findViolations } from "../support/account_checks.ts";
import { problemOf, startTestGateway, type TestGateway } from "../support/gateway.ts";
import { insertAdminKey } from "../support/insert_key.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";

const PRICE_NANOS = 1_500;
const READERS = 16;
const PAUSE_MS = 2_000;
const LATE_ACTS = 16;

let gateway: TestGateway;
let sleeper: ServedGateway;
let free: SeededFeed;
let metered: SeededFeed;

beforeAll(async () => {
  gateway = await startTestGateway();
  const owner = await gateway.createAccount();
  const rows = [{ id: 1 }];
  free = await seedFeed(gateway, owner, { type: "collection", rows });
  const callPriceNanos = PRICE_NANOS;
  metered = await seedFeed(gateway, owner, { type: "collection", rows, callPriceNanos });
  sleeper = await serveGateway(["serve"], { DATABASE_URL: gateway.databaseUrl });
});
afterAll(async () => {
  sleeper.child.kill("SIGCONT");
  await sleeper.stop();
  await gateway.stop();
});

function read(base: string, { slug }: SeededFeed, key: string): Promise<Response> {
  return fetch(`${base}/v1/feed/${slug}`, { headers: { "x-api-key": key } });
}

async function statusesOf(base: string, feed: SeededFeed, key: string, count: number) {
  const answers = await Promise.all(Array.from({ length: count }, () => read(base, feed, key)));
  return answers.map(({ status }) => status).sort();
}

async function whilePaused(work: () => Promise<void>): Promise<void> {
  sleeper.child.kill("SIGSTOP");
  await work().finally(() => sleeper.child.kill("SIGCONT"));
}

async function agent(credits = 0) {
  const accountId = await gateway.createAccount({ credits });
  return { accountId, key: await gateway.createKey(accountId, "read") };
}

/** Sends an act upon a feed, which leaves its turn behind. */
type Act = (
  base: string,
  feed: SeededFeed,
  turn: string,
  signal?: AbortSignal,
) => Promise<Response>;

function jsonOf(key: string, method: string, body: unknown, signal?: AbortSignal): RequestInit {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  return { method, headers, body: JSON.stringify(body), ...(signal && { signal }) };
}

async function pushes(owner: string): Promise<Act> {
  const key = await gateway.createKey(owner, "write");
  return (base, { feedId }, turn, signal) =>
    fetch(`${base}/v1/provider/feed/${feedId}/push`, jsonOf(key, "POST", { turn }, signal));
}

async function edits(owner: string): Promise<Act> {
  const key = await gateway.createKey(owner, "write");
  return (base, { feedId }, turn, signal) =>
    fetch(`${base}/v1/provider/feed/${feedId}/edit`, jsonOf(key, "PATCH", { name: turn }, signal));
}

async function suspensions(): Promise<Act> {
  const { key } = await insertAdminKey(gateway);
  return (base, { feedId }, reason, signal) =>
    fetch(`${base}/v1/operator/feeds/${feedId}/suspend`, jsonOf(key, "POST", { reason }, signal));
}

describe("a gateway that was paused", () => {
  test("a gateway that was paused refuses reads for whose window others have granted the rest", async () => {
    const { key } = await agent();
    expect(await statusesOf(sleeper.baseUrl, free, key, 4)).toEqual(Array(4).fill(200));
    await whilePaused(async () => {
      const statuses = await statusesOf(gateway.baseUrl, free, key, 5);
      expect(statuses).toEqual(Array(5).fill(200));
    });
    expect(await statusesOf(sleeper.baseUrl, free, key, 4)).toEqual([200, 429, 429, 429]);
  });

  test("a gateway that was paused charges no credits that others have spent", async () => {
    const { accountId, key } = await agent((8 * PRICE_NANOS) / 1_000);
    expect(await statusesOf(sleeper.baseUrl, metered, key, 2)).toEqual([200, 200]);
    await whilePaused(async () => {
      const statuses = await statusesOf(gateway.baseUrl, metered, key, 5);
      expect(statuses).toEqual(Array(5).fill(200));
    });
    expect(await statusesOf(sleeper.baseUrl, metered, key, 3)).toEqual([200, 402, 402]);
    const [row] = await gateway.sql`
      select balance_nanos::int as balance from accounts where account_id = ${accountId}`;
    expect(row?.balance).toBe(0);
  });

  test("a gateway that was paused reads nothing with a key that was revoked, or whose account was suspended", async () => {
    const [revoked, suspended] = [await agent(), await agent()];
    for (const { key } of [revoked, suspended]) {
      expect(await statusesOf(sleeper.baseUrl, free, key, 1)).toEqual([200]);
    }
    await whilePaused(async () => {
      const { sql } = gateway;
      await sql`update api_keys set revoked_at = now() where account_id = ${revoked.accountId}`;
      await sql`
        update accounts set suspension_reason = 'test' where account_id = ${suspended.accountId}`;
    });
    const refusals = [revoked, suspended].map(async ({ key }) =>
      problemOf(await read(sleeper.baseUrl, free, key)),
    );
    const codes = (await Promise.all(refusals)).map(({ code }) => code);
    expect(codes).toEqual(["KEY_INVALID", "ACCOUNT_SUSPENDED"]);
  });

  test.each([
    {
      what: "stores no push",
      act: pushes,
      stored: (feedIds: string) => gateway.sql`
        select payload::json ->> 'turn' as turn from documents where feed_id = any (${feedIds}::uuid[])`,
    },
    {
      what: "edits no feed",
      act: edits,
      stored: (feedIds: string) => gateway.sql`
        select name as turn from feeds where feed_id = any (${feedIds}::uuid[])`,
    },
    {
      what: "suspends no feed",
      act: suspensions,
      stored: (feedIds: string) => gateway.sql`
        select suspension_reason as turn from feeds where feed_id = any (${feedIds}::uuid[])`,
    },
  ])(
    "a gateway that was paused $what for a client that has gone, so what was done since stays",
    async ({ act, stored }) => {
      const owner = await gateway.createAccount();
      const seeded = { type: "singleton", rows: [{ turn: 0 }] } as const;
      const feeds = await Promise.all(
        Array.from({ length: LATE_ACTS }, () => seedFeed(gateway, owner, seeded)),
      );
      const send = await act(owner);
      // The sleeper knows the key and the feeds, and its connections the statement: little is between that and the act.
      for (let time = 0; time < 3; time++) {
        const first = await Promise.all(feeds.map((feed) => send(sleeper.baseUrl, feed, "1")));
        expect(first.map(({ status }) => status)).toEqual(feeds.map(() => 200));
      }
      const leaving = new AbortController();
      await whilePaused(async () => {
        const late = feeds.map((feed) =>
          send(sleeper.baseUrl, feed, "2", leaving.signal).catch(() => "no answer"),
        );
        await Bun.sleep(PAUSE_MS / 2);
        leaving.abort();
        expect(await Promise.all(late)).toEqual(feeds.map(() => "no answer"));
        for (const feed of feeds) expect((await send(gateway.baseUrl, feed, "3")).status).toBe(200);
      });
      // It answers again, so what had waited for it is done or dropped.
      expect((await fetch(`${sleeper.baseUrl}/readyz`)).status).toBe(200);
      await Bun.sleep(PAUSE_MS / 2);
      const found = await stored(arrayLiteral(feeds.map(({ feedId }) => feedId)));
      expect(found.map(({ turn }) => turn)).toEqual(feeds.map(() => "3"));
    },
  );

  test("a gateway that is paused under load leaves no window over its limit, each usage id logged once, and exact books", async () => {
    const agents = await Promise.all(Array.from({ length: 60 }, () => agent(6)));
    const seen: string[] = [];
    let isOver = false;
    const reader = async (base: string) => {
      while (!isOver) {
        const { key } = agents[Math.floor(Math.random() * agents.length)] as (typeof agents)[0];
        const response = await read(base, Math.random() < 0.5 ? free : metered, key);
        const body = (await response.json()) as { _origin?: { usage_id: string } };
        expect([200, 402, 429, 503]).toContain(response.status);
        if (body._origin !== undefined) seen.push(body._origin.usage_id);
        // So that the windows and the balances last longer than the test.
        await Bun.sleep(40 * Math.random());
      }
    };
    const bases = Array.from({ length: READERS }, (_, index) =>
      index % 2 === 0 ? sleeper.baseUrl : gateway.baseUrl,
    );
    const readers = Promise.all(bases.map(reader));
    await Bun.sleep(PAUSE_MS / 4);
    await whilePaused(() => Bun.sleep(PAUSE_MS));
    const seenBefore = seen.length;
    await Bun.sleep(PAUSE_MS / 4);
    isOver = true;
    await readers;
    expect(seen.length).toBeGreaterThan(seenBefore);
    const { sql } = gateway;
    expect(new Set(seen).size).toBe(seen.length);
    expect(await countLogged(sql, seen)).toBe(seen.length);
    expect(await findViolations(sql)).toEqual([]);
  });
});
