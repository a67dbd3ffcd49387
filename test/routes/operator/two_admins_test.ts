import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { shareTestGateway, type TestGateway } from "../../support/gateway.ts";
import { insertAdminKey } from "../../support/insert_key.ts";
import { seedFeed } from "../../support/seed.ts";
import { callOperator } from "./support.ts";

let gateway: TestGateway;
let urls: readonly string[];
let keys: readonly string[];
/** In references and codes, which are one database's. */
const OWN = crypto.randomUUID();

beforeAll(async () => {
  gateway = await shareTestGateway();
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
    const reference = `shop-${OWN}`;
    const grant = { account_id: account, credits: 5, reason: "order", reference };
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
      reference: `back-${OWN}-${place}`,
    }));
    expect(await both("/credits/revocations", taken)).toEqual([201, 201, 409, 409]);
    const [ledger] = await gateway.sql`select * from ledger_of(${account})`;
    expect([ledger?.balance_nanos, ledger?.revoked_nanos].map(Number)).toEqual([2_000, 8_000]);
  });

  test("who redeem a promotion with room for one redeem it once", async () => {
    const accounts = [await gateway.createAccount(), await gateway.createAccount()];
    const code = `ONE-${OWN}`;
    await both("/promotions", [{ code, credits: 7, max_redemptions: 1 }]);
    const redeemed = accounts.map((id) => ({ account_id: id }));
    expect(await both(`/promotions/${code}/redemptions`, redeemed)).toEqual([201, 409]);
    const [sum] = await gateway.sql`
      select sum(balance_nanos)::int as nanos from accounts where account_id in ${gateway.sql(accounts)}`;
    expect(sum?.nanos).toBe(7_000);
  });

  test("who publish and decline one feed leave it listed, and not declined", async () => {
    const owner = await gateway.createAccount({ name: "Owner" });
    for (let round = 0; round < 10; round++) {
      const { feedId } = await seedFeed(gateway, owner, { type: "stream", rows: [] });
      const [published, declined] = await Promise.all([
        one(0, `/feeds/${feedId}/publish`, {}),
        one(1, `/feeds/${feedId}/decline`, { reason: "no sample" }),
      ]);
      expect(published).toBe(200);
      // It came first, or it was refused.
      expect([200, 409]).toContain(declined);
      const [feed] = await gateway.sql`
        select is_public, review, review_reason from feeds where feed_id = ${feedId}`;
      expect(feed).toEqual({ is_public: true, review: "none", review_reason: null });
    }
  });

  test("who delete one feed while others act on it leave it deleted, and each act whole or refused", async () => {
    const owner = await gateway.createAccount({ name: "Owner" });
    for (let round = 0; round < 10; round++) {
      const { feedId } = await seedFeed(gateway, owner, { type: "stream", rows: [] });
      const acts = [
        ["suspend", { reason: "licence" }],
        ["publish", {}],
        ["resume", {}],
      ] as const;
      const [deleted, ...others] = await Promise.all([
        one(0, `/feeds/${feedId}`, undefined, "DELETE"),
        ...acts.map(([act, body], place) => one(place, `/feeds/${feedId}/${act}`, body)),
      ]);
      expect(deleted).toBe(200);
      const done = acts.filter((_, place) => others[place] === 200).map(([act]) => `feed ${act}`);
      expect(others.filter((status) => status !== 200 && status !== 409)).toEqual([]);
      const trail = await gateway.sql`
        select action from audit_events where feed_id = ${feedId} order by event_id`;
      const actions = trail.map(({ action }) => String(action));
      expect(actions.at(-1)).toBe("feed delete");
      // What changed nothing, such as an end of no suspension, is in no trail.
      expect(actions.slice(1, -1).filter((action) => !done.includes(action))).toEqual([]);
      expect(done.filter((action) => !actions.includes(action))).not.toContain("feed publish");
    }
  });

  test("who edit one account lose none of each other's fields", async () => {
    const account = await gateway.createAccount({ name: "Edited" });
    for (let round = 1; round <= 10; round++) {
      const statuses = await Promise.all([
        one(0, `/accounts/${account}`, { name: `Edited ${round}` }, "PATCH"),
        one(1, `/accounts/${account}`, { max_feeds_allowed: round }, "PATCH"),
        one(0, `/accounts/${account}/suspend`, { reason: `round ${round}` }),
      ]);
      expect(statuses).toEqual([200, 200, 200]);
      const [row] = await gateway.sql`
        select name, max_feeds_allowed, suspension_reason from accounts
        where account_id = ${account}`;
      expect(row).toEqual({
        name: `Edited ${round}`,
        max_feeds_allowed: round,
        suspension_reason: `round ${round}`,
      });
    }
  });
});

/** A call of one of the two admins, through a gateway of its own; its status. */
async function one(
  place: number,
  path: string,
  body: object | undefined,
  method: "POST" | "PATCH" | "DELETE" = "POST",
): Promise<number> {
  const call = { method, body };
  const response = await callOperator(urls[place % 2] ?? "", keys[place % 2], path, call);
  await response.body?.cancel();
  return response.status;
}
