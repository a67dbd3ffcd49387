/**
 * What one account does to another's reads: at sixteen connections it may not make them three times as slow,
 * nor fail.
 *
 * Paces are compared only while the gateway gets the processor when it needs it. On a busy machine, the system makes a
 * program that has much to do wait more often than one that has little, so the paces would be the system's.
 *
 * @module
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import type { FeedType } from "../../src/feeds/find.ts";
import { DATABASE_WAIT_MS_MAX } from "../../src/limits.ts";
import { median } from "../bench/support.ts";
import type { Attack } from "../support/attacker.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";
import { waitedMs } from "../support/thread_time.ts";
import { TOOL_HEADERS, toolMessage } from "../support/tools.ts";

const ATTACKER = Bun.fileURLToPath(new URL("../support/attacker.ts", import.meta.url));
const SLOWER_MAX = 3;
/** A median below this is no delay, however fast the victim was alone: a busy machine adds as much. */
const DELAY_MS_MIN = 3;
/** Of the time without an attack: how long the gateway may wait for a processor. */
const WAITED_SHARE_MAX = 0.2;
const TURNS = 5;
const QUIET_MS = 150;
const ATTACK_MS = 400;
const WIDE_FIELDS = 5_000;
/** What a push may take beside an index build: its own work, on a machine that is busy. */
const PUSH_MS_MAX = 1_000;

let gateway: TestGateway;
let attackerId: string;
let attackerKey: string;
let writeKey: string;
let victimKey: string;
let victimFeed: SeededFeed;
let reads = 0;

beforeAll(async () => {
  gateway = await startTestGateway(
    { FEEDGATE_READ_LIMIT_FREE: "1000000", FEEDGATE_DISCOVERY_LIMIT: "1000000" },
    { waitMsMax: DATABASE_WAIT_MS_MAX },
  );
  const victimId = await gateway.createAccount();
  victimKey = await gateway.createKey(victimId, "read");
  const rows = Array.from({ length: 5_000 }, (_, id) => ({ id, text: "x".repeat(100) }));
  victimFeed = await seedFeed(gateway, victimId, { type: "collection", rows });
});
// Of another account each time, which has its whole budget.
beforeEach(async () => {
  attackerId = await gateway.createAccount();
  attackerKey = await gateway.createKey(attackerId, "read");
  writeKey = await gateway.createKey(attackerId, "write");
});
afterAll(() => gateway.stop());

/** Times of the victim's reads, most of which no cache has; all must be answered. */
async function readFor(durationMs: number): Promise<number[]> {
  const times: number[] = [];
  const endMs = performance.now() + durationMs;
  while (performance.now() < endMs) {
    const sentMs = performance.now();
    const query = `offset=${(reads * 7) % 4_000}&limit=${1 + (reads % 50)}`;
    reads += 1;
    const response = await gateway.get(`/v1/feed/${victimFeed.slug}?${query}`, victimKey);
    await response.arrayBuffer();
    times.push(performance.now() - sentMs);
    expect(response.status).toBe(200);
  }
  return times;
}

/**
 * Reads of the victim with and without an attack beside them; how often the attacker got each status. They
 * take turns, so other work on the machine falls on both.
 */
async function withstand(attack: Omit<Attack, "key">) {
  const sent = JSON.stringify({ ...attack, key: attackerKey });
  await using attacker = Bun.spawn([process.execPath, ATTACKER, sent], {
    stdin: "pipe",
    stdout: "pipe",
  });
  const input = Readable.fromWeb(attacker.stdout);
  const lines = createInterface({ input })[Symbol.asyncIterator]();
  const statuses: Record<string, number> = {};
  const quietTimes: number[] = [];
  let quietMs = 0;
  let quietWaitedMs = 0;
  const attackedTimes: number[] = [];
  // The first turn is not timed: both processes compile what it runs.
  for (let turn = 0; turn <= TURNS; turn++) {
    const before = { atMs: performance.now(), waitedMs: waitedMs() };
    const quiet = await readFor(QUIET_MS);
    quietMs += performance.now() - before.atMs;
    quietWaitedMs += waitedMs() - before.waitedMs;
    attacker.stdin.write(`${ATTACK_MS}\n`);
    const attacked = await readFor(ATTACK_MS);
    if (turn > 0) {
      quietTimes.push(...quiet);
      attackedTimes.push(...attacked);
    }
    const told: Record<string, number> = JSON.parse((await lines.next()).value ?? "");
    for (const [status, count] of Object.entries(told)) {
      statuses[status] = (statuses[status] ?? 0) + count;
    }
  }
  const waitedShare = quietWaitedMs / quietMs;
  if (waitedShare > WAITED_SHARE_MAX) {
    const percent = Math.round(100 * waitedShare);
    console.log(
      `skipped: the comparison of paces, since other programs had the processor ${percent} % of the time`,
    );
    return statuses;
  }
  const bound = Math.max(SLOWER_MAX * median(quietTimes), DELAY_MS_MIN);
  expect(median(attackedTimes)).toBeLessThan(bound);
  return statuses;
}

/** So many rows, made in the database: each of `row`, a SQL expression of `n`. */
async function seedMany(type: FeedType, count: number, row: string): Promise<SeededFeed> {
  const { sql } = gateway;
  const feed = await seedFeed(gateway, attackerId, { type, rows: [] });
  const time = "timestamptz '2026-01-01T00:00:00Z' + n * interval '1 second'";
  await sql.unsafe(
    type === "collection"
      ? `insert into collection_rows (feed_id, batch_number, position, row_id, payload)
         select '${feed.feedId}', 1, n, n, ${row} from generate_series(1, ${count}) as n`
      : `insert into stream_events (feed_id, position, row_id, event_at, payload)
         select '${feed.feedId}', n, n, ${time}, ${row} from generate_series(1, ${count}) as n`,
  );
  await sql`update feeds set next_position = ${count + 1} where feed_id = ${feed.feedId}`;
  return feed;
}

