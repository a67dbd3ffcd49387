/**
 * Reads of feeds of 1,000, 100,000, and 1,000,000 rows, durable (fsync on): p50 and p99 of each kind of page in
 * milliseconds, and the growth of p50 from the smallest feed to the largest. Each page is built anew, as after a push.
 * "page" is only the building, "read" is the complete read over HTTP, with admission and commit. Each read is
 * different, so that no row is read twice.
 *
 * `bun run bench read [rows …]`
 *
 * @module
 */
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { generateKey, hashKey, startOf } from "../../src/accounts/key_format.ts";
import { queryOf } from "../../src/api/input/parameters.ts";
import { readConfig } from "../../src/config.ts";
import type { Feed } from "../../src/feeds/find.ts";
import { seekerOf } from "../../src/feeds/find.ts";
import { createLog } from "../../src/lib/log.ts";
import { createDatabase, type Database, GATEWAY } from "../../src/postgres/client/database.ts";
import { createReader } from "../../src/postgres/replica/reader.ts";
import { buildPage, type PageSource } from "../../src/read/data/build_page.ts";
import { writeCursor } from "../../src/read/data/cursor.ts";
import {
  type PagePlan,
  parseReadQuery,
  planRead,
  READ_QUERY,
} from "../../src/read/data/read_plan.ts";
import { Projections } from "../../src/read/projection/turns.ts";
import { type Gateway, startGateway } from "../../src/server.ts";
import type { Bench, Figures } from "./run.ts";
import { type BenchDatabase, percentile, startBenchDatabase } from "./support.ts";
import { numberOf } from "./usage.ts";

/** Checked as in the route. */
const QUERY = TypeCompiler.Compile(READ_QUERY);
const SIZES = [1_000, 100_000, 1_000_000];
const READS = 300;
const WARMUP_READS = 30;
const MATCHES = 50_000;
const INDEX_STEP_BYTES = 1_000_000n;

interface Scene {
  readonly database: BenchDatabase;
  /** The benchmark's own pool. */
  readonly pool: Database;
  readonly gateway: Gateway;
  readonly source: PageSource;
  readonly key: string;
}

interface SizedFeed {
  readonly feed: Feed;
  readonly rows: number;
}

/** A kind of read: the query of the `nth` read of a feed. */
interface Kind {
  readonly name: string;
  readonly type: "collection" | "stream";
  readonly query: (feed: SizedFeed, secret: string) => string;
}

const anyRow = (rows: number) => Math.floor(Math.random() * rows) + 1;

const KINDS: readonly Kind[] = [
  { name: "first page", type: "collection", query: () => "" },
  { name: "page in the middle, by cursor", type: "collection", query: middleQuery },
  {
    name: "filter, 1 match",
    type: "collection",
    query: ({ rows }) => `number=eq.${anyRow(rows)}`,
  },
  {
    name: "filter, 1 match, stream",
    type: "stream",
    query: ({ rows }) => `number=eq.${anyRow(rows)}`,
  },
  { name: "filter, 50,000 matches", type: "collection", query: () => "is_marked=eq.true" },
  { name: "filter, 50,000 matches, stream", type: "stream", query: () => "is_marked=eq.true" },
  { name: "filter, the last 50,000 rows", type: "collection", query: () => "part=eq.last" },
  { name: "filter, no match", type: "collection", query: () => "part=eq.none" },
  {
    name: "two filters, 50,000 and 2 matches",
    type: "collection",
    query: ({ rows }) => `is_marked=eq.true&twin=eq.${Math.ceil(anyRow(rows) / 2)}`,
  },
  {
    name: "100 ids",
    type: "collection",
    query: ({ rows }) =>
      `ids=${Array.from({ length: 100 }, () => `row-${anyRow(rows)}`).join(",")}`,
  },
  { name: "time window", type: "stream", query: windowQuery },
  { name: "projection", type: "collection", query: () => "jsonpath=$[*].name" },
];

export const bench: Bench = async (args) => {
  const sizes = args.length > 0 ? args.map((each) => numberOf(each, "a number of rows")) : SIZES;
  const database = await startBenchDatabase();
  try {
    const stage = await startReading(database, sizes);
    try {
      return figuresOf(await measureReads([stage]));
    } finally {
      await stage.stop();
    }
  } finally {
    await database.stop();
  }
};

/** A gateway on a database with feeds of each size. */
export interface ReadStage {
  readonly scene: Scene;
  readonly feeds: readonly Readonly<Record<Kind["type"], SizedFeed>>[];
  stop(): Promise<void>;
}

