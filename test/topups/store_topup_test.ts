import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createLog } from "../../src/lib/log.ts";
import { createDatabase, type Database } from "../../src/postgres/client/database.ts";
import { finishTopup } from "../../src/topups/finish.ts";
import {
  alertTopup,
  type BegunTopup,
  type Book,
  beginTopup,
  expireTopup,
  findTopup,
  grantTopup,
  type TopupOrder,
  takeBackTopup,
} from "../../src/topups/store_topup.ts";
import type { Standing, Topup, Ways } from "../../src/topups/way.ts";
import { shareTestGateway, type TestGateway } from "../support/gateway.ts";
import { histories } from "../support/histories.ts";
import { lockWaiters } from "../support/lock_waiters.ts";

const USD = 1_000_000_000n;
const KEY_ID = crypto.randomUUID();
const ANY_DAY = { accountDayNanos: undefined, dayNanos: undefined };

let gateway: TestGateway;
let database: Database;
let book: Book;
let payments = 0;

beforeAll(async () => {
  gateway = await shareTestGateway();
  database = createDatabase(gateway.sql);
  book = { database, log: createLog({ level: "silent" }) };
});
afterAll(() => gateway.stop());

const newReference = () => `x402:eip155:1:${++payments}`;

function order(accountId: string, given: Partial<TopupOrder> = {}): TopupOrder {
  return {
    accountId,
    keyId: KEY_ID,
    way: "card",
    amountNanos: 5n * USD,
    lifetimeMs: 3_600_000,
    ...given,
  };
}

function topupOf(begun: BegunTopup): Topup {
  if (begun.kind !== "begun" && begun.kind !== "repeated") throw new Error(begun.kind);
  return begun.topup;
}

async function begin(accountId: string, given: Partial<TopupOrder> = {}): Promise<Topup> {
  return topupOf(await beginTopup(database, order(accountId, given), ANY_DAY));
}

/** Balance, entries by kind and whether the ledger adds up. */
async function bookOf(accountId: string) {
  const [row] = await gateway.sql`
    select
      balance_nanos,
      granted_nanos - revoked_nanos - charged_nanos + refunded_nanos - balance_nanos as difference
    from ledger_of(${accountId})`;
  expect(Number(row?.difference)).toBe(0);
  const entries = await gateway.sql`
    select kind, amount_nanos, reference from credit_ledger
    where account_id = ${accountId} order by entry_id`;
  return {
    balance: BigInt(row?.balance_nanos),
    entries: entries.map(({ kind, amount_nanos: amount, reference }) => [
      kind,
      BigInt(amount),
      reference,
    ]),
  };
}

/** Of all accounts. */
async function sumOfDay(): Promise<bigint> {
  const [row] = await gateway.sql`
    select sum(amount_nanos) as sum from topups
    where created_at >= date_trunc('day', now(), 'UTC') and status <> 'expired'`;
  return BigInt(row?.sum);
}

async function stateOf(topup: Topup): Promise<Topup> {
  return (await findTopup(database, topup.topup_id)) as Topup;
}

/** Ways of which the card says this. */
function waysSaying(standing: Standing | Error): Ways {
  return {
    x402: undefined,
    card: {
      begin: () => Promise.reject(new Error("not here")),
      ask: () => (standing instanceof Error ? Promise.reject(standing) : Promise.resolve(standing)),
    },
  };
}

