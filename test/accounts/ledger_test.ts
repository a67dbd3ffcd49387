import { afterAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { changeLedger } from "../../src/accounts/ledger.ts";
import { shareTestGateway } from "../support/gateway.ts";
import { histories } from "../support/histories.ts";
import { seedFeed } from "../support/seed.ts";

const gateway = await shareTestGateway();
const peer = await gateway.startPeer();
const { database } = gateway.gateway.services;
afterAll(() => gateway.stop());

const ACCOUNTS = 3;
const FEEDS = 2;
/** Nano-dollars of a read of the metered feed; less than a grant may be. */
const PRICE = 2;

/**
 * What an operator or a reader may do; accounts, references, codes, feeds and reads by number, so that they
 * meet. A reader asks one of two gateways.
 */
type Step =
  | { do: "grant" | "revoke"; account: number; amount: number; reference: number | undefined }
  | { do: "read"; account: number; at: number }
  | { do: "refund"; account: number; read: number }
  | { do: "look"; account: number; feed: number; at: number }
  | { do: "undo"; account: number; feed: number }
  | { do: "create"; code: number; amount: number; most: number | null; isExpired: boolean }
  | { do: "redeem"; code: number; account: number }
  | { do: "purchase"; account: number; feed: number; reference: number | undefined };

const account = fc.nat(ACCOUNTS - 1);
const amount = fc.integer({ min: 1, max: 5 });
const code = fc.nat(2);
const reference = fc.option(fc.nat(3), { nil: undefined });
const feed = fc.nat(FEEDS - 1);
const at = fc.nat(1);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom("grant", "revoke"), account, amount, reference }),
  // More of these: a refund needs a read, which needs a grant.
  { weight: 3, arbitrary: fc.record({ do: fc.constant("read" as const), account, at }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("refund" as const), account, read: fc.nat(1) }),
  },
  fc.record({ do: fc.constant("look" as const), account, feed, at }),
  fc.record({ do: fc.constant("undo" as const), account, feed }),
  fc.record({
    do: fc.constant("create" as const),
    code,
    amount,
    most: fc.option(fc.integer({ min: 1, max: 2 })),
    isExpired: fc.boolean(),
  }),
  fc.record({ do: fc.constant("redeem" as const), code, account }),
  fc.record({ do: fc.constant("purchase" as const), account, feed, reference }),
);

/** What the proof of an account says, in nano-dollars. */
interface Books {
  granted: number;
  revoked: number;
  charged: number;
  refunded: number;
}

/** The ledger as plain JavaScript: the outcome of each step, and the books. */
class Model {
  readonly books = Array.from(
    { length: ACCOUNTS },
    (): Books => ({ granted: 0, revoked: 0, charged: 0, refunded: 0 }),
  );
  /** Whether each read that was charged was refunded, by account. */
  readonly reads = Array.from({ length: ACCOUNTS }, (): boolean[] => []);
  readonly references = new Map<string, string>();
  readonly codes = new Map<
    number,
    { amount: number; most: number | null; isExpired: boolean; by: Set<number> }
  >();
  readonly purchases = new Map<string, string>();
  readonly undone = new Set<string>();

