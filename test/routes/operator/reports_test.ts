import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { operatorOf } from "../../cli/support.ts";
import { type Contract, loadContract } from "../../support/contract.ts";
import {
  createProvider,
  createReader,
  type Provider,
  type Reader,
} from "../../support/earning_scene.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { insertAdminKey } from "../../support/insert_key.ts";
import { countSales } from "../../support/run_job.ts";
import { callDocumented, callOperator, type OperatorCall } from "./support.ts";

let gateway: TestGateway;
let contract: Contract;
let admin: { readonly key: string };
let [first, second]: Provider[] = [];
let [one, two]: Reader[] = [];

beforeAll(async () => {
  gateway = await startTestGateway({ FEEDGATE_PLATFORM_FEE_PERCENT: "10" });
  contract = await loadContract(gateway.baseUrl);
  admin = await insertAdminKey(gateway);
  [first, second] = [await createProvider(gateway), await createProvider(gateway)];
  [one, two] = [await createReader(gateway), await createReader(gateway)];
  const [cheap, dear] = [
    await first.feed({ callPriceNanos: 10_000 }),
    await second.feed({ callPriceNanos: 70_000 }),
  ];
  await one.read(cheap);
  await one.read(dear);
  await two.read(dear);
  await countSales(gateway.sql);
});
afterAll(() => gateway.stop());

const call = <Body = Record<string, unknown>>(
  status: number,
  path: string,
  options: OperatorCall = {},
) => callDocumented<Body>({ gateway, contract, key: admin.key }, status, path, options);

describe("earnings over HTTP", () => {
  test("are those of one provider, or of all, by account, too, and customers are counted once", async () => {
    const all = await call(200, "/earnings?group_by=account");
    expect(all).toMatchObject({
      account_id: null,
      group_by: "account",
      groups: [
        { account_id: second?.accountId, reads: 2, accounts: 2, gross_usd: 0.00014 },
        { account_id: first?.accountId, reads: 1, accounts: 1, gross_usd: 0.00001 },
      ],
      totals: { reads: 3, accounts: 2, gross_usd: 0.00015, fee_usd: 0.000015, net_usd: 0.000135 },
      earned_usd: 0.000135,
      paid_usd: 0,
    });
    const own = await call(200, `/earnings?account_id=${first?.accountId}&group_by=feed`);
    expect(own).toMatchObject({
      account_id: first?.accountId,
      totals: { reads: 1, accounts: 1, gross_usd: 0.00001 },
    });
    const { groups, totals } = await (first as Provider).earnings("?group_by=feed");
    expect(own).toMatchObject({ groups, totals });
    const printed = await operatorOf(gateway.databaseUrl).json(
      ...["report", "earnings", "--by", "account"],
    );
    expect(printed).toEqual(all);
  });

  test("a read that failed takes its customer out of all providers' customers", async () => {
    const reader = await createReader(gateway);
    const feed = await (first as Provider).feed();
    const { usage_id: usageId } = await reader.read(feed);
    await countSales(gateway.sql);
    const before = await call<{ totals: { accounts: number } }>(200, "/earnings");
    await gateway.gateway.services.database.row("refund_reads", {
      batch_token: usageId.slice(-12),
      account_ids: [reader.accountId],
      elapsed_ms: 10n ** 9n,
      sent_at: new Date(Date.now() - 10 ** 9).toISOString(),
      only_usage: usageId,
    });
    await countSales(gateway.sql);
    const after = await call<{ totals: { accounts: number } }>(200, "/earnings");
    expect(after.totals.accounts).toBe(before.totals.accounts - 1);
  });

  test("as CSV they are the groups; a range that is none is 400", async () => {
    const response = await callOperator(
      gateway.baseUrl,
      admin.key,
      "/earnings?group_by=account&format=csv",
    );
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(response.headers.get("content-disposition")).toStartWith("attachment; filename=");
    expect(response.headers.get("cache-control")).toBe("private, no-cache");
    const [header, line] = (await response.text()).split("\r\n");
    expect(header).toStartWith("account_id,name,reads");
    expect(line).toStartWith(`${second?.accountId},`);
    const range = "/earnings?from=2026-01-02&to=2026-01-01";
    expect(await call(400, range)).toMatchObject({
      code: "RANGE_INVALID",
      detail: "2026-01-02 is later than 2026-01-01. Swap them.",
    });
    const reversed = "since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z";
    for (const path of [`/usage?account_id=${second?.accountId}&`, "/audit?"]) {
      const problem = await call(400, `${path}${reversed}`);
      expect(problem).toMatchObject({ code: "RANGE_INVALID" });
      const instant = "since=2026-01-02T00:00:00Z&until=2026-01-02T00:00:00Z";
      await call(200, `${path}${instant}`);
    }
    for (const query of ["?from=2026-02-30", "?from=x", "?to="]) {
      expect(await call(400, `/earnings${query}`)).toMatchObject({ code: "INVALID_PARAMETER" });
    }
    await call(400, "/earnings?group_by=hour");
    await call(404, "/earnings?account_id=nobody");
  });
});