describe("beginTopup", () => {
  test("the same Idempotency-Key gets the same top-up, also at once, and another amount is refused", async () => {
    const accountId = await gateway.createAccount();
    const again = order(accountId, { idempotencyKey: "k" });
    const begun = await Promise.all(
      Array.from({ length: 6 }, () => beginTopup(database, again, ANY_DAY)),
    );
    expect(begun.filter(({ kind }) => kind === "begun")).toHaveLength(1);
    expect(new Set(begun.map((each) => topupOf(each).topup_id)).size).toBe(1);
    const other = { ...again, amountNanos: USD };
    expect(await beginTopup(database, other, ANY_DAY)).toEqual({ kind: "key_reused" });
    const elsewhere = order(await gateway.createAccount(), { idempotencyKey: "k" });
    expect((await beginTopup(database, elsewhere, ANY_DAY)).kind).toBe("begun");
  });

  test("an Idempotency-Key is forgotten after a day", async () => {
    const accountId = await gateway.createAccount();
    const { topup_id: topupId } = await begin(accountId, { idempotencyKey: "day" });
    await gateway.sql`
      update topups set created_at = now() - interval '25 hours' where topup_id = ${topupId}`;
    expect((await begin(accountId, { idempotencyKey: "day" })).topup_id).not.toBe(topupId);
  });

  test("the same payment gets the same top-up, also at once, and another account is refused", async () => {
    const accountId = await gateway.createAccount();
    const payer = order(accountId, { way: "x402", paymentId: "payer:nonce" });
    const begun = await Promise.all(
      Array.from({ length: 6 }, () => beginTopup(database, payer, ANY_DAY)),
    );
    expect(begun.filter(({ kind }) => kind === "begun")).toHaveLength(1);
    expect(new Set(begun.map((each) => topupOf(each).topup_id)).size).toBe(1);
    for (const given of [
      { ...payer, accountId: await gateway.createAccount() },
      { ...payer, accountId: null, keyId: null },
      { ...payer, amountNanos: USD },
    ]) {
      expect(await beginTopup(database, given, ANY_DAY)).toEqual({ kind: "payment_taken" });
    }
    const keyless = { ...payer, accountId: null, keyId: null, paymentId: "nobody:nonce" };
    expect((await beginTopup(database, keyless, ANY_DAY)).kind).toBe("begun");
    expect((await beginTopup(database, keyless, ANY_DAY)).kind).toBe("repeated");
  });

  test("limits of a day hold for an account and for all, also at once, and expired top-ups don't count", async () => {
    const accountId = await gateway.createAccount();
    const ofAccount = { accountDayNanos: 12n * USD, dayNanos: undefined };
    const begun = await Promise.all(
      Array.from({ length: 4 }, () => beginTopup(database, order(accountId), ofAccount)),
    );
    expect(begun.map(({ kind }) => kind).sort()).toEqual([
      "account_day_full",
      "account_day_full",
      "begun",
      "begun",
    ]);
    const first = begun.find(({ kind }) => kind === "begun") as BegunTopup;
    await expireTopup(book, topupOf(first).topup_id);
    expect((await beginTopup(database, order(accountId), ofAccount)).kind).toBe("begun");

    const ofAll = { accountDayNanos: undefined, dayNanos: (await sumOfDay()) + 12n * USD };
    const accounts = await Promise.all(Array.from({ length: 4 }, () => gateway.createAccount()));
    const spread = await Promise.all(
      accounts.map((each) => beginTopup(database, order(each), ofAll)),
    );
    expect(spread.map(({ kind }) => kind).sort()).toEqual([
      "begun",
      "begun",
      "day_full",
      "day_full",
    ]);
  });

  test("what is left of a day's limit can be topped up to the last nano-dollar, and no more", async () => {
    const accountId = await gateway.createAccount();
    await begin(accountId);
    const ofAccount = { accountDayNanos: 12n * USD, dayNanos: undefined };
    const ofAll = { accountDayNanos: undefined, dayNanos: (await sumOfDay()) + 14n * USD };
    const kinds: string[] = [];
    for (const [limits, amountNanos] of [
      [ofAccount, 7n * USD + 1n],
      [ofAccount, 7n * USD],
      [ofAccount, 1n],
      [ofAll, 7n * USD + 1n],
      [ofAll, 7n * USD],
      [ofAll, 1n],
    ] as const) {
      kinds.push((await beginTopup(database, order(accountId, { amountNanos }), limits)).kind);
    }
    const [account, all] = ["account_day_full", "day_full"];
    expect(kinds).toEqual([account, "begun", account, all, "begun", all]);
  });

  test("what waits to be paid has parts of the day, so that nobody's fills it", async () => {
    await gateway.sql`
      update topups set status = 'expired', ended_at = now() where status = 'waiting'`;
    const limits = {
      accountDayNanos: undefined,
      dayNanos: 1_000_000n * USD,
      waiting: {
        accountNanos: 10n * USD,
        networkNanos: 15n * USD,
        keylessNanos: 20n * USD,
        allNanos: 45n * USD,
      },
    };
    const ask = async (accountId: string | null, given: Partial<TopupOrder> = {}) => {
      const { amountNanos = 5n * USD } = given;
      const keyId = accountId === null ? null : KEY_ID;
      const asked = { accountId, keyId, way: "card", lifetimeMs: 1_000, ...given } as const;
      const begun = await beginTopup(database, { ...asked, amountNanos }, limits);
      return "topup" in begun ? begun.topup : begun.kind;
    };
    const kindOf = (begun: Topup | string) => (typeof begun === "string" ? begun : "begun");
    const account = () => gateway.createAccount();
    const first = await account();
    // What waits alone may have any amount, also beyond a part.
    const large = await ask(first, { amountNanos: 11n * USD });
    expect([kindOf(large), await ask(first)]).toEqual(["begun", "waiting_full"]);
    await expireTopup(book, (large as Topup).topup_id);
    // An account's own part, also at once.
    const atOnce = await Promise.all(Array.from({ length: 4 }, () => ask(first)));
    expect(atOnce.map(kindOf).sort()).toEqual(["begun", "begun", "waiting_full", "waiting_full"]);
    // What is paid waits no more, and neither does what has expired.
    const [paid] = atOnce.filter((each) => typeof each !== "string");
    const payment = { reference: newReference(), paidNanos: 5n * USD };
    await grantTopup(book, (paid as Topup).topup_id, payment);
    expect([kindOf(await ask(first)), await ask(first)]).toEqual(["begun", "waiting_full"]);
    // Several accounts of a network, beside those of another one.
    for (const network of ["192.0.2.1", "2001:db8::"]) {
      const kinds = [];
      for (let count = 0; count < 4; count++) kinds.push(kindOf(await ask(null, { network })));
      // Both together are at the part of callers without a key.
      const begun = network === "192.0.2.1" ? 3 : 1;
      expect(kinds.filter((kind) => kind === "begun")).toHaveLength(begun);
    }
    expect(await ask(await account(), { network: "192.0.2.1" })).toBe("waiting_full");
    // In all: 10 and 20 wait.
    const others = [];
    for (let count = 0; count < 4; count++) others.push(kindOf(await ask(await account())));
    expect(others).toEqual(["begun", "begun", "begun", "waiting_full"]);
  });

  test("so many of an account's top-ups wait, and no more", async () => {
    const accountId = await gateway.createAccount();
    for (let count = 0; count < 20; count++) await begin(accountId);
    expect(await beginTopup(database, order(accountId), ANY_DAY)).toEqual({
      kind: "too_many_waiting",
    });
  });
});

