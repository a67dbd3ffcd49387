import { describe, expect, test } from "bun:test";
import { runInTerminal, startOperatedGateway, UNKNOWN_ID } from "../../cli/support.ts";
import { createProvider, createReader } from "../../support/earning_scene.ts";
import { problemOf } from "../../support/gateway.ts";
import { countSales } from "../../support/run_job.ts";

const { gateway, operator } = await startOperatedGateway({
  FEEDGATE_PLATFORM_FEE_PERCENT: "12.5",
});
const { sql } = gateway;
const today = new Date().toISOString().slice(0, 10);
const NOTHING = {
  reads: 0,
  paid_reads: 0,
  accounts: 0,
  purchases: 0,
  gross_usd: 0,
  refunded_usd: 0,
  fee_usd: 0,
  net_usd: 0,
};

describe("GET /v1/provider/earnings", () => {
  test("reads, purchases, refunds and fees of the last 30 days, by day; distinct accounts in all", async () => {
    const provider = await createProvider(gateway);
    const metered = await provider.feed({ callPriceNanos: 1_000 });
    const free = await provider.feed({});
    const sold = await provider.feed({ oneTimePriceCents: 500 });
    const [ann, ben] = [await createReader(gateway), await createReader(gateway)];
    const first = await ann.read(metered);
    for (const reader of [ann, ann, ben]) await reader.read(metered);
    await ben.read(free);
    await operator.json("purchase", "record", "--account", ben.accountId, "--feed", sold.slug);
    await ben.read(sold);
    await operator.json("usage", "refund", first.usage_id, "--reason", "S");
    await countSales(sql);

    const expected = {
      reads: 6,
      paid_reads: 4,
      accounts: 2,
      purchases: 1,
      gross_usd: 5.000004,
      refunded_usd: 0.000001,
      fee_usd: 0.625000375,
      net_usd: 4.375002625,
      is_final: false,
    };
    const earnings = await provider.earnings();
    expect(earnings).toMatchObject({ to: today, group_by: "day", totals: expected });
    expect(earnings.groups).toHaveLength(30);
    expect(earnings.groups[0]).toMatchObject({ date: earnings.from, ...NOTHING, is_final: true });
    expect(earnings.groups.at(-1)).toEqual({ date: today, ...expected });

    // The list of own feeds has the same figures of each feed.
    const listed = (await (await provider.get("/v1/provider/feeds")).json()) as {
      feeds: { id: string; reads: number; readers: number; net_usd: number }[];
    };
    const figuresOf = (feedId: string) => {
      const feed = listed.feeds.find(({ id }) => id === feedId);
      return [feed?.reads, feed?.readers, feed?.net_usd];
    };
    expect(figuresOf(metered.feedId)).toEqual([4, 2, 0.000002625]);
    expect(figuresOf(free.feedId)).toEqual([1, 1, 0]);
    expect(figuresOf(sold.feedId)).toEqual([1, 1, 4.375]);

    const byMonth = await provider.earnings("?group_by=month");
    expect(byMonth.groups.at(-1)).toEqual({ month: today.slice(0, 7), ...expected });
    expect(byMonth.totals).toEqual(expected);
    const byFeed = await provider.earnings("?group_by=feed");
    expect(byFeed.totals).toEqual(expected);
    expect(
      byFeed.groups.map(({ feed_id, reads, accounts, gross_usd }) => [
        feed_id,
        reads,
        accounts,
        gross_usd,
      ]),
    ).toEqual([
      [sold.feedId, 1, 1, 5],
      [metered.feedId, 4, 2, 0.000004],
      [free.feedId, 1, 1, 0],
    ]);
    // The usual number of days would begin before the first one.
    expect((await provider.earnings("?to=0001-01-05")).from).toBe("0001-01-01");
    expect((await provider.earnings("?from=2020-01-01&to=2020-01-31")).totals).toEqual({
      ...NOTHING,
      is_final: true,
    });

    // The purchase is undone: that counts as a refund, with its fee, and not as a sale less.
    await operator.json(
      ...["purchase", "undo", "--account", ben.accountId, "--feed", sold.slug, "--reason", "S"],
    );
    await countSales(sql);
    expect((await provider.earnings()).totals).toMatchObject({
      purchases: 1,
      gross_usd: 5.000004,
      refunded_usd: 5.000001,
      fee_usd: 0.000000375,
      net_usd: 0.000002625,
    });
  });

  test("a feed that is bought from the balance is sold once, and given back once, by an undo or a refund", async () => {
    const provider = await createProvider(gateway);
    const feed = await provider.feed({ oneTimePriceCents: 200 });
    const reader = await createReader(gateway, 5_000_000);
    const buy = () =>
      gateway.send("POST", `/v1/feed/${feed.slug}/purchase`, reader.key, {
        max_credits: 2_000_000,
      });
    const undo = () =>
      operator.json(
        ...["purchase", "undo", "--account", reader.accountId, "--feed", feed.slug],
        ...["--reason", "S"],
      );
    const totals = async () => {
      await countSales(sql);
      expect(await operator.json("account", "show", reader.accountId)).toMatchObject({
        spent: { waiting_usd: 0, is_balanced: true },
        ledger: { is_balanced: true },
      });
      return (await provider.earnings()).totals;
    };
    expect((await buy()).status).toBe(201);
    expect((await buy()).status).toBe(200);
    expect(await totals()).toMatchObject({ purchases: 1, gross_usd: 2, net_usd: 1.75 });
    await undo();
    expect(await totals()).toMatchObject({ purchases: 1, gross_usd: 2, refunded_usd: 2 });
    const again = (await (await buy()).json()) as { _origin: { usage_id: string } };
    expect(await totals()).toMatchObject({ purchases: 2, gross_usd: 4, refunded_usd: 2 });
    await operator.json("usage", "refund", again._origin.usage_id, "--reason", "S");
    expect(await totals()).toMatchObject({ purchases: 2, gross_usd: 4, refunded_usd: 4 });
    await undo();
    expect(await totals()).toMatchObject({
      ...{ reads: 0, accounts: 1, purchases: 2 },
      ...{ gross_usd: 4, refunded_usd: 4, fee_usd: 0, net_usd: 0 },
    });
  });

  test("nobody sees another's, one's own reads cost nothing, and a read key is refused", async () => {
    const [provider, other] = [await createProvider(gateway), await createProvider(gateway)];
    const feed = await provider.feed();
    const own = await gateway.createKey(provider.accountId, "read");
    expect((await gateway.get(`/v1/feed/${feed.slug}`, own)).status).toBe(200);
    await countSales(sql);
    expect((await provider.earnings()).totals).toMatchObject({ ...NOTHING, reads: 1, accounts: 1 });
    expect((await other.earnings()).totals).toMatchObject(NOTHING);
    for (const path of ["/v1/provider/earnings", "/v1/provider/payouts"]) {
      const bearer = { Authorization: `Bearer ${own}` };
      expect(await problemOf(await gateway.get(path, undefined, bearer))).toMatchObject({
        status: 403,
        code: "KEY_PERMISSION",
      });
      expect(await problemOf(await gateway.get(path))).toMatchObject({ code: "KEY_REQUIRED" });
      expect((await provider.get(`/api${path}`)).status).toBe(200);
    }
  });

  test("CSV has a line for each group, and no name becomes a formula", async () => {
    const provider = await createProvider(gateway);
    const feed = await provider.feed();
    await sql`update feeds set name = '=SUM("a",1)' where feed_id = ${feed.feedId}`;
    await (await createReader(gateway)).read(feed);
    await countSales(sql);
    const response = await provider.get(
      `/v1/provider/earnings?format=csv&group_by=feed&from=${today}&to=${today}`,
    );
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(response.headers.get("content-disposition")).toContain("attachment");
    expect(await response.text()).toBe(
      [
        "feed_id,name,reads,paid_reads,accounts,purchases,gross_usd,refunded_usd,fee_usd,net_usd,is_final",
        `${feed.feedId},"'=SUM(""a"",1)",1,1,1,0,0.000001,0,0.000000125,0.000000875,false`,
        "",
      ].join("\r\n"),
    );
  });

  test("what can't be asked is 400", async () => {
    const provider = await createProvider(gateway);
    for (const query of [
      "from=2026-13-01",
      "from=2026-02-30",
      "to=yesterday",
      "from=2026-11-21T00:00:00Z",
      "from=2026-11-02&to=2026-11-01",
      "from=2010-01-01&to=2026-01-01",
      "group_by=week",
      "format=xml",
      "since=2026-11-01",
    ]) {
      expect(await problemOf(await provider.get(`/v1/provider/earnings?${query}`))).toMatchObject({
        status: 400,
        code: "INVALID_PARAMETER",
      });
    }
  });
});