/** A provider that has sold for 10 USD, of which the platform keeps 1. */
async function owedNine(): Promise<Provider> {
  const owner = await createProvider(gateway);
  const { slug } = await owner.feed({ oneTimePriceCents: 1_000 });
  const { key } = await createReader(gateway, 10_000_000);
  await gateway.send("POST", `/v1/feed/${slug}/purchase`, key, { max_credits: 10_000_000 });
  await countSales(gateway.sql);
  return owner;
}

describe("payouts over HTTP", () => {
  test("are recorded once by their reference, exact to nine decimals, and lower what is owed", async () => {
    const body = `{"account_id": "${second?.accountId}", "usd": 0.000000001, "reference": "t-1"}`;
    const made = await call(201, "/payouts", { method: "POST", body });
    expect(made).toMatchObject({ usd: 1e-9, reference: "t-1" });
    expect(await call(200, "/payouts", { method: "POST", body })).toEqual(made);
    const other = body.replace("0.000000001", "1");
    expect(await call(409, "/payouts", { method: "POST", body: other })).toMatchObject({
      code: "REFERENCE_TAKEN",
    });
    const earnings = await call(200, `/earnings?account_id=${second?.accountId}`);
    expect(earnings).toMatchObject({ paid_usd: 1e-9, owed_usd: 0.000125999 });
    expect(await call(200, `/payouts?account_id=${second?.accountId}`)).toMatchObject({
      payouts: [made],
      has_more: false,
    });
    expect(await call(200, `/payouts?account_id=${first?.accountId}`)).toMatchObject({
      payouts: [],
    });
    expect(await call(200, "/payouts?limit=1&cursor=0")).toMatchObject({ payouts: [] });
    await call(400, "/payouts?cursor=x");
  });

  test("more than is owed is refused unless that is meant, and a mistake is taken back", async () => {
    const owner = await owedNine();
    const record = (status: number, payout: object) => {
      const body = { account_id: owner.accountId, ...payout };
      return call(status, "/payouts", { method: "POST", body });
    };
    const owed = async () => {
      const { owed_usd, paid_usd } = await call(200, `/earnings?account_id=${owner.accountId}`);
      return [owed_usd, paid_usd];
    };
    const problem = await record(409, { usd: 999, reference: "above" });
    expect(problem).toMatchObject({ code: "PAYOUT_ABOVE_OWED" });
    expect(problem.detail).toContain("999 USD is more than the 9 USD");
    await record(409, { usd: 9.000000001, reference: "above", allow_above: false });
    const exact = await record(201, { usd: 9, reference: "exact" });
    expect(exact).toMatchObject({ undoes_payout_id: null, reason: null });
    // A repeat is that payout, though nothing is owed any more.
    expect(await record(200, { usd: 9, reference: "exact" })).toEqual(exact);
    await record(409, { usd: 0.5, reference: "one more" });
    const above = await record(201, { usd: 999, reference: "above", allow_above: true });
    expect(await owed()).toEqual([-999, 1008]);

    const undo = (status: number, id: unknown, reason = "typed wrong") =>
      call(status, `/payouts/${id}/undo`, { method: "POST", body: { reason } });
    const undone = await undo(201, above.payout_id);
    expect(undone).toMatchObject({
      account_id: owner.accountId,
      usd: -999,
      undoes_payout_id: above.payout_id,
      reason: "typed wrong",
    });
    expect(await undo(200, above.payout_id, "once more")).toEqual(undone);
    expect(await owed()).toEqual([0, 9]);
    expect(await call(200, `/payouts?account_id=${owner.accountId}`)).toMatchObject({
      payouts: [undone, { ...above, undone_by_payout_id: undone.payout_id }, exact],
    });
    for (const id of [undone.payout_id, 0, "9".repeat(40), "x", "-1"]) {
      expect(await undo(404, id)).toMatchObject({ code: "PAYOUT_NOT_FOUND" });
    }
    await undo(422, exact.payout_id, "");
    const late = await record(409, { usd: 999, reference: "above", allow_above: true });
    expect(late).toMatchObject({ code: "REFERENCE_TAKEN" });
    await record(422, { usd: 1, reference: "payout_undo:1" });
    const trail = await call(200, `/audit?account_id=${owner.accountId}`);
    expect(trail.events).toContainEqual(
      expect.objectContaining({
        action: "payout undo",
        after: expect.objectContaining({ reason: "typed wrong", amount_credits: -999e6 }),
      }),
    );
  });

  test("of payouts at once, no two pay out the same amount", async () => {
    const owner = await owedNine();
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async (_, number) => {
        const body = { account_id: owner.accountId, usd: 5, reference: `at once ${number}` };
        return (
          await callOperator(gateway.baseUrl, admin.key, "/payouts", { method: "POST", body })
        ).status;
      }),
    );
    expect(statuses.toSorted()).toEqual([201, ...Array(7).fill(409)]);
  });

  test("an amount that is none is 422, and nothing is recorded", async () => {
    for (const usd of ["0", "-1", "0.0000000001", "1e30", `"1"`, "null"]) {
      const body = `{"account_id": "${first?.accountId}", "usd": ${usd}, "reference": "t-${usd.length}"}`;
      const problem = await call(422, "/payouts", { method: "POST", body });
      expect(problem).toMatchObject({ errors: [{ path: "/usd" }] });
    }
    await call(422, "/payouts", {
      method: "POST",
      body: { account_id: first?.accountId, usd: 1, reference: "" },
    });
    expect(await call(200, `/payouts?account_id=${first?.accountId}`)).toMatchObject({
      payouts: [],
    });
  });
});

