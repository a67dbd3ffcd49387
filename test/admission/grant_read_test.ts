import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  Admission,
  admitParameters,
  type Claim,
  grantParameters,
  newBatchToken,
} from "../../src/admission/admission.ts";
import { type Decided, decidedOf, grantedOf } from "../../src/admission/decided.ts";
import { arrayLiteral } from "../../src/postgres/client/array_literal.ts";
import type { Parameters } from "../../src/postgres/client/query.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";

const PRICE_NANOS = 1_500;
const LIMITS = { limit: 3, limitPaid: 5 };
const SECOND_US = 1_000_000;
const ROWS = [{ id: 1 }];

let gateway: TestGateway;
let feeds: { free: SeededFeed; metered: SeededFeed; sold: SeededFeed };
beforeAll(async () => {
  gateway = await startTestGateway();
  const owner = await gateway.createAccount();
  const seed = (price: object) =>
    seedFeed(gateway, owner, { type: "collection", rows: ROWS, ...price });
  feeds = {
    free: await seed({}),
    metered: await seed({ callPriceNanos: PRICE_NANOS }),
    sold: await seed({ oneTimePriceCents: 500 }),
  };
});
afterAll(() => gateway.stop());

/** An agent with a few credits, as a claim for the metered feed. */
async function claimant(over: Partial<Claim> = {}, credits = 10): Promise<Claim> {
  const accountId = await gateway.createAccount({ credits });
  await gateway.createKey(accountId, "read");
  const keys = await gateway.sql`select key_id from api_keys where account_id = ${accountId}`;
  return {
    keyId: keys[0]?.key_id,
    accountId,
    operation: "data",
    feedId: feeds.metered.feedId,
    ...LIMITS,
    ...over,
  };
}

/** The window of a claim, with hits of so many seconds ago (of the future where negative). */
async function fillWindow({ accountId, operation, feedId }: Claim, agesS: readonly number[]) {
  const window = operation === "data" ? feedId : "00000000-0000-0000-0000-000000000000";
  await gateway.sql`
    insert into rate_windows (account_id, operation, feed_id, hits)
    select
      ${accountId}, ${operation}, ${window as string},
      array_agg(floor(extract(epoch from clock_timestamp()) * 1e6)::bigint - age order by age desc)
    from unnest(${arrayLiteral(agesS.map((age) => String(age * SECOND_US)))}::bigint[]) as ages (age)`;
}

async function grant(claim: Claim, batchToken = newBatchToken()): Promise<Decided | undefined> {
  const { database } = gateway.gateway.services;
  const row = await database.row("grant_read", grantParameters(claim, batchToken));
  return row && grantedOf(row);
}

/** What is written of an account: balance, hits of each window, usage events. */
async function writtenOf(accountId: string) {
  const rows = await gateway.sql`
    select
      (select balance_nanos from accounts where account_id = ${accountId})::text as balance,
      (
        select json_agg(json_build_array(operation, feed_id, cardinality(hits)) order by operation)
        from rate_windows where account_id = ${accountId}
      ) as windows,
      (
        select json_agg(json_build_array(
          operation, feed_id, charge_nanos, balance_after_nanos, refunded,
          extract(epoch from happened_at) * 1000 - ('x' || left(replace(usage_id::text, '-', ''), 12))::bit(48)::bigint < 1
        ) order by usage_id)
        from usage_events where account_id = ${accountId}
      ) as events`;
  return rows[0];
}

/** All that a client could see of a decision; times to the second, since two calls differ. */
function seenOf(decided: Decided | undefined) {
  const { usageId, timestamp: _, oldestUs: __, oldestInUs, ...rest } = decided as Decided;
  return {
    ...rest,
    isLogged: usageId !== null,
    oldestInS: Math.round(oldestInUs / SECOND_US),
  };
}

