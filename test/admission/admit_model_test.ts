import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { TransactionSql } from "postgres";
import {
  admitParameters,
  type Claim,
  grantParameters,
  newBatchToken,
} from "../../src/admission/admission.ts";
import { type Decided, decidedOf, grantedOf } from "../../src/admission/decided.ts";
import { arrayLiteral } from "../../src/postgres/client/array_literal.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { seedFeed } from "../support/seed.ts";
import { AccountModel, type ModelClaim, type ModelFeed } from "./model.ts";

const HISTORIES = 10_000;
/** Those whose reads are decided one by one. */
const HISTORIES_ALONE = 300;
/** Histories that share a statement: each has an account of its own, so none sees another. */
const SIDE_BY_SIDE = 500;
const LIMITS = { free: 3, paid: 5, catalog: 4 };
const FEEDS: readonly ModelFeed[] = [
  { kind: "free", priceNanos: 0 },
  { kind: "metered", priceNanos: 1_000 },
  { kind: "metered", priceNanos: 2_500 },
  { kind: "one_time", priceNanos: 0 },
  { kind: "one_time", priceNanos: 0 },
];
const PURCHASES = new Set([3]);

interface Step {
  /** Time that passes before the batch; sums never come near the window's length. */
  readonly passMs: number;
  readonly claims: readonly ModelClaim[];
}
interface History {
  readonly balanceNanos: number;
  readonly steps: readonly Step[];
}