describe("grantTopup", () => {
  test("a payment is granted once, however often and from however many processes it is told of", async () => {
    const accountId = await gateway.createAccount();
    const topup = await begin(accountId);
    const payment = { reference: newReference(), paidNanos: 5n * USD, paymentId: "cs_1" };
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () => grantTopup(book, topup.topup_id, payment)),
    );
    expect(outcomes.filter((each) => each === "granted")).toHaveLength(1);
    expect(new Set(outcomes)).toEqual(new Set(["granted", "repeated"]));
    expect(await bookOf(accountId)).toEqual({
      balance: 5n * USD,
      entries: [["grant", 5n * USD, payment.reference]],
    });
    expect(await stateOf(topup)).toMatchObject({ status: "granted", payment_id: "cs_1" });
    // An old question about it changes nothing.
    await expireTopup(book, topup.topup_id);
    expect((await stateOf(topup)).status).toBe("granted");
  });

  test("money that came in after a top-up had expired is granted", async () => {
    const accountId = await gateway.createAccount();
    const topup = await begin(accountId);
    await expireTopup(book, topup.topup_id);
    const payment = { reference: newReference(), paidNanos: 5n * USD };
    expect(await grantTopup(book, topup.topup_id, payment)).toBe("granted");
    expect((await bookOf(accountId)).balance).toBe(5n * USD);
  });

  test("money for an account that was closed meanwhile stands in its ledger, with an alert", async () => {
    const accountId = await gateway.createAccount();
    const topup = await begin(accountId);
    await gateway.sql`select close_account(${accountId}, null, 'test')`;
    const payment = { reference: newReference(), paidNanos: 5n * USD };
    expect(await grantTopup(book, topup.topup_id, payment)).toBe("granted");
    expect((await stateOf(topup)).alert).toContain("account_closed: 5000000000 nano-dollars");
    expect(await bookOf(accountId)).toMatchObject({ balance: 5n * USD });
    expect(await grantTopup(book, topup.topup_id, payment)).toBe("repeated");
  });

  test("another amount, a second payment and a reference of another grant are alerts, and grant nothing", async () => {
    const accountId = await gateway.createAccount();
    const [first, second, third] = [
      await begin(accountId),
      await begin(accountId),
      await begin(accountId),
    ];
    const payment = { reference: newReference(), paidNanos: 5n * USD };
    expect(await grantTopup(book, first.topup_id, payment)).toBe("granted");
    const twice = { ...payment, reference: newReference() };
    expect(await grantTopup(book, first.topup_id, twice)).toBe("paid_twice");
    const less = { reference: newReference(), paidNanos: 5n * USD - 1n };
    expect(await grantTopup(book, second.topup_id, less)).toBe("amount_differs");
    expect(await grantTopup(book, third.topup_id, payment)).toBe("reference_taken");
    for (const topup of [first, second, third]) {
      expect((await stateOf(topup)).alert).toContain("nano-dollars by x402:");
    }
    expect((await bookOf(accountId)).balance).toBe(5n * USD);
    const unknown = crypto.randomUUID();
    expect(await grantTopup(book, unknown, twice)).toBe("topup_unknown");
    const keyless = await begin(null as never, { accountId: null, paymentId: "unknown:1" });
    expect(await grantTopup(book, keyless.topup_id, twice)).toBe("account_unknown");
  });
});

