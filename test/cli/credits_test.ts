import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { seedFeed } from "../support/seed.ts";
import { linesOf, type Operator, operatorOf, type Run } from "./support.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000001";

let gateway: TestGateway;
let operator: Operator;
beforeAll(async () => {
  gateway = await startTestGateway();
  operator = operatorOf(gateway.databaseUrl);
});
afterAll(() => gateway.stop());

function grant(accountId: string, credits: string, ...more: string[]): Promise<Run> {
  const argv = ["credits", "grant", "--account", accountId, "--credits", credits];
  return operator.run([...argv, "--reason", "top-up", "--json", ...more]);
}

async function balanceOf(accountId: string): Promise<number> {
  const account = (await operator.json("account", "show", accountId)) as {
    balance_credits: number;
    ledger: { is_balanced: boolean };
  };
  expect(account.ledger.is_balanced).toBe(true);
  return account.balance_credits;
}

function refused({ code, stdout, stderr }: Run, message: string): void {
  expect([code, stdout, linesOf(stderr).length]).toEqual([1, "", 1]);
  expect(stderr).toContain(message);
}

describe("credits grant", () => {
  test("raises the balance, and prints the entry with the balance before and after", async () => {
    const accountId = await gateway.createAccount();
    await grant(accountId, "10");
    const { code, stdout } = await grant(accountId, "0.001");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      entry_id: expect.any(Number),
      account_id: accountId,
      kind: "grant",
      credits: 0.001,
      balance_before_credits: 10,
      balance_after_credits: 10.001,
      reason: "top-up",
      reference: null,
      created_at: expect.any(String),
    });
    expect(await balanceOf(accountId)).toBe(10.001);
  });

  test("the same reference with the same content is the first entry; with another it is refused", async () => {
    const accountId = await gateway.createAccount();
    const other = await gateway.createAccount();
    const first = await grant(accountId, "5", "--reference", "invoice 1");
    const again = await grant(accountId, "5.0", "--reference", "invoice 1");
    expect(again).toEqual(first);
    refused(await grant(accountId, "6", "--reference", "invoice 1"), "invoice 1");
    refused(await grant(other, "5", "--reference", "invoice 1"), "invoice 1");
    expect(await balanceOf(accountId)).toBe(5);
    expect(await balanceOf(other)).toBe(0);
  });

  test("the same reference at the same time is one entry", async () => {
    const accountId = await gateway.createAccount();
    const other = await gateway.createAccount();
    const runs = await Promise.all(
      [accountId, accountId, other, accountId, other].map((each) =>
        grant(each, "5", "--reference", "invoice 2"),
      ),
    );
    const winner = runs.find((each) => each.code === 0)?.stdout ?? "";
    const accountOfWinner = JSON.parse(winner).account_id;
    for (const [index, each] of runs.entries()) {
      const isWinner = (index === 2 || index === 4 ? other : accountId) === accountOfWinner;
      expect([each.code, each.stdout]).toEqual(isWinner ? [0, winner] : [1, ""]);
    }
    expect((await balanceOf(accountId)) + (await balanceOf(other))).toBe(5);
  });

  test("an unknown account, and more than the ledger can hold, are exit code 1", async () => {
    refused(await grant(UNKNOWN, "5"), UNKNOWN);
    const accountId = await gateway.createAccount();
    for (let times = 0; times < 9; times++) expect((await grant(accountId, "1e15")).code).toBe(0);
    refused(await grant(accountId, "1e15"), "larger than the ledger can hold");
    // Beyond a double's digits, the balance is exact as text.
    await grant(accountId, "0.001");
    const { stdout } = await operator.run(["account", "show", accountId, "--json"]);
    expect(stdout).toContain('"balance_credits":9000000000000000.001,');
  });
});

