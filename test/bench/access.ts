/**
 * Feeds for named accounts, durable (fsync on). Measures a granted read for an account without other grants, for one
 * with 10,000, and of a feed with 100,000, in turns on one connection. Also measures the refusal of an unauthorized
 * read, which must take the same time for an invited feed and an unknown one.
 *
 * `bun run bench access [-- --turns N] [--feeds N] [--readers N]`
 *
 * @module
 */
import { parseArgs } from "node:util";
import { insertKey } from "../support/insert_key.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";
import { startServer } from "./processes.ts";
import type { Bench, Figures } from "./run.ts";
import { type BenchDatabase, median, percentile, startBenchDatabase } from "./support.ts";
import { numberOf } from "./usage.ts";

const TURN_MS = 500;
const MAIN = Bun.fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const UNLIMITED = "1000000000";

interface Read {
  readonly what: string;
  readonly url: string;
  readonly key: string;
  readonly status: number;
}

export const bench: Bench = async (args) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      turns: { type: "string", default: "20" },
      feeds: { type: "string", default: "10000" },
      readers: { type: "string", default: "100000" },
    },
  });
  const turns = numberOf(values.turns, "--turns");
  const database = await startBenchDatabase();
  try {
    const { sql } = database;
    const [owner, plain, granted] = await createAccounts(database, 3);
    if (!owner || !plain || !granted) throw new Error("there are no accounts");
    const open = await feedOf(database, owner, "open");
    const invited = await feedOf(database, owner, "invited");
    await grantMany(database, { owner, plain, granted, invited, ...values });
    await sql.unsafe("vacuum analyze");
    const server = await startServer([process.execPath, MAIN, "serve", "--port", "0", "--json"], {
      DATABASE_URL: database.address.url,
      FEEDGATE_READ_LIMIT_FREE: UNLIMITED,
      LOG_LEVEL: "error",
    });
    try {
      const base = `http://127.0.0.1:${server.port}/v1/feed`;
      const plainKey = await insertKey(sql, plain, "read");
      const grantedKey = await insertKey(sql, granted, "read");
      const unknown = `${base}/${crypto.randomUUID()}`;
      return await measure(
        [
          { what: "open feed, no grants", url: `${base}/${open.slug}`, key: plainKey, status: 200 },
          {
            what: "open feed, many grants",
            url: `${base}/${open.slug}`,
            key: grantedKey,
            status: 200,
          },
          { what: "invited feed", url: `${base}/${invited.slug}`, key: grantedKey, status: 200 },
          {
            what: "invited feed, stranger",
            url: `${base}/${invited.feedId}`,
            key: plainKey,
            status: 404,
          },
          { what: "no feed", url: unknown, key: plainKey, status: 404 },
        ],
        turns,
      );
    } finally {
      await server.stop();
    }
  } finally {
    await database.stop();
  }
};

async function createAccounts({ sql }: BenchDatabase, count: number): Promise<string[]> {
  const made = await sql`
    insert into accounts (name, max_feeds_allowed, balance_nanos)
    select 'bench', 1000000, 1000000000000 from generate_series(1, ${count}::int)
    returning account_id`;
  return made.map((row) => row.account_id as string);
}

async function feedOf(database: BenchDatabase, owner: string, access: string): Promise<SeededFeed> {
  const rows = [{ id: 1, event_timestamp: "2026-01-01T00:00:00Z" }];
  const feed = await seedFeed(database, owner, { type: "stream", rows, isPublic: true });
  await database.sql`update feeds set access = ${access} where feed_id = ${feed.feedId}`;
  return feed;
}

async function grantMany(
  database: BenchDatabase,
  {
    owner,
    plain,
    granted,
    invited,
    feeds,
    readers,
  }: {
    readonly owner: string;
    readonly plain: string;
    readonly granted: string;
    readonly invited: SeededFeed;
    readonly feeds: string;
    readonly readers: string;
  },
): Promise<void> {
  const { sql } = database;
  // Disabled, because they would renew the account's version once per grant.
  await sql`alter table access_grants disable trigger all`;
  await sql`
    insert into feeds (account_id, name, endpoint_path, feed_type, call_price_nanos, access)
    select ${owner}, 'granted', 'granted-' || number, 'collection', 0, 'invited'
    from generate_series(1, ${numberOf(feeds, "--feeds")}::int) as number`;
  await sql`
    insert into access_grants (account_id, feed_id)
    select ${granted}, feed_id from feeds where name = 'granted'`;
  await createAccounts(database, numberOf(readers, "--readers"));
  await sql`
    insert into access_grants (account_id, feed_id)
    select account_id, ${invited.feedId} from accounts where account_id not in (${owner}, ${plain})`;
  await sql`alter table access_grants enable trigger all`;
}

/** Measures the reads in turns of half a second each. */
async function measure(reads: readonly Read[], turns: number): Promise<Figures> {
  const medians = reads.map((): number[] => []);
  for (let turn = 0; turn <= turns; turn++) {
    for (const [index, read] of reads.entries()) {
      const ms = await medianOf(read);
      // The first turn warms up caches.
      if (turn > 0) medians[index]?.push(ms);
    }
  }
  const first = median(medians[0] ?? []);
  return reads.map(({ what }, index) => {
    const ms = median(medians[index] ?? []);
    return { read: what, "p50 ms": ms.toFixed(3), "to the first": (ms / first).toFixed(3) };
  });
}

async function medianOf({ url, key, status }: Read): Promise<number> {
  const times: number[] = [];
  const endMs = performance.now() + TURN_MS;
  while (performance.now() < endMs) {
    const startMs = performance.now();
    const response = await fetch(url, { headers: { "x-api-key": key } });
    await response.arrayBuffer();
    if (response.status !== status) throw new Error(`${url} was answered with ${response.status}`);
    times.push(performance.now() - startMs);
  }
  return percentile(times, 0.5);
}
