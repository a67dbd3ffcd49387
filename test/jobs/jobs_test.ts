import { afterAll, describe, expect, test } from "bun:test";
import { createJobs, type Job } from "../../src/jobs/jobs.ts";
import { present } from "../../src/lib/assert.ts";
import { connect } from "../../src/postgres/client/connect.ts";
import { createDatabase } from "../../src/postgres/client/database.ts";
import { createTestDatabase } from "../support/database.ts";
import { lockWaiters } from "../support/lock_waiters.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const RETENTION_DAYS = 40;
const AUDIT_DAYS = 90;
const STEPS_MAX = 200;

const sql = connect(
  { url: (await createTestDatabase()).ownUrl },
  { connectionsMax: 4, statementTimeoutMs: 0 },
);
const database = createDatabase(sql);
const jobs = createJobs({
  usageRetentionDays: RETENTION_DAYS,
  auditRetentionDays: AUDIT_DAYS,
  flushKeyUses: async () => {},
});
const owner = await createAccount();
afterAll(() => sql.end());

async function createAccount(balanceNanos = 0): Promise<string> {
  const rows = await sql`
    insert into accounts (name, max_feeds_allowed, balance_nanos)
    values ('test', 100, ${balanceNanos}) returning account_id`;
  return rows[0]?.account_id;
}

let feeds = 0;
async function createFeed(firstPushedAt: Date, syncIntervalMins = 60): Promise<string> {
  feeds += 1;
  const rows = await sql`
    insert into feeds (
      account_id, name, endpoint_path, feed_type, status, first_pushed_at, sync_interval_mins,
      call_price_nanos
    )
    values (
      ${owner}, 'test', ${`feed-${feeds}`}, 'collection', 'active', ${firstPushedAt.toISOString()},
      ${syncIntervalMins}, 0
    )
    returning feed_id`;
  return rows[0]?.feed_id;
}

/** A whole pass of a job at a time of the test's own, after which the job is due again. */
async function pass(name: string, now: Date): Promise<number> {
  const job = jobs.find((each) => each.name === name) as Job;
  await sql`delete from maintenance_jobs where name = ${name}`;
  for (let steps = 1; steps <= STEPS_MAX; steps++) {
    if (!(await job.step(database, now.toISOString()))) return steps;
  }
  throw new Error(`${name} does not come to an end`);
}

const later = (date: Date, ms: number) => new Date(date.getTime() + ms);
const today = new Date();

describe("jobs", () => {
  test("a pass is done once over many processes, and again after its interval", async () => {
    const job = jobs.find(({ name }) => name === "reliability") as Job;
    const feedId = await createFeed(later(today, -DAY_MS));
    const version = async () =>
      (await sql`select definition_version from feeds where feed_id = ${feedId}`)[0]
        ?.definition_version;
    await sql`delete from maintenance_jobs`;
    await Promise.all(Array.from({ length: 8 }, () => job.step(database, today.toISOString())));
    expect(await version()).toBe(2n);
    await sql`update feeds set reliability_score = 50 where feed_id = ${feedId}`;
    await job.step(database, later(today, job.everyMs - 1).toISOString());
    expect(await version()).toBe(2n);
    await job.step(database, later(today, job.everyMs).toISOString());
    expect(await version()).toBe(3n);

    // While another process is at it, nobody does it or waits.
    await sql`update feeds set reliability_score = 50 where feed_id = ${feedId}`;
    const holder = await sql.reserve();
    await holder`begin`;
    await holder`select from maintenance_jobs where name = ${job.name} for update`;
    expect(await job.step(database, later(today, 2 * job.everyMs).toISOString())).toBe(false);
    await holder`commit`;
    holder.release();
    expect(await version()).toBe(3n);
  });

  test("a step without a given time goes by the database's clock", async () => {
    const job = jobs.find(({ name }) => name === "idempotency keys") as Job;
    await sql`delete from maintenance_jobs where name = ${job.name}`;
    await job.step(database);
    const [row] = await sql`
      select abs(extract(epoch from due_at - clock_timestamp()) * 1000 - ${job.everyMs}) < 60000 as is_now
      from maintenance_jobs where name = ${job.name}`;
    expect(row?.is_now).toBe(true);
    await sql`delete from maintenance_jobs where name = ${job.name}`;
  });

  test("a clock that was ahead for a moment does not put a job off", async () => {
    const job = jobs.find(({ name }) => name === "idempotency keys") as Job;
    const isRun = async (now: Date) => {
      await job.step(database, now.toISOString());
      const [row] = await sql`
        select due_at = ${later(now, job.everyMs).toISOString()} as is_put_off
        from maintenance_jobs where name = ${job.name}`;
      return row?.is_put_off;
    };
    expect(await isRun(later(today, 365 * DAY_MS))).toBe(true);
    expect(await isRun(today)).toBe(true);
    expect(await isRun(later(today, 1_000))).toBe(false);
  });
});

