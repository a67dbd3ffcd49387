import { expect, test } from "bun:test";
import { connect } from "../../../src/postgres/client/connect.ts";
import { MIGRATIONS } from "../../../src/postgres/generated/statements.ts";
import { applyMigrations } from "../../../src/postgres/migrate/migrate.ts";
import { createEmptyDatabase } from "../../support/database.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The schema before and with a migration, by the beginning of its name. */
function around(name: string) {
  const place = MIGRATIONS.findIndex((migration) => migration.name.startsWith(name));
  return { before: MIGRATIONS.slice(0, place), with: MIGRATIONS.slice(0, place + 1) };
}

async function prepare(name: string) {
  const { address } = await createEmptyDatabase();
  const sql = connect(address, { connectionsMax: 2, statementTimeoutMs: 0 });
  await applyMigrations(sql, around(name).before);
  await sql`create table usage_events_all partition of usage_events default`;
  const [account] = await sql`
    insert into accounts (name, max_feeds_allowed) values ('a', 3) returning account_id`;
  const accountId: string = account?.account_id;
  let keys = 0;
  return {
    sql,
    accountId,
    migrate: () => applyMigrations(sql, around(name).with),
    async insertKey(permission: "read" | "write", dailyNanos: number | null, replaces?: string) {
      keys += 1;
      const [row] = await sql`
        insert into api_keys (account_id, key_hash, key_start, permission, daily_nanos, replaces)
        values (
          ${accountId}, sha256(${String(keys)}::text::bytea), 'fg', ${permission}, ${dailyNanos},
          ${replaces ?? null}
        )
        returning key_id`;
      return row?.key_id as string;
    },
  };
}

test("keys that were rotated before become chains, which have spent today what the usage log has of them", async () => {
  const { sql, accountId, insertKey, migrate } = await prepare("0003");
  const first = await insertKey("read", 30_000);
  const second = await insertKey("read", 30_000, first);
  const third = await insertKey("read", 30_000, second);
  const other = await insertKey("read", 30_000);
  const day = Math.floor(Date.now() / DAY_MS);
  for (const [keyId, spent] of [
    [first, 3_000],
    [second, 4_500],
    [other, 500],
  ] as const) {
    await sql`insert into key_spending values (${accountId}, ${keyId}, ${day}, ${spent})`;
  }
  const midnightMs = day * DAY_MS;
  for (const [keyId, atMs, hasFailed] of [
    [first, midnightMs, false],
    [second, Date.now(), false],
    [third, Date.now(), false],
    [third, Date.now(), true],
    [first, midnightMs - 1, false],
    [other, Date.now(), false],
  ] as const) {
    const usageId = Bun.randomUUIDv7("hex", atMs);
    await sql`
      insert into usage_events (
        usage_id, account_id, operation, key_id, charge_nanos, failed, happened_at
      )
      values (
        ${usageId}, ${accountId}, 'data', ${keyId}, 1500, ${hasFailed},
        ${new Date(atMs).toISOString()}
      )`;
  }
  const [before] = await sql`select version from accounts`;
  expect(await migrate()).toEqual(["0003_key_chains"]);
  const chains = await sql`select key_id, chain_id from api_keys order by created_at, key_id`;
  expect(new Map(chains.map((row) => [row.key_id, row.chain_id]))).toEqual(
    new Map([
      [first, first],
      [second, first],
      [third, first],
      [other, other],
    ]),
  );
  const spending = await sql`select key_id, day, spent_nanos::int as spent from key_spending`;
  const spent = new Map(spending.map((row) => [row.key_id, [row.day, row.spent]]));
  expect([spent.get(first), spent.get(other)]).toEqual([
    [day, 4_500],
    [day, 500],
  ]);
  const [after] = await sql`select version from accounts`;
  expect(after?.version).not.toBe(before?.version);
  await sql.end();
});

test("a write key that had a budget or a scope loses it, and none gets one", async () => {
  const { sql, insertKey, migrate } = await prepare("0004");
  const write = await insertKey("write", 30_000);
  const read = await insertKey("read", 30_000);
  await sql`update api_keys set feed_ids = array[key_id]`;
  expect(await migrate()).toEqual(["0004_limits_of_read_keys"]);
  const limits = async (keyId: string) => {
    const [row] = await sql`
      select daily_nanos::int as daily, cardinality(feed_ids) as feeds from api_keys
      where key_id = ${keyId}`;
    return { ...row };
  };
  expect(await limits(write)).toEqual({ daily: null, feeds: null });
  expect(await limits(read)).toEqual({ daily: 30_000, feeds: 1 });
  const limited = sql`update api_keys set daily_nanos = 1 where key_id = ${write}`.execute();
  await expect(limited).rejects.toThrow("api_keys_limits_of_reading");
  await sql.end();
});

