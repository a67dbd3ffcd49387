/**
 * The operator's API with a large database: the duration of its lists and totals over HTTP, and which of their
 * statements read a table completely.
 *
 * The usage log covers a year, and a few accounts and feeds have most of it. Its totals are computed directly from it,
 * with the same result as the job's.
 *
 * `bun run bench operator [-- --accounts N] [--feeds N] [--usage N] [--times N]`
 *
 * @module
 */
import { parseArgs } from "node:util";
import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/lib/log.ts";
import { MS_PER_DAY } from "../../src/lib/time_units.ts";
import { FUNCTION_SCHEMA } from "../../src/postgres/migrate/function_set.ts";
import { startGateway } from "../../src/server.ts";
import { insertAdminKey } from "../support/insert_key.ts";
import { waitFor } from "../support/processes.ts";
import type { Bench, Figures } from "./run.ts";
import { type BenchDatabase, median, percentile, startBenchDatabase } from "./support.ts";
import { numberOf } from "./usage.ts";

const CHUNK_ROWS = 500_000;
const DAYS = 365;
/** A gateway ranks the reads within this time. */
const RANKED_MS_MAX = 60_000;

/** Each with the area that it reads. */
const ROUTES = [
  "/stats",
  "/stats?by=minute",
  "/accounts",
  "/accounts?name=Account%2077",
  "/accounts?cursor=LATE_ACCOUNT",
  "/feeds",
  "/feeds?cursor=LATE_FEED",
  "/feeds?account_id=Account%2077",
  "/feeds?review=waiting",
  "/feeds?status=draft",
  "/feeds?health=late",
  "/feeds?health=failing",
  "/feeds?health=never_pushed",
  "/earnings",
  "/usage?account_id=Account%2077",
  "/purchases",
  "/payouts",
  "/audit",
] as const;

export const bench: Bench = async (args) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      accounts: { type: "string", default: "100000" },
      feeds: { type: "string", default: "100000" },
      usage: { type: "string", default: "10000000" },
      times: { type: "string", default: "21" },
    },
  });
  const sizes = {
    accounts: numberOf(values.accounts, "--accounts"),
    feeds: numberOf(values.feeds, "--feeds"),
    usage: numberOf(values.usage, "--usage"),
  };
  const database = await startBenchDatabase();
  try {
    const key = await seed(database, sizes);
    return await measure(database, key, numberOf(values.times, "--times"));
  } finally {
    await database.stop();
  }
};

interface Sizes {
  readonly accounts: number;
  readonly feeds: number;
  readonly usage: number;
}

/** The admin key. */
async function seed(database: BenchDatabase, sizes: Sizes): Promise<string> {
  const { sql } = database;
  const startMs = performance.now();
  await sql.begin(async (session) => {
    // Without the audit trail, which would take most of the time.
    await session`set local session_replication_role = replica`;
    await session`
      insert into accounts (name, max_feeds_allowed, created_at)
      select 'Account ' || n, 1, now() - (${sizes.accounts}::int - n) * interval '1 second'
      from generate_series(1, ${sizes.accounts}::int) as n`;
    await session`
      with owners as (
        select account_id, row_number() over (order by created_at) as place
        from accounts
      )
      insert into feeds (
        account_id, name, endpoint_path, feed_type, status, first_pushed_at, last_sync_at, price_type,
        call_price_nanos, is_public, published_at, created_at, review
      )
      select
        owners.account_id, 'Feed ' || n, 'feed-' || n, 'stream',
        case when n % 10 = 0 then 'draft' else 'active' end,
        case when n % 10 = 0 then null else now() end,
        case when n % 10 = 0 then null else now() - (n % 4) * interval '20 minutes' end,
        'metered', 1000, n % 10 > 1, case when n % 10 > 1 then now() end,
        now() - (${sizes.feeds}::int - n) * interval '1 second',
        case when n % 1000 = 1 then 'waiting' else 'none' end
      from generate_series(1, ${sizes.feeds}::int) as n
      join owners
        on owners.place = 1 + n % ${sizes.accounts}::int`;
    await session`
      insert into pushes (feed_id, stored, code, detail, rows_received, rows_inserted, rows_updated,
        rows_duplicate, body_bytes, duration_ms)
      select feed_id, n % 50 > 0, case when n % 50 = 0 then 'VALIDATION_FAILED' end, 'bench', 1, 1, 0, 0, 100, 1
      from (select feed_id, row_number() over (order by created_at) as n from feeds) as fed`;
    await session`
      insert into audit_events (actor, action, account_id)
      select 'bench', 'account create', account_id from accounts order by created_at`;
  });
  await sql`
    select ${sql(FUNCTION_SCHEMA)}.create_usage_partitions(now() - interval '13 months', 14)`;
  for (let first = 0; first < sizes.usage; first += CHUNK_ROWS) {
    await fillUsage(database, sizes, {
      first,
      last: Math.min(first + CHUNK_ROWS, sizes.usage) - 1,
    });
  }
  await fillTotals(database);
  const { key } = await insertAdminKey(database, "bench");
  await sql.unsafe("vacuum analyze");
  await sql.unsafe("checkpoint");
  const [size] = await sql`select pg_size_pretty(pg_database_size(current_database())) as size`;
  console.log(`filled in ${((performance.now() - startMs) / 1_000).toFixed(0)} s: ${size?.size}`);
  return key;
}

