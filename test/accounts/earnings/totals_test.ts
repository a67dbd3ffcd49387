import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { connect } from "../../../src/postgres/client/connect.ts";
import { FUNCTION_SCHEMA } from "../../../src/postgres/migrate/function_set.ts";
import type { Gateway } from "../../../src/server.ts";
import { installClock, type TestClock } from "../../support/database_clock.ts";
import { createProvider, createReader, type Reader } from "../../support/earning_scene.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { histories } from "../../support/histories.ts";
import { countSales } from "../../support/run_job.ts";

let gateway: TestGateway;
let clock: TestClock;
/** A gateway whose database has the test's clock. */
let peer: Gateway;

beforeAll(async () => {
  gateway = await startTestGateway();
  clock = await installClock(gateway.sql, gateway.databaseUrl);
  peer = await gateway.startPeer({ DATABASE_URL: clock.url });
});
afterAll(() => gateway.stop());

const day = (time: string | number) => new Date(time).toISOString().slice(0, 10);
const WIDE = `?from=${day(Date.now() - 20 * 86_400_000)}&to=${day(Date.now() + 20 * 86_400_000)}`;

/** Whether what the account has spent is what providers have earned by it, counted or not. */
async function isProven({ accountId }: Reader): Promise<boolean> {
  const proof = await gateway.gateway.services.database.row("prove_ledger", {
    account_id: accountId,
  });
  return proof !== undefined && proof.paid_nanos === proof.counted_nanos + proof.waiting_nanos;
}

async function areSumsEqual(): Promise<boolean> {
  const [row] = await gateway.sql`
    select
      (select coalesce(sum(paid_nanos), 0) from counted_accounts)
        = (select coalesce(sum(gross_nanos - refunded_nanos), 0) from earning_days) as are_equal`;
  return row?.are_equal;
}

/** Has the read answered with an error after all, as when its answer is lost. */
async function fail({ accountId }: Reader, usageId: string): Promise<void> {
  await gateway.gateway.services.database.row("refund_reads", {
    batch_token: usageId.slice(-12),
    account_ids: [accountId],
    elapsed_ms: 10n ** 9n,
    sent_at: new Date(Date.now() - 10 ** 9).toISOString(),
    only_usage: usageId,
  });
}

