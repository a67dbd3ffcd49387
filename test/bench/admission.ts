/**
 * Decisions per second with 512 pending reads over 20,000 account-feed pairs, durable (fsync on): the whole job (key,
 * feed, window, price, balance, usage row) for one read per transaction, and for batches of 64 and 256. Compares them
 * with npm's `rate-limiter-flexible` on the same PostgreSQL, which only counts in fixed windows. Then repeats it with
 * 10 million usage rows, or `--usage` of them, in the log.
 *
 * `bun run bench admission [-- --usage N]`
 *
 * @module
 */
import { parseArgs } from "node:util";
import { Admission } from "../../src/admission/admission.ts";
import type { Claim } from "../../src/admission/claims.ts";
import { connect } from "../../src/postgres/client/connect.ts";
import { createDatabase } from "../../src/postgres/client/database.ts";
import { fillUsage } from "./fill.ts";
import type { Bench } from "./run.ts";
import {
  type BenchDatabase,
  callsPerSecond,
  installPeers,
  median,
  peer,
  startBenchDatabase,
} from "./support.ts";
import { numberOf } from "./usage.ts";

const ACCOUNTS = 1_000;
const FEEDS = 20;
const WAITING = 512;
const ROUNDS = 3;
const ROUND_MS = 4_000;
const HISTORY_ROWS = 10_000_000;

/** The part of the peers' interface that is used. Only the benchmarks install these packages. */
interface PgPackage {
  Pool: new (options: object) => { end(): Promise<void> };
}
interface Limiter {
  consume(key: string): Promise<unknown>;
}
interface LimiterPackage {
  RateLimiterPostgres: new (options: object, ready: (error?: Error) => void) => Limiter;
}

/** A read by the account's only key, which is derived from its id. */
interface Read {
  readonly accountId: string;
  readonly claim: Claim;
}

interface Contender {
  readonly name: string;
  readonly call: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

export const bench: Bench = async (args) => {
  const { values } = parseArgs({
    args: [...args],
    options: { usage: { type: "string", default: String(HISTORY_ROWS) } },
  });
  const rows = numberOf(values.usage, "--usage");
  await installPeers();
  const database = await startBenchDatabase();
  try {
    const pick = await seed(database);
    const before = await compare(database, pick, "empty log");
    await fillUsage(database, { rows, accounts: ACCOUNTS, feeds: FEEDS });
    await database.sql.unsafe("vacuum analyze usage_events");
    await database.sql.unsafe("checkpoint");
    const after = await compare(database, pick, `${rows} usage rows`);
    return [...before, ...after];
  } finally {
    await database.stop();
  }
};

async function compare(database: BenchDatabase, pick: () => Read, history: string) {
  const contenders: Contender[] = [
    ours(database, pick, { name: "one transaction a read", batchMax: 1, flightsMax: 16 }),
    ours(database, pick, { name: "batches of 64", batchMax: 64, flightsMax: 2 }),
    ours(database, pick, { name: "batches of 256", batchMax: 256, flightsMax: 2 }),
    await rateLimiterFlexible(database, pick),
  ];
  const figures = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  for (const { call } of contenders) await callsPerSecond(WAITING, 1_000, call);
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, call } of contenders) {
      figures.get(name)?.push(await callsPerSecond(WAITING, ROUND_MS, call));
    }
  }
  for (const { close } of contenders) await close();
  const base = median(figures.get("one transaction a read") ?? []);
  return [...figures].map(([name, values]) => ({
    history,
    name,
    "decisions/s": Math.round(median(values)),
    "of one transaction": (median(values) / base).toFixed(1),
  }));
}

function ours(
  database: BenchDatabase,
  pick: () => Read,
  options: { name: string; batchMax: number; flightsMax: number },
): Contender {
  const connections = connect(database.address, { connectionsMax: options.flightsMax });
  const admission = new Admission({
    // All callers start at once, and each key is looked up for the first time, so no statement may be refused.
    database: createDatabase(connections, { runningMax: Number.POSITIVE_INFINITY }),
    batches: { batchMax: options.batchMax, flightsMax: options.flightsMax },
  });
  return {
    name: options.name,
    async call() {
      const { accountId, claim } = pick();
      const mark = accountId;
      const caller =
        admission.remembered(mark) ?? (await admission.identify(mark, hashOf(accountId)));
      if (caller === undefined || caller.kind === "suspended")
        throw new Error("the key is unknown");
      for (;;) {
        const reserved = admission.reserve(caller, claim);
        if (reserved.kind !== "reserved") throw new Error(`not reserved: ${reserved.kind}`);
        const logged = await admission.log(reserved).finally(() => admission.release(reserved));
        if (logged.kind === "granted") return;
        // A slow machine refuses some of them as overloaded, so they are retried.
        if (logged.kind !== "overloaded") throw new Error(`not granted: ${logged.kind}`);
      }
    },
    close: () => connections.end(),
  };
}

function hashOf(accountId: string): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(accountId).digest();
}

async function rateLimiterFlexible(database: BenchDatabase, pick: () => Read): Promise<Contender> {
  const pg = await peer<PgPackage>("pg");
  const { RateLimiterPostgres } = await peer<LimiterPackage>("rate-limiter-flexible");
  const pool = new pg.Pool({
    host: database.socketDir,
    user: "postgres",
    database: "feedgate",
    max: 16,
  });
  const limiter = await new Promise<Limiter>((resolve, reject) => {
    const made = new RateLimiterPostgres(
      { storeClient: pool, points: 1_000_000, duration: 60, tableName: "peer_limits" },
      (error) => (error ? reject(error) : resolve(made)),
    );
  });
  return {
    name: "rate-limiter-flexible (counts only)",
    call() {
      const { accountId, claim } = pick();
      return limiter.consume(`${accountId}:${claim.feed?.feedId}`);
    },
    close: () => pool.end(),
  };
}

/** Creates accounts with credits and a key each, and metered feeds. Returns a picker of random claims. */
async function seed({ sql }: BenchDatabase): Promise<() => Read> {
  await sql`
    insert into accounts (name, max_feeds_allowed, balance_nanos)
    select 'bench', 0, 1000000000000 from generate_series(1, ${ACCOUNTS}::int)`;
  const keys = await sql`
    insert into api_keys (account_id, key_hash, key_start, permission)
    select account_id, sha256(account_id::text::bytea), 'fg_read_bnch', 'read' from accounts
    returning key_id, account_id`;
  const feeds = await sql`
    insert into feeds (
      account_id, name, endpoint_path, feed_type, status, first_pushed_at, price_type,
      call_price_nanos
    )
    select
      (select account_id from accounts limit 1), 'bench', 'bench-' || number, 'collection',
      'active', now(), 'metered', 1000
    from generate_series(1, ${FEEDS}::int) as number
    returning feed_id, account_id`;
  await sql.unsafe("vacuum analyze");
  const any = <T>(list: readonly T[]) => list[Math.floor(Math.random() * list.length)] as T;
  return () => {
    const { feed_id: feedId, account_id: ownerId } = any(feeds);
    const feed = {
      feedId: feedId as string,
      accountId: ownerId as string,
      access: "open",
      definitionVersion: 1n,
      priceType: "metered",
      callPriceNanos: 1_000n,
      oneTimePriceCents: null,
    } as const;
    const limits = { free: 1_000_000, paid: 1_000_000 };
    return { accountId: any(keys).account_id, claim: { operation: "data", feed, limits } };
  };
}