  run(wanted: Step): string {
    switch (wanted.do) {
      case "grant": {
        const content = `grant ${wanted.account} ${wanted.amount}`;
        const known = this.claim(wanted.reference, content);
        if (known !== undefined) return known === content ? "repeated" : "reference_taken";
        this.of(wanted.account).granted += wanted.amount;
        return "appended";
      }
      case "revoke": {
        const content = `revoke ${wanted.account} ${wanted.amount}`;
        const known = this.references.get(String(wanted.reference));
        if (known !== undefined) return known === content ? "repeated" : "reference_taken";
        if (this.balanceOf(wanted.account) < wanted.amount) return "balance_short";
        this.claim(wanted.reference, content);
        this.of(wanted.account).revoked += wanted.amount;
        return "appended";
      }
      case "read": {
        if (this.balanceOf(wanted.account) < PRICE) return "402";
        this.of(wanted.account).charged += PRICE;
        this.reads[wanted.account]?.push(false);
        return "200";
      }
      case "refund": {
        const reads = this.reads[wanted.account] as boolean[];
        const isRefunded = reads[wanted.read];
        if (isRefunded === undefined) return "usage_unknown";
        if (isRefunded) return "repeated";
        reads[wanted.read] = true;
        this.of(wanted.account).refunded += PRICE;
        return "refunded";
      }
      case "look":
        return this.purchases.has(`${wanted.account} ${wanted.feed}`) ? "200" : "402";
      case "undo": {
        const bought = `${wanted.account} ${wanted.feed}`;
        if (!this.purchases.delete(bought)) {
          return this.undone.has(bought) ? "repeated" : "not_purchased";
        }
        this.undone.add(bought);
        return "undone";
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
        this.of(wanted.account).granted += promotion.amount;
        return "redeemed";
      }
      case "purchase": {
        const bought = `${wanted.account} ${wanted.feed}`;
        const under = this.purchases.get(bought);
        const given = wanted.reference === undefined ? undefined : String(wanted.reference);
        if (under !== undefined) {
          return given === undefined || given === under ? "repeated" : "already_purchased";
        }
        const content = `purchase ${bought}`;
        const known = this.claim(wanted.reference, content);
        if (known !== undefined) return known === content ? "undone" : "reference_taken";
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

  private of(account: number): Books {
    return this.books[account] as Books;
  }

  private balanceOf(account: number): number {
    const { granted, revoked, charged, refunded } = this.of(account);
    return granted - revoked - charged + refunded;
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
  const metered = await seedFeed(gateway, provider, {
    type: "singleton",
    rows: [{}],
    callPriceNanos: PRICE,
  });
  const keys = await Promise.all(accountIds.map((each) => gateway.createKey(each, "read")));
  const usageIds = accountIds.map((): string[] => []);
  const bases = [gateway.baseUrl, peer.baseUrl];
  const get = (slug: string, wanted: { account: number; at: number }) =>
    fetch(`${bases[wanted.at]}/v1/feed/${slug}`, {
      headers: { "x-api-key": keys[wanted.account] as string },
    });
  const referenceOf = (number: number | undefined) =>
    number === undefined ? null : `${scene} ${number}`;

  async function run(wanted: Step): Promise<string> {
    switch (wanted.do) {
      case "grant":
      case "revoke": {
        const isGrant = wanted.do === "grant";
        const outcome = await changeLedger(database, "append_ledger_entry", {
          account_id: accountIds[wanted.account] as string,
          kind: isGrant ? "grant" : "revocation",
          amount_nanos: BigInt(isGrant ? wanted.amount : -wanted.amount),
          reason: "test",
          reference: referenceOf(wanted.reference),
          actor: null,
        });
        return outcome.kind;
      }
      case "read": {
        const response = await get(metered.slug, wanted);
        const { _origin: origin } = (await response.json()) as { _origin?: { usage_id: string } };
        if (origin !== undefined) usageIds[wanted.account]?.push(origin.usage_id);
        return String(response.status);
      }
      case "refund": {
        const usageId = usageIds[wanted.account]?.[wanted.read] ?? crypto.randomUUID();
        return (
          await changeLedger(database, "refund_event", {
            usage_id: usageId,
            reason: "test",
            actor: null,
          })
        ).kind;
      }
      case "look":
        return String((await get(feeds[wanted.feed]?.slug as string, wanted)).status);
      case "undo":
        return (
          await changeLedger(database, "undo_purchase", {
            account_id: accountIds[wanted.account] as string,
            feed_id: feeds[wanted.feed]?.feedId as string,
            reason: "test",
            actor: null,
          })
        ).kind;
      case "create": {
        const made = await database.row("create_promotion", {
          code: `${scene} ${wanted.code}`,
          amount_nanos: BigInt(wanted.amount),
          max_redemptions: wanted.most,
          expires_at: wanted.isExpired ? "2026-01-01T00:00:00Z" : null,
          actor: null,
        });
        return made === undefined ? "code_taken" : "created";
      }
      case "redeem":
        return (
          await changeLedger(database, "redeem_promotion", {
            code: `${scene} ${wanted.code}`,
            account_id: accountIds[wanted.account] as string,
            actor: null,
          })
        ).kind;
      case "purchase":
        return (
          await changeLedger(database, "record_purchase", {
            account_id: accountIds[wanted.account] as string,
            feed_id: feeds[wanted.feed]?.feedId as string,
            reference: referenceOf(wanted.reference),
            actor: null,
          })
        ).kind;
    }
  }

  /** The books, each proven by its account's entries, of which each begins where the one before ended. */
  async function books(): Promise<Books[]> {
    const found: Books[] = [];
    for (const accountId of accountIds) {
      const entries = await gateway.sql`
        select amount_nanos, balance_before_nanos, balance_after_nanos
        from credit_ledger where account_id = ${accountId} order by entry_id`;
      let balance = 0n;
      for (const entry of entries) {
        // Charges of reads are no entries, and only lower it.
        expect(entry.balance_before_nanos).toBeLessThanOrEqual(balance);
        balance = entry.balance_before_nanos + entry.amount_nanos;
        expect(entry.balance_after_nanos).toBe(balance);
        expect(balance).toBeGreaterThanOrEqual(0n);
      }
      const proof = await database.row("prove_ledger", { account_id: accountId });
      if (proof === undefined) throw new Error("the account has no proof");
      const { granted_nanos: granted, revoked_nanos: revoked } = proof;
      const { charged_nanos: charged, refunded_nanos: refunded } = proof;
      expect(granted - revoked - charged + refunded).toBe(proof.balance_nanos);
      found.push({
        granted: Number(granted),
        revoked: Number(revoked),
        charged: Number(charged),
        refunded: Number(refunded),
      });
    }
    return found;
  }
  return { run, books };
}

describe("ledger", () => {
  test("does what a plain model does, step by step, and so do reads over two gateways", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40, size: "max" }), async (steps) => {
        const scene = await createScene();
        const model = new Model();
        for (const wanted of steps) {
          expect([wanted, await scene.run(wanted)]).toEqual([wanted, model.run(wanted)]);
        }
        expect(await scene.books()).toEqual(model.books);
      }),
      { numRuns: histories(15) },
    );
  });

