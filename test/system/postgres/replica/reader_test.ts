/**
 * A gateway with a real primary and a real streaming standby of it: what the standby answers is never
 * older than it must be, and whatever befalls it, no request fails or waits for it.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ConfigError, readConfig } from "../../../../src/config.ts";
import { createLog } from "../../../../src/lib/log.ts";
import { connect } from "../../../../src/postgres/client/connect.ts";
import { REPLICA_WAIT_MS_MAX } from "../../../../src/postgres/replica/reader.ts";
import { type Gateway, startGateway } from "../../../../src/server.ts";
import { insertKey } from "../../../support/insert_key.ts";
import { whenBusy } from "../../../support/pace.ts";
import { seedFeed } from "../../../support/seed.ts";
import { type ServerPair, startServerPair } from "../../../support/standby.ts";

const WAIT_MS_MAX = 10_000;
/** What a machine under load may add. */
const SLACK_MS = whenBusy(1_000);

let pair: ServerPair;
let gateway: Gateway;
let accountId: string;
let readKey: string;
let writeKey: string;
/** A collection that is never pushed to, and one that is. */
let stillId: string;
let pushedId: string;

function start(readUrl: string): Promise<Gateway> {
  const config = readConfig({
    PORT: "0",
    DATABASE_URL: pair.primaryUrl,
    DATABASE_READ_URL: readUrl,
    FEEDGATE_READ_LIMIT_FREE: "1000000",
    FEEDGATE_DISCOVERY_LIMIT: "1000000",
    FEEDGATE_PUSH_LIMIT: "1000000",
  });
  return startGateway(config, createLog({ level: "silent" }), { metricsTextMs: 0 });
}

beforeAll(async () => {
  pair = await startServerPair();
  gateway = await start(pair.standbyUrl);
  const { sql } = pair;
  const [account] = await sql`
    insert into accounts (name, max_feeds_allowed) values ('Acme', 100) returning account_id`;
  accountId = account?.account_id;
  readKey = await insertKey(sql, accountId, "read");
  writeKey = await insertKey(sql, accountId, "write");
  const rows = Array.from({ length: 50 }, (_, id) => ({ id, version: 0 }));
  const seed = { type: "collection", rows, isPublic: true } as const;
  ({ feedId: stillId } = await seedFeed({ sql }, accountId, seed));
  ({ feedId: pushedId } = await seedFeed({ sql }, accountId, seed));
});

afterAll(async () => {
  await gateway.stop();
  await pair.stop();
});

interface Answer {
  readonly status: number;
  readonly ms: number;
  readonly tag: string | null;
  readonly body: {
    readonly data: readonly { id: number; version: number }[];
    readonly feeds: readonly { id: string; name: string }[];
    readonly total: number;
  };
}

async function get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const startedMs = performance.now();
  const response = await fetch(gateway.baseUrl + path, {
    headers: { "x-api-key": readKey, ...headers },
  });
  const text = await response.text();
  return {
    status: response.status,
    ms: performance.now() - startedMs,
    tag: response.headers.get("etag"),
    body: text === "" ? undefined : JSON.parse(text),
  };
}

let pages = 0;
/** A page that is in no cache. */
function page(feedId: string): Promise<Answer> {
  pages += 1;
  return get(`/v1/feed/${feedId}?limit=5&offset=${pages}`);
}