/** One granted by itself, the other admitted: the same for their clients and in their accounts. */
async function expectSame(one: Claim, other: Claim): Promise<void> {
  const { database } = gateway.gateway.services;
  const granted = await grant(one);
  const [admitted] = decidedOf(
    await database.row("admit", admitParameters([other], newBatchToken())),
  );
  expect(granted?.outcome).toBe("granted");
  expect(seenOf(granted)).toEqual(seenOf(admitted));
  expect(await writtenOf(one.accountId)).toEqual(await writtenOf(other.accountId));
}

test("a window as full as a paid feed's may be is kept as it is: to compress it at each hit takes longer than all else", async () => {
  const { database } = gateway.gateway.services;
  const claim = await claimant({ limitPaid: 600 });
  await fillWindow(
    claim,
    Array.from({ length: 598 }, (_, hit) => hit / 16),
  );
  const alone = await grant(claim);
  const [batched] = decidedOf(
    await database.row("admit", admitParameters([claim], newBatchToken())),
  );
  expect([alone?.windowUsed, batched?.windowUsed]).toEqual([599, 600]);
  const [window] = await gateway.sql`
    select pg_column_compression(hits) as compression, pg_column_size(hits) as bytes
    from rate_windows where account_id = ${claim.accountId}`;
  expect(window).toEqual({ compression: null, bytes: 24 + 600 * 8 });
});

test("what waits alone and is plain is asked of grant_read, all else of admit", async () => {
  const { database } = gateway.gateway.services;
  const asked: string[] = [];
  const admission = new Admission({
    database: Object.create(database, {
      row: {
        value: (name: "admit", parameters: Parameters<"admit">) => {
          asked.push(name);
          return database.row(name, parameters);
        },
      },
    }),
  });
  const askedFor = async (...claims: Claim[]) => {
    asked.length = 0;
    await Promise.all(claims.map((claim) => admission.admit(claim)));
    return [...asked];
  };
  const [first, plain, other] = [await claimant(), await claimant(), await claimant()];
  expect(await askedFor(plain)).toEqual(["grant_read"]);
  expect(await askedFor(first, plain, other)).toEqual(["grant_read", "admit"]);
  const idempotency = { key: "k", queryHash: "q" };
  expect(await askedFor({ ...plain, idempotency })).toEqual(["admit"]);
  const poor = await claimant({}, 1);
  expect(await askedFor(poor)).toEqual(["grant_read", "admit"]);
  // It was refused a moment ago.
  expect(await askedFor(poor)).toEqual(["admit"]);
});