describe("retired batches", () => {
  test("rows go after the grace, in bounded steps; a named batch stays closed, an unnamed one goes", async () => {
    const feedId = await createFeed(today);
    await sql`
      insert into batches (feed_id, batch_number, batch_id, status, retired_at)
      values
        (${feedId}, 1, 'named', 'retired', ${today.toISOString()}),
        (${feedId}, 2, null, 'retired', ${today.toISOString()}),
        (${feedId}, 3, null, 'final', null)`;
    await sql`
      insert into collection_rows (feed_id, batch_number, position, row_id, payload)
      select ${feedId}, batch, batch * 10000 + n, n::text, '{}'
      from generate_series(1, 3) as batch, generate_series(1, 6000) as n`;
    const left = async () =>
      (
        await sql`
          select batches.batch_number::int as batch, batches.batch_id, batches.status,
            (
              select count(*)::int from collection_rows as r
              where r.feed_id = batches.feed_id and r.batch_number = batches.batch_number
            ) as rows
          from batches where feed_id = ${feedId} order by batch_number`
      ).map(({ batch, batch_id, status, rows }) => [batch, batch_id, status, rows]);

    await pass("retired batches", later(today, 15 * MINUTE_MS - 1));
    expect(await left()).toEqual([
      [1, "named", "retired", 6_000],
      [2, null, "retired", 6_000],
      [3, null, "final", 6_000],
    ]);
    expect(await pass("retired batches", later(today, 15 * MINUTE_MS))).toBe(3);
    expect(await left()).toEqual([
      [1, "named", "retired", 0],
      [3, null, "final", 6_000],
    ]);
  });
});

describe("abandoned batches", () => {
  test("an open batch is closed 24 hours after the last push to it, unless readers see it", async () => {
    const [seen, unseen] = [await createFeed(today), await createFeed(today)];
    await sql`
      insert into batches (feed_id, batch_number, batch_id, status, begun_at)
      select feed_id, 1, 'a', 'open', ${today.toISOString()}
      from feeds where feed_id in (${seen}, ${unseen})`;
    await sql`update feeds set current_batch = 1 where feed_id = ${seen}`;
    const statuses = async () => {
      const rows = await sql`
        select feed_id, status from batches where feed_id in (${seen}, ${unseen})`;
      return Object.fromEntries(rows.map(({ feed_id, status }) => [feed_id, status]));
    };

    await pass("abandoned batches", later(today, DAY_MS - 1));
    expect(await statuses()).toEqual({ [seen]: "open", [unseen]: "open" });
    await sql`
      update batches set pushed_at = ${later(today, HOUR_MS).toISOString()}
      where feed_id = ${unseen}`;
    await pass("abandoned batches", later(today, DAY_MS));
    expect(await statuses()).toEqual({ [seen]: "open", [unseen]: "open" });
    // One that is being pushed to waits for the next pass.
    const pushing = await sql.reserve();
    await pushing`begin`;
    await pushing`select from feeds where feed_id = ${unseen} for no key update`;
    await pass("abandoned batches", later(today, DAY_MS + HOUR_MS));
    expect(await statuses()).toEqual({ [seen]: "open", [unseen]: "open" });
    await pushing`commit`;
    pushing.release();
    await pass("abandoned batches", later(today, DAY_MS + HOUR_MS));
    expect(await statuses()).toEqual({ [seen]: "open", [unseen]: "retired" });
  });

  test("one that is pushed to while the job is at others stays open", async () => {
    const [first, second] = [await createFeed(today), await createFeed(today)];
    await sql`
      insert into batches (feed_id, batch_number, batch_id, status, begun_at)
      values (${first}, 1, 'a', 'open', ${later(today, -2_000).toISOString()}),
        (${second}, 1, 'a', 'open', ${later(today, -1_000).toISOString()})`;
    await sql`delete from maintenance_jobs where name = 'abandoned batches'`;
    const holder = await sql.reserve();
    await holder`begin`;
    await holder`select from batches where feed_id = ${first} for update`;
    const job = jobs.find(({ name }) => name === "abandoned batches") as Job;
    const step = job.step(database, later(today, DAY_MS).toISOString());
    await lockWaiters(sql);
    await sql`
      update batches set pushed_at = ${later(today, DAY_MS).toISOString()}
      where feed_id = ${second}`;
    await holder`commit`;
    holder.release();
    await step;
    const rows = await sql`
      select feed_id, status from batches where feed_id in (${first}, ${second})`;
    expect(Object.fromEntries(rows.map(({ feed_id, status }) => [feed_id, status]))).toEqual({
      [first]: "retired",
      [second]: "open",
    });
  });
});