/** The duration of each read of one kind, in milliseconds, from a feed with this many rows. */
export interface ReadTimes {
  readonly kind: string;
  readonly stage: number;
  readonly rows: number;
  readonly page: readonly number[];
  readonly read: readonly number[];
}

/** Also used by `bench scale`, on its own large set. */
export async function startReading(
  database: BenchDatabase,
  sizes: readonly number[],
): Promise<ReadStage> {
  const scene = await startScene(database);
  const feeds: Record<Kind["type"], SizedFeed>[] = [];
  for (const rows of sizes) {
    const collection = await seed(scene, "collection", rows);
    feeds.push({ collection, stream: await seed(scene, "stream", rows) });
  }
  await database.sql.unsafe("vacuum analyze");
  await database.sql.unsafe("checkpoint");
  return { scene, feeds, stop: () => scene.gateway.stop() };
}

/** Measures every kind of read of every feed of every stage, in turns. */
export async function measureReads(stages: readonly ReadStage[]): Promise<ReadTimes[]> {
  const all: ReadTimes[] = [];
  for (const kind of KINDS) {
    const targets = stages.flatMap(({ scene, feeds }, stage) =>
      feeds.map((each) => ({ scene, stage, feed: each[kind.type] })),
    );
    const pages = await measure(targets.map((each) => () => readPage(each.scene, kind, each.feed)));
    const reads = await measure(
      targets.map((each) => () => readOverHttp(each.scene, kind, each.feed)),
    );
    for (const [index, { stage, feed }] of targets.entries()) {
      const [page, read] = [pages[index] ?? [], reads[index] ?? []];
      all.push({ kind: kind.name, stage, rows: feed.rows, page, read });
    }
  }
  return all;
}

function figuresOf(times: readonly ReadTimes[]): Figures {
  return times.map((each) => {
    const smallest = times.find(({ kind }) => kind === each.kind) ?? each;
    return {
      kind: each.kind,
      rows: each.rows,
      ...shown("page", each.page, smallest.page),
      ...shown("read", each.read, smallest.read),
    };
  });
}

function shown(what: string, times: readonly number[], smallest: readonly number[]) {
  return {
    [`${what} p50`]: percentile(times, 0.5).toFixed(2),
    [`${what} p99`]: percentile(times, 0.99).toFixed(2),
    [`${what} growth`]: (percentile(times, 0.5) / percentile(smallest, 0.5)).toFixed(2),
  };
}

async function startScene(database: BenchDatabase): Promise<Scene> {
  const gateway = await startGateway(
    readConfig({
      PORT: "0",
      DATABASE_URL: database.address.url,
      FEEDGATE_READ_LIMIT_FREE: "1000000",
    }),
    createLog({ level: "silent" }),
  );
  const key = generateKey("read");
  await database.sql`
    with account as (
      insert into accounts (name, max_feeds_allowed) values ('bench', 100) returning account_id
    )
    insert into api_keys (account_id, key_hash, key_start, permission)
    select account_id, ${hashKey(key)}, ${startOf(key)}, 'read' from account`;
  const pool = createDatabase(database.sql);
  const source: PageSource = {
    reader: createReader(pool),
    incarnation: gateway.services.incarnation,
    noteUnindexed() {},
    projections: new Projections(),
  };
  return { database, pool, gateway, source, key };
}