test("feeds that were deleted before give up slugs that were never public, and the texts of what has been emptied", async () => {
  const { sql, accountId, migrate } = await prepare("0006");
  const insertFeed = async (slug: string, isEmptied: boolean) => {
    const [row] = await sql`
      insert into feeds (
        account_id, name, endpoint_path, description, readme_md, call_price_nanos, deleted_at,
        emptied_at
      )
      values (
        ${accountId}, ${slug}, ${slug}, 'text', 'text', 0, now(),
        ${isEmptied ? new Date().toISOString() : null}
      )
      returning feed_id`;
    return row?.feed_id as string;
  };
  await insertFeed("never-public", false);
  const unlisted = await insertFeed("unlisted", false);
  await sql`update feeds set is_public = true, definition_version = 2 where feed_id = ${unlisted}`;
  await sql`update feeds set is_public = false, definition_version = 3 where feed_id = ${unlisted}`;
  const freed = await insertFeed("freed", true);
  await sql`update feeds set endpoint_path = 'deleted-' || feed_id where feed_id = ${freed}`;
  expect(await migrate()).toEqual(["0006_deleted_feeds"]);
  const feeds = await sql`
    select name, endpoint_path, former_path, readme_md from feeds order by name`;
  expect(feeds.map((row) => Object.values(row))).toEqual([
    ["freed", null, null, null],
    ["never-public", null, "never-public", "text"],
    ["unlisted", "unlisted", null, "text"],
  ]);
  const live = sql`update feeds set deleted_at = null where name = 'never-public'`.execute();
  await expect(live).rejects.toThrow("feeds_endpoint_path_kept");
  await sql.end();
});

test("what was counted before is in the new totals, and what waits comes once", async () => {
  const { sql, accountId, insertKey, migrate } = await prepare("0016");
  const keyId = await insertKey("read", null);
  const feedId = crypto.randomUUID();
  let at = Date.parse("2026-11-20T10:00:00Z");
  /** An event of the log, each a second after the one before. */
  const event = async (
    operation: string,
    nanos: number,
    state: { refunded?: boolean; failed?: boolean; change?: string | undefined } = {},
  ) => {
    at += 1_000;
    const usageId = Bun.randomUUIDv7("hex", at);
    const { refunded = false, failed = false, change } = state;
    await sql`
      insert into usage_events (
        usage_id, account_id, operation, feed_id, key_id, charge_nanos, refunded, failed, happened_at
      )
      values (
        ${usageId}, ${accountId}, ${operation}, ${operation === "catalog" ? null : feedId}, ${keyId},
        ${nanos}, ${refunded}, ${failed}, ${new Date(at).toISOString()}
      )`;
    if (refunded) {
      await sql`
        insert into credit_ledger (
          account_id, kind, feed_id, amount_nanos, balance_before_nanos, balance_after_nanos, reason,
          reference, created_at
        )
        values (
          ${accountId}, 'refund', ${feedId}, ${nanos}, 0, ${nanos}, 'test', ${`refund:${usageId}`},
          '2026-11-21T10:00:00Z'
        )`;
    }
    if (change !== undefined) {
      await sql`
        insert into sale_changes (kind, account_id, feed_id, usage_id, amount_nanos, sold_at)
        values (${change}, ${accountId}, ${feedId}, ${usageId}, ${nanos}, ${new Date(at).toISOString()})`;
    }
    return usageId;
  };
  await event("data", 1);
  await event("catalog", 0);
  await event("purchase", 500);
  await event("data", 10, { refunded: true });
  await event("data", 100, { refunded: true, change: "refunded" });
  await event("data", 1_000, { refunded: true, failed: true });
  await event("data", 2_000, { refunded: true, failed: true, change: "failed" });
  await event("data", 4_000, { change: "late" });
  const line = await event("stream", 10_000);
  await event("data", 100_000);
  await sql`
    insert into counted_accounts (account_id, version, counted_to, paid_nanos)
    values (${accountId}, null, ${line}, 0)`;
  await migrate();
  const days = await sql`
    select day::text, feed_id, key_id, reads::int, purchases::int, charged_nanos::int as charged,
      refunded_nanos::int as refunded
    from spending_days order by day`;
  const place = { feed_id: feedId, key_id: keyId };
  expect([...days]).toEqual([
    { day: "2026-11-20", ...place, reads: 5, purchases: 1, charged: 12_611, refunded: 0 },
    { day: "2026-11-21", ...place, reads: 0, purchases: 0, charged: 0, refunded: 10 },
  ]);
  const totals = await sql`
    select name, sum(amount)::int as amount from day_totals group by name order by name`;
  expect([...totals]).toEqual([
    { name: "charged_nanos", amount: 12_611 },
    { name: "discovery_calls", amount: 1 },
    { name: "purchases", amount: 1 },
    { name: "reads", amount: 5 },
    { name: "refunded_nanos", amount: 10 },
  ]);
  // A program of before does not count meanwhile what the new totals would then lack.
  const [job] =
    await sql`select due_at > now() + interval '22 hours' as waits from maintenance_jobs`;
  expect(job?.waits).toBe(true);
});