describe("usage", () => {
  const partitions = async () =>
    (
      await sql`
        select relname from pg_inherits join pg_class on oid = inhrelid
        where inhparent = 'usage_events'::regclass order by relname`
    ).map(({ relname }) => relname as string);
  const monthOf = (date: Date) =>
    `usage_events_${date.toISOString().slice(0, 7).replace("-", "_")}`;
  const monthsOn = (date: Date, months: number) =>
    new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1));

  test("partitions are made three months ahead", async () => {
    await pass("usage partitions", monthsOn(today, 2));
    expect((await partitions()).at(-1)).toBe(monthOf(monthsOn(today, 5)));
  });

  test("a month goes only once it is empty: an event that is being refunded stays for the next step", async () => {
    const start = monthsOn(today, -8);
    await sql`select create_usage_partitions(${start.toISOString()}, 1)`;
    const accountId = await createAccount();
    const [event] = await sql`
      insert into usage_events (
        usage_id, account_id, operation, charge_nanos, happened_at
      )
      values (uuid_from_time(${start.toISOString()}), ${accountId}, 'data', 7, now())
      returning usage_id`;
    await pass("totals", today);
    const job = jobs.find(({ name }) => name === "usage retention") as Job;
    await sql`delete from maintenance_jobs`;
    const other = await sql.reserve();
    await other`begin`;
    await other`update usage_events set refunded = true where usage_id = ${event?.usage_id}`;
    const step = job.step(database, today.toISOString());
    await lockWaiters(sql);
    await other`commit`;
    other.release();
    await step;
    expect(await partitions()).toContain(monthOf(start));
    await pass("usage retention", today);
    expect(await partitions()).not.toContain(monthOf(start));
    const entries = await sql`
      select amount_nanos from credit_ledger where account_id = ${accountId} and kind = 'charges'`;
    expect(entries.map(({ amount_nanos }) => amount_nanos)).toEqual([-7n]);
  });

  test("a month goes only once all that was sold in it, and given back of that, is counted", async () => {
    const start = monthsOn(today, -9);
    await sql`select create_usage_partitions(${start.toISOString()}, 1)`;
    const [accountId, feedId] = [await createAccount(), await createFeed(start)];
    const [event] = await sql`
      insert into usage_events (
        usage_id, account_id, operation, feed_id, charge_nanos, happened_at
      )
      values (
        uuid_from_time(${start.toISOString()}), ${accountId}, 'data', ${feedId}, 7,
        ${start.toISOString()}
      )
      returning usage_id`;
    await sql`
      insert into totals_progress (name, complete_until)
      values ('sales', ${later(monthsOn(start, 1), -1).toISOString()})
      on conflict (name) do update set complete_until = excluded.complete_until`;
    await pass("usage retention", today);
    expect(await partitions()).toContain(monthOf(start));
    await pass("totals", today);
    await sql`update usage_events set refunded = true where usage_id = ${event?.usage_id}`;
    await pass("usage retention", today);
    expect(await partitions()).toContain(monthOf(start));
    await pass("totals", today);
    await pass("usage retention", today);
    expect(await partitions()).not.toContain(monthOf(start));
    const [sold] = await sql`
      select sum(gross_nanos)::int as gross, sum(refunded_nanos)::int as refunded
      from earning_days where feed_id = ${feedId}`;
    expect(sold).toEqual({ gross: 7, refunded: 7 });
  });

  test("what is older than the retention goes, and granted - revoked - charged + refunded = balance all along", async () => {
    const start = monthsOn(today, -6);
    await sql`select create_usage_partitions(${start.toISOString()}, 5)`;
    const agents = await Promise.all([1, 2, 3].map(() => createAccount(1_000_000)));
    for (const accountId of agents) {
      await sql`
        with granted as (
          insert into credit_ledger
            (account_id, kind, amount_nanos, balance_before_nanos, balance_after_nanos, reason)
          values (${accountId}, 'grant', 1000000, 0, 1000000, 'test')
        ),
        events as (
          insert into usage_events (
            usage_id, account_id, operation, charge_nanos, refunded, happened_at
          )
          select
            overlay(
              uuid_from_time(${start.toISOString()}::timestamptz + n * interval '12 minutes')::text
              placing substr(gen_random_uuid()::text, 15) from 15
            )::uuid,
            ${accountId}, 'data', 7, n % 100 = 0, now()
          from generate_series(0, 18750) as n
          returning charge_nanos, refunded
        ),
        refunds as (
          insert into credit_ledger
            (account_id, kind, amount_nanos, balance_before_nanos, balance_after_nanos, reason)
          select ${accountId}, 'refund', charge_nanos, 0, charge_nanos, 'test'
          from events where refunded
        )
        update accounts
        set balance_nanos = 1000000 - (select sum(charge_nanos) from events where not refunded)
        where account_id = ${accountId}`;
    }
    const proofs = () =>
      Promise.all(
        agents.map((accountId) => database.row("prove_ledger", { account_id: accountId })),
      );
    await pass("totals", today);
    const before = await proofs();
    const names = await partitions();
    const job = jobs.find(({ name }) => name === "usage retention") as Job;
    await sql`delete from maintenance_jobs`;
    let steps = 0;
    // The first two months end 40 days before the middle of the fourth, the third does not.
    const now = later(monthsOn(start, 3), 15 * DAY_MS).toISOString();
    for (let isMore = true; isMore; steps++) {
      isMore = await job.step(database, now);
      expect(await proofs()).toEqual(before);
    }
    // A month has more events than a step removes.
    expect(steps).toBeGreaterThan(4);
    expect(await partitions()).toEqual(names.filter((name) => name >= monthOf(monthsOn(start, 2))));
    for (const [index, proof] of before.entries()) {
      const { balance_nanos, granted_nanos, charged_nanos, refunded_nanos } = proof as NonNullable<
        typeof proof
      >;
      expect(granted_nanos - charged_nanos + refunded_nanos).toBe(balance_nanos);
      const entries = await sql`
        select kind from credit_ledger
        where account_id = ${agents[index] as string} and kind = 'charges'`;
      expect(entries.length).toBeGreaterThan(0);
    }
  });
});

