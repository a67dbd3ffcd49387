import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { shellActor } from "../../../src/accounts/actor.ts";
import { LIMITS_DEFAULT } from "../../../src/limits.ts";
import { grantCredits, revokeCredits } from "../../../src/operator/credits.ts";
import type { Operator } from "../../../src/operator/operator.ts";
import { recordPayout } from "../../../src/operator/payouts.ts";
import { recordPurchase, undoPurchase } from "../../../src/operator/purchases.ts";
import { Refused } from "../../../src/operator/refused.ts";
import { reportRevenue } from "../../../src/operator/reports.ts";
import { refundUsage } from "../../../src/operator/usage.ts";
import type { Database } from "../../../src/postgres/client/database.ts";
import { FUNCTION_SCHEMA } from "../../../src/postgres/migrate/function_set.ts";
import { installClock, type TestClock } from "../../support/database_clock.ts";
import {
  createProvider,
  createReader,
  type Provider,
  type Reader,
} from "../../support/earning_scene.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { histories } from "../../support/histories.ts";
import {
  backOf,
  type ModelTopup,
  type TopupStep,
  takeTopupStep,
  topupSteps,
} from "../../support/paid_topups.ts";
import { countSales } from "../../support/run_job.ts";
import type { SeededFeed } from "../../support/seed.ts";

let gateway: TestGateway;
let operator: Operator;
let clock: TestClock;
/** By place: two gateways with PostgreSQL's clock, and one whose database has the test's. */
let bases: string[];
let databases: Database[];

beforeAll(async () => {
  gateway = await startTestGateway();
  operator = { database: gateway.gateway.services.database, limits: LIMITS_DEFAULT };
  const peer = await gateway.startPeer();
  clock = await installClock(gateway.sql, gateway.databaseUrl);
  const clocked = await gateway.startPeer({ DATABASE_URL: clock.url });
  bases = [gateway.baseUrl, peer.baseUrl, clocked.baseUrl];
  databases = [gateway.gateway, peer, clocked].map(({ services }) => services.database);
});
afterAll(() => gateway.stop());

const HOUR_MS = 3_600_000;
const NANOS_PER_CENT = 10_000_000n;
const TOPUP_CENTS_MAX = 200;
/** The balance of a reader after the operator has revoked nearly all of it. */
const LEFT_NANOS = 300_000_000n;
const ACTOR = shellActor("test");
const day = (time: string | number) => new Date(time).toISOString().slice(0, 10);
const toMidnightMs = () => 24 * HOUR_MS - (Date.now() % (24 * HOUR_MS));

type Step =
  | { do: "read"; reader: number; feed: number; at: number; times: number }
  | { do: "refund" | "fail"; sale: number }
  | { do: "buy"; reader: number; feed: number; at: number; isTwice: boolean }
  | { do: "record" | "undo"; reader: number; feed: number }
  | { do: "price"; feed: number; units: number }
  | { do: "grant" | "revoke"; reader: number; cents: number }
  /** After so many steps, the operator takes all but a little. */
  | { do: "top up"; reader: number; steps: TopupStep[]; spentAfter: number }
  | { do: "pay"; provider: number; cents: number }
  | { do: "set"; clock: "now" | "back" | "far back" | "ahead" | "before midnight" }
  | { do: "rate"; millionths: number }
  | { do: "count"; isKilled: boolean };

const AHEAD_MS: Record<(Step & { do: "set" })["clock"], () => number> = {
  now: () => 0,
  back: () => -HOUR_MS,
  "far back": () => -30 * HOUR_MS,
  ahead: () => 26 * HOUR_MS,
  // What comes next is on both sides of it.
  "before midnight": () => toMidnightMs() - 5,
};