test("customers of before are counted once over all providers", async () => {
  const { sql, migrate } = await prepare("0017");
  const [one, two] = [crypto.randomUUID(), crypto.randomUUID()];
  const [feed, provider] = [crypto.randomUUID(), crypto.randomUUID()];
  for (const [scope, account, day] of [
    [feed, one, "2026-11-20"],
    [provider, one, "2026-11-20"],
    [provider, one, "2026-11-22"],
    [feed, two, "2026-11-22"],
  ] as const) {
    await sql`insert into customer_days (scope_id, account_id, day) values (${scope}, ${account}, ${day})`;
  }
  await migrate();
  const counts = await sql`
    select day::text, previous_day::text, accounts::int from customer_counts
    where scope_id = '00000000-0000-0000-0000-000000000000' order by day, previous_day`;
  expect([...counts]).toEqual([
    { day: "2026-11-20", previous_day: "-infinity", accounts: 1 },
    { day: "2026-11-22", previous_day: "-infinity", accounts: 1 },
    { day: "2026-11-22", previous_day: "2026-11-20", accounts: 1 },
  ]);
});

test("feeds of before are found by letters that were not folded, and no others are touched", async () => {
  const { sql, accountId, migrate } = await prepare("0034");
  const insert = async (name: string, schema = '{"properties":{"id":{}}}') => {
    const [row] = await sql`
      insert into feeds (
        account_id, name, endpoint_path, feed_type, schema_definition, status, is_public,
        first_pushed_at, published_at, call_price_nanos
      )
      values (
        ${accountId}, ${name}, ${`feed-${name.length}`}, 'stream', ${schema}::text::json, 'active',
        true, now(), now(), 0
      )
      returning feed_id`;
    return row?.feed_id as string;
  };
  const folded = await insert("Łódź");
  const escaped = await insert("Trams", '{"properties":{"stra\\u00dfe":{}}}');
  const plain = await insert("Tramways of Kraków");
  const versions = async () => {
    const rows = await sql`select feed_id, xmin::text as version, definition_version from feeds`;
    return new Map(rows.map((row) => [row.feed_id, [row.version, row.definition_version]]));
  };
  const before = await versions();
  expect(await migrate()).toEqual(["0034_search_letters"]);
  const after = await versions();
  expect(after.get(plain)).toEqual(before.get(plain));
  for (const feed of [folded, escaped]) {
    expect(after.get(feed)?.[0]).not.toBe(before.get(feed)?.[0]);
    expect(after.get(feed)?.[1]).toBe(before.get(feed)?.[1]);
  }
  const holders = await sql`
    select feed_id, name_key from feeds
    where search @@ 'lodz' or search @@ to_tsquery('english', 'strasse') order by name`;
  expect([...holders]).toEqual([
    { feed_id: escaped, name_key: "trams" },
    { feed_id: folded, name_key: "lodz" },
  ]);
  // What words there are is counted anew, too.
  const words = await sql`select word from search_words where word in ('lodz', 'łodz')`;
  expect([...words]).toEqual([{ word: "lodz" }]);
});