describe("audit retention", () => {
  test("events go once they are older than configured, in bounded steps, and no younger one", async () => {
    const add = (action: string, at: Date, count = 1) => sql`
      insert into audit_events (happened_at, actor, action)
      select ${at.toISOString()}, 'test', ${action} from generate_series(1, ${count}::int)`;
    const kept = later(today, -AUDIT_DAYS * DAY_MS);
    // The young one first: what counts is the time, not the order of the ids.
    await add("young", later(kept, 1));
    await add("old", kept, 6_000);
    const left = async () =>
      (await sql`
        select action, count(*)::int as events
        from audit_events where actor = 'test' group by action order by action`) as unknown;
    await pass("audit retention", later(today, -1));
    expect(await left()).toEqual([
      { action: "old", events: 6_000 },
      { action: "young", events: 1 },
    ]);
    expect(await pass("audit retention", today)).toBe(2);
    expect(await left()).toEqual([{ action: "young", events: 1 }]);
    await pass("audit retention", later(today, 1));
    expect(await left()).toEqual([]);
  });
});

describe("ledger check", () => {
  const finding = async () =>
    (await sql`select amount, detail from findings where name = 'ledger check'`)[0];

  test("every account's ledger is proven, in steps, and those that don't add up are named", async () => {
    const granted = await createAccount(5_000);
    await sql`
      insert into credit_ledger
        (account_id, kind, amount_nanos, balance_before_nanos, balance_after_nanos, reason)
      values (${granted}, 'grant', 5000, 0, 5000, 'test')`;
    await pass("ledger check", today);
    const found = await finding();
    const broken = await createAccount(7_000);
    await pass("ledger check", today);
    expect(await finding()).toEqual({
      amount: (found?.amount as bigint) + 1n,
      detail: expect.stringContaining(broken),
    });
    expect((await finding())?.detail).not.toContain(granted);
    await sql`update accounts set balance_nanos = 0 where account_id = ${broken}`;
    await pass("ledger check", today);
    expect(await finding()).toEqual(found);
  });

  test("a pass goes on behind the account that was proven last, and reports what is wrong at once", async () => {
    const [first, second] = await sql`select account_id from accounts order by account_id limit 2`;
    const broken: string = first?.account_id;
    // Other tests' accounts may be wrong, too. The end of a pass compares totals as well.
    await pass("ledger check", today);
    const before = await finding();
    const others = await sql`
      select from proven_accounts where is_wrong and account_id <> ${broken}`;
    await sql`update accounts set balance_nanos = balance_nanos + 1 where account_id = ${broken}`;
    await sql`delete from findings`;
    const [step] = await sql`select * from check_ledgers('', now(), 1, true)`;
    expect([step?.mark, step?.is_more]).toEqual([broken, true]);
    const found = {
      amount: BigInt(others.length) + 1n,
      detail: expect.stringMatching(new RegExp(`^${broken}`)),
    };
    expect(await finding()).toEqual(found);
    await sql`update accounts set balance_nanos = balance_nanos - 1 where account_id = ${broken}`;
    const [next] = await sql`select * from check_ledgers(${step?.mark}, now(), 1, true)`;
    expect(next?.mark).toBe(second?.account_id);
    // Until the next pass.
    expect(await finding()).toEqual(found);
    await pass("ledger check", today);
    expect(await finding()).toEqual(before);
  });

  test("of an account that has changed, what is new in its log is summed; a late event has the whole log summed", async () => {
    const reader = await reading(5_000);
    await read(reader, [100, 200]);
    await pass("ledger check", today);
    expect(await summed(reader)).toEqual({ charged: 300n, wrong: false, at: today });
    const then = later(today, HOUR_MS);
    await read(reader, [30]);
    await pass("ledger check", then);
    expect(await summed(reader)).toEqual({ charged: 330n, wrong: false, at: today });
    // The clock was set back.
    const before = later(today, -HOUR_MS);
    await sql`select create_usage_partitions(${before.toISOString()}, 1)`;
    await read(reader, [7], Bun.randomUUIDv7("hex", before));
    await pass("ledger check", then);
    expect(await summed(reader)).toEqual({ charged: 337n, wrong: false, at: then });
  });

  test("an event that the log has lost without a change of its account is missed within a day, or when an operator asks", async () => {
    const [byTime, byOperator] = [await reading(5_000), await reading(5_000)];
    for (const reader of [byTime, byOperator]) await read(reader, [100, 200]);
    await pass("ledger check", today);
    const lose = (reader: string) =>
      sql`delete from usage_events where account_id = ${reader} and charge_nanos = 100`;
    await lose(byTime);
    await pass("ledger check", later(today, DAY_MS - 1));
    expect((await finding())?.detail).not.toContain(byTime);
    await pass("ledger check", later(today, DAY_MS));
    expect((await finding())?.detail).toContain(byTime);

    await lose(byOperator);
    await pass("ledger check", later(today, DAY_MS));
    expect((await finding())?.detail).not.toContain(byOperator);
    let mark = "";
    for (let isMore = true; isMore; ) {
      const step = await database.row("prove_ledgers", { mark, account_limit: 1_000 });
      ({ mark, is_more: isMore } = present(step));
    }
    expect((await finding())?.detail).toContain(byOperator);
  });

  /** An account whose balance is in its ledger. */
  async function reading(nanos: number): Promise<string> {
    const accountId = await createAccount(nanos);
    await sql`
      insert into credit_ledger
        (account_id, kind, amount_nanos, balance_before_nanos, balance_after_nanos, reason)
      values (${accountId}, 'grant', ${nanos}, 0, ${nanos}, 'test')`;
    return accountId;
  }

  /** Charges the account for reads, as `log_reads` does. @param usageId of the only read. @default of now */
  async function read(accountId: string, charges: readonly number[], usageId?: string) {
    const feedId = await createFeed(today);
    for (const nanos of charges) {
      await sql`
        insert into usage_events (
          usage_id, account_id, operation, feed_id, charge_nanos, happened_at
        )
        values (
          ${usageId ?? Bun.randomUUIDv7()}, ${accountId}, 'data', ${feedId}, ${nanos}, now()
        )`;
      await sql`
        update accounts
        set balance_nanos = balance_nanos - ${nanos}, version = version + 1
        where account_id = ${accountId}`;
    }
  }

  async function summed(accountId: string) {
    const [row] = await sql`
      select charged_nanos as charged, is_wrong as wrong, summed_at as at
      from proven_accounts
      where account_id = ${accountId}`;
    return { charged: row?.charged, wrong: row?.wrong, at: new Date(row?.at) };
  }
});