describe("takeBackTopup", () => {
  test("a refund takes what the balance has, and the rest is an alert", async () => {
    const accountId = await gateway.createAccount();
    const topup = await begin(accountId);
    await grantTopup(book, topup.topup_id, { reference: newReference(), paidNanos: 5n * USD });
    await gateway.sql`
      select append_ledger_entry(${accountId}, 'revocation', ${String(-2n * USD)}, 'spent', null)`;
    const refund = { source: "refunds", rank: 0, totalNanos: 5n * USD };
    expect(await takeBackTopup(book, topup.topup_id, refund)).toBe("taken_back");
    expect(await takeBackTopup(book, topup.topup_id, refund)).toBe("repeated");
    expect((await bookOf(accountId)).balance).toBe(0n);
    expect(await stateOf(topup)).toMatchObject({
      taken_back_nanos: 3n * USD,
      unrecovered_nanos: 2n * USD,
      alert: expect.stringContaining("unrecovered"),
    });
  });

  test("a refund that is told of before the payment is taken once that is granted", async () => {
    const accountId = await gateway.createAccount();
    const topup = await begin(accountId);
    const refund = { source: "refunds", rank: 0, totalNanos: 2n * USD };
    expect(await takeBackTopup(book, topup.topup_id, refund)).toBe("noted");
    expect((await bookOf(accountId)).balance).toBe(0n);
    await grantTopup(book, topup.topup_id, { reference: newReference(), paidNanos: 5n * USD });
    expect((await bookOf(accountId)).balance).toBe(3n * USD);
  });

  test("a dispute that is won gives back what it took, in any order of the messages", async () => {
    const accountId = await gateway.createAccount();
    const opened = { source: "dp_1", rank: 1, totalNanos: 5n * USD };
    const won = { source: "dp_1", rank: 2, totalNanos: 0n };
    const topup = await begin(accountId);
    await grantTopup(book, topup.topup_id, { reference: newReference(), paidNanos: 5n * USD });
    await takeBackTopup(book, topup.topup_id, opened);
    expect((await bookOf(accountId)).balance).toBe(0n);
    await takeBackTopup(book, topup.topup_id, won);
    expect((await bookOf(accountId)).balance).toBe(5n * USD);
    expect(await takeBackTopup(book, topup.topup_id, opened)).toBe("repeated");
    expect((await bookOf(accountId)).balance).toBe(5n * USD);
  });
});

