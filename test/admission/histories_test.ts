/**
 * Random histories of reads, purchases and top-ups over three gateways, with everything that may happen to an account, a feed, a
 * connection or a clock in between, held against what must be true of the log. `FUZZ_HISTORIES` sets how many.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { generateKey, hashKey, startOf } from "../../src/accounts/key_format.ts";
import type { Gateway } from "../../src/server.ts";
import { installClock, type TestClock } from "../support/database_clock.ts";
import { type FaultyLink, startFaultyLink } from "../support/faulty_link.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { backOf, type ModelTopup, takeTopupStep, topupSteps } from "../support/paid_topups.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";

const HISTORIES = Number(process.env.FUZZ_HISTORIES ?? 40);
const GATEWAYS = 3;
const LIMIT_FREE = 3;
const LIMIT_PAID = 5;
const PRICE_NANOS = 1_500;
/** What the second key may spend in a day; that of the beginning, and what it is edited to. */
const BUDGET_NANOS = 3_000;
const BUDGETS_NANOS = [0, 1_500, 4_500, 4_000_000_000] as const;
/** The least that a feed is sold for, in cents and in nano-dollars. It rises by so much at each change. */
const SALE_CENTS = 100;
const SALE_NANOS = 1_000_000_000;
const TOPUP_CENTS_MAX = 150;
/** Enough for one purchase at the first price. */
const CREDITS = 1_500_000;
const HOUR_MS = 3_600_000;
/** What even few histories come to, many times. */
const OUTCOMES = ["granted", "RATE_LIMITED", "PURCHASE_REQUIRED", "ACCOUNT_SUSPENDED"] as const;
/** The same of purchases. */
const SALES = ["201", "200", "PRICE_ABOVE_MAX", "KEY_BUDGET_SPENT"] as const;

let gateway: TestGateway;
let clock: TestClock;
let link: FaultyLink;
let gateways: Gateway[];
let owner: string;
/** Reads by what became of them, over all histories, and purchases. */
const outcomes = new Map<string, number>();
const sales = new Map<string, number>();
let topupsGranted = 0;

beforeAll(async () => {
  gateway = await startTestGateway();
  clock = await installClock(gateway.sql, gateway.databaseUrl);
  link = startFaultyLink(clock.url);
  const limits = {
    FEEDGATE_READ_LIMIT_FREE: String(LIMIT_FREE),
    FEEDGATE_READ_LIMIT_PAID: String(LIMIT_PAID),
  };
  const urls = [clock.url, clock.url, link.url];
  gateways = await Promise.all(
    urls.map((url) => gateway.startPeer({ ...limits, DATABASE_URL: url })),
  );
  owner = await gateway.createAccount();
});
afterAll(async () => {
  await gateway.stop();
  link.stop();
});

/** What one step of a history does; steps of one burst run at once. */
const step = fc.oneof(
  {
    weight: 14,
    arbitrary: fc.record({
      does: fc.constant("read" as const),
      at: fc.integer({ min: 0, max: GATEWAYS - 1 }),
      feed: fc.integer({ min: 0, max: 2 }),
      key: fc.integer({ min: 0, max: 2 }),
      idempotency: fc.option(fc.constantFrom("a", "b"), { freq: 4 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant("purchase" as const),
      at: fc.integer({ min: 0, max: GATEWAYS - 1 }),
      key: fc.integer({ min: 0, max: 2 }),
      maxCredits: fc.constantFrom(500_000, 1_000_000, 9_000_000),
      idempotency: fc.option(fc.constantFrom("a", "b"), { freq: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constantFrom(
        ...(["grant", "take", "spend", "refund", "record", "undo", "undo"] as const),
        ...(["push", "price", "sale", "revoke", "forget", "cut", "kill"] as const),
        ...(["suspend", "resume", "resume"] as const),
      ),
    }),
  },
  ...topupSteps(TOPUP_CENTS_MAX).map((arbitrary) => ({ weight: 1, arbitrary })),
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant("budget" as const),
      dailyNanos: fc.constantFrom(...BUDGETS_NANOS),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant("clock" as const),
      aheadMs: fc.constantFrom(0, 61_000, HOUR_MS, -HOUR_MS, 5_000, -5_000),
    }),
  },
);
const history = fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), {
  minLength: 2,
  maxLength: 8,
});

const READ = { does: "read", at: 0, feed: 0, key: 0, idempotency: null } as const;
/** Few random histories may have no read while the account is suspended for certain. */
const SUSPENDED_READ: Step[][] = [[READ], [{ does: "suspend" }], [READ]];