describe("credits revoke", () => {
  const revoke = (accountId: string, credits: string, ...more: string[]) => {
    const argv = ["credits", "revoke", "--account", accountId, "--credits", credits];
    return operator.run([...argv, "--reason", "charged back", "--json", ...more]);
  };

  test("lowers the balance, down to nothing, and the account's proof tells it", async () => {
    const accountId = await gateway.createAccount({ credits: 10 });
    const { code, stdout } = await revoke(accountId, "0.001");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      entry_id: expect.any(Number),
      account_id: accountId,
      kind: "revocation",
      credits: -0.001,
      balance_before_credits: 10,
      balance_after_credits: 9.999,
      reason: "charged back",
      reference: null,
      created_at: expect.any(String),
    });
    expect((await revoke(accountId, "9.999")).code).toBe(0);
    expect(await operator.json("account", "show", accountId)).toMatchObject({
      balance_credits: 0,
      ledger: { granted_credits: 10, revoked_credits: 10, is_balanced: true },
    });
    const { stdout: text } = await operator.run(["account", "show", accountId]);
    expect(text).toMatch(/^revoked +10 credits$/m);
  });

  test("more than there is is refused with the balance, and nothing is taken", async () => {
    const accountId = await gateway.createAccount({ credits: 10 });
    refused(await revoke(accountId, "10.001", "--reference", "back 1"), "has 10 credits");
    refused(await revoke(accountId, "1e15"), "has 10 credits");
    expect(await balanceOf(accountId)).toBe(10);
    // What was refused has not taken its reference.
    expect((await revoke(accountId, "10", "--reference", "back 1")).code).toBe(0);
    refused(await revoke(accountId, "0.001"), "has 0 credits");
    refused(await revoke(UNKNOWN, "1"), UNKNOWN);
    expect(await balanceOf(accountId)).toBe(0);
  });

  test("the same reference is one entry, also when the balance is too low by then; a grant can't have it", async () => {
    const accountId = await gateway.createAccount({ credits: 10 });
    const runs = await Promise.all(
      [1, 2, 3].map(() => revoke(accountId, "6", "--reference", "back 2")),
    );
    const first = runs[0] as Run;
    expect([first.code, ...runs]).toEqual([0, first, first, first]);
    expect(await revoke(accountId, "6", "--reference", "back 2")).toEqual(first);
    refused(await revoke(accountId, "4", "--reference", "back 2"), "back 2");
    refused(await grant(accountId, "6", "--reference", "back 2"), "back 2");
    await grant(accountId, "1", "--reference", "invoice 3");
    refused(await revoke(accountId, "1", "--reference", "invoice 3"), "invoice 3");
    expect(await balanceOf(accountId)).toBe(5);
  });

  test("at once with reads of two gateways, all is paid for by what was granted; then both are out of credit", async () => {
    const { baseUrl } = await gateway.startPeer();
    const bases = [gateway.baseUrl, baseUrl];
    const feed = await seedFeed(gateway, await gateway.createAccount(), {
      type: "singleton",
      rows: [{ rate: 1 }],
      callPriceNanos: 1_500,
    });
    const accountId = await gateway.createAccount({ credits: 120 });
    const key = await gateway.createKey(accountId, "read");
    const read = async (_: unknown, index: number) => {
      const url = `${bases[index % 2]}/v1/feed/${feed.slug}`;
      return (await fetch(url, { headers: { "x-api-key": key } })).status;
    };
    const reading = Array.from({ length: 90 }, read);
    const runs = await Promise.all(Array.from({ length: 12 }, () => revoke(accountId, "12")));
    const reads = (await Promise.all(reading)).filter((status) => status === 200).length;
    const taken = runs.filter(({ code }) => code === 0).length;
    const left = await balanceOf(accountId);
    expect(left).toBe(120 - 1.5 * reads - 12 * taken);
    if (left > 0) expect((await revoke(accountId, String(left))).code).toBe(0);
    expect(await Promise.all(bases.map(read))).toEqual([402, 402]);
  });

  test("an option that is missing, blank, reserved or no amount is exit code 2", async () => {
    const accountId = await gateway.createAccount({ credits: 10 });
    for (const credits of ["0", "-1", "1.0001", "abc", "", "NaN", "1e16"]) {
      expect((await revoke(accountId, credits)).code).toBe(2);
    }
    for (const reference of [" ", "x".repeat(201), "purchase_undo:1", "refund:1"]) {
      expect((await revoke(accountId, "1", "--reference", reference)).code).toBe(2);
    }
    const argv = ["credits", "revoke", "--account", accountId, "--credits", "1"];
    expect((await operator.run(argv)).code).toBe(2);
    for (const reason of [" ", "x".repeat(501)]) {
      expect((await operator.run([...argv, "--reason", reason])).code).toBe(2);
    }
    expect((await operator.run(["credits", "revoke", "--reason", "S"])).code).toBe(2);
    expect(await balanceOf(accountId)).toBe(10);
  });
});