/** Creates a feed with this many rows of eight fields, 220 bytes each, indexed as the background job would. */
async function seed(
  { database: { sql }, pool, gateway }: Scene,
  type: "collection" | "stream",
  rows: number,
): Promise<SizedFeed> {
  console.log(`filling a ${type} of ${rows} rows …`);
  const slug = `bench-${type}-${rows}`;
  const batch = type === "collection" ? 1 : null;
  const [made] = await sql`
    insert into feeds (
      account_id, name, endpoint_path, feed_type, status, first_pushed_at, call_price_nanos,
      data_version, push_count, next_position, current_batch
    )
    select account_id, 'bench', ${slug}, ${type}, 'active', now(), 0, 1, 1, ${rows + 1}::int, ${batch}
    from accounts
    limit 1
    returning feed_id`;
  const feedId: string = made?.feed_id;
  const matches = Math.min(MATCHES, rows / 2);
  const payload = `
    json_build_object(
      'id', 'row-' || number, 'number', number, 'name', 'Row number ' || number,
      'is_marked', number % ${rows / matches} = 0, 'twin', (number + 1) / 2,
      'part', case when number > ${rows - matches} then 'last' else 'first' end,
      'price', (number::bigint * 7919 % 100000) / 100.0, 'address', json_build_object('street', number),
      'event_timestamp', timestamptz '2026-01-01T00:00:00Z' + number * interval '1 second'
    )`;
  if (type === "collection") {
    await sql`
      insert into batches (feed_id, batch_number, status, finalized_at)
      values (${feedId}, 1, 'final', now())`;
    await sql.unsafe(`
      insert into collection_rows (feed_id, batch_number, position, row_id, payload)
      select '${feedId}', 1, number, 'row-' || number, ${payload}
      from generate_series(1, ${rows}) as number`);
  } else {
    await sql.unsafe(`
      insert into stream_events (feed_id, position, row_id, event_at, payload)
      select
        '${feedId}', number, 'row-' || number,
        timestamptz '2026-01-01T00:00:00Z' + number * interval '1 second', ${payload}
      from generate_series(1, ${rows}) as number`);
  }
  await indexAll(pool, { feedId, batchNumber: BigInt(batch ?? 0), rows });
  const feed = await gateway.services.feeds.findFresh(seekerOf(GATEWAY), slug);
  if (feed === undefined) throw new Error("the seeded feed was not found");
  return { feed, rows };
}

async function indexAll(
  pool: Database,
  target: { feedId: string; batchNumber: bigint; rows: number },
): Promise<void> {
  const startMs = performance.now();
  for (let hasMore = true; hasMore; ) {
    const row = await pool.row("index_filter_rows", {
      feed_id: target.feedId,
      batch_number: target.batchNumber,
      work_max: INDEX_STEP_BYTES,
    });
    hasMore = row?.has_more ?? false;
  }
  const us = ((performance.now() - startMs) * 1_000) / target.rows;
  console.log(`indexed, ${us.toFixed(0)} µs a row`);
}

function middleQuery({ feed, rows }: SizedFeed, secret: string): string {
  const { scope } = planRead(parseReadQuery({}, ""), feed, secret) as PagePlan;
  const position = BigInt(Math.floor(rows / 4 + Math.random() * (rows / 2)));
  return `cursor=${writeCursor({ kind: "collection", batchNumber: 1n, position }, scope)}`;
}

/** Selects a minute of events. */
function windowQuery({ rows }: SizedFeed): string {
  const startMs = Date.parse("2026-01-01T00:00:00Z") + anyRow(rows) * 1_000;
  const text = (ms: number) => new Date(ms).toISOString();
  return `start_time=${text(startMs)}&end_time=${text(startMs + 60_000)}`;
}

async function readPage(scene: Scene, kind: Kind, sized: SizedFeed): Promise<number> {
  const { source } = scene;
  const { cursorSecret } = scene.gateway.services;
  const query = kind.query(sized, cursorSecret);
  const startMs = performance.now();
  const asked = parseReadQuery(QUERY.Decode(queryOf(query)), query);
  const plan = planRead(asked, sized.feed, cursorSecret);
  const { feed } = sized;
  const page = await buildPage({ source, feed, atLeast: 0n, accountId: feed.accountId }, plan);
  const ms = performance.now() - startMs;
  if (page === undefined) throw new Error("no page");
  return ms;
}

async function readOverHttp(scene: Scene, kind: Kind, sized: SizedFeed): Promise<number> {
  const { database, gateway, key } = scene;
  const { feed } = sized;
  await database.sql`update feeds set data_version = data_version + 1 where feed_id = ${feed.feedId}`;
  const query = kind.query(sized, gateway.services.cursorSecret);
  const url = `${gateway.baseUrl}/v1/feed/${feed.feedId}?${query}`;
  const startMs = performance.now();
  const response = await fetch(url, { headers: { "x-api-key": key } });
  await response.text();
  const ms = performance.now() - startMs;
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
  return ms;
}

/**
 * The duration of each read in milliseconds. Reads run in turns, so that other load on the machine affects all alike.
 */
async function measure(reads: readonly (() => Promise<number>)[]): Promise<number[][]> {
  const times: number[][] = reads.map(() => []);
  for (let count = 0; count < WARMUP_READS + READS; count++) {
    for (const [index, read] of reads.entries()) {
      const ms = await read();
      if (count >= WARMUP_READS) times[index]?.push(ms);
    }
  }
  return times;
}