interface Scene {
  readonly accountId: string;
  /** The first is revoked now and then; the second has a budget, and so has the third, which was rotated from it. */
  readonly keys: string[];
  readonly budgetKeyId: string;
  /** The highest that the budget has been. */
  budgetNanos: number;
  /** Whether the account is suspended for certain. */
  isSuspended: boolean;
  /** Resumptions that have begun, and those of them that have ended. */
  resumptions: number;
  resumed: number;
  readonly feeds: readonly SeededFeed[];
  /** Usage ids that a client has seen. */
  readonly seen: Set<string>;
  /** Of purchases that a client has been told of. */
  readonly bought: Set<string>;
  readonly topups: ModelTopup[];
}

async function setScene(): Promise<Scene> {
  const accountId = await gateway.createAccount({ credits: CREDITS });
  const keys = [
    await gateway.createKey(accountId, "read"),
    await gateway.createKey(accountId, "read"),
  ];
  const rows = [{ id: 1 }];
  const feeds = [
    await seedFeed(gateway, owner, { type: "collection", rows }),
    await seedFeed(gateway, owner, { type: "collection", rows, callPriceNanos: PRICE_NANOS }),
    await seedFeed(gateway, owner, { type: "collection", rows, oneTimePriceCents: SALE_CENTS }),
  ];
  const [budgeted] = await gateway.sql`
    select key_id, edit_key(key_id, ${JSON.stringify({ daily_nanos: BUDGET_NANOS })}, null)
    from api_keys
    where key_hash = ${hashKey(keys[1] as string)}`;
  const budgetKeyId: string = budgeted?.key_id;
  const rotated = generateKey("read");
  await gateway.sql`
    select rotate_key(${budgetKeyId}, ${hashKey(rotated)}, ${startOf(rotated)}, '1 day', null)`;
  keys.push(rotated);
  return {
    accountId,
    keys,
    budgetKeyId,
    budgetNanos: BUDGET_NANOS,
    isSuspended: false,
    resumptions: 0,
    resumed: 0,
    feeds,
    seen: new Set(),
    bought: new Set(),
    topups: [],
  };
}

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