const one = fc.nat(1);
const at = fc.nat(2);
const as = <Name extends Step["do"]>(...names: Name[]) => fc.constantFrom(...names);
const common: fc.Arbitrary<Step>[] = [
  fc.record({
    do: as("read"),
    reader: one,
    feed: fc.nat(2),
    at,
    times: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({ do: as("read"), reader: one, feed: fc.nat(2), at, times: fc.constant(1) }),
  fc.record({ do: as("buy"), reader: one, feed: one, at, isTwice: fc.boolean() }),
  fc.record({ do: as("record", "undo"), reader: one, feed: one }),
  fc.record({ do: as("undo"), reader: one, feed: one }),
  fc.record({ do: as("refund", "fail"), sale: fc.nat(9) }),
  fc.record({ do: as("price"), feed: fc.nat(3), units: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ do: as("grant", "revoke"), reader: one, cents: fc.integer({ min: 1, max: 250 }) }),
  fc.record({ do: as("pay"), provider: one, cents: fc.integer({ min: 1, max: 300 }) }),
  fc.record({ do: as("count"), isKilled: fc.boolean() }),
];
const set: fc.Arbitrary<Step> = fc.record({
  do: as("set"),
  clock: fc.constantFrom("now", "back", "far back", "ahead", "before midnight"),
});
const rate: fc.Arbitrary<Step> = fc.record({
  do: as("rate"),
  millionths: fc.constantFrom(0, 125_000, 333_333),
});
const topUp: fc.Arbitrary<Step> = fc.record({
  do: as("top up"),
  reader: one,
  steps: fc.array(fc.oneof(...topupSteps(TOPUP_CENTS_MAX)), { minLength: 6, maxLength: 12 }),
  spentAfter: fc.constantFrom(1, 2, 3, 4, 6, 99),
});
const history = fc.array(fc.oneof(...common, topUp, set, rate), {
  minLength: 8,
  maxLength: 45,
});

interface Sale {
  /** Of a purchase that the operator recorded, none. */
  readonly usageId: string | undefined;
  readonly feed: SeededFeed;
  readonly reader: Reader;
  readonly provider: number;
  readonly nanos: bigint;
  readonly soldAt: string;
  readonly isPurchase: boolean;
  isFailed: boolean;
  isRefunded: boolean;
}

/** Top-ups of a reader, and of each what has been taken from the balance again. */
interface ToppedUp {
  readonly all: ModelTopup[];
  readonly taken: Map<ModelTopup, bigint>;
}

/** What should be, as clients and the operator were told. */
interface Model {
  readonly sales: Sale[];
  /** By reader: grants less revocations, in nano-dollars, without those of top-ups. */
  readonly given: bigint[];
  /** By reader. */
  readonly topups: readonly ToppedUp[];
  /** By provider. */
  readonly paidOut: bigint[];
  /** By `reader feed`: the sale of a purchase that stands. */
  readonly bought: Map<string, Sale>;
}

interface Scene {
  readonly providers: readonly Provider[];
  readonly readers: readonly Reader[];
  /** Two metered ones, one that is free. */
  readonly feeds: readonly SeededFeed[];
  /** One-time; each of another provider. */
  readonly sold: readonly SeededFeed[];
}

const READER_CREDITS = 3_500_000;

async function createScene(): Promise<Scene> {
  const providers = [await createProvider(gateway), await createProvider(gateway)];
  const feeds: SeededFeed[] = [];
  for (const [place, price] of [{ callPriceNanos: 700 }, { callPriceNanos: 1_300 }, {}].entries()) {
    feeds.push(await of(providers, place % 2).feed(price));
  }
  const sold: SeededFeed[] = [];
  for (const own of providers) sold.push(await own.feed({ oneTimePriceCents: 100 }));
  const readers = [
    await createReader(gateway, READER_CREDITS),
    await createReader(gateway, READER_CREDITS),
  ];
  return { providers, readers, feeds, sold };
}

function of<Item>(items: readonly Item[], place: number): Item {
  const item = items[place];
  if (item === undefined) throw new Error(`nothing at ${place}`);
  return item;
}

/** An act that the operator may be refused. True if it was done. */
async function isDone(act: Promise<unknown>): Promise<boolean> {
  try {
    await act;
    return true;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return false;
  }
}

interface Receipt {
  readonly usage_id: string;
  readonly timestamp: string;
  readonly credits_charged: number;
}
const nanosOf = (credits: number) => BigInt(Math.round(credits * 1_000));

async function read(scene: Scene, model: Model, step: Step & { do: "read" }): Promise<void> {
  const reader = of(scene.readers, step.reader);
  const feed = of(scene.feeds, step.feed);
  // Through several gateways at once.
  const answers = Array.from({ length: step.times }, (_, place) =>
    fetch(`${of(bases, (step.at + place) % bases.length)}/v1/feed/${feed.slug}`, {
      headers: { "x-api-key": reader.key },
    }),
  );
  for (const response of await Promise.all(answers)) {
    const body = (await response.json()) as { _origin: Receipt };
    // A free feed has a small window, and revocations leave little.
    if (response.status === 429 || response.status === 402) continue;
    expect({ status: response.status, body }).toMatchObject({ status: 200 });
    model.sales.push({
      ...{ feed, reader, provider: step.feed % 2, isPurchase: false },
      usageId: body._origin.usage_id,
      nanos: nanosOf(body._origin.credits_charged),
      soldAt: body._origin.timestamp,
      ...{ isFailed: false, isRefunded: false },
    });
  }
}

async function buy(scene: Scene, model: Model, step: Step & { do: "buy" }): Promise<void> {
  const reader = of(scene.readers, step.reader);
  const feed = of(scene.sold, step.feed);
  const known = model.bought.get(`${step.reader} ${step.feed}`);
  const answers = await Promise.all(
    Array.from({ length: step.isTwice ? 2 : 1 }, async (_, place) => {
      const base = of(bases, (step.at + place) % bases.length);
      const response = await fetch(`${base}/v1/feed/${feed.slug}/purchase`, {
        method: "POST",
        headers: { "x-api-key": reader.key, "Content-Type": "application/json" },
        body: JSON.stringify({ max_credits: 2_000_000 }),
      });
      const body = (await response.json()) as { purchase_id: string; _origin: Receipt };
      return { status: response.status, body };
    }),
  );
  const statuses = answers.map(({ status }) => status).toSorted();
  if (known !== undefined) {
    expect(statuses).toEqual(answers.map(() => 200));
    return;
  }
  const first = answers.find(({ status }) => status === 201);
  if (first === undefined) {
    // Too dear, or no money.
    expect(statuses).toEqual(answers.map(() => 402));
    return;
  }
  expect(statuses).toEqual(step.isTwice ? [200, 201] : [201]);
  expect(new Set(answers.map(({ body }) => body.purchase_id)).size).toBe(1);
  const { usage_id: usageId, credits_charged: credits, timestamp: soldAt } = first.body._origin;
  const sale: Sale = {
    ...{ usageId, feed, reader, provider: step.feed, nanos: nanosOf(credits), soldAt },
    ...{ isPurchase: true, isFailed: false, isRefunded: false },
  };
  model.sales.push(sale);
  model.bought.set(`${step.reader} ${step.feed}`, sale);
}

async function recordOrUndo(
  scene: Scene,
  model: Model,
  step: Step & { do: "record" | "undo" },
): Promise<void> {
  const reader = of(scene.readers, step.reader);
  const feed = of(scene.sold, step.feed);
  const place = `${step.reader} ${step.feed}`;
  const known = model.bought.get(place);
  const asked = { account_id: reader.accountId, feed_id: feed.feedId };
  if (step.do === "undo") {
    const done = await isDone(undoPurchase(operator, { ...asked, reason: "S" }, ACTOR));
    if (known === undefined) return;
    expect(done).toBe(true);
    known.isRefunded = true;
    model.bought.delete(place);
    return;
  }
  await isDone(recordPurchase(operator, asked, ACTOR));
  if (known !== undefined) return;
  const [row] = await gateway.sql`
    select price_cents::int as cents, purchased_at::text as sold_at from purchases
    where account_id = ${reader.accountId} and feed_id = ${feed.feedId}`;
  const sale: Sale = {
    ...{ usageId: undefined, feed, reader, provider: step.feed, soldAt: row?.sold_at },
    ...{ nanos: BigInt(row?.cents) * NANOS_PER_CENT, isPurchase: true },
    ...{ isFailed: false, isRefunded: false },
  };
  model.sales.push(sale);
  model.bought.set(place, sale);
}

async function refundOrFail(model: Model, step: Step & { do: "refund" | "fail" }): Promise<void> {
  const sale = model.sales[step.sale];
  if (sale?.usageId === undefined || sale.isFailed) return;
  if (step.do === "refund") {
    const asked = { usage_id: sale.usageId, reason: "S" };
    const done = await isDone(refundUsage(operator, asked, ACTOR));
    // A second time is the first refund again.
    expect(done).toBe(sale.nanos > 0n);
    sale.isRefunded ||= done;
    return;
  }
  if (sale.isRefunded || sale.isPurchase) return;
  // The read answered with an error after all, as when its answer is lost.
  await operator.database.row("refund_reads", {
    batch_token: sale.usageId.slice(-12),
    account_ids: [sale.reader.accountId],
    elapsed_ms: 10n ** 9n,
    sent_at: new Date(Date.now() - 10 ** 9).toISOString(),
    only_usage: sale.usageId,
  });
  const [event] = await gateway.sql`
    select failed from usage_events where usage_id = ${sale.usageId}`;
  sale.isFailed = event?.failed === true;
}

async function topUps(
  scene: Scene,
  model: Model,
  { reader, steps, ...step }: Step & { do: "top up" },
) {
  for (const [place, each] of steps.entries()) {
    if (place === step.spentAfter) {
      const { accountId } = of(scene.readers, reader);
      const nanos = balanceOf(scene, model, reader) - LEFT_NANOS;
      const asked = { account_id: accountId, credits: nanos, reason: "S" };
      if (nanos > 0n) {
        await revokeCredits(operator, asked, ACTOR);
        model.given[reader] = of(model.given, reader) - nanos;
      }
    }
    await topUpOnce(scene, model, { reader, step: each });
  }
}

interface OfReader {
  readonly reader: number;
  readonly step: TopupStep;
}

/** Grants what has come in, and takes back what has gone, as far as the balance goes. */
async function topUpOnce(scene: Scene, model: Model, { reader, step }: OfReader): Promise<void> {
  const { all, taken } = of(model.topups, reader);
  const { accountId } = of(scene.readers, reader);
  const { log } = gateway.gateway.services;
  const before = new Map(all.map((topup) => [topup, backOf(topup)]));
  await takeTopupStep(all, step, { databases, log, accountId });
  for (const topup of all) {
    const [was, back] = [before.get(topup) ?? 0n, backOf(topup)];
    const old = taken.get(topup) ?? 0n;
    // What the balance had not, by then.
    const missing = was - old;
    const balance = balanceOf(scene, model, reader);
    // What was never taken need not be given.
    const moved = back > was ? least(back - was, balance) : least(back - was + missing, 0n);
    taken.set(topup, old + (back === was ? 0n : moved));
  }
}

const least = (one: bigint, other: bigint) => (one < other ? one : other);

/** A reader's balance by the model. */
function balanceOf(scene: Scene, { sales, given, topups }: Model, place: number): bigint {
  const reader = of(scene.readers, place);
  const charged = kept(sales)
    .filter((sale) => sale.reader === reader && !sale.isRefunded)
    .filter(({ usageId }) => usageId);
  const { all, taken } = of(topups, place);
  const paid = all.filter(({ isPaid }) => isPaid).map(({ amountNanos }) => amountNanos);
  return (
    of(given, place) + sum(paid) - sum([...taken.values()]) - sum(charged.map(({ nanos }) => nanos))
  );
}

async function take(scene: Scene, model: Model, step: Step): Promise<void> {
  switch (step.do) {
    case "read":
      return await read(scene, model, step);
    case "buy":
      return await buy(scene, model, step);
    case "record":
    case "undo":
      return await recordOrUndo(scene, model, step);
    case "refund":
    case "fail":
      return await refundOrFail(model, step);
    case "price": {
      const isSold = step.feed > 1;
      const feed = of(isSold ? scene.sold : scene.feeds, step.feed % 2);
      const { key } = of(scene.providers, step.feed % 2);
      const price = isSold
        ? { one_time_price_cents: 75 * step.units + 25 }
        : { price_per_1k: step.units / 1_000 };
      const path = `/v1/provider/feed/${feed.feedId}/edit`;
      expect((await gateway.send("PATCH", path, key, price)).status).toBe(200);
      return;
    }
    case "grant":
    case "revoke": {
      const { accountId } = of(scene.readers, step.reader);
      const nanos = BigInt(step.cents) * NANOS_PER_CENT;
      const asked = { account_id: accountId, credits: nanos, reason: "S" };
      const act = step.do === "grant" ? grantCredits : revokeCredits;
      if (!(await isDone(act(operator, asked, ACTOR)))) return;
      const given = of(model.given, step.reader);
      model.given[step.reader] = step.do === "grant" ? given + nanos : given - nanos;
      return;
    }
    case "top up":
      return await topUps(scene, model, step);
    case "pay": {
      const { accountId } = of(scene.providers, step.provider);
      const usd = BigInt(step.cents) * NANOS_PER_CENT;
      const reference = crypto.randomUUID();
      const payout = { account_id: accountId, usd, reference, allow_above: true };
      await recordPayout(operator, payout, ACTOR);
      // A repeat is the same payout.
      expect((await recordPayout(operator, payout, ACTOR)).isRepeated).toBe(true);
      model.paidOut[step.provider] = of(model.paidOut, step.provider) + usd;
      return;
    }
    case "set":
      return await clock.setAhead(AHEAD_MS[step.clock]());
    case "rate":
      await operator.database.row("keep_fee_rate", { rate_millionths: step.millionths });
      return;
    case "count": {
      if (!step.isKilled) return await countSales(gateway.sql);
      const killed = await gateway.sql.reserve();
      await killed`begin`;
      await killed.unsafe(`select ${FUNCTION_SCHEMA}.count_sales(now(), 2)`);
      await killed`rollback`;
      killed.release();
    }
  }
}

const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n);
const kept = (sales: readonly Sale[]) => sales.filter((sale) => !sale.isFailed);

/** granted − revoked − charged + refunded = balance, and what was spent is what providers have earned by it. */
async function expectBalances(scene: Scene, model: Model): Promise<void> {
  for (const [place, reader] of scene.readers.entries()) {
    const own = kept(model.sales).filter((sale) => sale.reader === reader && !sale.isRefunded);
    const [row] = await gateway.sql`
      select
        balance_nanos,
        granted_nanos - revoked_nanos - charged_nanos + refunded_nanos - balance_nanos as difference
      from ledger_of(${reader.accountId})`;
    expect(BigInt(row?.balance_nanos)).toBe(balanceOf(scene, model, place));
    expect(Number(row?.difference)).toBe(0);
    const proof = await operator.database.row("prove_ledger", { account_id: reader.accountId });
    expect(proof?.paid_nanos).toBe(sum(own.map(({ nanos }) => nanos)));
    expect((proof?.counted_nanos ?? 0n) + (proof?.waiting_nanos ?? 0n)).toBe(
      proof?.paid_nanos ?? -1n,
    );
  }
}

/** Nobody is charged twice for a feed, and no purchase is lost that its buyer has seen. */
async function expectPurchases(scene: Scene, model: Model): Promise<void> {
  for (const [place, { key }] of scene.readers.entries()) {
    const response = await fetch(`${gateway.baseUrl}/v1/purchases`, {
      headers: { "x-api-key": key },
    });
    const { purchases } = (await response.json()) as { purchases: { feed_id: string }[] };
    const bought = [...model.bought]
      .filter(([name]) => name.startsWith(`${place} `))
      .map(([, { feed }]) => feed.feedId);
    expect(purchases.map(({ feed_id: feedId }) => feedId).toSorted()).toEqual(bought.toSorted());
  }
}

/** Sums of a provider's sales by feed and day, and their fee at the rate of each sale's moment. */
async function earned(sales: readonly Sale[]) {
  const today = day(Date.now());
  const feeParts = new Map<string, bigint>();
  for (const { feed, nanos, soldAt, isRefunded } of sales) {
    const [row] = await gateway.sql`
      select rate_millionths as rate from fee_rates
      where since <= ${soldAt}::timestamptz order by since desc limit 1`;
    const add = (on: string, amount: bigint) => {
      const name = `${feed.feedId} ${on}`;
      feeParts.set(name, (feeParts.get(name) ?? 0n) + amount * BigInt(row?.rate));
    };
    add(day(soldAt), nanos);
    if (isRefunded) add(today, -nanos);
  }
  return {
    reads: BigInt(sales.filter(({ isPurchase }) => !isPurchase).length),
    paid_reads: BigInt(sales.filter((sale) => !sale.isPurchase && sale.nanos > 0n).length),
    purchases: BigInt(sales.filter(({ isPurchase }) => isPurchase).length),
    gross_nanos: sum(sales.map(({ nanos }) => nanos)),
    refunded_nanos: sum(sales.filter((sale) => sale.isRefunded).map(({ nanos }) => nanos)),
    // Of each feed and day, cut to whole nano-dollars.
    fee_nanos: sum([...feeParts.values()].map((parts) => parts / 1_000_000n)),
  };
}

const usd = (nanos: bigint) => Number(nanos) / 1e9;

async function expectEarnings(scene: Scene, model: Model): Promise<void> {
  for (const [place, own] of scene.providers.entries()) {
    const sales = kept(model.sales).filter(({ provider }) => provider === place);
    const expected = await earned(sales);
    const [from, to] = [-5, 5].map((days) => day(Date.now() + days * 24 * HOUR_MS));
    for (const groupBy of ["day", "feed"]) {
      const rows = await operator.database.rows("list_earnings", {
        ...{ account_id: own.accountId, from_day: from ?? "", to_day: to ?? "" },
        group_by: groupBy,
      });
      expect(rows.at(-1)).toMatchObject(expected);
      const groups = rows.slice(0, -1);
      expect(sum(groups.map((row) => row.fee_nanos))).toBe(expected.fee_nanos);
      if (groupBy !== "day") continue;
      const days = groups.flatMap((row) =>
        Array.from({ length: Number(row.reads + row.purchases) }, () => row.group_name ?? ""),
      );
      expect(days).toEqual(sales.map(({ soldAt }) => day(soldAt)).toSorted());
    }
    const net = expected.gross_nanos - expected.refunded_nanos - expected.fee_nanos;
    const paid = of(model.paidOut, place);
    const payouts = await (await own.get("/v1/provider/payouts")).json();
    expect(payouts).toMatchObject({
      earned_usd: usd(net),
      paid_usd: usd(paid),
      owed_usd: usd(net - paid),
    });
    await expectRevenue(own, expected);
  }
  const [row] = await gateway.sql`
    select
      (select coalesce(sum(paid_nanos), 0) from counted_accounts)
        = (select coalesce(sum(gross_nanos - refunded_nanos), 0) from earning_days) as are_equal`;
  expect(row?.are_equal).toBe(true);
}

/** The operator's report has the same sums, counted yet or not. */
async function expectRevenue(
  { accountId }: Provider,
  expected: Awaited<ReturnType<typeof earned>>,
): Promise<void> {
  const { entries } = await reportRevenue(operator, {
    account_id: accountId,
    since: new Date(Date.now() - 5 * 24 * HOUR_MS).toISOString(),
  });
  const total = (name: "gross_usd" | "refunded_usd" | "fee_usd") =>
    sum(entries.map((row) => BigInt(Math.round(Number(row[name].rawJSON) * 1e9))));
  expect(total("gross_usd")).toBe(expected.gross_nanos);
  expect(total("refunded_usd")).toBe(expected.refunded_nanos);
  expect(total("fee_usd")).toBe(expected.fee_nanos);
}

test("random histories: accounts have paid, and providers have earned, what was sold, to the nano-dollar", async () => {
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      await clock.setAhead(0);
      const scene = await createScene();
      const start = BigInt(READER_CREDITS) * 1_000n;
      const model: Model = {
        ...{ sales: [], given: [start, start], paidOut: [0n, 0n], bought: new Map() },
        topups: scene.readers.map(() => ({ all: [], taken: new Map() })),
      };
      for (const step of steps) {
        await take(scene, model, step);
        await expectBalances(scene, model);
      }
      await clock.setAhead(0);
      for (const [place, own] of scene.providers.entries()) {
        const sales = kept(model.sales).filter(({ provider }) => provider === place);
        await expectRevenue(own, await earned(sales));
      }
      await expectPurchases(scene, model);
      await countSales(gateway.sql);
      await expectBalances(scene, model);
      await expectEarnings(scene, model);
    }),
    { numRuns: histories(8) },
  );
});