describe("a text for a reader", () => {
  test("has one credit, and several credits", async () => {
    const accountId = await gateway.createAccount();
    await grant(accountId, "1");
    const one = await operator.run(["account", "show", accountId]);
    expect(one.stdout).toMatch(/^balance +1 credit \(0\.000001 USD\)$/m);
    expect(one.stdout).toMatch(/^charged +0 credits$/m);
    const code = await operator.run(["promo", "create", "ONE", "--credits", "1.0"]);
    expect(code.stdout).toMatch(/^gives +1 credit$/m);
  });
});

describe("promo", () => {
  const redeem = (code: string, accountId: string) =>
    operator.run(["promo", "redeem", code, "--account", accountId, "--json"]);

  test("a code gives its credits once per account", async () => {
    const promotion = await operator.json("promo", "create", "WELCOME", "--credits", "2.5");
    expect(promotion).toEqual({
      code: "WELCOME",
      credits: 2.5,
      max_redemptions: null,
      expires_at: null,
      created_at: expect.any(String),
    });
    const [one, two] = [await gateway.createAccount(), await gateway.createAccount()];
    const first = await redeem("WELCOME", one);
    expect(JSON.parse(first.stdout)).toMatchObject({
      kind: "promotion",
      credits: 2.5,
      account_id: one,
    });
    refused(await redeem("WELCOME", one), "already");
    expect((await redeem("WELCOME", two)).code).toBe(0);
    expect([await balanceOf(one), await balanceOf(two)]).toEqual([2.5, 2.5]);
  });

  test("a code may be made again with the same content only", async () => {
    const argv = ["promo", "create", "AGAIN", "--credits", "1", "--max-redemptions", "2"];
    const first = await operator.json(...argv);
    expect(await operator.json(...argv)).toEqual(first);
    refused(await operator.run(["promo", "create", "AGAIN", "--credits", "2"]), "there already");
    const end = ["--expires", "2126-01-01T00:00:00Z"];
    refused(await operator.run([...argv, ...end]), "there already");
  });

  test("of the last redemption only one goes through", async () => {
    await operator.json("promo", "create", "FEW", "--credits", "1", "--max-redemptions", "2");
    const accounts = await Promise.all(Array.from({ length: 6 }, () => gateway.createAccount()));
    const runs = await Promise.all(accounts.map((each) => redeem("FEW", each)));
    expect(runs.map((each) => each.code).sort()).toEqual([0, 0, 1, 1, 1, 1]);
    for (const run of runs) if (run.code === 1) refused(run, "no redemption left");
  });

  test("an expired or unknown code, and an unknown account, are exit code 1", async () => {
    const past = ["--expires", "2026-01-01T00:00:00Z"];
    await operator.json("promo", "create", "OLD", "--credits", "1", ...past);
    const accountId = await gateway.createAccount();
    refused(await redeem("OLD", accountId), "expired");
    refused(await redeem("NONE", accountId), "no promotion code");
    refused(await redeem("OLD", UNKNOWN), UNKNOWN);
    expect(await balanceOf(accountId)).toBe(0);
  });
});

