/**
 * Earnings: how long a provider waits for a year of them by day, and the cost of the job that counts sales.
 *
 * A year of paid reads of one provider is inserted into the usage log and counted. Then each batch of new reads, as
 * many as arrive between two passes of the job at 10,000 per second, is counted in one pass. The processor time of a
 * pass, as a share of these ten seconds, is the job's use of a core.
 *
 * `bun run bench earnings [-- --reads N] [--accounts N] [--feeds N] [--passes N]`
 *
 * @module
 */
import { parseArgs } from "node:util";
import { GROUPINGS, readEarnings } from "../../src/accounts/earnings/earnings.ts";
import { createDatabase } from "../../src/postgres/client/database.ts";
import { FUNCTION_SCHEMA } from "../../src/postgres/migrate/function_set.ts";
import { processorSeconds } from "./processes.ts";
import type { Bench, Figures } from "./run.ts";
import { type BenchDatabase, median, startBenchDatabase } from "./support.ts";
import { numberOf } from "./usage.ts";

const CHUNK_ROWS = 500_000;
const PASS_SECONDS = 10;
const READS_PER_SECOND = 10_000;
const DAYS = 365;
const ASKED_TIMES = 11;
/** The same as the job's (`src/jobs/jobs.ts`). */
const SALES_MAX = 100_000;

export const bench: Bench = async (args) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      reads: { type: "string", default: "10000000" },
      accounts: { type: "string", default: "1000" },
      feeds: { type: "string", default: "10" },
      passes: { type: "string", default: "5" },
    },
  });
  const reads = numberOf(values.reads, "--reads");
  const accounts = numberOf(values.accounts, "--accounts");
  const database = await startBenchDatabase();
  try {
    const providerId = await seed(database, accounts, numberOf(values.feeds, "--feeds"));
    const yearMs = DAYS * 86_400_000;
    await fill(database, { reads, fromMs: Date.now() - yearMs, spanMs: yearMs });
    const perReadUs = ((await count(database)) * 1e6) / reads;
    const figures: Figures = [
      { figure: "the year counted, processor µs a read", value: rounded(perReadUs) },
    ];

    const passes: number[] = [];
    for (let pass = 0; pass < numberOf(values.passes, "--passes"); pass++) {
      const spanMs = PASS_SECONDS * 1_000;
      const batch = { reads: PASS_SECONDS * READS_PER_SECOND, fromMs: Date.now(), spanMs };
      await fill(database, batch);
      passes.push((await count(database)) / PASS_SECONDS);
    }
    figures.push({
      figure: "job at 10,000 reads/s, % of a core",
      value: rounded(median(passes) * 100),
    });

    const today = new Date();
    const to = today.toISOString().slice(0, 10);
    const from = new Date(today.getTime() - (DAYS - 1) * 86_400_000).toISOString().slice(0, 10);
    const queries = createDatabase(database.sql);
    for (const groupBy of GROUPINGS) {
      const times: number[] = [];
      for (let time = 0; time < ASKED_TIMES; time++) {
        const askedMs = performance.now();
        await readEarnings(queries, { accountId: providerId, from, to, groupBy });
        times.push(performance.now() - askedMs);
      }
      figures.push({ figure: `a year by ${groupBy}, ms`, value: rounded(median(times)) });
    }
    return figures;
  } finally {
    await database.stop();
  }
};

/** Creates a provider with feeds, and accounts that read. */
async function seed({ sql }: BenchDatabase, accounts: number, feeds: number): Promise<string> {
  const [provider] = await sql`
    insert into accounts (name, max_feeds_allowed) values ('provider', 1) returning account_id`;
  await sql`
    insert into feeds (
      account_id, name, endpoint_path, status, first_pushed_at, price_type, call_price_nanos
    )
    select ${provider?.account_id}, 'feed', 'feed-' || n, 'active', now(), 'metered', 1000
    from generate_series(1, ${feeds}::int) as n`;
  await sql`
    insert into accounts (name, max_feeds_allowed)
    select 'reader', 1 from generate_series(1, ${accounts}::int)`;
  await sql`
    select ${sql(FUNCTION_SCHEMA)}.create_usage_partitions(now() - interval '13 months', 14)`;
  return provider?.account_id;
}

interface Batch {
  readonly reads: number;
  readonly fromMs: number;
  readonly spanMs: number;
}

let written = 0;

/** Inserts paid reads, spread evenly over time, accounts, and feeds. Every account's version is renewed. */
async function fill({ sql }: BenchDatabase, { reads, fromMs, spanMs }: Batch): Promise<void> {
  for (let first = 0; first < reads; first += CHUNK_ROWS) {
    const last = Math.min(first + CHUNK_ROWS, reads) - 1;
    await sql`
      with readers as (
        select array_agg(account_id order by account_id) as ids from accounts where name = 'reader'
      ),
      sellers as (select array_agg(feed_id order by feed_id) as ids from feeds)
      insert into usage_events (
        usage_id, account_id, operation, feed_id, charge_nanos, happened_at
      )
      select
        (
          lpad(to_hex(floor(extract(epoch from events.at) * 1000)::bigint), 12, '0')
          || '70008' || lpad(to_hex(${written}::bigint + n), 15, '0')
        )::uuid,
        readers.ids[1 + abs(hashint8(n)::bigint) % cardinality(readers.ids)], 'data',
        sellers.ids[1 + n % cardinality(sellers.ids)], 1000, events.at
      from generate_series(${first}::bigint, ${last}::bigint) as n
      cross join lateral (
        select to_timestamp((${fromMs}::float8 + n * (${spanMs}::float8 / ${reads}::float8)) / 1000) as at
      ) as events
      cross join readers
      cross join sellers`;
  }
  written += reads;
  await sql`update accounts set generation = generation where name = 'reader'`;
}

/** Counts pending sales. Returns the processor time in seconds. */
async function count({ sql }: BenchDatabase): Promise<number> {
  const connection = await sql.reserve();
  try {
    const [backend] = await connection`select pg_backend_pid() as pid`;
    const before = processorSeconds(backend?.pid);
    for (let isMore = true; isMore; ) {
      const [row] = await connection`
        select ${sql(FUNCTION_SCHEMA)}.count_sales(clock_timestamp(), ${SALES_MAX}) as is_more`;
      isMore = row?.is_more === true;
    }
    return processorSeconds(backend?.pid) - before;
  } finally {
    connection.release();
  }
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
