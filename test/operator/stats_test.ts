import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readSpending } from "../../src/accounts/earnings/spending.ts";
import { startMinuteCounts } from "../../src/jobs/minute_counts.ts";
import { createDatabase } from "../../src/postgres/client/database.ts";
import { operatorOf } from "../cli/support.ts";
import { callOperator } from "../routes/operator/support.ts";
import { type Contract, loadContract } from "../support/contract.ts";
import { createProvider, createReader } from "../support/earning_scene.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { insertAdminKey } from "../support/insert_key.ts";
import { countSales, runJob } from "../support/run_job.ts";

let gateway: TestGateway;
let contract: Contract;
let admin: { readonly key: string };

beforeAll(async () => {
  gateway = await startTestGateway();
  contract = await loadContract(gateway.baseUrl);
  admin = await insertAdminKey(gateway);
});
afterAll(() => gateway.stop());

interface Sums {
  readonly reads: number;
  readonly refused: number;
  readonly refusals: Readonly<Record<string, number>>;
  readonly errors: number;
  readonly pushes: number;
  readonly discovery_calls: number;
  readonly charged_credits: number;
  readonly refunded_credits: number;
  readonly purchases: number;
}
interface Stats {
  readonly groups: readonly (Sums & { readonly at: string; readonly is_final: boolean })[];
  readonly totals: Sums;
  readonly ledger: Readonly<Record<string, unknown>> | null;
  readonly top: {
    readonly feeds: readonly { readonly feed_id: string; readonly reads: number }[];
    readonly accounts: readonly { readonly account_id: string }[];
  };
}

async function stats(query = "", status = 200): Promise<Stats> {
  const response = await callOperator(gateway.baseUrl, admin.key, `/stats${query}`);
  const body = await contract.check("GET", response);
  expect({ query, status: response.status, body }).toMatchObject({ query, status });
  return body as unknown as Stats;
}

/** Counts of this gateway, as the next minute would write them. */
const counts = () =>
  startMinuteCounts({
    database: createDatabase(gateway.sql),
    log: gateway.gateway.services.log,
    read: () => gateway.gateway.services.http.metrics.countsSinceStart(),
  });

const refund = (usageId: string) =>
  operatorOf(gateway.databaseUrl).json("usage", "refund", usageId, "--reason", "wrong data");

