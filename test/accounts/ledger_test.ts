import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  createPromotion,
  grantCredits,
  recordPurchase,
  redeemPromotion,
} from "../../src/accounts/ledger.ts";
import type { Database } from "../../src/postgres/client/query.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { seedFeed } from "../support/seed.ts";

let gateway: TestGateway;
let database: Database;
beforeAll(async () => {
  gateway = await startTestGateway();
  database = gateway.gateway.services.database;
});
afterAll(() => gateway.stop());

const ACCOUNTS = 3;
const FEEDS = 2;

/** What an operator may do; accounts, references, codes and feeds by number, so that they meet. */
type Step =
  | { do: "grant"; account: number; amount: number; reference: number | undefined }
  | { do: "create"; code: number; amount: number; most: number | null; isExpired: boolean }
  | { do: "redeem"; code: number; account: number }
  | { do: "purchase"; account: number; feed: number; reference: number | undefined };

const account = fc.nat(ACCOUNTS - 1);
const amount = fc.integer({ min: 1, max: 3 });
const code = fc.nat(2);
const reference = fc.option(fc.nat(3), { nil: undefined });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("grant" as const), account, amount, reference }),
  fc.record({
    do: fc.constant("create" as const),
    code,
    amount,
    most: fc.option(fc.integer({ min: 1, max: 2 })),
    isExpired: fc.boolean(),
  }),
  fc.record({ do: fc.constant("redeem" as const), code, account }),
  fc.record({ do: fc.constant("purchase" as const), account, feed: fc.nat(FEEDS - 1), reference }),
);

/** The ledger as plain JavaScript: the kind of outcome of each step, and the balances. */
class Model {
  readonly balances = new Array<number>(ACCOUNTS).fill(0);
  readonly references = new Map<string, string>();
  readonly codes = new Map<
    number,
    { amount: number; most: number | null; isExpired: boolean; by: Set<number> }
  >();
  readonly purchases = new Map<string, string>();

  run(wanted: Step): string {
    switch (wanted.do) {
      case "grant": {
        const content = `grant ${wanted.account} ${wanted.amount}`;
        const known = this.claim(wanted.reference, content);
        if (known !== undefined) return known === content ? "repeated" : "reference_taken";
        this.add(wanted.account, wanted.amount);
        return "appended";
      }
      case "create": {
        const { amount, most, isExpired } = wanted;
        const known = this.codes.get(wanted.code);
        if (known === undefined) {
          this.codes.set(wanted.code, { amount, most, isExpired, by: new Set() });
          return "created";
        }
        const isSame =
          known.amount === amount && known.most === most && known.isExpired === isExpired;
        return isSame ? "created" : "code_taken";
      }
      case "redeem": {
        const promotion = this.codes.get(wanted.code);
        if (promotion === undefined) return "code_unknown";
        if (promotion.by.has(wanted.account)) return "already_redeemed";
        if (promotion.isExpired) return "expired";
        if (promotion.most !== null && promotion.by.size >= promotion.most) return "exhausted";
        promotion.by.add(wanted.account);
        this.add(wanted.account, promotion.amount);
        return "redeemed";
      }
      case "purchase": {
        const bought = `${wanted.account} ${wanted.feed}`;
        const under = this.purchases.get(bought);
        const given = wanted.reference === undefined ? undefined : String(wanted.reference);
        if (under !== undefined) {
          return given === undefined || given === under ? "repeated" : "already_purchased";
        }
        if (this.claim(wanted.reference, `purchase ${bought}`) !== undefined) {
          return "reference_taken";
        }
        this.purchases.set(bought, given ?? "its own");
        return "purchased";
      }
    }
  }

  /** What has the reference already; undefined where it is free, and now taken. */
  private claim(reference: number | undefined, content: string): string | undefined {
    if (reference === undefined) return undefined;
    const known = this.references.get(String(reference));
    if (known === undefined) this.references.set(String(reference), content);
    return known;
  }

  private add(account: number, amount: number): void {
    this.balances[account] = (this.balances[account] as number) + amount;
  }
}