describe("finishTopup", () => {
  const payment = () => ({ reference: newReference(), paidNanos: 5n * USD });

  test("what a crash left is granted, expired or asked again, as the way says", async () => {
    const accountId = await gateway.createAccount();
    const begun = () => begin(accountId, { paymentId: `cs_${++payments}` });
    const [paid, unpaid, open, failing, strange] = [
      await begun(),
      await begun(),
      await begun(),
      await begun(),
      await begun(),
    ];
    await finishTopup(book, waysSaying({ kind: "paid", payment: payment() }), paid);
    await finishTopup(book, waysSaying({ kind: "void" }), unpaid);
    await finishTopup(book, waysSaying({ kind: "open" }), open);
    await finishTopup(book, waysSaying(new Error("no route")), failing);
    await finishTopup(book, waysSaying({ kind: "strange", alert: "in euro" }), strange);
    expect((await stateOf(paid)).status).toBe("granted");
    expect((await stateOf(unpaid)).status).toBe("expired");
    expect(await stateOf(open)).toMatchObject({ status: "waiting", last_error: null });
    expect(await stateOf(failing)).toMatchObject({ status: "waiting", last_error: "no route" });
    expect(await stateOf(strange)).toMatchObject({ status: "expired", alert: "in euro" });
    expect((await bookOf(accountId)).balance).toBe(5n * USD);
  });

  test("an alert never replaces one that is open, and is there once", async () => {
    const accountId = await gateway.createAccount();
    const topup = await begin(accountId);
    const { topup_id: id } = topup;
    const { reference, paidNanos } = payment();
    await alertTopup(book, id, "first");
    for (let times = 0; times < 2; times++) {
      await grantTopup(book, id, { reference, paidNanos: 1n });
      await alertTopup(book, id, "second");
    }
    await grantTopup(book, id, { reference, paidNanos });
    const lines = ["first", `amount_differs: 1 nano-dollars by ${reference}`, "second"];
    expect((await stateOf(topup)).alert?.split("\n")).toEqual(lines);
    await gateway.sql`
      select append_ledger_entry(${accountId}, 'revocation', ${String(-5n * USD)}, 'spent', null)`;
    const unrecovered = (usd: number) =>
      `unrecovered: ${usd}000000000 nano-dollars of the amount returned to the payer exceeded the balance`;
    const takeBack = { source: "dp_1", rank: 1 };
    await takeBackTopup(book, id, { ...takeBack, totalNanos: 2n * USD });
    await takeBackTopup(book, id, { ...takeBack, totalNanos: 3n * USD });
    expect((await stateOf(topup)).alert?.split("\n")).toEqual([...lines, unrecovered(3)]);
    await takeBackTopup(book, id, { ...takeBack, rank: 2, totalNanos: 0n });
    expect((await stateOf(topup)).alert?.split("\n")).toEqual(lines);
    const unpaid = await begin(accountId);
    await alertTopup(book, unpaid.topup_id, "first");
    await expireTopup(book, unpaid.topup_id, "second");
    expect((await stateOf(unpaid)).alert).toBe("first\nsecond");
  });

  test("a top-up without a page is expired once no repeat of its call can come, and not before", async () => {
    const accountId = await gateway.createAccount();
    const topup = await begin(accountId, { idempotencyKey: "unanswered" });
    const never = waysSaying(new Error("it must not be asked"));
    await finishTopup(book, never, topup);
    expect(await stateOf(topup)).toMatchObject({ status: "waiting", last_error: null });
    await gateway.sql`
      update topups set created_at = now() - interval '16 minutes'
      where topup_id = ${topup.topup_id}`;
    await finishTopup(book, never, await stateOf(topup));
    expect((await stateOf(topup)).status).toBe("expired");
    // Its call was never answered, so a repeat of it begins another one.
    expect((await begin(accountId, { idempotencyKey: "unanswered" })).topup_id).not.toBe(
      topup.topup_id,
    );
  });

  test("what is due is claimed by one process at a time", async () => {
    const accountId = await gateway.createAccount();
    const ids: string[] = [];
    for (let count = 0; count < 9; count++) ids.push((await begin(accountId)).topup_id);
    await gateway.sql`update topups set due_at = now() where account_id = ${accountId}`;
    const claims = await Promise.all(
      Array.from({ length: 4 }, () =>
        database.rows("claim_due_topups", { lease: "1 minute", limit: 4n }),
      ),
    );
    const claimed = claims.flat().map(({ topup_id: id }) => id);
    expect(claimed.sort()).toEqual(ids.sort());
  });
});

