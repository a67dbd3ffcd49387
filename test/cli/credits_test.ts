import { describe, expect, test } from "bun:test";
import { seedFeed } from "../support/seed.ts";
import { balanceOf, type Run, refused, shareOperatedGateway, UNKNOWN_ID } from "./support.ts";

const { gateway, operator } = await shareOperatedGateway();

function grant(accountId: string, credits: string, ...more: string[]): Promise<Run> {
  const argv = ["credits", "grant", "--account", accountId, "--credits", credits];
  return operator.run([...argv, "--reason", "top-up", "--json", ...more]);
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
    expect(await balanceOf(operator, accountId)).toBe(10.001);
  });

  test("takes USD in place of credits, to the nano-dollar, and one of the two", async () => {
    const accountId = await gateway.createAccount();
    const give = (words: string, ...amount: string[]) =>
      operator.run([
        ...["credits", words, "--account", accountId, "--reason", "r", "--json"],
        ...amount,
      ]);
    expect(JSON.parse((await give("grant", "--usd", "5.000000001")).stdout).credits).toBe(
      5_000_000.001,
    );
    expect((await give("revoke", "--usd", "4")).code).toBe(0);
    expect(await balanceOf(operator, accountId)).toBe(1_000_000.001);
    for (const [message, ...amount] of [
      ["--credits or --usd is required"],
      ["give --credits or --usd, not both", "--credits", "1", "--usd", "1"],
      ["--usd must be greater than 0", "--usd", "0"],
      ["--usd must be greater than 0", "--usd", "0.0000000001"],
    ] as const) {
      const { code, stderr } = await give("grant", ...amount);
      expect([amount, code, stderr]).toEqual([amount, 2, expect.stringContaining(message)]);
    }
    expect(await balanceOf(operator, accountId)).toBe(1_000_000.001);
  });

  test("the same reference with the same content is the first entry; with another it is refused", async () => {
    const accountId = await gateway.createAccount();
    const other = await gateway.createAccount();
    const first = await grant(accountId, "5", "--reference", "invoice 1");
    const again = await grant(accountId, "5.0", "--reference", "invoice 1");
    expect(again).toEqual(first);
    const named = ["--account", accountId, "--credits", "5", "--reason", "top-up"];
    const told = await operator.run(["credits", "grant", ...named, "--reference", "invoice 1"]);
    expect([told.code, told.stderr]).toEqual([
      0,
      "this grant was already recorded; nothing was added\n",
    ]);
    refused(await grant(accountId, "6", "--reference", "invoice 1"), "invoice 1");
    refused(await grant(other, "5", "--reference", "invoice 1"), "invoice 1");
    expect(await balanceOf(operator, accountId)).toBe(5);
    expect(await balanceOf(operator, other)).toBe(0);
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
    expect((await balanceOf(operator, accountId)) + (await balanceOf(operator, other))).toBe(5);
  });

  test("an unknown account, and more than the ledger can hold, are exit code 1", async () => {
    refused(await grant(UNKNOWN_ID, "5"), UNKNOWN_ID);
    const accountId = await gateway.createAccount();
    for (let times = 0; times < 9; times++) expect((await grant(accountId, "1e15")).code).toBe(0);
    refused(await grant(accountId, "1e15"), "exceed the maximum of the ledger");
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

  test("lowers the balance, down to nothing, and the account's proof shows it", async () => {
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
    expect(await balanceOf(operator, accountId)).toBe(10);
    // What was refused has not taken its reference.
    expect((await revoke(accountId, "10", "--reference", "back 1")).code).toBe(0);
    refused(await revoke(accountId, "0.001"), "has 0 credits");
    refused(await revoke(UNKNOWN_ID, "1"), UNKNOWN_ID);
    expect(await balanceOf(operator, accountId)).toBe(0);
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
    expect(await balanceOf(operator, accountId)).toBe(5);
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
    const left = await balanceOf(operator, accountId);
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
    expect(await balanceOf(operator, accountId)).toBe(10);
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
    expect(code.stdout).toMatch(/^grants +1 credit$/m);
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