describe("overdue feeds", () => {
  test("readable feeds are counted whose newest push is older than their interval, and the oldest push is noted", async () => {
    await sql`update feeds set last_sync_at = ${today.toISOString()}`;
    const late = await createFeed(later(today, -2 * DAY_MS));
    const latest = await createFeed(later(today, -2 * DAY_MS));
    const inTime = await createFeed(later(today, -2 * DAY_MS));
    const hidden = await createFeed(later(today, -2 * DAY_MS));
    for (const [feedId, hours] of [
      [late, 2],
      [latest, 3],
      [inTime, 0.5],
      [hidden, 4],
    ] as const) {
      await sql`
        update feeds set last_sync_at = ${later(today, -hours * HOUR_MS).toISOString()}
        where feed_id = ${feedId}`;
    }
    await sql`update feeds set status = 'inactive' where feed_id = ${hidden}`;
    await pass("overdue feeds", today);
    const [found] = await sql`
      select amount, since = ${later(today, -3 * HOUR_MS).toISOString()} as is_oldest
      from findings where name = 'overdue feeds'`;
    expect(found).toEqual({ amount: 2n, is_oldest: true });
    await sql`update feeds set last_sync_at = ${today.toISOString()}`;
    await pass("overdue feeds", today);
    const [none] = await sql`select amount, since from findings where name = 'overdue feeds'`;
    expect(none).toEqual({ amount: 0n, since: null });
  });
});

