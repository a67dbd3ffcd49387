/**
 * Two gateways whose database fails over, under load, to a standby that lacks the last commits. What the gateways
 * remember of these is of a history that never was.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/lib/log.ts";
import { type Connections, connect } from "../../src/postgres/client/connect.ts";
import { FUNCTION_SCHEMA } from "../../src/postgres/migrate/function_set.ts";
import { type Gateway, startGateway } from "../../src/server.ts";
import { countLogged, findViolations } from "../support/account_checks.ts";
import { problemOf } from "../support/gateway.ts";
import { insertKey } from "../support/insert_key.ts";
import { whenBusy } from "../support/pace.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";
import { type ServerPair, startServerPair } from "../support/standby.ts";

const PRICE_NANOS = 1_500;
const READERS = 16;
const AGENTS = 60;
const LOAD_MS = 700;
const RECOVERY_MS_MAX = 10_000;

interface Agent {
  readonly accountId: string;
  readonly key: string;
}

let pair: ServerPair;
/** On whichever server can be written to. */
let sql: Connections;
let gateways: Gateway[];
let free: SeededFeed;
let metered: SeededFeed;
let sold: [SeededFeed, SeededFeed];

beforeAll(async () => {
  pair = await startServerPair();
  const hosts = [pair.primaryUrl, pair.standbyUrl].map((url) =>
    new URL(url).searchParams.get("host"),
  );
  const url = `postgres://postgres@localhost:5432/feedgate?host=${encodeURIComponent(hosts.join(","))}`;
  const config = readConfig({ PORT: "0", DATABASE_URL: url });
  const start = () => startGateway(config, createLog({ level: "silent" }), { closingNoticeMs: 0 });
  gateways = [await start(), await start()];
  sql = connect(
    { url: `${url}&search_path=${FUNCTION_SCHEMA},public` },
    { connectionsMax: 2, statementTimeoutMs: 0 },
  );
  const { accountId: owner } = await agent(0);
  const seed = { type: "collection", rows: [{ id: 1 }] } as const;
  free = await seedFeed({ sql }, owner, seed);
  metered = await seedFeed({ sql }, owner, { ...seed, callPriceNanos: PRICE_NANOS });
  sold = [
    await seedFeed({ sql }, owner, { ...seed, oneTimePriceCents: 500 }),
    await seedFeed({ sql }, owner, { ...seed, oneTimePriceCents: 500 }),
  ];
});
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  await sql.end({ timeout: 1 });
  await pair.stop();
});

async function agent(calls: number): Promise<Agent> {
  const [account] = await sql`
    insert into accounts (name, max_feeds_allowed) values ('Test account', 100)
    returning account_id`;
  const accountId: string = account?.account_id;
  if (calls > 0) await grant(accountId, calls);
  return { accountId, key: await insertKey(sql, accountId, "read") };
}

/** Credit for so many calls. */
async function grant(accountId: string, calls: number): Promise<void> {
  await sql`
    select append_ledger_entry(${accountId}, 'grant', ${calls * PRICE_NANOS}, 'test', null)`;
}

function read(at: number, { slug }: SeededFeed, { key }: Agent): Promise<Response> {
  const { baseUrl } = gateways[at] as Gateway;
  return fetch(`${baseUrl}/v1/feed/${slug}`, { headers: { "x-api-key": key } });
}

async function codeOf(at: number, feed: SeededFeed, caller: Agent): Promise<string> {
  const response = await read(at, feed, caller);
  return response.status === 200 ? "granted" : ((await problemOf(response)).code as string);
}

interface Load {
  /** Usage ids of answers whose reads began after the time. */
  seenSince(ms: number): string[];
  stop(): Promise<void>;
}