describe("the list of feeds", () => {
  test("is by status, review, health and owner", async () => {
    const owner = await createProvider(gateway);
    const feeds = [];
    for (let made = 0; made < 4; made++) feeds.push((await owner.feed({})).feedId);
    const [late, failing, never, fine] = feeds as [string, string, string, string];
    await gateway.sql`update feeds set last_sync_at = now() where account_id = ${owner.accountId}`;
    await gateway.sql`
      update feeds set last_sync_at = now() - interval '2 days' where feed_id = ${late}`;
    await gateway.sql`
      update feeds set first_pushed_at = null, last_sync_at = null, status = 'draft'
      where feed_id = ${never}`;
    await gateway.sql`
      insert into pushes (
        feed_id, pushed_at, stored, code, rows_received, rows_inserted, rows_updated,
        rows_duplicate, body_bytes, duration_ms
      )
      values (${failing}, now() + interval '1 second', false, 'VALIDATION_FAILED', 1, 0, 0, 0, 1, 1)`;
    const listed = async (query: string) =>
      (
        await call<{ feeds: { id: string }[] }>(
          200,
          `/feeds?account_id=${owner.accountId}&${query}`,
        )
      ).feeds.map(({ id }) => id);
    expect(await listed("health=late")).toEqual([late]);
    expect(await listed("health=failing")).toEqual([failing]);
    expect(await listed("health=never_pushed")).toEqual([never]);
    expect(await listed("status=draft")).toEqual([never]);
    expect(await listed("status=active")).toEqual([fine, failing, late]);
    expect(await listed("review=waiting")).toEqual([]);
    expect(await listed("review=none&status=active&health=late")).toEqual([late]);
    await call(400, "/feeds?health=well");
    await call(400, "/feeds?status=gone");
    const printed = await operatorOf(gateway.databaseUrl).json(
      ...["feed", "list", "--account", owner.accountId, "--health", "late"],
    );
    expect(printed).toMatchObject([{ id: late }]);
  });
});