test("whatever is told of payments, refunds and disputes, in any order, the ledger adds up to what was paid and not given back", async () => {
  const told = fc.oneof(
    fc.constant({ kind: "paid" } as const),
    fc.constant({ kind: "expired" } as const),
    fc.record({ kind: fc.constant("refunded" as const), cents: fc.integer({ min: 0, max: 500 }) }),
    fc.record({
      kind: fc.constant("disputed" as const),
      id: fc.constantFrom("dp_1", "dp_2"),
      rank: fc.integer({ min: 0, max: 2 }),
      cents: fc.integer({ min: 0, max: 500 }),
    }),
    fc.record({ kind: fc.constant("spent" as const), cents: fc.integer({ min: 1, max: 600 }) }),
  );
  const nanosOf = (cents: number) => (BigInt(cents) * USD) / 100n;
  await fc.assert(
    fc.asyncProperty(fc.array(told, { maxLength: 12 }), fc.boolean(), async (history, isAtOnce) => {
      const accountId = await gateway.createAccount();
      const topup = await begin(accountId);
      const payment = { reference: newReference(), paidNanos: 5n * USD };
      const act = async (each: (typeof history)[number]) => {
        if (each.kind === "paid") await grantTopup(book, topup.topup_id, payment);
        else if (each.kind === "expired") await expireTopup(book, topup.topup_id);
        else if (each.kind === "spent") {
          await gateway.sql`
            select append_ledger_entry(
              ${accountId}, 'revocation', ${String(-nanosOf(each.cents))}, 'spent', null
            )`;
        } else {
          const [source, rank] = each.kind === "refunded" ? ["refunds", 0] : [each.id, each.rank];
          const totalNanos = nanosOf(each.cents);
          await takeBackTopup(book, topup.topup_id, { source, rank, totalNanos });
        }
      };
      if (isAtOnce) await Promise.all(history.map(act));
      else for (const each of history) await act(each);

      const { entries, balance } = await bookOf(accountId);
      const state = await stateOf(topup);
      const isPaid = history.some(({ kind }) => kind === "paid");
      expect(entries.filter(([, , reference]) => reference === payment.reference)).toHaveLength(
        Number(isPaid),
      );
      expect(state.status === "granted").toBe(isPaid);
      const sources = await gateway.sql`
        select coalesce(sum(total_nanos), 0) as sum from topup_take_backs
        where topup_id = ${topup.topup_id}`;
      const owed = BigInt(sources[0]?.sum);
      const most = owed > 5n * USD ? 5n * USD : owed;
      expect(state.taken_back_nanos + state.unrecovered_nanos).toBe(isPaid ? most : 0n);
      const spent = entries
        .filter(([, , reference]) => reference === null)
        .reduce((sum, [, amount]) => sum - (amount as bigint), 0n);
      expect(balance).toBe((isPaid ? 5n * USD : 0n) - state.taken_back_nanos - spent);
      expect(state.alert === null).toBe(state.unrecovered_nanos === 0n);
    }),
    { numRuns: histories(15) },
  );
});

test("a top-up that was paid without a key gets one account, also at once", async () => {
  const { topup_id: topupId } = await begin(null as never, {
    accountId: null,
    keyId: null,
    way: "x402",
    paymentId: `adopted:${++payments}`,
  });
  const adopt = () =>
    database.row("adopt_topup", {
      topup_id: topupId,
      account_name: "paid by 0x",
      max_feeds_allowed: 3,
      actor: null,
    });
  const owners = await Promise.all(Array.from({ length: 6 }, adopt));
  expect(new Set(owners.map((row) => row?.account_id)).size).toBe(1);
  expect((await adopt())?.account_id).toBe(owners[0]?.account_id ?? "");
});

test("a top-up that gets its account while it is taken back has its account locked first, all the same", async () => {
  const accountId = await gateway.createAccount();
  const begun = await beginTopup(
    database,
    { ...order(accountId), accountId: null, keyId: null, way: "x402" },
    ANY_DAY,
  );
  const { topup_id: topupId } = topupOf(begun);
  const adopting = await gateway.sql.reserve();
  await adopting`begin`;
  await adopting`update topups set account_id = ${accountId} where topup_id = ${topupId}`;
  const back = { source: "reorganisation", rank: 0, totalNanos: 1n };
  const taking = takeBackTopup(book, topupId, back);
  await lockWaiters(gateway.sql);
  await adopting`commit`;
  adopting.release();
  // It waited with the account of before, which was none, and begins again.
  expect(await taking).toBe("noted");
});