describe("purchase record", () => {
  const record = (accountId: string, feed: string, ...more: string[]) =>
    operator.run([
      ...["purchase", "record", "--account", accountId, "--feed", feed, "--json"],
      ...more,
    ]);

  test("opens a one-time feed, costs no credit, and may be repeated", async () => {
    const provider = await gateway.createAccount();
    const rows = [{ rate: 1 }];
    const feed = await seedFeed(gateway, provider, {
      type: "singleton",
      rows,
      oneTimePriceCents: 500,
    });
    const accountId = await gateway.createAccount();
    const key = await gateway.createKey(accountId, "read");
    expect((await gateway.get(`/v1/feed/${feed.slug}`, key)).status).toBe(402);
    const first = await record(accountId, feed.slug, "--reference", "receipt 1");
    expect(JSON.parse(first.stdout)).toMatchObject({
      kind: "purchase",
      credits: 0,
      account_id: accountId,
      feed_id: feed.feedId,
      reference: "receipt 1",
    });
    expect((await gateway.get(`/v1/feed/${feed.slug}`, key)).status).toBe(200);
    expect(await record(accountId, feed.feedId, "--reference", "receipt 1")).toEqual(first);
    expect(await record(accountId, feed.feedId)).toEqual(first);
    refused(await record(accountId, feed.slug, "--reference", "receipt 2"), "receipt 1");
    expect(await balanceOf(accountId)).toBe(0);
    // The feed has become free since: what was recorded stays so.
    await gateway.sql`
      update feeds
      set price_type = 'free', call_price_nanos = 0, one_time_price_cents = null
      where feed_id = ${feed.feedId}`;
    expect(await record(accountId, feed.slug)).toEqual(first);
  });

  test("one reference is one purchase", async () => {
    const provider = await gateway.createAccount();
    const seed = { type: "singleton", rows: [{ rate: 1 }], oneTimePriceCents: 500 } as const;
    const one = await seedFeed(gateway, provider, seed);
    const two = await seedFeed(gateway, provider, seed);
    const accountId = await gateway.createAccount();
    expect((await record(accountId, one.slug, "--reference", "receipt 3")).code).toBe(0);
    refused(await record(accountId, two.slug, "--reference", "receipt 3"), "receipt 3");
    refused(await grant(accountId, "1", "--reference", "receipt 3"), "receipt 3");
  });

  test("a feed that is not sold once, an unknown feed or account: exit code 1", async () => {
    const provider = await gateway.createAccount();
    const rows = [{ rate: 1 }];
    const free = await seedFeed(gateway, provider, { type: "singleton", rows });
    const metered = await seedFeed(gateway, provider, {
      type: "singleton",
      rows,
      callPriceNanos: 1_000,
    });
    const sold = await seedFeed(gateway, provider, {
      type: "singleton",
      rows,
      oneTimePriceCents: 100,
    });
    const accountId = await gateway.createAccount();
    refused(await record(accountId, free.slug), "not sold once");
    refused(await record(accountId, metered.slug), "not sold once");
    refused(await record(accountId, "no-such-feed"), "no-such-feed");
    refused(await record(UNKNOWN, sold.slug), UNKNOWN);
  });
});