describe("totals", () => {
  test("a batch that commits after later ones were counted is counted, too, and once", async () => {
    const { sql } = gateway;
    const provider = await createProvider(gateway);
    const feed = await provider.feed();
    const [late, early] = [await createReader(gateway), await createReader(gateway)];
    const first = await late.read(feed);
    await countSales(sql);
    const batch = await sql.reserve();
    await batch`begin`;
    await batch`update accounts set version = 1 where account_id = ${late.accountId}`;
    // As a batch writes it that begins now and commits after the others.
    await batch`
      insert into usage_events (usage_id, account_id, operation, feed_id, charge_nanos, happened_at)
      values (
        usage_id_of(epoch_us(clock_timestamp()), 1, 'abcdefabcdef'), ${late.accountId}, 'data',
        ${feed.feedId}, 1000, clock_timestamp()
      )`;
    await early.read(feed);
    await countSales(sql);
    expect((await provider.earnings()).totals).toMatchObject({ reads: 2, accounts: 2 });
    await batch`update accounts set balance_nanos = balance_nanos - 1000 where account_id = ${late.accountId}`;
    await batch`commit`;
    batch.release();
    expect(await isProven(late)).toBe(true);
    await countSales(sql);
    await countSales(sql);
    expect((await provider.earnings()).totals).toMatchObject({ reads: 3, gross_usd: 0.000003 });
    expect(await isProven(late)).toBe(true);
    expect(first.usage_id).toBeString();
  });

  test("of a job that is killed, nothing stays; the next one counts all", async () => {
    const { sql } = gateway;
    const provider = await createProvider(gateway);
    const feed = await provider.feed();
    const reader = await createReader(gateway);
    await reader.read(feed);
    const killed = connect(
      { url: gateway.databaseUrl },
      { connectionsMax: 1, statementTimeoutMs: 0 },
    );
    const [session] = await killed`select pg_backend_pid() as pid`;
    const step = killed.unsafe(
      `select ${FUNCTION_SCHEMA}.count_sales(now(), 100), pg_terminate_backend(${session?.pid})`,
    );
    await expect(step).rejects.toThrow();
    await killed.end();
    await countSales(sql);
    expect((await provider.earnings()).totals).toMatchObject({ reads: 1, accounts: 1 });
    expect(await areSumsEqual()).toBe(true);
  });

  test("reads of a clock that was set back are counted on their day, whenever the job comes", async () => {
    const { sql } = gateway;
    const provider = await createProvider(gateway);
    const feed = await provider.feed();
    const reader = await createReader(gateway);
    const dayMs = 86_400_000;
    const days = [0, -dayMs, -dayMs + 1_000, dayMs, -3 * dayMs, 2_000];
    const seen: string[] = [];
    for (const [place, aheadMs] of days.entries()) {
      await clock.setAhead(aheadMs);
      // Two on the first day that was before, since the second comes behind a line that has moved.
      for (let reads = 0; reads < 2; reads++) {
        seen.push(day((await reader.read(feed, peer.baseUrl)).timestamp));
      }
      if (place % 2 === 1) await countSales(sql);
      expect(await isProven(reader)).toBe(true);
    }
    await clock.setAhead(0);
    await countSales(sql);
    const { groups, totals } = await provider.earnings(WIDE);
    const counted = groups.flatMap(({ date, reads }) => Array.from({ length: reads }, () => date));
    expect(counted).toEqual(seen.toSorted());
    expect(totals).toMatchObject({ reads: 12, accounts: 1, gross_usd: 0.000012 });
    expect(await isProven(reader)).toBe(true);
    const [waiting] = await sql`select count(*)::int as changes from sale_changes`;
    expect(waiting?.changes).toBe(0);
  });

  test("a read that failed is no sale and no reader, whether it was counted before or not", async () => {
    const { sql } = gateway;
    const provider = await createProvider(gateway);
    const [paid, free] = [await provider.feed(), await provider.feed({})];
    for (const feed of [paid, free]) {
      for (const isCountedBefore of [true, false]) {
        const reader = await createReader(gateway);
        const { usage_id: usageId } = await reader.read(feed);
        if (isCountedBefore) await countSales(sql);
        await fail(reader, usageId);
        await countSales(sql);
        expect((await provider.earnings("?group_by=feed")).totals).toMatchObject({
          reads: 0,
          paid_reads: 0,
          accounts: 0,
          gross_usd: 0,
          refunded_usd: 0,
        });
        expect(await isProven(reader)).toBe(true);
      }
    }
    expect(await areSumsEqual()).toBe(true);
  });

  test("accounts are distinct over any range, in whatever order their days come", async () => {
    const { sql } = gateway;
    const date = fc.nat(11).map((offset) => day(Date.UTC(2025, 5, 25 + offset)));
    const visit = fc.record({ account: fc.nat(3), date, isRemoved: fc.boolean() });
    const database = gateway.gateway.services.database;
    await fc.assert(
      fc.asyncProperty(fc.array(visit, { maxLength: 25 }), date, date, async (visits, one, two) => {
        const scope = crypto.randomUUID();
        const accounts = Array.from({ length: 4 }, () => crypto.randomUUID());
        const model = new Set<string>();
        for (const { account, date, isRemoved } of visits) {
          const key = `${account} ${date}`;
          if (model.has(key) !== isRemoved) continue;
          const days = `array[row('${scope}', '${accounts[account]}', '${date}')::customer_days]`;
          const row = `'${scope}', '${accounts[account]}', '${date}'`;
          if (isRemoved) {
            await sql.unsafe(`select count_customers(${days}, -1)`);
            await sql.unsafe(
              `delete from customer_days where (scope_id, account_id, day) = (${row})`,
            );
            model.delete(key);
          } else {
            await sql.unsafe(`insert into customer_days values (${row})`);
            await sql.unsafe(`select count_customers(${days}, 1)`);
            model.add(key);
          }
        }
        const [from = "", to = ""] = [one, two].toSorted();
        const rows = await database.rows("list_earnings", {
          account_id: scope,
          from_day: from,
          to_day: to,
          group_by: "month",
        });
        const distinct = (isIn: (date: string) => boolean) => {
          const visitors = [...model]
            .map((key) => key.split(" "))
            .filter(([, date = ""]) => isIn(date));
          return BigInt(new Set(visitors.map(([account]) => account)).size);
        };
        expect(rows.map(({ accounts }) => accounts)).toEqual([
          ...rows
            .slice(0, -1)
            .map(({ group_name: month }) =>
              distinct((date) => date >= from && date <= to && date.slice(0, 7) === month),
            ),
          distinct((date) => date >= from && date <= to),
        ]);
      }),
      { numRuns: histories(15) },
    );
  });

  test("the log goes only once it is counted, and with it goes no earning", async () => {
    const { sql } = gateway;
    const provider = await createProvider(gateway);
    const feed = await provider.feed();
    const reader = await createReader(gateway);
    const start = new Date(Date.UTC(2024, 0, 1)).toISOString();
    await sql`select create_usage_partitions(${start}, 1)`;
    await sql`
      insert into usage_events (usage_id, account_id, operation, feed_id, charge_nanos, happened_at)
      select
        usage_id_of(epoch_us(${start}::timestamptz + n * interval '1 day'), 1, 'abcdefabcdef'),
        ${reader.accountId}, 'data', ${feed.feedId}, 1000,
        ${start}::timestamptz + n * interval '1 day'
      from generate_series(0, 9) as n`;
    await sql`
      update accounts set balance_nanos = balance_nanos - 10000
      where account_id = ${reader.accountId}`;
    const events = async () =>
      (
        await sql`select count(*)::int as n from usage_events where account_id = ${reader.accountId}`
      )[0]?.n;
    const retire = () => sql`select retire_usage(now(), interval '400 days', 1000)`;
    await sql`delete from totals_progress`;
    await retire();
    expect(await events()).toBe(10);
    await countSales(sql);
    for (let steps = 0; steps < 3; steps++) await retire();
    expect(await events()).toBe(0);
    const asked = "?from=2024-01-01&to=2024-01-31&group_by=month";
    expect((await provider.earnings(asked)).totals).toMatchObject({
      reads: 10,
      gross_usd: 0.00001,
      is_final: true,
    });
    expect(await isProven(reader)).toBe(true);
  });

  test("a purchase outlives the month of its event: it stands, it is earned, and its undo gives all back", async () => {
    const { sql } = gateway;
    const provider = await createProvider(gateway);
    const feed = await provider.feed({ oneTimePriceCents: 100 });
    const reader = await createReader(gateway, 1_500_000);
    const daysBack = 450;
    const boughtOn = day(Date.now() - daysBack * 86_400_000);
    await sql`select create_usage_partitions(${boughtOn}::timestamptz, 1)`;
    await clock.setAhead(-daysBack * 86_400_000);
    const buy = async (baseUrl: string) => {
      const response = await fetch(`${baseUrl}/v1/feed/${feed.slug}/purchase`, {
        method: "POST",
        headers: { "x-api-key": reader.key, "Content-Type": "application/json" },
        body: '{"max_credits":1000000}',
      });
      return { status: response.status, body: (await response.json()) as { purchase_id: string } };
    };
    const bought = await buy(peer.baseUrl);
    expect(bought).toMatchObject({ status: 201, body: { balance: { credits: 500_000 } } });
    await clock.setAhead(0);
    const isLogged = async () =>
      (await sql`select from usage_events where usage_id = ${bought.body.purchase_id}`).length > 0;
    const retire = () => sql`select retire_usage(now(), interval '400 days', 1000)`;
    expect(await isLogged()).toBe(true);
    await countSales(sql);
    for (let steps = 0; steps < 3; steps++) await retire();
    expect(await isLogged()).toBe(false);
    const asked = `?from=${boughtOn}&to=${boughtOn}`;
    const sums = { purchases: 1, accounts: 1, gross_usd: 1, is_final: true };
    expect((await provider.earnings(asked)).totals).toMatchObject({ ...sums, refunded_usd: 0 });
    expect(await buy(gateway.baseUrl)).toMatchObject({
      status: 200,
      body: { purchase_id: bought.body.purchase_id, balance: { credits: 500_000 } },
    });
    await reader.read(feed);
    expect(await isProven(reader)).toBe(true);
    const undone = await gateway.gateway.services.database.row("undo_purchase", {
      ...{ account_id: reader.accountId, feed_id: feed.feedId, reason: "S", actor: null },
    });
    expect(undone?.outcome).toBe("undone");
    await countSales(sql);
    expect((await provider.earnings(asked)).totals).toMatchObject(sums);
    expect((await provider.earnings()).totals).toMatchObject({ refunded_usd: 1, net_usd: -1 });
    expect(await isProven(reader)).toBe(true);
    expect(await areSumsEqual()).toBe(true);
    const account = await fetch(`${gateway.baseUrl}/v1/account`, {
      headers: { "x-api-key": reader.key },
    });
    expect(await account.json()).toMatchObject({ balance: { credits: 1_500_000 } });
  });
});