  test("all at once, each reference, redemption and purchase still counts once", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 10, maxLength: 40, size: "max" }),
        async (steps) => {
          const scene = await createScene();
          // Codes and reads first: whether a redemption or a refund meets one is not what is tested here.
          const isEarly = (each: Step) => each.do === "create" || each.do === "read";
          for (const account of [0, 1, 2]) {
            await scene.run({ do: "grant", account, amount: 2 * PRICE, reference: undefined });
          }
          for (const wanted of steps.filter(isEarly)) await scene.run(wanted);
          const others = steps.filter((each) => !isEarly(each));
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
          once(["refunded"], (wanted) =>
            wanted.do === "refund" ? `${wanted.account} ${wanted.read}` : undefined,
          );
          // An undo lies between two purchases of the same feed.
          const open = new Map<string, number>();
          for (const [index, each] of others.entries()) {
            if (each.do !== "purchase" && each.do !== "undo") continue;
            const change = { purchased: 1, undone: each.do === "undo" ? -1 : 0 };
            const bought = `${each.account} ${each.feed}`;
            const by = change[outcomes[index] as "purchased" | "undone"] ?? 0;
            open.set(bought, (open.get(bought) ?? 0) + by);
          }
          for (const times of open.values()) expect(times).toBeOneOf([0, 1]);
          await scene.books();
        },
      ),
      { numRuns: histories(12) },
    );
  });

  test("grants and charged reads at once leave a balance that adds up", async () => {
    const feed = await seedFeed(gateway, await gateway.createAccount(), {
      type: "singleton",
      rows: [{}],
      callPriceNanos: 1_500,
    });
    const accountId = await gateway.createAccount();
    const key = await gateway.createKey(accountId, "read");
    const grants = Array.from({ length: 40 }, (_, number) =>
      changeLedger(database, "append_ledger_entry", {
        account_id: accountId,
        kind: "grant",
        amount_nanos: 1_000n,
        reason: "test",
        reference: `mixed ${number % 20}`,
        actor: null,
      }),
    );
    const reads = Array.from({ length: 60 }, () => gateway.get(`/v1/feed/${feed.slug}`, key));
    const statuses = (await Promise.all(reads)).map((response) => response.status);
    await Promise.all(grants);
    const charged = 1_500n * BigInt(statuses.filter((status) => status === 200).length);
    expect(await database.row("prove_ledger", { account_id: accountId })).toMatchObject({
      balance_nanos: 20_000n - charged,
      granted_nanos: 20_000n,
      revoked_nanos: 0n,
      charged_nanos: charged,
      refunded_nanos: 0n,
    });
  });
});

test("a reference names one entry: the same call is a repeat, another amount or account is refused", async () => {
  const [one, other] = [await gateway.createAccount(), await gateway.createAccount()];
  const append = async (accountId: string, amount: bigint) => {
    const { kind } = await changeLedger(database, "append_ledger_entry", {
      account_id: accountId,
      kind: "grant",
      amount_nanos: amount,
      reason: "test",
      reference: `of ${one}`,
      actor: null,
    });
    return kind;
  };
  expect(await append(one, 5n)).toBe("appended");
  expect(await append(one, 5n)).toBe("repeated");
  expect(await append(one, 6n)).toBe("reference_taken");
  expect(await append(other, 5n)).toBe("reference_taken");
});