describe("purchase undo", () => {
  const purchase = (word: "record" | "undo", accountId: string, feed: string, ...more: string[]) =>
    operator.run(["purchase", word, "--account", accountId, "--feed", feed, "--json", ...more]);
  const undo = (accountId: string, feed: string, reason = "paid back") =>
    purchase("undo", accountId, feed, "--reason", reason);

  async function createSale() {
    const feed = await seedFeed(gateway, await gateway.createAccount(), {
      type: "singleton",
      rows: [{ rate: 1 }],
      oneTimePriceCents: 500,
    });
    const accountId = await gateway.createAccount();
    return { feed, accountId, key: await gateway.createKey(accountId, "read") };
  }

  test("keeps its reason in the ledger, says the same if it is repeated, and the feed may be bought again", async () => {
    const { feed, accountId } = await createSale();
    const bought = await purchase("record", accountId, feed.slug);
    const first = await undo(accountId, feed.slug);
    expect(JSON.parse(first.stdout)).toEqual({
      entry_id: expect.any(Number),
      account_id: accountId,
      kind: "purchase_undo",
      credits: 0,
      balance_before_credits: 0,
      balance_after_credits: 0,
      reason: "paid back",
      reference: `purchase_undo:${JSON.parse(bought.stdout).entry_id}`,
      created_at: expect.any(String),
      feed_id: feed.feedId,
    });
    expect(await undo(accountId, feed.feedId, "another reason")).toEqual(first);
    const argv = ["--account", accountId, "--feed", feed.slug, "--reason", "again"];
    const told = await operator.run(["purchase", "undo", ...argv]);
    expect([told.code, linesOf(told.stderr).length]).toEqual([0, 1]);
    expect(told.stderr).toContain("undone already");
    const again = await purchase("record", accountId, feed.slug);
    expect(again.code).toBe(0);
    expect(again.stdout).not.toBe(bought.stdout);
    const second = await undo(accountId, feed.slug);
    expect(JSON.parse(second.stdout).entry_id).not.toBe(JSON.parse(first.stdout).entry_id);
    expect(await undo(accountId, feed.slug)).toEqual(second);
    expect(await balanceOf(accountId)).toBe(0);
  });

  test("a late retry of the purchase does not open the feed again; another reference does", async () => {
    const { feed, accountId, key } = await createSale();
    const retry = () => purchase("record", accountId, feed.slug, "--reference", "receipt 8");
    await retry();
    await undo(accountId, feed.slug);
    refused(await retry(), 'under reference "receipt 8" was undone');
    expect((await gateway.get(`/v1/feed/${feed.slug}`, key)).status).toBe(402);
    const paid = await purchase("record", accountId, feed.slug, "--reference", "receipt 9");
    expect(paid.code).toBe(0);
    refused(await retry(), 'under reference "receipt 9"');
    expect((await gateway.get(`/v1/feed/${feed.slug}`, key)).status).toBe(200);
  });

  test("the next request of each kind is refused, by every process that knew of the purchase", async () => {
    const { baseUrl } = await gateway.startPeer();
    const { feed, accountId, key } = await createSale();
    const send = (base: string, method: string, headers: Record<string, string>) =>
      fetch(`${base}/v1/feed/${feed.slug}`, { method, headers: { "x-api-key": key, ...headers } });
    for (const [method, headers, granted] of [
      ["GET", {}, 200],
      ["HEAD", {}, 200],
      ["GET", { "If-None-Match": "*" }, 304],
      ["GET", { "Idempotency-Key": "bought" }, 200],
    ] as const) {
      const statuses = () =>
        Promise.all(
          [gateway.baseUrl, baseUrl].map(
            async (base) => (await send(base, method, headers)).status,
          ),
        );
      expect((await purchase("record", accountId, feed.slug)).code).toBe(0);
      // The second time, both know of it.
      for (let times = 0; times < 2; times++) {
        expect([method, headers, await statuses()]).toEqual([method, headers, [granted, granted]]);
      }
      expect((await undo(accountId, feed.slug)).code).toBe(0);
      expect([method, headers, await statuses()]).toEqual([method, headers, [402, 402]]);
    }
    const refusal = await send(baseUrl, "GET", {});
    expect(await refusal.json()).toMatchObject({ code: "PURCHASE_REQUIRED" });
  });

  test("at once with reads of two gateways: none is granted that is sent when it is done", async () => {
    const { baseUrl } = await gateway.startPeer();
    const { feed, accountId, key } = await createSale();
    let isDone = false;
    const read = async (_: unknown, index: number) => {
      const base = index % 2 === 0 ? baseUrl : gateway.baseUrl;
      const statuses: number[] = [];
      for (let isLast = false; !isLast; ) {
        isLast = isDone;
        const url = `${base}/v1/feed/${feed.slug}`;
        const method = index % 3 === 0 ? "GET" : "HEAD";
        statuses.push((await fetch(url, { method, headers: { "x-api-key": key } })).status);
      }
      return statuses.at(-1);
    };
    for (let times = 0; times < 5; times++) {
      await purchase("record", accountId, feed.slug);
      isDone = false;
      const reading = Array.from({ length: 9 }, read);
      await undo(accountId, feed.slug);
      isDone = true;
      for (const last of await Promise.all(reading)) expect(last).toBeOneOf([402, 429]);
    }
  });

  test("what was not bought, an unknown feed or account: exit code 1; a missing or blank option: exit code 2", async () => {
    const { feed, accountId } = await createSale();
    refused(await undo(accountId, feed.slug), "has not bought");
    refused(await undo(accountId, "no-such-feed"), "no-such-feed");
    refused(await undo(UNKNOWN, feed.slug), UNKNOWN);
    await purchase("record", accountId, feed.slug);
    for (const more of [
      [],
      ["--reason", " "],
      ["--reason", "x".repeat(501)],
      ["--reason", "S", "--reference", "R"],
      ["--reason", "S", "more"],
    ]) {
      expect((await purchase("undo", accountId, feed.slug, ...more)).code).toBe(2);
    }
    const argv = ["purchase", "undo", "--reason", "S"];
    expect((await operator.run([...argv, "--account", accountId])).code).toBe(2);
    expect((await operator.run([...argv, "--feed", feed.slug])).code).toBe(2);
    // Nothing was undone by any of them.
    expect((await undo(accountId, feed.slug)).code).toBe(0);
  });
});

describe("a credit notice on HEAD", () => {
  test("goes by the balance of now, after a revocation and after a grant", async () => {
    const feed = await seedFeed(gateway, await gateway.createAccount(), {
      type: "singleton",
      rows: [{ rate: 1 }],
      callPriceNanos: 1_500,
    });
    const accountId = await gateway.createAccount({ credits: 3 });
    const headers = { "x-api-key": await gateway.createKey(accountId, "read") };
    const url = `${gateway.baseUrl}/v1/feed/${feed.slug}`;
    const head = async () => (await fetch(url, { method: "HEAD", headers })).status;
    expect(await head()).toBe(200);
    const revoke = ["credits", "revoke", "--account", accountId, "--credits", "2"];
    await operator.json(...revoke, "--reason", "test");
    expect(await head()).toBe(402);
    await grant(accountId, "2");
    expect(await head()).toBe(200);
  });
});