describe("payouts", () => {
  test("earned less paid out is owed; a reference is one payout", async () => {
    const provider = await createProvider(gateway);
    const feed = await provider.feed({ callPriceNanos: 8_000 });
    await (await createReader(gateway)).read(feed);
    await countSales(sql);
    const record = (...more: string[]) =>
      operator.run(["payout", "record", "--account", provider.accountId, "--json", ...more]);
    const first = await record("--usd", "0.000004", "--reference", "sepa-1");
    expect(JSON.parse(first.stdout)).toMatchObject({
      account_id: provider.accountId,
      usd: 0.000004,
      reference: "sepa-1",
    });
    expect((await record("--usd", "0.000004", "--reference", "sepa-1")).stdout).toBe(first.stdout);
    expect((await record("--usd", "0.000005", "--reference", "sepa-1")).code).toBe(1);
    expect((await record("--usd", "0.000001", "--reference", "sepa-2")).code).toBe(0);
    for (const usd of ["0", "-1", "x", "0.0000000001"]) {
      expect((await record("--usd", usd, "--reference", "sepa-3")).code).toBe(2);
    }
    expect((await record("--usd", "1")).code).toBe(2);
    const above = await record("--usd", "0.000003", "--reference", "sepa-3");
    expect(above).toMatchObject({ code: 1 });
    expect(above.stderr).toContain("0.000003 USD is more than the 0.000002 USD");
    const meant = ["--usd", "0.000003", "--reference", "sepa-3", "--allow-above"];
    const { payout_id: wrong } = JSON.parse((await record(...meant)).stdout) as {
      payout_id: number;
    };
    const undo = ["payout", "undo", String(wrong), "--reason", "typed wrong", "--json"];
    const undone = await operator.run(undo);
    expect(JSON.parse(undone.stdout)).toMatchObject({ usd: -0.000003, undoes_payout_id: wrong });
    expect((await operator.run(undo)).stdout).toBe(undone.stdout);
    expect((await operator.run(["payout", "undo", "no", "--reason", "r"])).code).toBe(1);
    expect(
      (
        await operator.run([
          ...["payout", "record", "--account", UNKNOWN_ID, "--usd", "1", "--reference", "sepa-4"],
        ])
      ).code,
    ).toBe(1);

    const page = async (query: string) =>
      (await provider.get(`/v1/provider/payouts${query}`)).json() as Promise<
        Record<string, unknown>
      >;
    const newest = await page("?limit=3");
    expect(newest).toMatchObject({
      payouts: [
        { usd: -0.000003, undoes_payout_id: wrong, reason: "typed wrong" },
        { usd: 0.000003, reference: "sepa-3" },
        { usd: 0.000001, reference: "sepa-2" },
      ],
      earned_usd: 0.000007,
      paid_usd: 0.000005,
      owed_usd: 0.000002,
      limit: 3,
      has_more: true,
    });
    expect(await page(`?limit=1&cursor=${newest.next_cursor}`)).toMatchObject({
      payouts: [{ usd: 0.000004, reference: "sepa-1" }],
      has_more: false,
      next_cursor: null,
    });
    expect(await problemOf(await provider.get("/v1/provider/payouts?cursor=x"))).toMatchObject({
      code: "CURSOR_INVALID",
    });
    const trail = await operator.json("audit", "--account", provider.accountId);
    expect(trail).toEqual(
      expect.arrayContaining([expect.objectContaining({ action: "payout record" })]),
    );
    expect(await operator.json("payout", "list", "--account", provider.accountId)).toHaveLength(4);
  });
});