const claimArbitrary: fc.Arbitrary<ModelClaim> = fc.record({
  feed: fc.option(fc.nat({ max: FEEDS.length - 1 }), { nil: undefined, freq: 8 }),
  isKeyRevoked: fc.nat({ max: 19 }).map((n) => n === 0),
  idempotencyKey: fc.option(fc.constantFrom("a", "b"), { nil: undefined, freq: 1 }),
});
const historyArbitrary: fc.Arbitrary<History> = fc.record({
  balanceNanos: fc.nat({ max: 12 }).map((n) => n * 1_000),
  steps: fc.array(
    fc.record({
      passMs: fc.constantFrom(0, 0, 25_000, 61_000),
      // As the batcher has it: an idempotency key comes once in a batch.
      claims: fc.array(claimArbitrary, { maxLength: 9 }).map((claims) => {
        const seen = new Set<string>();
        return claims.filter(({ idempotencyKey: key }) => {
          if (key === undefined) return true;
          if (seen.has(key)) return false;
          seen.add(key);
          return true;
        });
      }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});

let gateway: TestGateway;
const feedIds: string[] = [];
beforeAll(async () => {
  gateway = await startTestGateway();
  const owner = await gateway.createAccount();
  for (const { kind, priceNanos } of FEEDS) {
    const feed = await seedFeed(gateway, owner, {
      type: "collection",
      rows: [{ id: 1 }],
      ...(kind === "metered" && { callPriceNanos: priceNanos }),
      ...(kind === "one_time" && { oneTimePriceCents: 500 }),
    });
    feedIds.push(feed.feedId);
  }
});
afterAll(() => gateway.stop());

interface Account {
  readonly accountId: string;
  readonly keyId: string;
  readonly revokedKeyId: string;
}

async function createAccounts(histories: readonly History[]): Promise<Account[]> {
  const rows = await gateway.sql.begin((sql) => insertAccounts(sql, histories));
  // Balances are interchangeable, so each history takes the next account with its balance.
  return histories.map((history) => {
    const index = rows.findIndex((row) => Number(row.balance_nanos) === history.balanceNanos);
    const [row] = rows.splice(index, 1);
    return { accountId: row?.account_id, keyId: row?.key_id, revokedKeyId: row?.revoked_key_id };
  });
}

async function insertAccounts(sql: TransactionSql, histories: readonly History[]) {
  // The audit trail of all these accounts and keys would take as long as what is tested.
  await sql`set local session_replication_role = replica`;
  const rows = await sql`
    with made as (
      insert into accounts (name, max_feeds_allowed, balance_nanos)
      select 'history', 0, balance
      from unnest(${arrayLiteral(histories.map((each) => String(each.balanceNanos)))}::bigint[]) as b (balance)
      returning account_id, balance_nanos
    ),
    bought as (
      select account_id, ${feedIds[3] as string}::uuid as feed_id from made
    ),
    made_keys as (
      insert into api_keys (account_id, key_hash, key_start, permission, revoked_at)
      select
        account_id, sha256((account_id::text || revoked)::bytea), 'fg_read_test', 'read',
        case when revoked = 'yes' then now() end
      from made cross join (values ('yes'), ('no')) as kinds (revoked)
      returning account_id, key_id, revoked_at
    )
    select
      made.account_id, made.balance_nanos,
      (array_agg(key_id) filter (where revoked_at is null))[1] as key_id,
      (array_agg(key_id) filter (where revoked_at is not null))[1] as revoked_key_id
    from made join made_keys using (account_id)
    group by made.account_id, made.balance_nanos
    order by made.balance_nanos`;
  const entries = await sql`
    insert into credit_ledger
      (account_id, kind, amount_nanos, balance_before_nanos, balance_after_nanos, reason)
    select account_id, 'purchase', 0, balance_nanos, balance_nanos, 'test'
    from accounts
    where account_id = any (${arrayLiteral(rows.map((row) => row.account_id))}::uuid[])
    returning account_id, entry_id`;
  await sql`
    insert into purchases (account_id, feed_id, entry_id)
    select account_id, ${feedIds[3] as string}, entry_id
    from unnest(
      ${arrayLiteral(entries.map((each) => each.account_id))}::uuid[],
      ${arrayLiteral(entries.map((each) => String(each.entry_id)))}::bigint[]
    ) as e (account_id, entry_id)`;
  return [...rows];
}

function claimOf(account: Account, claim: ModelClaim): Claim {
  const { feed, idempotencyKey } = claim;
  const feedId = feed === undefined ? undefined : feedIds[feed];
  return {
    keyId: claim.isKeyRevoked ? account.revokedKeyId : account.keyId,
    accountId: account.accountId,
    ...(feedId === undefined
      ? { operation: "catalog", limit: LIMITS.catalog }
      : { operation: "data", feedId, limit: LIMITS.free, limitPaid: LIMITS.paid }),
    ...(idempotencyKey !== undefined && {
      idempotency: { key: idempotencyKey, queryHash: `q${feed}` },
    }),
  };
}

/** Time passes: what was counted is now that much older. */
async function pass(accountIds: readonly string[], passUs: readonly string[]): Promise<void> {
  await gateway.sql`
    update rate_windows
    set hits = (select array_agg(hit - older.us order by hit) from unnest(hits) as hit)
    from unnest(${arrayLiteral(accountIds)}::uuid[], ${arrayLiteral(passUs)}::bigint[])
      as older (account_id, us)
    where rate_windows.account_id = older.account_id and older.us > 0`;
}

type Decide = (claims: readonly Claim[]) => Promise<readonly Decided[]>;

/** As those that wait together are decided. */
async function decideTogether(claims: readonly Claim[]): Promise<readonly Decided[]> {
  const { database } = gateway.gateway.services;
  return decidedOf(await database.row("admit", admitParameters(claims, newBatchToken())));
}

/** As each is decided that waits alone; those of one account in their order. */
async function decideAlone(claims: readonly Claim[]): Promise<readonly Decided[]> {
  const { database } = gateway.gateway.services;
  const last = new Map<string, Promise<unknown>>();
  return Promise.all(
    claims.map(async (claim) => {
      const before = last.get(claim.accountId);
      const decided = (async () => {
        await before;
        const token = newBatchToken();
        const granted =
          claim.idempotency === undefined
            ? await database.row("grant_read", grantParameters(claim, token))
            : undefined;
        return granted === undefined
          ? decidedOf(await database.row("admit", admitParameters([claim], token)))
          : [grantedOf(granted)];
      })();
      last.set(claim.accountId, decided);
      return (await decided)[0] as Decided;
    }),
  );
}

async function check(histories: readonly History[], decide: Decide): Promise<void> {
  const accounts = await createAccounts(histories);
  const models = histories.map(
    (history) => new AccountModel(FEEDS, LIMITS, PURCHASES, history.balanceNanos),
  );
  const clocks = histories.map(() => 1_000_000);
  for (let step = 0; step < 4; step++) {
    const live = histories.flatMap(({ steps }, index) => {
      const taken = steps[step];
      return taken === undefined ? [] : [{ index, ...taken }];
    });
    await pass(
      live.map(({ index }) => (accounts[index] as Account).accountId),
      live.map(({ passMs }) => String(passMs * 1_000)),
    );
    for (const { index, passMs } of live) clocks[index] = (clocks[index] as number) + passMs;
    // Reads of different accounts are interleaved, as they are when many agents wait.
    const claims = Array.from({ length: 9 }, (_, place) =>
      live.flatMap(({ index, claims: own }) => {
        const claim = own[place];
        return claim === undefined ? [] : [{ index, claim }];
      }),
    ).flat();
    const decided = await decide(
      claims.map(({ index, claim }) => claimOf(accounts[index] as Account, claim)),
    );
    for (const [place, { index, claim }] of claims.entries()) {
      const expected = (models[index] as AccountModel).decide(claim, clocks[index] as number);
      const actual = decided[place]?.outcome;
      if (actual === expected) continue;
      throw new Error(
        `step ${step}, ${JSON.stringify(claim)}: PostgreSQL says ${actual}, the model ${expected}\n${JSON.stringify(histories[index])}`,
      );
    }
  }
  const found = await gateway.sql`
    select
      accounts.account_id, balance_nanos, count(usage_id) as events,
      coalesce(sum(charge_nanos), 0)::bigint as charged
    from accounts left join usage_events using (account_id)
    where account_id = any (${arrayLiteral(accounts.map((each) => each.accountId))}::uuid[])
    group by account_id`;
  const byId = new Map(found.map((row) => [row.account_id, row]));
  for (const [index, model] of models.entries()) {
    const row = byId.get((accounts[index] as Account).accountId);
    expect({ balance: Number(row?.balance_nanos), events: Number(row?.events) }).toEqual({
      balance: model.balanceNanos,
      events: model.usageEvents,
    });
    const granted = (histories[index] as History).balanceNanos;
    expect(Number(row?.charged)).toBe(granted - model.balanceNanos);
  }
}

describe("admit", () => {
  test(`agrees with the model on ${HISTORIES} random histories`, async () => {
    const histories = fc.sample(historyArbitrary, HISTORIES);
    for (let start = 0; start < HISTORIES; start += SIDE_BY_SIDE) {
      await check(histories.slice(start, start + SIDE_BY_SIDE), decideTogether);
    }
  });
});

describe("grant_read", () => {
  test(`and admit for the rest agree with the model on ${HISTORIES_ALONE} random histories, read by read`, () =>
    check(fc.sample(historyArbitrary, HISTORIES_ALONE), decideAlone));
});
