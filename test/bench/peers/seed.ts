/**
 * The set that `bench serve` reads: 1,000 accounts with a key and credits, 1,000 metered feeds of 40 rows of 250 bytes,
 * and one free feed. The peers' database contains the same.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { arrayLiteral } from "../../../src/postgres/client/array_literal.ts";
import { type Connections, connect } from "../../../src/postgres/client/connect.ts";
import { siblingUrl } from "../../support/database.ts";
import { hexHash, insertKeys } from "../../support/insert_key.ts";
import type { BenchDatabase } from "../support.ts";

export const ACCOUNTS = 1_000;
export const FEEDS = 1_000;
export const PEERS_DATABASE = "peers";
/** Two pages, so that responses contain a cursor. */
const ROWS = 40;
const ROW_BYTES = 250;
const PRICE_NANOS = "1000";
const BALANCE_NANOS = "1000000000000000";

export interface BenchSet {
  /** Each has a key. */
  readonly accountIds: readonly string[];
  readonly keys: readonly string[];
  readonly meteredFeeds: readonly string[];
  readonly freeFeed: string;
  /** The initial balance of each account. */
  readonly balanceNanos: bigint;
  readonly priceNanos: bigint;
}

/** A row of exactly `ROW_BYTES` bytes. */
export function rowText(feed: number, position: number): string {
  const head = `{"id":"row-${position}","feed":${feed},"price":${feed * 100 + position}.25,"text":"`;
  return `${head}${"x".repeat(ROW_BYTES - head.length - 2)}"}`;
}

/** Inserts the ledger's entries for the balances. Otherwise, its check finds every account wrong, and sums it again. */
async function grantBalances(sql: Connections, accountIds: readonly string[]): Promise<void> {
  await sql`
    insert into credit_ledger (
      account_id, kind, amount_nanos, balance_before_nanos, balance_after_nanos, reason
    )
    select account_id, 'grant', balance_nanos, 0, balance_nanos, 'bench'
    from accounts
    where account_id = any (${arrayLiteral(accountIds)}::uuid[])`;
}

/** Creates accounts with credits and a key each. */
export async function seedReaders(
  { sql }: BenchDatabase,
  readers: number,
): Promise<Pick<BenchSet, "accountIds" | "keys">> {
  const accounts = await sql`
    insert into accounts (name, max_feeds_allowed, balance_nanos)
    select 'bench', 0, ${BALANCE_NANOS}::bigint from generate_series(1, ${readers}::int)
    returning account_id`;
  const accountIds = accounts.map((row) => row.account_id as string);
  await grantBalances(sql, accountIds);
  return { accountIds, keys: await insertKeys(sql, accountIds, "read") };
}

/** Creates feeds with these numbers, both included, with rows. Number 0 is free, the others are metered. */
export async function seedFeeds(
  { sql }: BenchDatabase,
  { first, last, isPublic }: { first: number; last: number; isPublic: boolean },
) {
  // Not one of the readers, because owners read their own feeds for free.
  const [owner] = await sql`
    insert into accounts (name, max_feeds_allowed) values ('bench owner', 0) returning account_id`;
  const feeds = await sql`
    insert into feeds (
      account_id, name, description, category, endpoint_path, feed_type, status, first_pushed_at,
      last_sync_at, price_type, call_price_nanos, is_public, published_at, data_version, push_count,
      next_position, current_batch
    )
    select
      ${owner?.account_id as string}::uuid, 'Bench feed ' || number, 'Prices of bench goods, hourly', 'bench',
      'bench-' || number, 'collection', 'active', now(), now(),
      case when number = 0 then 'free' else 'metered' end,
      case when number = 0 then 0 else ${PRICE_NANOS}::bigint end,
      ${isPublic}, now() - number * interval '1 second', 1, 1, ${ROWS + 1}::bigint, 1
    from generate_series(${first}::int, ${last}::int) as number
    returning feed_id, price_type`;
  const feedIds = feeds.map((row) => row.feed_id as string);
  await sql`
    insert into batches (feed_id, batch_number, status, finalized_at)
    select feed_id, 1, 'final', now() from unnest(${arrayLiteral(feedIds)}::uuid[]) as ids (feed_id)`;
  for (const [index, feedId] of feedIds.entries()) {
    const texts = Array.from({ length: ROWS }, (_, row) => rowText(first + index, row + 1));
    await sql`
      insert into collection_rows (feed_id, batch_number, position, row_id, payload)
      select ${feedId}::uuid, 1, place, 'row-' || place, text::json
      from unnest(${arrayLiteral(texts)}::text[]) with ordinality as rows (text, place)`;
  }
  return feeds.map((row) => ({ feedId: row.feed_id as string, isFree: row.price_type === "free" }));
}

export async function seedBench(database: BenchDatabase): Promise<BenchSet> {
  const { sql } = database;
  const { accountIds, keys } = await seedReaders(database, ACCOUNTS);
  const feeds = await seedFeeds(database, { first: 0, last: FEEDS, isPublic: true });
  const feedIds = feeds.map(({ feedId }) => feedId);
  const set: BenchSet = {
    accountIds,
    keys,
    meteredFeeds: feeds.filter(({ isFree }) => !isFree).map(({ feedId }) => feedId),
    freeFeed: feeds.find(({ isFree }) => isFree)?.feedId as string,
    balanceNanos: BigInt(BALANCE_NANOS),
    priceNanos: BigInt(PRICE_NANOS),
  };
  await seedPeers(database, { accountIds, hashes: keys.map(hexHash), feedIds });
  await sql.unsafe("vacuum analyze");
  await sql.unsafe("checkpoint");
  return set;
}

async function seedPeers(
  database: BenchDatabase,
  ids: { accountIds: readonly string[]; hashes: string[]; feedIds: string[] },
): Promise<void> {
  await database.sql.unsafe(`create database ${PEERS_DATABASE}`);
  const address = { url: siblingUrl(database.address.url, PEERS_DATABASE) };
  const sql = connect(address, { connectionsMax: 1, statementTimeoutMs: 0 });
  try {
    await sql.unsafe(readFileSync(new URL("./peers.sql", import.meta.url), "utf8")).simple();
    await sql`
      insert into accounts (account_id, balance_nanos)
      select id::uuid, ${BALANCE_NANOS}::bigint from unnest(${arrayLiteral(ids.accountIds)}::text[]) as ids (id)`;
    await sql`
      insert into api_keys (key_hash, account_id)
      select decode(hash, 'hex'), id::uuid
      from unnest(${arrayLiteral(ids.hashes)}::text[], ${arrayLiteral(ids.accountIds)}::text[]) as keys (hash, id)`;
    await sql`
      insert into feeds (feed_id, status, price_nanos)
      select id::uuid, 'active', ${PRICE_NANOS}::bigint from unnest(${arrayLiteral(ids.feedIds)}::text[]) as ids (id)`;
    for (const [number, feedId] of ids.feedIds.entries()) {
      const texts = Array.from({ length: ROWS }, (_, position) => rowText(number, position + 1));
      await sql`
        insert into feed_rows (feed_id, position, payload)
        select ${feedId}::uuid, place, text::json
        from unnest(${arrayLiteral(texts)}::text[]) with ordinality as rows (text, place)`;
    }
    await sql.unsafe("vacuum analyze");
  } finally {
    await sql.end();
  }
}