/** Accounts, feeds and names of one history's own. */
async function createScene() {
  const scene = crypto.randomUUID();
  const accountIds = await Promise.all(
    Array.from({ length: ACCOUNTS }, () => gateway.createAccount()),
  );
  const provider = await gateway.createAccount();
  const feeds = await Promise.all(
    Array.from({ length: FEEDS }, () =>
      seedFeed(gateway, provider, { type: "singleton", rows: [{}], oneTimePriceCents: 100 }),
    ),
  );
  const referenceOf = (number: number | undefined) =>
    number === undefined ? undefined : `${scene} ${number}`;

  async function run(wanted: Step): Promise<string> {
    switch (wanted.do) {
      case "grant":
        return (
          await grantCredits(database, {
            accountId: accountIds[wanted.account] as string,
            amountNanos: BigInt(wanted.amount),
            reason: "test",
            reference: referenceOf(wanted.reference),
          })
        ).kind;
      case "create":
        return (
          await createPromotion(database, {
            code: `${scene} ${wanted.code}`,
            amountNanos: BigInt(wanted.amount),
            maxRedemptions: wanted.most,
            expiresAt: wanted.isExpired ? "2026-01-01T00:00:00Z" : null,
          })
        ).kind;
      case "redeem":
        return (
          await redeemPromotion(database, {
            code: `${scene} ${wanted.code}`,
            accountId: accountIds[wanted.account] as string,
          })
        ).kind;
      case "purchase":
        return (
          await recordPurchase(database, {
            accountId: accountIds[wanted.account] as string,
            feedId: feeds[wanted.feed]?.feedId as string,
            reference: referenceOf(wanted.reference),
          })
        ).kind;
    }
  }

  /** Balances, each proven to be where its account's entries lead, one from the other. */
  async function balances(): Promise<number[]> {
    const found: number[] = [];
    for (const accountId of accountIds) {
      const entries = await gateway.sql`
        select amount_nanos, balance_before_nanos, balance_after_nanos
        from credit_ledger where account_id = ${accountId} order by entry_id`;
      let balance = 0n;
      for (const entry of entries) {
        expect(entry.balance_before_nanos).toBe(balance);
        balance += entry.amount_nanos;
        expect(entry.balance_after_nanos).toBe(balance);
      }
      const proof = await database.row("prove_ledger", [accountId]);
      expect(proof).toMatchObject({ balance_nanos: balance, granted_nanos: balance });
      found.push(Number(balance));
    }
    return found;
  }
  return { run, balances };
}

describe("ledger", () => {
  test("does what a plain model does, step by step", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const scene = await createScene();
        const model = new Model();
        for (const wanted of steps) {
          expect([wanted, await scene.run(wanted)]).toEqual([wanted, model.run(wanted)]);
        }
        expect(await scene.balances()).toEqual(model.balances);
      }),
      { numRuns: 60 },
    );
  }, 60_000);

  test("all at once, each reference, redemption and purchase still counts once", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        const scene = await createScene();
        // Codes first: whether a redemption meets one is not what is tested here.
        for (const wanted of steps.filter((each) => each.do === "create")) await scene.run(wanted);
        const others = steps.filter((each) => each.do !== "create");
        const outcomes = await Promise.all(others.map(scene.run));
        const once = (kinds: readonly string[], nameOf: (wanted: Step) => string | undefined) => {
          const names = others
            .filter((_, index) => kinds.includes(outcomes[index] as string))
            .map(nameOf)
            .filter((name) => name !== undefined);
          expect(names).toEqual([...new Set(names)]);
        };
        once(["appended", "purchased"], (wanted) =>
          "reference" in wanted ? wanted.reference?.toString() : undefined,
        );
        once(["redeemed"], (wanted) =>
          wanted.do === "redeem" ? `${wanted.code} ${wanted.account}` : undefined,
        );
        once(["purchased"], (wanted) =>
          wanted.do === "purchase" ? `${wanted.account} ${wanted.feed}` : undefined,
        );
        await scene.balances();
      }),
      { numRuns: 40 },
    );
  }, 60_000);

  test("grants and charged reads at once leave a balance that adds up", async () => {
    const feed = await seedFeed(gateway, await gateway.createAccount(), {
      type: "singleton",
      rows: [{}],
      callPriceNanos: 1_500,
    });
    const accountId = await gateway.createAccount();
    const key = await gateway.createKey(accountId, "read");
    const grants = Array.from({ length: 40 }, (_, number) =>
      grantCredits(database, {
        accountId,
        amountNanos: 1_000n,
        reason: "test",
        reference: `mixed ${number % 20}`,
      }),
    );
    const reads = Array.from({ length: 60 }, () => gateway.get(`/v1/feed/${feed.slug}`, key));
    const statuses = (await Promise.all(reads)).map((response) => response.status);
    await Promise.all(grants);
    const charged = 1_500n * BigInt(statuses.filter((status) => status === 200).length);
    expect(await database.row("prove_ledger", [accountId])).toEqual({
      balance_nanos: 20_000n - charged,
      granted_nanos: 20_000n,
      revoked_nanos: 0n,
      charged_nanos: charged,
      refunded_nanos: 0n,
    });
  });
});