describe("idempotency keys", () => {
  test("keys are forgotten after 24 hours, except one that a read has locked", async () => {
    const accountId = await createAccount();
    const add = (key: string, at: Date) => sql`
      insert into idempotency_keys
        (account_id, idempotency_key, query_hash, usage_id, charge_nanos, happened_at)
      values (${accountId}, ${key}, 'h', gen_random_uuid(), 0, ${at.toISOString()})`;
    await add("old", later(today, -DAY_MS));
    await add("held", later(today, -DAY_MS));
    await add("young", later(today, 1 - DAY_MS));
    const holder = await sql.reserve();
    await holder`begin`;
    await holder`select from idempotency_keys where idempotency_key = 'held' for update`;
    await pass("idempotency keys", today);
    await holder`commit`;
    holder.release();
    const keys = await sql`
      select idempotency_key as key from idempotency_keys
      where account_id = ${accountId} order by key`;
    expect(keys.map(({ key }) => key)).toEqual(["held", "young"]);
  });
});

/** The definition in plain words: minute by minute would do, milliseconds are exact. */
function reliability(
  pushesMs: readonly number[],
  { nowMs, intervalMs }: { nowMs: number; intervalMs: number },
): string | null {
  const firstMs = pushesMs[0] as number;
  if (nowMs - firstMs < intervalMs) return null;
  const beginsMs = Math.max(firstMs, nowMs - 30 * DAY_MS);
  let freshMs = 0;
  for (const [index, pushMs] of pushesMs.entries()) {
    const endMs = Math.min(pushMs + intervalMs * 1.1, pushesMs[index + 1] ?? nowMs, nowMs);
    freshMs += Math.max(0, endMs - Math.max(pushMs, beginsMs));
  }
  return (Math.round((1_000 * freshMs) / (nowMs - beginsMs)) / 10).toFixed(1);
}

