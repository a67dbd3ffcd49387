import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { callOperator, insertAdminKey } from "./support.ts";

let gateway: TestGateway;
let urls: readonly string[];
let keys: readonly string[];

beforeAll(async () => {
  gateway = await startTestGateway();
  urls = [gateway.baseUrl, (await gateway.startPeer()).baseUrl];
  keys = [(await insertAdminKey(gateway, "one")).key, (await insertAdminKey(gateway, "two")).key];
});
afterAll(() => gateway.stop());

/** The same call by both admins, through two gateways, several times at once; the statuses in order. */
async function both(path: string, bodies: readonly object[]): Promise<number[]> {
  const answers = await Promise.all(
    bodies.map(async (body, place) => {
      const url = urls[place % 2] ?? "";
      const response = await callOperator(url, keys[place % 2], path, { method: "POST", body });
      await response.body?.cancel();
      return response.status;
    }),
  );
  return answers.toSorted((one, other) => one - other);
}

describe("two admins at once", () => {
  test("who give the same credits by one reference give them once", async () => {
    const account = await gateway.createAccount();
    const grant = { account_id: account, credits: 5, reason: "order", reference: "shop-1" };
    expect(await both("/credits/grants", [grant, grant, grant, grant])).toEqual([
      200, 200, 200, 201,
    ]);
    const [ledger] = await gateway.sql`select * from ledger_of(${account})`;
    expect([ledger?.balance_nanos, ledger?.granted_nanos].map(Number)).toEqual([5_000, 5_000]);
  });

  test("who take more than there is never take it below zero", async () => {
    const account = await gateway.createAccount({ credits: 10 });
    const taken = [1, 2, 3, 4].map((place) => ({
      account_id: account,
      credits: 4,
      reason: "back",
      reference: `back-${place}`,
    }));
    expect(await both("/credits/revocations", taken)).toEqual([201, 201, 409, 409]);
    const [ledger] = await gateway.sql`select * from ledger_of(${account})`;
    expect([ledger?.balance_nanos, ledger?.revoked_nanos].map(Number)).toEqual([2_000, 8_000]);
  });

  test("who redeem a promotion with room for one redeem it once", async () => {
    const accounts = [await gateway.createAccount(), await gateway.createAccount()];
    await both("/promotions", [{ code: "ONE", credits: 7, max_redemptions: 1 }]);
    const redeemed = accounts.map((id) => ({ account_id: id }));
    expect(await both("/promotions/ONE/redemptions", redeemed)).toEqual([201, 409]);
    const [sum] = await gateway.sql`
      select sum(balance_nanos)::int as nanos from accounts where account_id in ${gateway.sql(accounts)}`;
    expect(sum?.nanos).toBe(7_000);
  });
});