function startLoad(agents: readonly Agent[]): Load {
  const seen: { readonly usageId: string; readonly startedMs: number }[] = [];
  const statuses = new Set<number>();
  let isOver = false;
  const reader = async (index: number) => {
    while (!isOver) {
      const caller = agents[Math.floor(Math.random() * agents.length)] as Agent;
      const startedMs = performance.now();
      const response = await read(index % 2, Math.random() < 0.5 ? free : metered, caller);
      const body = (await response.json()) as { _origin?: { usage_id: string } };
      statuses.add(response.status);
      if (body._origin !== undefined) seen.push({ usageId: body._origin.usage_id, startedMs });
      await Bun.sleep(40 * Math.random());
    }
  };
  const readers = Promise.all(Array.from({ length: READERS }, (_, index) => reader(index)));
  return {
    seenSince: (ms) => seen.filter(({ startedMs }) => startedMs > ms).map(({ usageId }) => usageId),
    async stop() {
      isOver = true;
      await readers;
      await Promise.all(gateways.map(({ services }) => services.admission.idle()));
      expect([...statuses].filter((status) => ![200, 402, 429, 503].includes(status))).toEqual([]);
    },
  };
}

/** For a while, and until there was an answer to a read that began after the time. */
async function untilSeen(load: Load, sinceMs: number): Promise<void> {
  await Bun.sleep(LOAD_MS);
  while (load.seenSince(sinceMs).length === 0) await Bun.sleep(LOAD_MS);
}

async function untilServed(caller: Agent): Promise<void> {
  const endMs = performance.now() + whenBusy(RECOVERY_MS_MAX);
  for (const at of gateways.keys()) {
    while ((await read(at, metered, caller)).status !== 200) {
      expect(performance.now()).toBeLessThan(endMs);
      await Bun.sleep(50);
    }
  }
}

describe("a failover that lost commits", () => {
  test("after a failover that lost commits, gateways go on by what the new primary knows: limits, money and purchases hold, and no later usage id is lost", async () => {
    const agents = await Promise.all(Array.from({ length: AGENTS }, () => agent(4)));
    const [buyer, poor, spender, prober] = [
      await agent(0),
      await agent(0),
      await agent(4),
      await agent(1_000),
    ];
    expect(await codeOf(0, free, buyer)).toBe("granted");
    expect(await codeOf(0, metered, spender)).toBe("granted");
    const load = startLoad(agents);
    await Bun.sleep(LOAD_MS);

    await pair.cutOff();
    const cutMs = performance.now();
    await sql`select record_purchase(${buyer.accountId}, ${sold[0].feedId}, null, null)`;
    await grant(poor.accountId, 3);
    expect(await codeOf(0, sold[0], buyer)).toBe("granted");
    expect(await codeOf(0, metered, poor)).toBe("granted");
    expect(await codeOf(0, metered, spender)).toBe("granted");
    await untilSeen(load, cutMs);
    const lost = load.seenSince(cutMs);
    await pair.endPrimary();
    await pair.promote();
    const failedOverMs = performance.now();
    await untilServed(prober);

    // As many changes as were lost, but others. The second gateway has never met these accounts.
    await sql`select record_purchase(${buyer.accountId}, ${sold[1].feedId}, null, null)`;
    await grant(poor.accountId, 1);
    expect(await codeOf(1, free, buyer)).toBe("granted");
    expect(await codeOf(1, metered, spender)).toBe("granted");
    expect(await codeOf(0, sold[0], buyer)).toBe("PURCHASE_REQUIRED");
    expect(await codeOf(0, sold[1], buyer)).toBe("granted");
    expect(await codeOf(0, metered, poor)).toBe("granted");
    expect(await codeOf(0, metered, poor)).toBe("INSUFFICIENT_CREDITS");
    expect(await codeOf(0, metered, spender)).toBe("granted");
    expect(await codeOf(0, metered, spender)).toBe("granted");
    expect(await codeOf(0, metered, spender)).toBe("INSUFFICIENT_CREDITS");
    await untilSeen(load, performance.now());
    await load.stop();

    expect(await countLogged(sql, lost)).toBeLessThan(lost.length);
    const seen = load.seenSince(failedOverMs);
    expect(seen.length).toBeGreaterThan(0);
    expect(await countLogged(sql, seen)).toBe(seen.length);
    expect(await findViolations(sql)).toEqual([]);
  });
});