const WIDE_ROW = `(
  '{"id":' || n || (
    select string_agg(',"k' || field || '":0', '') from generate_series(1, ${WIDE_FIELDS}) as field
  ) || '}'
)::json`;

function urlOf(path: string): string {
  return gateway.baseUrl + path;
}

describe("another account's reads keep their pace", () => {
  // Each kind of feed and each method once: a turn lasts until the attacker's last read is ended, after two seconds.
  for (const [type, method] of [
    ["collection", "GET"],
    ["stream", "HEAD"],
  ] as const) {
    test(`another account's reads keep their pace while rows of very many fields are filtered and indexed (${type})`, async () => {
      const { slug, feedId } = await seedMany(type, 800, WIDE_ROW);
      let pushed = 0;
      const push = async () => {
        pushed += 1;
        const path = `/v1/provider/feed/${feedId}/push`;
        const startedMs = performance.now();
        const body = [{ id: `late-${pushed}`, k17: "late" }];
        expect((await gateway.send("POST", path, writeKey, body)).status).toBe(200);
        return performance.now() - startedMs;
      };
      const quietMs = await push();
      const attack = { method, urls: [urlOf(`/v1/feed/${slug}?k17=eq.{n}`)] };
      const [statuses, ms] = await Promise.all([withstand(attack), Bun.sleep(QUIET_MS).then(push)]);
      expect(ms).toBeLessThan(Math.max(PUSH_MS_MAX, 5 * quietMs));
      for (const status of Object.keys(statuses)) expect(["200", "429", "503"]).toContain(status);
    });

    test(`another account's reads keep their pace while pages are read far behind the first (${type})`, async () => {
      const row = "json_build_object('id', n, 'text', repeat('x', 100))";
      const { slug } = await seedMany(type, 150_000, row);
      const statuses = await withstand({
        method: "HEAD",
        urls: [urlOf(`/v1/feed/${slug}?offset=1{n}`)],
      });
      expect(statuses[200]).toBeGreaterThan(0);
    });
  }

  test("another account's reads keep their pace while a tool keeps fields of a large document", async () => {
    const numbers = Array.from({ length: 1_500_000 }, (_, n) => n % 10);
    const document = { type: "singleton", rows: [{ k1: "v", numbers }] } as const;
    const { slug } = await seedFeed(gateway, attackerId, document);
    const statuses = await withstand({
      method: "POST",
      urls: [urlOf("/mcp")],
      headers: TOOL_HEADERS,
      // Other fields each time, so that none is remembered.
      body: toolMessage("read_feed", { feed: slug, fields: ["k1", "x{n}"] }),
    });
    expect(statuses[200]).toBeGreaterThan(0);
  });

  test("another account's reads keep their pace while a limit is overrun", async () => {
    const statuses = await withstand({
      method: "HEAD",
      urls: [urlOf(`/v1/feed/${victimFeed.slug}`)],
    });
    expect(statuses[429]).toBeGreaterThan(0);
  });

  test("another account's reads keep their pace while reads are refused", async () => {
    const paths = [
      "/v1/feed/none-{n}",
      `/v1/feed/${victimFeed.slug}?limit={n}x`,
      "/v1/feed/none-{n}/metadata",
      "/v1/search?q=",
      "/v1/catalog?limit={n}x",
    ];
    const statuses = await withstand({ method: "GET", urls: paths.map(urlOf) });
    expect(statuses[200]).toBeUndefined();
  });
});

describe("an account's share of the database's time", () => {
  test("an account's share of the database's time is used by reads that are answered, refused or fail; over it its reads are 429, and others' are not", async () => {
    const peer = await gateway.startPeer({ FEEDGATE_DATABASE_MS: "60" });
    const get = (path: string, key: string) =>
      fetch(peer.baseUrl + path, { headers: { "x-api-key": key } });
    const { slug } = await seedMany("collection", 100, WIDE_ROW);
    let response = await get(`/v1/feed/${slug}?k17=eq.1`, attackerKey);
    // A fresh feed is filtered by its rows, so the first reads are answered.
    let answered = 0;
    for (let read = 2; read < 100 && response.status !== 429; read++) {
      if (response.status === 200) answered += 1;
      response = await get(`/v1/feed/${slug}?k17=eq.${read}`, attackerKey);
    }
    expect(response.status).toBe(429);
    const body = (await response.json()) as { code: string; retry_after_ms: number };
    expect(body.code).toBe("RATE_LIMITED");
    expect(body.retry_after_ms).toBeWithin(1, 60_002);
    expect(Number(response.headers.get("retry-after"))).toBe(
      Math.ceil(body.retry_after_ms / 1_000),
    );
    for (const header of ["limit", "remaining", "reset"]) {
      expect(response.headers.get(`x-ratelimit-${header}`)).toMatch(/^\d+$/);
    }
    expect((await get("/v1/feed/nothing", attackerKey)).status).toBe(429);
    expect((await get(`/v1/feed/${victimFeed.slug}?limit=3`, victimKey)).status).toBe(200);
    // Of what was refused, nothing was counted, charged or logged.
    const events = await gateway.sql`select from usage_events where account_id = ${attackerId}`;
    expect(events.length).toBe(answered);
  });
});