describe("report earnings", () => {
  test("is a provider's statement, as JSON and as text", async () => {
    const provider = await createProvider(gateway);
    const feed = await provider.feed({ callPriceNanos: 8_000 });
    const reader = await createReader(gateway);
    await reader.read(feed);
    await countSales(sql);
    const report = ["report", "earnings", "--account", provider.accountId];
    expect(await operator.json(...report, "--since", today, "--until", today)).toMatchObject({
      account_id: provider.accountId,
      from: today,
      to: today,
      groups: [{ date: today, gross_usd: 0.000008, fee_usd: 0.000001, net_usd: 0.000007 }],
      owed_usd: 0.000007,
    });
    const { stdout } = await operator.run([...report, "--by", "feed"]);
    expect(stdout).toContain(feed.feedId);
    expect(stdout).toMatch(/^owed +0\.000007 USD$/m);
    const environment = { DATABASE_URL: gateway.databaseUrl };
    const [header] = await runInTerminal(report, { columns: 40, environment });
    expect(header).toMatch(/^DAY +NET +GROSS/);
    expect((await operator.run([...report, "--since", "x"])).code).toBe(2);
    expect(
      (await operator.run([...report, "--since", "2026-02-02", "--until", "2026-02-01"])).code,
    ).toBe(1);

    expect(
      await operator.json(
        ...["report", "revenue", "--account", provider.accountId, "--until", today],
      ),
    ).toMatchObject([{ feed_id: feed.feedId, paid_reads: 1 }]);
    expect(
      await operator.json(
        ...["report", "revenue", "--account", provider.accountId, "--since", "2020-01-01"],
        ...["--until", "2020-01-31"],
      ),
    ).toEqual([]);
    expect(await operator.json("account", "show", reader.accountId)).toMatchObject({
      spent: { usd: 0.000008, counted_usd: 0.000008, waiting_usd: 0, is_balanced: true },
    });
    expect(await operator.json("account", "show", provider.accountId)).toMatchObject({
      earned: { gross_usd: 0.000008, fee_usd: 0.000001, owed_usd: 0.000007 },
    });
  });
});
