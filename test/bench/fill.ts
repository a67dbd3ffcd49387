/**
 * Fills tables directly by SQL with the rows of years of operation.
 *
 * @module
 */
import { arrayLiteral } from "../../src/postgres/client/array_literal.ts";
import { FUNCTION_SCHEMA } from "../../src/postgres/migrate/function_set.ts";
import type { BenchDatabase } from "./support.ts";

/** Rows per statement, which limits the memory of a statement and shows progress. */
const CHUNK_ROWS = 1_000_000;

/**
 * Inserts usage rows of the last hours, a millisecond apart, in order of time, over a number of the existing accounts
 * and feeds.
 */
export async function fillUsage(
  { sql }: BenchDatabase,
  { rows, accounts, feeds }: { rows: number; accounts: number; feeds: number },
): Promise<void> {
  const startMs = performance.now();
  await sql`select ${sql(FUNCTION_SCHEMA)}.create_usage_partitions(now() - interval '1 month', 1)`;
  const [clock] = await sql`select now() as now`;
  for (let first = 1; first <= rows; first += CHUNK_ROWS) {
    const last = Math.min(first + CHUNK_ROWS - 1, rows);
    await sql`
      insert into usage_events (
        usage_id, account_id, operation, feed_id, charge_nanos, happened_at
      )
      select
        -- A UUIDv7: milliseconds, and a number in the place of what is random.
        (
          lpad(to_hex(floor(extract(epoch from events.at) * 1000)::bigint), 12, '0')
          || '70008' || lpad(to_hex(number), 15, '0')
        )::uuid,
        accounts.ids[1 + number % cardinality(accounts.ids)], 'data',
        feeds.ids[1 + number % cardinality(feeds.ids)], 0, events.at
      from generate_series(${first}::bigint, ${last}::bigint) as number
      cross join lateral (
        select ${clock?.now}::timestamptz - (${rows}::bigint - number) * interval '1 millisecond' as at
      ) as events
      cross join (
        select array_agg(account_id) as ids
        from (select account_id from accounts order by account_id limit ${accounts}) as chosen
      ) as accounts
      cross join (
        select array_agg(feed_id) as ids
        from (select feed_id from feeds order by feed_id limit ${feeds}) as chosen
      ) as feeds`;
  }
  console.log(filled("usage rows", rows, startMs));
}

/** Creates accounts with a key each, whose text is unknown. */
export async function fillKeys(
  { sql }: BenchDatabase,
  { keys, balanceNanos }: { keys: number; balanceNanos: bigint },
): Promise<void> {
  const startMs = performance.now();
  await sql.begin(async (transaction) => {
    // Without the audit trail, which would take most of the time.
    await transaction`set local session_replication_role = replica`;
    await transaction`
      with made as (
        insert into accounts (name, max_feeds_allowed, balance_nanos)
        select 'Reader ' || number, 3, ${String(balanceNanos)}::bigint
        from generate_series(1, ${keys}::int) as number
        returning account_id
      ),
      granted as (
        insert into credit_ledger (
          account_id, kind, amount_nanos, balance_before_nanos, balance_after_nanos, reason
        )
        select
          account_id, 'grant', ${String(balanceNanos)}::bigint, 0, ${String(balanceNanos)}::bigint,
          'bench'
        from made
      )
      insert into api_keys (account_id, key_hash, key_start, permission)
      select account_id, sha256(account_id::text::bytea), 'fg_read_fill', 'read' from made`;
  });
  console.log(filled("keys", keys, startMs));
}

/** Creates a stream for each `rowsPerStream` rows of 200 bytes, a second apart. */
export async function fillStreams(
  { sql }: BenchDatabase,
  { rows, rowsPerStream }: { rows: number; rowsPerStream: number },
): Promise<void> {
  const startMs = performance.now();
  const streams = Math.ceil(rows / rowsPerStream);
  const made = await sql`
    insert into feeds (
      account_id, name, endpoint_path, feed_type, status, first_pushed_at, last_sync_at,
      call_price_nanos, data_version, push_count, next_position
    )
    select
      (select account_id from accounts order by account_id limit 1), 'Filled stream ' || number,
      'filled-' || number, 'stream', 'active', now(), now(), 0, 1, 1, ${rowsPerStream + 1}::int
    from generate_series(1, ${streams}::int) as number
    returning feed_id`;
  const feedIds = made.map((row) => row.feed_id as string).sort();
  const atOnce = Math.max(1, Math.floor(CHUNK_ROWS / rowsPerStream));
  for (let first = 0; first < feedIds.length; first += atOnce) {
    await sql`
      insert into stream_events (feed_id, position, row_id, event_at, payload)
      select
        feed_id, number, 'event-' || number, events.at,
        json_build_object(
          'id', 'event-' || number, 'event_timestamp', events.at, 'number', number,
          'price', number * 7919 % 100000 / 100.0, 'text', repeat('x', 80)
        )
      from unnest(${arrayLiteral(feedIds.slice(first, first + atOnce))}::uuid[]) as feed_id
      cross join generate_series(1, ${rowsPerStream}::bigint) as number
      cross join lateral (
        select timestamptz '2026-01-01T00:00:00Z' + number * interval '1 second' as at
      ) as events`;
  }
  console.log(filled("stream rows", streams * rowsPerStream, startMs));
}

function filled(what: string, count: number, startMs: number): string {
  return `filled ${count} ${what} in ${((performance.now() - startMs) / 1_000).toFixed(0)} s`;
}