async function push(version: number): Promise<void> {
  const response = await fetch(`${gateway.baseUrl}/v1/provider/feed/${pushedId}/push`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${writeKey}` },
    body: JSON.stringify({ payload: [{ id: 0, version }] }),
  });
  expect(response.status).toBe(200);
}

/** Reads by outcome since the process began. */
async function outcomes(): Promise<Record<string, number>> {
  const text = await (await fetch(`${gateway.baseUrl}/metrics`)).text();
  const found = text.matchAll(/^feedgate_replica_reads_total\{outcome="(\w+)"\} (\d+)/gm);
  return Object.fromEntries([...found].map(([, outcome, count]) => [outcome, Number(count)]));
}

/** How many reads of each outcome `work` has caused. */
async function counted(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await outcomes();
  await work();
  const after = await outcomes();
  const grown = Object.entries(after).map(([name, n]) => [name, n - (before[name] ?? 0)] as const);
  return Object.fromEntries(grown.filter(([, count]) => count > 0));
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + WAIT_MS_MAX;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`not within ${WAIT_MS_MAX} ms`);
    await Bun.sleep(10);
  }
}

/** Until the replica answers again. */
function untilUsed(): Promise<void> {
  return until(async () => ((await counted(() => page(stillId))).answered ?? 0) > 0);
}

const isUp = () => gateway.services.reader.hasReplica;

describe("DATABASE_READ_URL", () => {
  test("pages, the catalog and searches come from the replica", async () => {
    await untilUsed();
    // Each time one that no cache has.
    const paths = [
      (times: number) => `/v1/feed/${stillId}?limit=${times}`,
      (times: number) => `/v1/feed/${stillId}?ids=3,${3 + times}`,
      (times: number) => `/v1/catalog?limit=${times}`,
      (times: number) => `/v1/search?q=seed&limit=${times}`,
    ];
    for (const pathOf of paths) {
      let times = 0;
      // A busy machine may take longer than a read waits, and then the replica rests.
      await until(async () => {
        times += 1;
        const seen = await counted(() => get(pathOf(times)));
        return Bun.deepEquals(seen, { answered: 1 });
      });
    }
    expect((await get("/v1/search?q=seed")).body.total).toBe(2);
    const text = await (await fetch(`${gateway.baseUrl}/metrics`)).text();
    expect(text).toContain("feedgate_replica_up 1");
  });

  test("a page is as new as the last push and the catalog as the last edit, however far the replica is behind", async () => {
    await pair.standbySql()`select pg_wal_replay_pause()`;
    const seen = await counted(async () => {
      for (let version = 1; version <= 10; version++) {
        await push(version);
        const { body } = await get(`/v1/feed/${pushedId}?limit=1`);
        expect(body.data).toEqual([{ id: 0, version }]);
        const name = `Version ${version}`;
        await pair.sql`update feeds set name = ${name} where feed_id = ${pushedId}`;
        const catalog = await get("/v1/catalog");
        expect(catalog.body.feeds.find(({ id }) => id === pushedId)?.name).toBe(name);
        expect((await get(`/v1/search?q=${encodeURIComponent(name)}`)).body.total).toBeGreaterThan(
          0,
        );
      }
    });
    expect(seen.behind).toBeGreaterThan(0);
    // It was found behind again and again, and is spared for a while.
    expect(seen.resting).toBeGreaterThan(0);
    await pair.standbySql()`select pg_wal_replay_resume()`;
    await untilUsed();
  });

  test("the metrics say how old the replica's data is", async () => {
    const lag = async () => {
      const text = await (await fetch(`${gateway.baseUrl}/metrics`)).text();
      return Number(/^feedgate_replica_lag_seconds (\S+)$/m.exec(text)?.[1]);
    };
    expect(await lag()).toBe(0);
    await pair.standbySql()`select pg_wal_replay_pause()`;
    await push(1_000);
    await Bun.sleep(1_000);
    await push(1_001);
    expect(await lag()).toBeGreaterThan(1);
    await pair.standbySql()`select pg_wal_replay_resume()`;
    await until(async () => (await lag()) === 0);
  });

  test("a replica that is behind decides neither a refusal nor a conditional read", async () => {
    await push(100);
    const path = `/v1/feed/${pushedId}?limit=2`;
    const { tag } = await get(path);
    await pair.standbySql()`select pg_wal_replay_pause()`;
    await until(isUp);
    // Neither a feed, nor a batch, nor a version that it has not heard of.
    const { feedId } = await seedFeed(pair, accountId, { type: "singleton", rows: [{ a: 1 }] });
    expect(await get(`/v1/feed/${feedId}`)).toMatchObject({
      status: 200,
      body: { data: { a: 1 } },
    });
    await push(101);
    const changed = await get(path, { "If-None-Match": tag as string });
    expect([changed.status, changed.body.data[0]]).toEqual([200, { id: 0, version: 101 }]);
    // Another gateway has shown what neither this one's memory nor the replica has.
    const peer = await start(pair.standbyUrl);
    await push(102);
    const shown = await fetch(peer.baseUrl + path, { headers: { "x-api-key": readKey } });
    const same = await get(path, { "If-None-Match": shown.headers.get("etag") as string });
    expect([same.status, shown.status]).toEqual([304, 200]);
    await peer.stop();
    await pair.standbySql()`select pg_wal_replay_resume()`;
    await untilUsed();
  });

  test("a replica that stops without a word holds up one read, and none after it", async () => {
    pair.signalStandby("SIGSTOP");
    const first = await Promise.all(Array.from({ length: 20 }, () => page(stillId)));
    expect(first.every(({ status }) => status === 200)).toBe(true);
    expect(Math.max(...first.map(({ ms }) => ms))).toBeLessThan(REPLICA_WAIT_MS_MAX + SLACK_MS);
    const seen = await counted(() => Promise.all([1, 2, 3, 4, 5].map(() => page(stillId))));
    expect(seen).toEqual({ resting: 5 });
    pair.signalStandby("SIGCONT");
    await untilUsed();
  });

  test("a replica that is killed costs no request, and serves again when it is back", async () => {
    let isOver = false;
    const answers: Answer[] = [];
    const loops = Array.from({ length: 8 }, async () => {
      while (!isOver) answers.push(await page(stillId));
    });
    pair.signalStandby("SIGKILL");
    await until(() => !isUp());
    const before = answers.length;
    await until(() => answers.length > before + 20);
    await pair.startStandby();
    await until(isUp);
    isOver = true;
    await Promise.all(loops);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(REPLICA_WAIT_MS_MAX + SLACK_MS);
    await untilUsed();
  });

  test("a standby that was promoted is no longer read", async () => {
    await push(200);
    await untilUsed();
    const promoted = connect(
      { url: pair.standbyUrl },
      { connectionsMax: 1, statementTimeoutMs: 0 },
    );
    await promoted`select pg_promote()`;
    // Its own history: the same version as the primary's next push, with another content.
    await promoted`
      update collection_rows set payload = '{"id":0,"version":-1}' where feed_id = ${pushedId}`;
    await promoted`
      update feeds set data_version = data_version + 1, name = 'Gone' where feed_id = ${pushedId}`;
    await promoted.end();
    await push(201);
    const seen = await counted(async () => {
      for (let limit = 1; limit <= 20; limit++) {
        const { body } = await get(`/v1/feed/${pushedId}?limit=${limit}`);
        expect(body.data[0]).toEqual({ id: 0, version: 201 });
        const catalog = await get(`/v1/catalog?limit=${limit + 1}`);
        expect(catalog.body.feeds.map(({ name }) => name)).not.toContain("Gone");
      }
    });
    expect(seen.answered).toBeUndefined();
  });

  test("a gateway starts and serves if its replica does not exist", async () => {
    for (const url of [`${pair.standbyUrl}-gone`, "postgres://127.0.0.1:1/feedgate"]) {
      const lonely = await start(url);
      const response = await fetch(`${lonely.baseUrl}/v1/catalog`, {
        headers: { "x-api-key": readKey },
      });
      expect(response.status).toBe(200);
      await lonely.stop();
    }
  });

  test("a start with an address that can't be a replica's says so", async () => {
    expect(() => readConfig({ DATABASE_READ_URL: "postgres://a/b" })).toThrow(ConfigError);
    await expect(start(`${pair.standbyUrl}&target_session_attrs=primary`)).rejects.toThrow(
      /standby/,
    );
  });
});