describe("grant_read", () => {
  const cases: [string, () => Partial<Claim>, readonly number[]][] = [
    ["a first read of a metered feed", () => ({}), []],
    ["a read of a window with expired hits", () => ({}), [90, 61, 30, 2]],
    ["a read of a free feed", () => ({ feedId: feeds.free.feedId }), [10]],
    ["metadata", () => ({ operation: "metadata" }), [50]],
    ["a revalidation", () => ({ operation: "revalidate" }), []],
    [
      "metadata of what is sold once",
      () => ({ operation: "metadata", feedId: feeds.sold.feedId }),
      [],
    ],
    ["a planned read", () => ({ definitionVersion: 1n }), []],
  ];
  for (const [name, over, agesS] of cases) {
    test(`decides, answers and writes as admit: ${name}`, async () => {
      const [one, other] = [await claimant(over()), await claimant(over())];
      if (agesS.length > 0) await Promise.all([one, other].map((each) => fillWindow(each, agesS)));
      await expectSame(one, other);
    });
  }

  for (const operation of ["data", "revalidate"] as const) {
    test(`decides, answers and writes as admit: ${operation} of what is sold once and bought`, async () => {
      const bought = async () => {
        const claim = await claimant({ operation, feedId: feeds.sold.feedId });
        await gateway.sql`
          with entry as (
            insert into credit_ledger
              (account_id, kind, amount_nanos, balance_before_nanos, balance_after_nanos, reason)
            values (${claim.accountId}, 'purchase', 0, 10000, 10000, 'test')
            returning entry_id
          )
          insert into purchases (account_id, feed_id, entry_id)
          select ${claim.accountId}, ${feeds.sold.feedId}, entry_id from entry`;
        return claim;
      };
      await expectSame(await bought(), await bought());
    });
  }

  for (const operation of ["catalog", "search", "account", "usage", "save"] as const) {
    test(`decides, answers and writes as admit: ${operation}, which names no feed`, async () => {
      const withoutFeed = async () => {
        const { feedId: _, ...claim } = await claimant({ operation });
        return claim;
      };
      const [one, other] = [await withoutFeed(), await withoutFeed()];
      await expectSame(one, other);
    });
  }

  const sql = () => gateway.sql;
  const left: [string, () => Promise<Claim>][] = [
    [
      "a revoked key",
      async () => {
        const claim = await claimant();
        await sql()`update api_keys set revoked_at = now() where key_id = ${claim.keyId}`;
        return claim;
      },
    ],
    [
      "a key that has expired",
      async () => {
        const claim = await claimant();
        await sql()`
          update api_keys
          set created_at = now() - interval '1 hour', expires_at = now() - interval '1 second'
          where key_id = ${claim.keyId}`;
        return claim;
      },
    ],
    ["another account's key", async () => claimant({ keyId: (await claimant()).keyId })],
    ["a key that is not there", () => claimant({ keyId: crypto.randomUUID() })],
    ["a feed that is not there", () => claimant({ feedId: crypto.randomUUID() })],
    ["a feed that has changed since it was planned", () => claimant({ definitionVersion: 99n })],
    [
      "a feed that is no longer active",
      async () => {
        const owner = await gateway.createAccount();
        const { feedId } = await seedFeed(gateway, owner, { type: "collection", rows: ROWS });
        await sql()`update feeds set status = 'inactive' where feed_id = ${feedId}`;
        return claimant({ feedId });
      },
    ],
    ["a feed that is sold once and not bought", () => claimant({ feedId: feeds.sold.feedId })],
    [
      "a revalidation of what is sold once and not bought",
      () => claimant({ feedId: feeds.sold.feedId, operation: "revalidate" }),
    ],
    ["too little credit", () => claimant({}, 1)],
    [
      "a full window",
      async () => {
        const claim = await claimant();
        await fillWindow(claim, [30, 20, 10, 5, 1]);
        return claim;
      },
    ],
    [
      "a full window of a free feed",
      async () => {
        const claim = await claimant({ feedId: feeds.free.feedId });
        await fillWindow(claim, [30, 20, 10]);
        return claim;
      },
    ],
    [
      "a window with a hit of a clock that was ahead",
      async () => {
        const claim = await claimant();
        await fillWindow(claim, [1, -30]);
        return claim;
      },
    ],
  ];
  for (const [name, prepare] of left) {
    test(`leaves to admit, with nothing written: ${name}`, async () => {
      const claim = await prepare();
      const before = await writtenOf(claim.accountId);
      expect(await grant(claim)).toBeUndefined();
      expect(await writtenOf(claim.accountId)).toEqual(before);
    });
  }

  test("leaves to admit a batch that was given up as lost before it began", async () => {
    const claim = await claimant();
    const token = newBatchToken();
    const lost = [token, [claim.accountId], [], [], 0n, new Date().toISOString(), null] as const;
    await gateway.gateway.services.database.row("refund_reads", [...lost]);
    const before = await writtenOf(claim.accountId);
    expect(await grant(claim, token)).toBeUndefined();
    expect(await writtenOf(claim.accountId)).toEqual(before);
    expect((await grant(claim))?.outcome).toBe("granted");
  });

  test("a grant whose answer was lost is found by its batch and refunded", async () => {
    const claim = await claimant();
    const token = newBatchToken();
    expect((await grant(claim, token))?.outcome).toBe("granted");
    const lost = [token, [claim.accountId], [], [], 0n, new Date().toISOString(), null] as const;
    const refund = await gateway.gateway.services.database.row("refund_reads", [...lost]);
    expect(refund?.refunded).toBe(1);
    expect((await writtenOf(claim.accountId))?.balance).toBe("10000");
  });
});
