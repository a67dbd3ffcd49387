import { describe, expect, test } from "bun:test";
import { typedCommand } from "../../src/lib/own_process.ts";
import { balanceOf, linesOf, refused, startOperatedGateway, UNKNOWN_ID } from "./support.ts";

const { gateway, operator } = await startOperatedGateway();

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
    expect([await balanceOf(operator, one), await balanceOf(operator, two)]).toEqual([2.5, 2.5]);
  });

  test("a code may be made again with the same content only", async () => {
    const argv = ["promo", "create", "AGAIN", "--credits", "1", "--max-redemptions", "2"];
    const first = await operator.json(...argv);
    expect(await operator.json(...argv)).toEqual(first);
    const { code, stderr } = await operator.run(argv);
    expect([code, linesOf(stderr)]).toEqual([
      0,
      [expect.stringContaining("this promotion code already exists")],
    ]);
    refused(await operator.run(["promo", "create", "AGAIN", "--credits", "2"]), "already exists");
    const end = ["--expires", "2126-01-01T00:00:00Z"];
    refused(await operator.run([...argv, ...end]), "already exists");
  });

  test("of the last redemption only one goes through", async () => {
    await operator.json("promo", "create", "FEW", "--credits", "1", "--max-redemptions", "2");
    const accounts = await Promise.all(Array.from({ length: 6 }, () => gateway.createAccount()));
    const runs = await Promise.all(accounts.map((each) => redeem("FEW", each)));
    expect(runs.map((each) => each.code).sort()).toEqual([0, 0, 1, 1, 1, 1]);
    for (const run of runs) if (run.code === 1) refused(run, "no redemptions left");
  });

  test("an expired or unknown code, and an unknown account, are exit code 1", async () => {
    const past = ["--expires", "2026-01-01T00:00:00Z"];
    await operator.json("promo", "create", "OLD", "--credits", "1", ...past);
    const accountId = await gateway.createAccount();
    refused(await redeem("OLD", accountId), "expired");
    refused(
      await redeem("NONE", accountId),
      `no promotion code "NONE"; see ${typedCommand()} promo list`,
    );
    refused(await redeem("OLD", UNKNOWN_ID), UNKNOWN_ID);
    expect(await balanceOf(operator, accountId)).toBe(0);
  });

  test("list shows each code with what is left of it, and an empty list is one", async () => {
    const account = await gateway.createAccount();
    const ends = ["--expires", "2126-01-01T00:00:00Z", "--max-redemptions", "7"];
    await operator.json("promo", "create", "ZZ-LAST", "--credits", "0.5", ...ends);
    await redeem("ZZ-LAST", account);
    const listed = (await operator.json("promo", "list")) as Record<string, unknown>[];
    expect(listed.map(({ code }) => code)).toEqual(listed.map(({ code }) => code).sort());
    expect(listed.at(-1)).toEqual({
      code: "ZZ-LAST",
      credits: 0.5,
      max_redemptions: 7,
      redemptions: 1,
      expires_at: "2126-01-01T00:00:00Z",
      created_at: expect.any(String),
    });
    const { stdout } = await operator.run(["promo", "list"]);
    expect(linesOf(stdout).at(-1)).toMatch(/^ZZ-LAST +0\.5 +1 +7 +2126-01-01T/);
    expect(await operator.json("promo", "list", "--after", "ZZ-LAST")).toEqual([]);
    expect((await operator.run(["promo", "list", "ZZ-LAST"])).code).toBe(2);
  });
});