/** Inserts reads, spread evenly over time. A hundredth of the accounts and feeds has a fifth of them. */
async function fillUsage(
  { sql }: BenchDatabase,
  { usage, accounts, feeds }: Sizes,
  { first, last }: { readonly first: number; readonly last: number },
): Promise<void> {
  const yearMs = DAYS * MS_PER_DAY;
  await sql`
    with readers as (select array_agg(account_id order by created_at) as ids from accounts),
    sold as (select array_agg(feed_id order by created_at) as ids from feeds)
    insert into usage_events (usage_id, account_id, operation, feed_id, charge_nanos, happened_at)
    select
      (
        lpad(to_hex(floor(extract(epoch from events.at) * 1000)::bigint), 12, '0')
        || '70008' || lpad(to_hex(n), 15, '0')
      )::uuid,
      readers.ids[1 + floor(${accounts}::int * drawn.reader ^ 3)::int], 'data',
      sold.ids[1 + floor(${feeds}::int * drawn.feed ^ 3)::int], 1000, events.at
    from generate_series(${first}::bigint, ${last}::bigint) as n
    cross join lateral (
      select
        now() - interval '1 minute'
          - (${usage}::bigint - n) * (${yearMs}::float8 / ${usage}::float8) * interval '1 millisecond'
          as at
    ) as events
    cross join lateral (
      select
        (hashint8(n)::bigint + 2147483648) / 4294967296.0::float8 as reader,
        (hashint8(n + 1000000007)::bigint + 2147483648) / 4294967296.0::float8 as feed
    ) as drawn
    cross join readers
    cross join sold`;
}

/** Inserts the totals that the job would have counted. */
async function fillTotals({ sql }: BenchDatabase): Promise<void> {
  await sql`
    insert into spending_days (
      account_id, day, feed_id, reads, purchases, charged_nanos, refunded_nanos
    )
    select account_id, (happened_at at time zone 'UTC')::date, feed_id, count(*), 0, sum(charge_nanos), 0
    from usage_events
    group by account_id, (happened_at at time zone 'UTC')::date, feed_id`;
  await sql`
    insert into earning_days (
      feed_id, account_id, day, reads, paid_reads, purchases, gross_nanos, refunded_nanos, fee_parts
    )
    select
      spent.feed_id, feeds.account_id, spent.day, sum(spent.reads), sum(spent.reads), 0,
      sum(spent.charged_nanos), 0, 0
    from spending_days as spent
    join feeds
      on feeds.feed_id = spent.feed_id
    group by spent.feed_id, feeds.account_id, spent.day`;
  await sql`
    insert into day_totals (day, name, amount)
    select day, name, amount
    from (select day, sum(reads) as reads, sum(charged_nanos) as charged from spending_days group by day) as days
    cross join lateral (values ('reads', reads), ('charged_nanos', charged)) as named (name, amount)`;
  await sql`
    insert into minute_totals (minute, name, amount)
    select date_trunc('minute', happened_at), 'reads', count(*)
    from usage_events
    where usage_id >= ${sql(FUNCTION_SCHEMA)}.uuid_since(now() - interval '7 days')
    group by date_trunc('minute', happened_at)`;
  await sql`
    insert into counted_accounts (account_id, version, counted_to, paid_nanos)
    select account_id, version, 'ffffffff-ffff-ffff-ffff-ffffffffffff', 0 from accounts`;
}

async function measure(database: BenchDatabase, key: string, times: number): Promise<Figures> {
  const log = createLog({ level: "silent" });
  const config = readConfig({ PORT: "0", DATABASE_URL: database.address.url });
  const gateway = await startGateway(config, log, { closingNoticeMs: 0 });
  try {
    const late = await namesOf(database);
    // A gateway with such a database would have completed the job's first pass long ago.
    await waitFor(
      async () => (await database.sql`select from read_rankings`).length > 0,
      RANKED_MS_MAX,
    );
    const figures: Figures = [];
    for (const route of ROUTES) {
      const path = route.replace("LATE_ACCOUNT", late.account).replace("LATE_FEED", late.feed);
      const url = `${gateway.baseUrl}/v1/operator${path}`;
      const asked: number[] = [];
      let status = 0;
      const scanned = await rowsScanned(database, async () => {
        for (let time = 0; time < times; time++) {
          const askedMs = performance.now();
          const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
          await response.bytes();
          asked.push(performance.now() - askedMs);
          status = response.status;
        }
      });
      figures.push({
        route,
        status,
        "p50 ms": rounded(median(asked)),
        "p99 ms": rounded(percentile(asked, 0.99)),
        "log rows read from end to end": scanned,
      });
    }
    return figures;
  } finally {
    await gateway.stop();
  }
}

/** Positions far from the beginning of the lists. */
async function namesOf({ sql }: BenchDatabase): Promise<{ account: string; feed: string }> {
  const [row] = await sql`
    select
      (select account_id from accounts order by created_at desc offset 1000 limit 1) as account,
      (select feed_id from feeds order by created_at offset 1000 limit 1) as feed`;
  return { account: String(row?.account), feed: String(row?.feed) };
}

/**
 * The number of rows of the usage log that sequential scans read while `run` runs. The gateway's own jobs scan none.
 */
async function rowsScanned({ sql }: BenchDatabase, run: () => Promise<void>): Promise<number> {
  const count = async () => {
    await sql`select pg_stat_force_next_flush()`;
    const [row] = await sql`
      select coalesce(sum(seq_tup_read), 0)::float8 as rows
      from pg_stat_user_tables where relname like 'usage_events%'`;
    return Number(row?.rows);
  };
  const before = await count();
  await run();
  return (await count()) - before;
}

function rounded(ms: number): number {
  return Number(ms.toFixed(1));
}