describe("stats", () => {
  test("has reads, credits and refunds of the log, and what gateways count, by minute and by day", async () => {
    const counting = counts();
    await counting.flush();
    const before = await stats();
    const provider = await createProvider(gateway);
    const feed = await provider.feed({ callPriceNanos: 2_500 });
    const sold = await provider.feed({ oneTimePriceCents: 100 });
    const reader = await createReader(gateway, 1_100_000);
    const poor = await createReader(gateway, 0);
    await reader.read(feed);
    const { usage_id: refunded } = await reader.read(feed);
    await refund(refunded);
    await gateway.get("/v1/catalog", reader.key);
    await gateway.get(`/v1/feed/${feed.slug}/metadata`, reader.key);
    const bought = await fetch(`${gateway.baseUrl}/v1/feed/${sold.slug}/purchase`, {
      method: "POST",
      headers: { "x-api-key": reader.key, "Content-Type": "application/json" },
      body: `{"max_credits": 1000000}`,
    });
    expect(bought.status).toBe(201);
    expect((await gateway.get(`/v1/feed/${feed.slug}`, poor.key)).status).toBe(402);
    expect((await gateway.get("/v1/feed/none-of-these", reader.key)).status).toBe(404);
    const push = await fetch(`${gateway.baseUrl}/v1/provider/feed/${feed.feedId}/push`, {
      method: "POST",
      headers: { Authorization: `Bearer ${provider.key}`, "Content-Type": "application/json" },
      body: `[{"id": 2}]`,
    });
    expect(push.status).toBe(200);
    await countSales(gateway.sql);
    await counting.stop();

    const after = await stats();
    const today = new Date().toISOString().slice(0, 10);
    expect(after.groups).toHaveLength(30);
    expect(after.groups.at(-1)?.at).toBe(`${today}T00:00:00.000Z`);
    const grown = (name: keyof Sums) => Number(after.totals[name]) - Number(before.totals[name]);
    expect({
      reads: grown("reads"),
      discovery_calls: grown("discovery_calls"),
      purchases: grown("purchases"),
      charged: grown("charged_credits"),
      refunded: grown("refunded_credits"),
      pushes: grown("pushes"),
      errors: grown("errors"),
    }).toEqual({
      reads: 2,
      discovery_calls: 2,
      purchases: 1,
      charged: 1_000_005,
      refunded: 2.5,
      pushes: 1,
      errors: 0,
    });
    expect(grown("refused")).toBe(2);
    expect(after.totals.refusals).toMatchObject({ "402": 1, "404": 1 });
    expect(after.top.feeds[0]).toMatchObject({ feed_id: feed.feedId, reads: 2 });
    expect(after.top.accounts[0]).toMatchObject({ account_id: reader.accountId });

    const minutes = await stats("?by=minute");
    expect(minutes.groups).toHaveLength(60);
    expect(minutes.totals).toEqual(after.totals);
    const printed = await operatorOf(gateway.databaseUrl).json("report", "stats", "--by", "minute");
    expect(printed).toMatchObject({ totals: minutes.totals });
  });

  test("a call of metadata that failed after all is no read less", async () => {
    const provider = await createProvider(gateway);
    const feed = await provider.feed();
    const reader = await createReader(gateway);
    await reader.read(feed);
    const response = await gateway.get(`/v1/feed/${feed.slug}/metadata`, reader.key);
    const { _origin: origin } = (await response.json()) as { _origin: { usage_id: string } };
    await countSales(gateway.sql);
    const before = (await stats()).totals;
    await gateway.gateway.services.database.row("refund_reads", {
      batch_token: origin.usage_id.slice(-12),
      account_ids: [reader.accountId],
      elapsed_ms: 10n ** 9n,
      sent_at: new Date(Date.now() - 10 ** 9).toISOString(),
      only_usage: origin.usage_id,
    });
    await countSales(gateway.sql);
    const { totals } = await stats();
    expect([totals.reads - before.reads, totals.discovery_calls - before.discovery_calls]).toEqual([
      0, -1,
    ]);
    expect((await provider.earnings()).totals).toMatchObject({ reads: 1 });
  });

  test("a count is added once, with what several gateways counted in the same minute", async () => {
    const read = new Map([["errors", 3]]);
    const make = () =>
      startMinuteCounts({
        database: createDatabase(gateway.sql),
        log: gateway.gateway.services.log,
        read: () => new Map(read),
      });
    const before = (await stats()).totals.errors;
    const [one, two] = [make(), make()];
    await Promise.all([one.flush(), two.flush()]);
    await one.flush();
    expect((await stats()).totals.errors - before).toBe(6);
    read.set("errors", 5);
    await Promise.all([one.stop(), two.stop()]);
    expect((await stats()).totals.errors - before).toBe(10);
  });

  test("counts wait while the database can't be reached, and come in their minute", async () => {
    const database = createDatabase(gateway.sql);
    let isDown = true;
    const counting = startMinuteCounts({
      database: {
        ...database,
        row: (name, parameters) =>
          isDown ? Promise.reject(new Error("down")) : database.row(name, parameters),
      },
      log: gateway.gateway.services.log,
      read: () => new Map([["errors", 7]]),
    });
    const before = (await stats()).totals.errors;
    await expect(counting.flush()).rejects.toThrow("down");
    isDown = false;
    await counting.stop();
    expect((await stats()).totals.errors - before).toBe(7);
  });

  test("the proof of all ledgers is part of it, and says when it does not hold", async () => {
    await runJob(gateway.sql, "ledger check");
    const proven = (await stats()).ledger;
    expect(proven).toMatchObject({ wrong_accounts: 0, is_balanced: true });
    const [sums] = await gateway.sql`
      select (sum(balance_nanos) / 1000)::float8 as credits, count(*)::int as accounts from accounts`;
    expect(proven).toMatchObject({ accounts: sums?.accounts, balance_credits: sums?.credits });
    const broken = await gateway.createAccount();
    await gateway.sql`
      update accounts set balance_nanos = balance_nanos + 1 where account_id = ${broken}`;
    await runJob(gateway.sql, "ledger check");
    expect((await stats()).ledger).toMatchObject({ wrong_accounts: 1, is_balanced: false });
    await gateway.sql`
      update accounts set balance_nanos = balance_nanos - 1 where account_id = ${broken}`;
    await runJob(gateway.sql, "ledger check");
    expect((await stats()).ledger).toMatchObject({ is_balanced: true });
  });

  test("the ranking is that of a job while totals are as they are, or while it is worth its work", async () => {
    const provider = await createProvider(gateway);
    const feed = await provider.feed({ callPriceNanos: 1_000 });
    const reader = await createReader(gateway);
    const rank = async () => (await stats()).top;
    const readAndCount = async (times: number) => {
      for (let time = 0; time < times; time++) await reader.read(feed);
      await countSales(gateway.sql);
    };
    const readsOf = (top: Stats["top"]) =>
      top.feeds.find(({ feed_id: feedId }) => feedId === feed.feedId)?.reads;
    await readAndCount(5);
    const made = await rank();
    await runJob(gateway.sql, "top reads");
    expect(await rank()).toEqual(made);
    expect(readsOf(made)).toBe(5);
    // Whether the kept one is asked, an impossible one shows.
    await gateway.sql`update top_reads set reads = 99 where feed_id = ${feed.feedId}`;
    expect(readsOf(await rank())).toBe(99);
    // On a machine that was slow, it would be worth its work.
    await gateway.sql`update read_rankings set took = '1 millisecond'`;
    // Of today alone: the hour that is the default may have begun yesterday.
    const thisMinute = new Date().toISOString();
    expect(readsOf((await stats(`?by=minute&from=${thisMinute}`)).top)).toBe(99);
    const day = (days: number) =>
      new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
    expect(readsOf((await stats(`?from=${day(1)}`)).top)).toBe(5);
    await readAndCount(1);
    expect(readsOf(await rank())).toBe(6);
    await gateway.sql`update read_rankings set took = '1 hour'`;
    expect(readsOf(await rank())).toBe(99);
    // It isn't made again before it is worth it.
    await runJob(gateway.sql, "top reads");
    expect(readsOf(await rank())).toBe(99);
    await gateway.sql`update read_rankings set took = '1 second', ranked_at = now() - interval '21 seconds'`;
    await runJob(gateway.sql, "top reads");
    expect(readsOf(await rank())).toBe(6);
  });

  test("minutes are kept 7 days, and days for good", async () => {
    await gateway.sql`
      select add_totals(
        array[now() - interval '6 days', now() - interval '8 days'],
        array['pushes', 'pushes'], array[5, 5], now() - interval '2 days'
      )`;
    const minutes = async () =>
      (
        await gateway.sql`
          select count(*)::int as rows from minute_totals where minute < now() - interval '5 days'`
      )[0]?.rows;
    expect(await minutes()).toBe(2);
    await runJob(gateway.sql, "minute retention");
    expect(await minutes()).toBe(1);
    const day = (days: number) =>
      new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
    expect((await stats(`?from=${day(8)}&to=${day(8)}`)).totals.pushes).toBe(5);
    expect((await stats(`?from=${day(9)}&to=${day(5)}`)).totals.pushes).toBe(10);
  });

  test("a range that is none is 400 and says why", async () => {
    for (const query of [
      "?from=yesterday",
      "?from=2026-13-01",
      "?from=2026-11-21&to=2026-11-20",
      "?by=minute&from=2026-11-01&to=2026-11-20",
      "?from=1900-01-01&to=2026-11-20",
      "?by=minute&from=2026-11-21T10:00:00Z&to=2026-11-21T09:00:00Z",
      "?by=minute&from=2026-11-21T10:00:30Z&to=2026-11-21T10:00:10Z",
      "?from=2026-11-21T18:05:00Z&to=2026-11-21T18:00:00Z",
      "?by=minute&from=9999-11-21T00:00:00Z",
    ]) {
      expect(await stats(query, 400)).toMatchObject({
        code: "RANGE_INVALID",
        detail: expect.stringMatching(/[^.]\.$/),
      });
    }
    await stats("?from=2026-11-21T18:05:00Z&to=2026-11-21");
    expect(await stats("?by=hour", 400)).toMatchObject({ code: "INVALID_PARAMETER" });
  });
});

