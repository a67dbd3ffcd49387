/**
 * Random histories of reads over three gateways, with everything that may happen to an account, a feed, a
 * connection or a clock in between, held against what must be true of the log. `FUZZ_HISTORIES` sets how many.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { generateKey, hashKey, startOf } from "../../src/accounts/key_format.ts";
import type { Gateway } from "../../src/server.ts";
import { installClock, type TestClock } from "../support/database_clock.ts";
import { type FaultyLink, startFaultyLink } from "../support/faulty_link.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";

const HISTORIES = Number(process.env.FUZZ_HISTORIES ?? 40);
const GATEWAYS = 3;
const LIMIT_FREE = 3;
const LIMIT_PAID = 5;
const PRICE_NANOS = 1_500;
/** What the second key may spend in a day; that of the beginning, and what it is edited to. */
const BUDGET_NANOS = 3_000;
const BUDGETS_NANOS = [0, 1_500, 4_500] as const;
const HOUR_MS = 3_600_000;
/** What even few histories come to, many times. */
const OUTCOMES = ["granted", "RATE_LIMITED", "PURCHASE_REQUIRED", "ACCOUNT_SUSPENDED"] as const;

let gateway: TestGateway;
let clock: TestClock;
let link: FaultyLink;
let gateways: Gateway[];
let owner: string;
/** Reads by what became of them, over all histories. */
const outcomes = new Map<string, number>();

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
    weight: 12,
    arbitrary: fc.record({
      does: fc.constant("read" as const),
      at: fc.integer({ min: 0, max: GATEWAYS - 1 }),
      feed: fc.integer({ min: 0, max: 2 }),
      key: fc.integer({ min: 0, max: 2 }),
      idempotency: fc.option(fc.constantFrom("a", "b"), { freq: 4 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constantFrom(
        ...(["grant", "take", "refund", "buy", "undo"] as const),
        ...(["push", "price", "revoke", "forget", "cut", "kill"] as const),
        ...(["suspend", "resume", "resume"] as const),
      ),
    }),
  },
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
}

async function setScene(): Promise<Scene> {
  const accountId = await gateway.createAccount({ credits: 5 });
  const keys = [
    await gateway.createKey(accountId, "read"),
    await gateway.createKey(accountId, "read"),
  ];
  const rows = [{ id: 1 }];
  const feeds = [
    await seedFeed(gateway, owner, { type: "collection", rows }),
    await seedFeed(gateway, owner, { type: "collection", rows, callPriceNanos: PRICE_NANOS }),
    await seedFeed(gateway, owner, { type: "collection", rows, oneTimePriceCents: 500 }),
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
    case "refund":
      await sql`
        select refund_event(usage_id, 'test', null) from usage_events
        where account_id = ${accountId} and charge_nanos > 0
        order by random() limit 2`;
      return;
    case "buy":
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
  }
}

async function suspend(scene: Scene): Promise<void> {
  const { accountId, resumptions, resumed } = scene;
  await gateway.sql`update accounts set suspension_reason = 'test' where account_id = ${accountId}`;
  scene.isSuspended = resumed === resumptions && resumptions === scene.resumptions;
}

/** What must be true of the account's log, whatever happened. */
async function verify({ accountId, budgetKeyId, budgetNanos, seen }: Scene): Promise<void> {
  const { sql } = gateway;
  const [books] = await sql`
    select
      balance_nanos::int as balance,
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
      coalesce(sum(charge_nanos), 0)::int as nanos,
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
      where usage_events.account_id = ${accountId} and not failed
    ) as counted
    where reads > case when price_type = 'free' then ${LIMIT_FREE}::int else ${LIMIT_PAID}::int end`;
  expect(over.map((row) => ({ ...row }))).toEqual([]);
}

test(`no window over its limit, no key over its budget, no balance below zero, no read while suspended, each seen usage id logged once: ${HISTORIES} random histories over three gateways`, async () => {
  await fc.assert(
    fc.asyncProperty(history, async (bursts) => {
      await clock.setAhead(0);
      const scene = await setScene();
      for (const burst of bursts) await Promise.all(burst.map((each) => take(scene, each)));
      link.heal();
      await Promise.all(gateways.map(({ services }) => services.admission.idle()));
      await verify(scene);
    }),
    { numRuns: HISTORIES, endOnFailure: true },
  );
  // The histories come to all that they are to come to.
  const missing = OUTCOMES.filter((outcome) => !outcomes.has(outcome));
  expect(missing).toEqual([]);
}, 3_600_000);