describe("reliability", () => {
  const scoreOf = async (feedId: string) =>
    (
      await sql`
        select reliability_score as score, definition_version as version
        from feeds where feed_id = ${feedId}`
    )[0] as { score: string | null; version: bigint };
  const push = (feedId: string, at: Date, stored = true) => sql`
    insert into pushes (
      feed_id, pushed_at, stored, rows_received, rows_inserted, rows_updated, rows_duplicate,
      body_bytes, duration_ms
    )
    values (${feedId}, ${at.toISOString()}, ${stored}, 0, 0, 0, 0, 0, 0)`;

  test("null before the first interval has passed, then the share of fresh time", async () => {
    const feedId = await createFeed(today, 60);
    await push(feedId, today);
    await pass("reliability", later(today, HOUR_MS - 1));
    expect(await scoreOf(feedId)).toEqual({ score: null, version: 1n });
    await pass("reliability", later(today, HOUR_MS));
    expect(await scoreOf(feedId)).toEqual({ score: "100.0", version: 2n });
    await pass("reliability", later(today, 66 * MINUTE_MS));
    expect(await scoreOf(feedId)).toEqual({ score: "100.0", version: 2n });
    // Refused pushes count for nothing.
    await push(feedId, later(today, 67 * MINUTE_MS), false);
    await pass("reliability", later(today, 132 * MINUTE_MS));
    expect(await scoreOf(feedId)).toEqual({ score: "50.0", version: 3n });
  });

  test("every feed has a score, that with the least id, too", async () => {
    const nil = "00000000-0000-0000-0000-000000000000";
    const feedId = await createFeed(later(today, -DAY_MS));
    await sql`update feeds set feed_id = ${nil} where feed_id = ${feedId}`;
    await pass("reliability", today);
    expect((await scoreOf(nil)).score).toBe("0.0");
    await sql`delete from feeds where feed_id = ${nil}`;
  });

  test("the 30 days begin with the push that was newest then", async () => {
    const feedId = await createFeed(later(today, -40 * DAY_MS), 1_440);
    await push(feedId, later(today, -40 * DAY_MS));
    await push(feedId, later(today, -30.5 * DAY_MS));
    await pass("reliability", today);
    // Fresh for 26.4 h, of which 14.4 h lie in the 30 days.
    expect((await scoreOf(feedId)).score).toBe("2.0");
  });

  test("of the pushes before the history the newest successful one stays", async () => {
    const feedId = await createFeed(later(today, -110 * DAY_MS), 60);
    await push(feedId, later(today, -110 * DAY_MS));
    await push(feedId, later(today, -105 * DAY_MS));
    await push(feedId, later(today, -100 * DAY_MS), false);
    await pass("push history", today);
    const left = await sql`
      select stored, pushed_at = ${later(today, -105 * DAY_MS).toISOString()} as is_newest
      from pushes where feed_id = ${feedId}`;
    expect(left.map((each) => ({ ...each }))).toEqual([{ stored: true, is_newest: true }]);
  });

  test("agrees with the plain definition on random histories, pruned or not", async () => {
    const histories = Array.from({ length: 40 }, () => {
      const intervalMins = 1 + Math.floor(Math.random() * 3_000);
      const count = 1 + Math.floor(Math.random() * 60);
      const agesMs = Array.from({ length: count }, () =>
        Math.floor(Math.random() * 120 * DAY_MS),
      ).sort((a, b) => b - a);
      return { intervalMins, pushesMs: agesMs.map((age) => today.getTime() - age) };
    });
    const scored = await Promise.all(
      histories.map(async (history) => {
        const feedId = await createFeed(
          new Date(history.pushesMs[0] as number),
          history.intervalMins,
        );
        for (const ms of history.pushesMs) await push(feedId, new Date(ms));
        return { feedId, ...history };
      }),
    );
    for (const job of ["reliability", "push history", "reliability"]) {
      await pass(job, today);
      for (const { feedId, pushesMs, intervalMins } of scored) {
        const intervalMs = intervalMins * MINUTE_MS;
        expect((await scoreOf(feedId)).score).toBe(
          reliability(pushesMs, { nowMs: today.getTime(), intervalMs }),
        );
      }
    }
    const old = await sql`
      select count(*)::int as pushes from pushes
      where pushed_at < ${later(today, -91 * DAY_MS).toISOString()}
      group by feed_id`;
    expect(old.every(({ pushes }) => pushes === 1)).toBe(true);
  });
});