describe("what an account spends", () => {
  const today = new Date().toISOString().slice(0, 10);
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const spending = async (accountId: string, groupBy: "day" | "feed" | "key") =>
    JSON.parse(
      JSON.stringify(
        await readSpending(gateway.gateway.services.database, {
          accountId,
          from: yesterday,
          to: today,
          groupBy,
        }),
      ),
    );

  test("is shown by day, feed and key, and adds up to the ledger", async () => {
    const provider = await createProvider(gateway);
    const [cheap, dear] = [
      await provider.feed({ callPriceNanos: 1_000 }),
      await provider.feed({ callPriceNanos: 7_000 }),
    ];
    const sold = await provider.feed({ oneTimePriceCents: 100 });
    const reader = await createReader(gateway, 1_100_000);
    const second = await gateway.createKey(reader.accountId, "read");
    await reader.read(cheap);
    await reader.read(dear);
    const response = await gateway.get(`/v1/feed/${dear.slug}`, second);
    const { _origin: origin } = (await response.json()) as { _origin: { usage_id: string } };
    const bought = await fetch(`${gateway.baseUrl}/v1/feed/${sold.slug}/purchase`, {
      method: "POST",
      headers: { "x-api-key": second, "Content-Type": "application/json" },
      body: `{"max_credits": 1000000}`,
    });
    expect(bought.status).toBe(201);
    await countSales(gateway.sql);
    await refund(origin.usage_id);
    await operatorOf(gateway.databaseUrl).json(
      ...["purchase", "undo", "--account", reader.accountId, "--feed", sold.slug],
      ...["--reason", "by mistake"],
    );
    await countSales(gateway.sql);

    expect(await spending(reader.accountId, "day")).toMatchObject({
      groups: [
        { date: yesterday, reads: 0, spent_credits: 0 },
        {
          date: today,
          reads: 3,
          purchases: 1,
          charged_credits: 1_000_015,
          refunded_credits: 1_000_007,
        },
      ],
      totals: { reads: 3, spent_credits: 8, spent_usd: 0.000008 },
    });
    expect((await spending(reader.accountId, "feed")).groups).toMatchObject([
      { feed_id: sold.feedId, charged_credits: 1_000_000, spent_credits: 0 },
      { feed_id: dear.feedId, charged_credits: 14, spent_credits: 7 },
      { feed_id: cheap.feedId, charged_credits: 1, spent_credits: 1 },
    ]);
    const byKey = (await spending(reader.accountId, "key")).groups;
    expect(byKey).toMatchObject([
      { charged_credits: 1_000_007, spent_credits: 0 },
      { charged_credits: 8, spent_credits: 8 },
    ]);
    const [ledger] = await gateway.sql`select * from ledger_of(${reader.accountId})`;
    expect(Number(ledger?.charged_nanos) - Number(ledger?.refunded_nanos)).toBe(8_000);
    expect(await spending(await gateway.createAccount(), "feed")).toMatchObject({ groups: [] });
  });
});