async function take(scene: Scene, taken: Step): Promise<void> {
  const { sql } = gateway;
  const { accountId, keys, feeds, seen } = scene;
  switch (taken.does) {
    case "read": {
      const { slug } = feeds[taken.feed] as SeededFeed;
      const key = keys[taken.key] as string;
      const headers = {
        "x-api-key": key,
        ...(taken.idempotency && { "Idempotency-Key": taken.idempotency }),
      };
      const { baseUrl } = gateways[taken.at] as Gateway;
      const { isSuspended, resumptions } = scene;
      const response = await fetch(`${baseUrl}/v1/feed/${slug}`, { headers });
      const body = (await response.json()) as { code?: string; _origin?: { usage_id: string } };
      const outcome = body.code ?? "granted";
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      expect([200, 402, 403, 409, 429, 503]).toContain(response.status);
      if (body._origin !== undefined) seen.add(body._origin.usage_id);
      const wasSuspended = isSuspended && resumptions === scene.resumptions;
      if (wasSuspended) expect(response.status).not.toBe(200);
      return;
    }
    case "purchase":
      await buy(scene, taken);
      return;
    case "suspend":
      await suspend(scene);
      return;
    case "resume":
      scene.isSuspended = false;
      scene.resumptions += 1;
      await sql`update accounts set suspension_reason = null where account_id = ${accountId}`;
      scene.resumed += 1;
      return;
    case "budget": {
      const fields = JSON.stringify({ daily_nanos: taken.dailyNanos });
      scene.budgetNanos = Math.max(scene.budgetNanos, taken.dailyNanos);
      await sql`select edit_key(${scene.budgetKeyId}, ${fields}, null)`;
      return;
    }
    case "grant":
      await sql`select append_ledger_entry(${accountId}, 'grant', 3000, 'test', null)`;
      return;
    case "take":
      await sql`select append_ledger_entry(${accountId}, 'revocation', -2000, 'test', null)`;
      return;
    case "spend":
      // What is left of the balance is too little for a purchase, or for a read.
      await sql`
        select append_ledger_entry(account_id, 'revocation', -(balance_nanos - 4000), 'test', null)
        from accounts where account_id = ${accountId} and balance_nanos > 4000`;
      return;
    case "refund":
      await sql`
        select refund_event(usage_id, 'test', null) from usage_events
        where account_id = ${accountId} and charge_nanos > 0
        order by random() limit 2`;
      return;
    case "record":
      await sql`select record_purchase(${accountId}, ${feeds[2]?.feedId as string}, null, null)`;
      return;
    case "undo":
      await sql`select undo_purchase(${accountId}, ${feeds[2]?.feedId as string}, 'test', null)`;
      return;
    case "push":
      await sql`
        update feeds set data_version = data_version + 1
        where feed_id in ${sql(feeds.map(({ feedId }) => feedId))}`;
      return;
    case "sale":
      await sql`
        update feeds
        set one_time_price_cents = one_time_price_cents + ${SALE_CENTS}::int,
          definition_version = definition_version + 1
        where feed_id = ${feeds[2]?.feedId as string}`;
      return;
    case "price":
      await sql`
        update feeds
        set call_price_nanos = call_price_nanos + 500, definition_version = definition_version + 1
        where feed_id = ${feeds[1]?.feedId as string}`;
      return;
    case "revoke":
      await sql`
        update api_keys set revoked_at = now() where account_id = ${accountId}
          and key_hash = ${hashKey(keys[0] as string)}`;
      keys[0] = await gateway.createKey(accountId, "read");
      return;
    case "forget":
      await sql`update accounts set name = name where account_id = ${accountId}`;
      return;
    case "cut":
      link.cutNextAnswer();
      return;
    case "kill":
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query ~ 'log_reads\\(' and state = 'active'`;
      return;
    case "clock":
      await clock.setAhead(taken.aheadMs);
      return;
    default:
      await takeTopupStep(scene.topups, taken, {
        databases: gateways.map(({ services }) => services.database),
        log: gateway.gateway.services.log,
        accountId,
      });
  }
}

type PurchaseStep = Extract<Step, { does: "purchase" }>;

/** A purchase through a gateway. What it answers must be in the books from then on. */
async function buy(scene: Scene, taken: PurchaseStep): Promise<void> {
  const { isSuspended, resumptions, keys, feeds } = scene;
  const { baseUrl } = gateways[taken.at] as Gateway;
  const response = await fetch(`${baseUrl}/v1/feed/${feeds[2]?.slug}/purchase`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "x-api-key": keys[taken.key] as string,
      ...(taken.idempotency && { "Idempotency-Key": taken.idempotency }),
    },
    body: JSON.stringify({ max_credits: taken.maxCredits }),
  });
  const { status } = response;
  const body = (await response.json()) as {
    code?: string;
    purchase_id: string;
    price: { credits: number };
    _origin: { usage_id: string | null; credits_charged: number };
  };
  const outcome = body.code ?? String(status);
  sales.set(outcome, (sales.get(outcome) ?? 0) + 1);
  expect([200, 201, 402, 403, 409, 503]).toContain(status);
  if (isSuspended && resumptions === scene.resumptions) expect(status).toBeGreaterThan(201);
  if (status > 201) return;
  const { usage_id: usageId, credits_charged: charged } = body._origin;
  expect(charged).toBe(status === 201 ? body.price.credits : 0);
  if (usageId === null) return;
  expect(usageId).toBe(body.purchase_id);
  scene.seen.add(usageId);
  scene.bought.add(usageId);
  if (status === 201) expect(charged).toBeLessThanOrEqual(taken.maxCredits);
}

async function suspend(scene: Scene): Promise<void> {
  const { accountId, resumptions, resumed } = scene;
  await gateway.sql`update accounts set suspension_reason = 'test' where account_id = ${accountId}`;
  scene.isSuspended = resumed === resumptions && resumptions === scene.resumptions;
}

/** What must be true of the account's log, whatever happened. */
async function verify(scene: Scene): Promise<void> {
  const { accountId, budgetKeyId, budgetNanos, seen } = scene;
  const { sql } = gateway;
  const [books] = await sql`
    select
      balance_nanos::float8 as balance,
      balance_nanos
        - (select coalesce(sum(amount_nanos), 0) from credit_ledger where account_id = ${accountId})
        + (select coalesce(sum(charge_nanos), 0) from usage_events where account_id = ${accountId})
        as difference
    from accounts where account_id = ${accountId}`;
  expect(Number(books?.difference)).toBe(0);
  expect(books?.balance).toBeGreaterThanOrEqual(0);
  const events = await sql`
    select usage_id from usage_events where account_id = ${accountId} and not failed`;
  const logged = new Set(events.map((row) => row.usage_id as string));
  expect([...seen].filter((usageId) => !logged.has(usageId))).toEqual([]);
  // Where the clock is set back over midnight, the later day's budget goes on.
  const [spent] = await sql`
    select
      coalesce(sum(charge_nanos), 0)::float8 as nanos,
      count(distinct (happened_at at time zone 'UTC')::date)::int as days
    from usage_events
    where account_id = ${accountId} and not failed and key_id in (
      select key_id from api_keys where chain_id = ${budgetKeyId}
    )`;
  expect(spent?.nanos).toBeLessThanOrEqual(budgetNanos * spent?.days);
  const over = await sql`
    select feed_id, happened_at, reads from (
      select
        usage_events.feed_id, happened_at, price_type,
        count(*) over (
          partition by usage_events.feed_id order by happened_at
          range between '59.999999 seconds' preceding and current row
        )::int as reads
      from usage_events
      join feeds using (feed_id)
      where usage_events.account_id = ${accountId} and not failed and operation = 'data'
    ) as counted
    where reads > case when price_type = 'free' then ${LIMIT_FREE}::int else ${LIMIT_PAID}::int end`;
  expect(over.map((row) => ({ ...row }))).toEqual([]);
  await verifyPurchases(scene);
  for (const topup of scene.topups) await verifyTopup(topup);
}

/** What was paid is in the ledger once, less what the payer has back; what the balance had not is an alert. */
async function verifyTopup(topup: ModelTopup): Promise<void> {
  const { topupId, amountNanos, reference, isPaid } = topup;
  const [row] = await gateway.sql`
    select
      status = 'granted' as granted,
      (taken_back_nanos + unrecovered_nanos)::text as back,
      taken_back_nanos::text as taken,
      coalesce(starts_with(alert, 'unrecovered: '), false) = (unrecovered_nanos > 0) as is_told,
      (
        select count(*) from credit_ledger
        where reference = ${reference} and kind = 'grant' and amount_nanos = topups.amount_nanos
      )::int as grants,
      (
        select coalesce(sum(amount_nanos), 0) from credit_ledger
        where starts_with(reference, ${reference})
      )::text as kept
    from topups
    where topup_id = ${topupId}`;
  if (isPaid) topupsGranted += 1;
  const kept = isPaid ? amountNanos - BigInt(row?.taken) : 0n;
  expect({ ...row }).toEqual({
    ...{ granted: isPaid, grants: isPaid ? 1 : 0, is_told: true },
    ...{ back: String(backOf(topup)), taken: row?.taken, kept: String(kept) },
  });
}

/** Each purchase was charged once, and what is left of it was given back by its undo or by a refund. */
async function verifyPurchases({ accountId, bought }: Scene): Promise<void> {
  const { sql } = gateway;
  const events = await sql`
    select
      usage_id, charge_nanos::float8 as charge, refunded, failed,
      (
        select sum(amount_nanos) from credit_ledger
        where reference = 'refund:' || usage_events.usage_id
      ) as given_back,
      exists (
        select from purchases where purchases.purchase_id = usage_events.usage_id
          and purchases.price_cents * 10000000 = usage_events.charge_nanos
      ) as is_open
    from usage_events
    where account_id = ${accountId} and operation = 'purchase'`;
  const logged = new Set(events.map((row) => row.usage_id as string));
  expect([...bought].filter((usageId) => !logged.has(usageId))).toEqual([]);
  for (const { charge, refunded, failed, given_back: givenBack, is_open: isOpen } of events) {
    expect(Number(charge)).toBeGreaterThanOrEqual(SALE_NANOS);
    expect(failed).toBe(false);
    expect(Number(givenBack ?? 0)).toBe(refunded ? Number(charge) : 0);
    // A refund may leave it open; an undo may not leave it charged.
    if (!isOpen) expect(refunded).toBe(true);
  }
  const [paid] = await sql`
    select count(*)::int as open
    from purchases
    where account_id = ${accountId}
      and entry_id is null
      and purchase_id not in (select usage_id from usage_events where account_id = ${accountId})`;
  expect(paid?.open).toBe(0);
  const [proof] = await sql`
    select
      (granted_nanos - revoked_nanos - charged_nanos + refunded_nanos - balance_nanos)::text
        as difference
    from ledger_of(${accountId})`;
  expect(proof?.difference).toBe("0");
}

test(`no window over its limit, no key over its budget, no balance below zero, no read while suspended, each seen usage id logged once, each purchase charged once and each undo given back once, each top-up granted once and taken back as far as the balance goes: ${HISTORIES} random histories over three gateways`, async () => {
  await fc.assert(
    fc.asyncProperty(history, async (bursts) => {
      await clock.setAhead(0);
      const scene = await setScene();
      for (const burst of bursts) await Promise.all(burst.map((each) => take(scene, each)));
      link.heal();
      await Promise.all(gateways.map(({ services }) => services.admission.idle()));
      await verify(scene);
    }),
    { numRuns: HISTORIES + 1, examples: [[SUSPENDED_READ]], endOnFailure: true },
  );
  // The histories come to all that they are to come to.
  const missing = OUTCOMES.filter((outcome) => !outcomes.has(outcome));
  expect(missing).toEqual([]);
  expect(topupsGranted).toBeGreaterThan(0);
  expect(SALES.filter((outcome) => !sales.has(outcome))).toEqual([]);
}, 3_600_000);
