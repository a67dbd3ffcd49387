import { beforeAll, describe, expect, test } from "bun:test";
import { countSales } from "../support/run_job.ts";
import { type Seed, type SeededFeed, seedFeed } from "../support/seed.ts";
import { failed, linesOf, startOperatedGateway, UNKNOWN_ID } from "./support.ts";

/** What a terminal must not get, and what it gets in its place. */
const HOSTILE = "bad\u001b[2J\u202ename";
const HARMLESS = "bad\\u001b[2J\\u202ename";

const { gateway, operator } = await startOperatedGateway();
await gateway.sql`select create_usage_partitions(now() - interval '20 days', 1)`;

const seed = (accountId: string, more: Partial<Seed> = {}): Promise<SeededFeed> =>
  seedFeed(gateway, accountId, { type: "singleton", rows: [{ rate: 1 }], ...more });

async function read(feed: SeededFeed, key: string, times = 1): Promise<string> {
  let usageId = "";
  for (let time = 0; time < times; time++) {
    const response = await gateway.get(`/v1/feed/${feed.slug}`, key);
    expect(response.status).toBe(200);
    usageId = ((await response.json()) as { _origin: { usage_id: string } })._origin.usage_id;
  }
  return usageId;
}

/** A read of eight days ago, outside the default period. */
async function readLongAgo(feed: SeededFeed, accountId: string, chargeNanos: number) {
  await gateway.sql`
    with event as (
      insert into usage_events (usage_id, account_id, operation, feed_id, charge_nanos, happened_at)
      select uuid_from_time(moment), ${accountId}, 'data', ${feed.feedId}, ${chargeNanos}, moment
      from (select now() - interval '8 days' as moment) as moments
      returning *
    )
    insert into sale_changes (kind, account_id, feed_id, usage_id, amount_nanos, sold_at)
    select 'late', account_id, feed_id, usage_id, charge_nanos, happened_at
    from event`;
  await renewVersion(accountId);
}

/** As every charge does. */
const renewVersion = (accountId: string) => gateway.sql`
  update accounts set version = (random() * 1000000000)::bigint where account_id = ${accountId}`;

/** All pages of one row each, and the cursors that led through them. */
async function walk(argv: readonly string[]): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (let after: string[] = []; ; ) {
    const { code, stdout, stderr } = await operator.run([
      ...argv,
      ...["--limit", "1", "--json"],
      ...after,
    ]);
    expect(code).toBe(0);
    rows.push(...JSON.parse(stdout));
    const cursor = / --after (\S+)\n$/.exec(stderr)?.[1];
    if (cursor === undefined) return rows;
    after = ["--after", cursor];
  }
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

describe("report top and report revenue", () => {
  let owner: string;
  let one: string;
  let two: string;
  let cheap: SeededFeed;
  let dear: SeededFeed;
  let free: SeededFeed;
  let sold: SeededFeed;
  beforeAll(async () => {
    owner = await gateway.createAccount({ name: HOSTILE });
    cheap = await seed(owner, { callPriceNanos: 1_500, name: HOSTILE });
    dear = await seed(owner, { callPriceNanos: 4_000 });
    free = await seed(owner);
    sold = await seed(owner, { oneTimePriceCents: 500 });
    one = await gateway.createAccount({ credits: 100, name: "One" });
    two = await gateway.createAccount({ credits: 100, name: "Two" });
    const [first, second] = [
      await gateway.createKey(one, "read"),
      await gateway.createKey(two, "read"),
    ];
    await read(cheap, first, 3);
    await read(cheap, second);
    await read(dear, second, 2);
    await read(free, second, 5);
    // No reads of data.
    await gateway.get("/v1/catalog", first);
    await gateway.get(`/v1/feed/${free.slug}/metadata`, first);
    await readLongAgo(dear, one, 4_000_000);
    await operator.json("purchase", "record", "--account", one, "--feed", sold.slug);
    await operator.json("purchase", "record", "--account", two, "--feed", sold.slug);
    await countSales(gateway.sql);
  });

  const ofFeed = (feed: SeededFeed) => ({
    feed_id: feed.feedId,
    endpoint_path: feed.slug,
    feed_name: expect.any(String),
    account_id: owner,
    account_name: HOSTILE,
  });

  test("top ranks feeds and accounts of the last 7 days by reads, or by credits", async () => {
    const ranked = (feed: SeededFeed, reads: number, credits: number) => ({
      ...ofFeed(feed),
      reads,
      credits_charged: credits,
    });
    expect(await operator.json("report", "top")).toEqual({
      feeds: [ranked(free, 5, 0), ranked(cheap, 4, 6), ranked(dear, 2, 8)],
      accounts: [
        { account_id: two, account_name: "Two", reads: 8, credits_charged: 9.5 },
        { account_id: one, account_name: "One", reads: 3, credits_charged: 4.5 },
      ],
    });
    expect(await operator.json("report", "top", "--by", "credits")).toMatchObject({
      feeds: [{ feed_id: dear.feedId }, { feed_id: cheap.feedId }, { feed_id: free.feedId }],
      accounts: [{ account_id: two }, { account_id: one }],
    });
    const since = ["--since", daysAgo(9).slice(0, 10)];
    expect(await operator.json("report", "top", ...since, "--by", "credits")).toMatchObject({
      feeds: [{ feed_id: dear.feedId, reads: 3, credits_charged: 4_008 }, {}, {}],
      accounts: [{ account_id: one, reads: 4, credits_charged: 4_004.5 }, { account_id: two }],
    });
    expect(await operator.json("report", "top", "--since", "2126-01-01")).toEqual({
      feeds: [],
      accounts: [],
    });
  });

  test("top shows as many as --limit says of each, and says that there are more", async () => {
    const { code, stdout, stderr } = await operator.run([
      "report",
      "top",
      "--limit",
      "1",
      "--json",
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      feeds: [{ feed_id: free.feedId }],
      accounts: [{ account_id: two }],
    });
    expect(linesOf(stderr)).toEqual([expect.stringContaining("use a larger --limit")]);
    expect((await operator.run(["report", "top", "--limit", "3"])).stderr).toBe("");
  });

  test("revenue has paid reads and purchases at their price, the most first, counted in totals or not", async () => {
    const earned = (feed: SeededFeed, usd: number, more: Record<string, number>) => ({
      ...ofFeed(feed),
      reads: 0,
      paid_reads: 0,
      purchases: 0,
      gross_usd: usd,
      refunded_usd: 0,
      revenue_usd: usd,
      fee_usd: 0,
      net_usd: usd,
      ...more,
    });
    const ofSold = earned(sold, 10, { purchases: 2 });
    const ofDear = earned(dear, 0.000008, { reads: 2, paid_reads: 2 });
    const ofCheap = earned(cheap, 0.000006, { reads: 4, paid_reads: 4 });
    // What is bought at the old price stays so.
    await gateway.sql`
      update feeds set one_time_price_cents = 900 where feed_id = ${sold.feedId}`;
    for (let round = 0; round < 2; round++) {
      expect(await operator.json("report", "revenue")).toEqual([ofSold, ofDear, ofCheap]);
      expect(await walk(["report", "revenue"])).toEqual([ofSold, ofDear, ofCheap]);
      expect(await operator.json("report", "revenue", "--since", daysAgo(9))).toMatchObject([
        { feed_id: sold.feedId },
        { feed_id: dear.feedId, reads: 3, paid_reads: 3, gross_usd: 0.004008 },
        { feed_id: cheap.feedId },
      ]);
      const past = ["--since", daysAgo(9), "--until", daysAgo(7)];
      expect(await operator.json("report", "revenue", ...past)).toEqual([
        earned(dear, 0.004, { reads: 1, paid_reads: 1 }),
      ]);
      expect(await operator.json("report", "revenue", "--account", one)).toEqual([]);
      await countSales(gateway.sql);
    }
  });

  test("revenue has refunds and the fee; a read that failed is none", async () => {
    const { database } = gateway.gateway.services;
    const rate = (millionths: number) =>
      database.row("keep_fee_rate", { rate_millionths: millionths });
    const account = await gateway.createAccount({ credits: 100, name: "Refunded" });
    const key = await gateway.createKey(account, "read");
    const feed = await seed(owner, { callPriceNanos: 1_001 });
    await rate(100_000);
    const [usageId, failedId] = [await read(feed, key), await read(feed, key)];
    await gateway.sql`
      update usage_events set refunded = true, failed = true where usage_id = ${failedId}`;
    await read(feed, key);
    const ofFeed = async () => {
      const revenue = (await operator.json("report", "revenue")) as { feed_id: string }[];
      return revenue.find((row) => row.feed_id === feed.feedId);
    };
    const sums = { reads: 2, paid_reads: 2, gross_usd: 0.000002002 };
    const before = { ...sums, refunded_usd: 0, fee_usd: 0.0000002, net_usd: 0.000001802 };
    const after = {
      ...sums,
      refunded_usd: 0.000001001,
      revenue_usd: 0.000001001,
      fee_usd: 0.0000001,
      net_usd: 0.000000901,
    };
    expect(await ofFeed()).toMatchObject(before);
    await countSales(gateway.sql);
    expect(await ofFeed()).toMatchObject(before);
    await operator.json("usage", "refund", usageId, "--reason", "wrong");
    expect(await ofFeed()).toMatchObject(after);
    await countSales(gateway.sql);
    expect(await ofFeed()).toMatchObject(after);
    await rate(0);
    const top = (await operator.json("report", "top")) as { accounts: { account_id: string }[] };
    expect(top.accounts.find((row) => row.account_id === account)).toMatchObject({
      reads: 2,
      credits_charged: 1.001,
    });
  });

  test("revenue shows each feed once, whatever is read, bought, refunded and counted between two pages", async () => {
    const argv = ["report", "revenue", "--limit", "1", "--json"];
    const before = (await operator.json("report", "revenue")) as object[];
    const key = await gateway.createKey(await gateway.createAccount({ credits: 100 }), "read");
    const shown: object[] = [];
    for (let after: string[] = []; ; ) {
      const { stdout, stderr } = await operator.run([...argv, ...after]);
      shown.push(...JSON.parse(stdout));
      // The last becomes the first, a feed that earned nothing the second, and the first loses all.
      await read(cheap, key, 3);
      const fresh = await seed(owner, { oneTimePriceCents: 10_000 });
      await operator.json("purchase", "record", "--account", one, "--feed", fresh.slug);
      const usageId = await read(dear, key);
      if (shown.length % 2 === 1) await countSales(gateway.sql);
      await operator.json("usage", "refund", usageId, "--reason", "test");
      const cursor = / --after (\S+)\n$/.exec(stderr)?.[1];
      if (cursor === undefined) break;
      after = ["--after", cursor];
    }
    const sales = (rows: readonly object[]) =>
      rows.map((row) => ({ ...row, refunded_usd: 0, revenue_usd: 0, net_usd: 0 }));
    expect(sales(shown)).toEqual(sales(before));
  });

  test("a purchase that was undone is given back, on its own day", async () => {
    const feed = await seed(owner, { oneTimePriceCents: 123 });
    const sales = async () => {
      const rows = (await operator.json("report", "revenue")) as { feed_id: string }[];
      return rows.find((row) => row.feed_id === feed.feedId);
    };
    const named = ["--account", one, "--feed", feed.slug];
    await operator.json("purchase", "record", ...named);
    expect(await sales()).toMatchObject({ purchases: 1, gross_usd: 1.23, revenue_usd: 1.23 });
    await operator.json("purchase", "undo", ...named, "--reason", "wrong");
    const undone = { purchases: 1, gross_usd: 1.23, refunded_usd: 1.23, revenue_usd: 0 };
    expect(await sales()).toMatchObject(undone);
    await countSales(gateway.sql);
    expect(await sales()).toMatchObject(undone);
  });

  test("money is exact, however much it is", async () => {
    const account = await gateway.createAccount();
    const feed = await seed(owner, { callPriceNanos: 1 });
    await gateway.sql`
      insert into usage_events (usage_id, account_id, operation, feed_id, charge_nanos, happened_at)
      select uuid_from_time(now()), ${account}, 'data', ${feed.feedId}, 9007199254740993, now()`;
    await renewVersion(account);
    const { stdout } = await operator.run(["report", "revenue", "--limit", "1", "--json"]);
    expect(stdout).toContain('"gross_usd":9007199.254740993');
    expect(stdout).toContain('"net_usd":9007199.254740993');
  });

  test("a provider's text is written out for a terminal", async () => {
    for (const report of ["top", "revenue"]) {
      const { stdout } = await operator.run(["report", report]);
      expect(stdout).toContain(HARMLESS);
      expect(stdout).not.toContain("\u001b");
      expect(stdout).not.toContain("\u202e");
    }
    expect((await operator.run(["report", "top", "--json"])).stdout).not.toContain("\u202e");
  });
});

describe("report stale", () => {
  let owner: string;
  beforeAll(async () => {
    owner = await gateway.createAccount({ name: "Late" });
  });

  async function feedOf(status: string, times: { made: string; pushed?: string }): Promise<string> {
    const { feedId } = await seed(owner, { name: status });
    const { made, pushed = null } = times;
    await gateway.sql`
      update feeds
      set status = ${status}, created_at = now() - ${made}::interval,
        first_pushed_at = now() - ${pushed}::interval, last_sync_at = now() - ${pushed}::interval
      where feed_id = ${feedId}`;
    return feedId;
  }

  test("lists active feeds behind their interval and those never pushed, the oldest data first", async () => {
    const made = "10 days";
    const late = await feedOf("active", { made, pushed: "61 minutes" });
    const later = await feedOf("active", { made, pushed: "3 days" });
    const draft = await feedOf("draft", { made: "2 hours" });
    const inactive = await feedOf("inactive", { made: "5 days" });
    // In time, or of no concern.
    const deleted = await feedOf("draft", { made: "3 hours" });
    await operator.json("feed", "delete", deleted);
    await feedOf("active", { made, pushed: "59 minutes" });
    await feedOf("inactive", { made, pushed: "3 days" });
    await feedOf("draft", { made: "10 minutes" });
    const slow = await feedOf("active", { made, pushed: "3 days" });
    await gateway.sql`update feeds set sync_interval_mins = 10080 where feed_id = ${slow}`;

    const rows = (await operator.json("report", "stale")) as { feed_id: string }[];
    expect(rows.map((row) => row.feed_id)).toEqual([inactive, later, draft, late]);
    expect(rows[1]).toEqual({
      feed_id: later,
      endpoint_path: expect.any(String),
      feed_name: "active",
      account_id: owner,
      account_name: "Late",
      status: "active",
      sync_interval_mins: 60,
      last_sync_at: expect.stringMatching(/^\d{4}-.*Z$/),
      due_at: expect.stringMatching(/^\d{4}-.*Z$/),
    } as never);
    expect(rows[2]).toMatchObject({ status: "draft", last_sync_at: null });
    expect(await walk(["report", "stale"])).toEqual(rows);
    // The cursor's own feed is pushed to, and another becomes late, between two pages.
    const first = await operator.run(["report", "stale", "--limit", "2", "--json"]);
    const cursor = / --after (\S+)\n$/.exec(first.stderr)?.[1] as string;
    await gateway.sql`update feeds set last_sync_at = now() where feed_id = ${later}`;
    await gateway.sql`
      update feeds set created_at = now() - interval '9 days' where feed_id = ${inactive}`;
    const rest = await operator.json("report", "stale", "--after", cursor);
    expect([...JSON.parse(first.stdout), ...(rest as unknown[])]).toEqual(rows);
    await gateway.sql`
      update feeds set last_sync_at = now() - interval '3 days' where feed_id = ${later}`;
    await gateway.sql`
      update feeds set created_at = now() - interval '5 days' where feed_id = ${inactive}`;
    const since = (await operator.json("report", "stale", "--since", daysAgo(4))) as typeof rows;
    expect(since.map((row) => row.feed_id)).toEqual([later, draft, late]);
    const { stdout } = await operator.run(["report", "stale"]);
    expect(linesOf(stdout)).toHaveLength(5);
    expect(stdout).toMatch(/draft +60 min +never /);
  });
});

describe("report errors", () => {
  test("counts refused pushes by feed and code, with the newest detail, the newest first", async () => {
    const owner = await gateway.createAccount({ name: "Careless" });
    const key = await gateway.createKey(owner, "write");
    const [one, two] = [await seed(owner), await seed(owner)];
    const push = async (feed: SeededFeed, body: unknown) =>
      (await gateway.send("POST", `/v1/provider/feed/${feed.feedId}/push`, key, body)).status;
    expect(await push(one, "{")).toBe(400);
    expect(await push(one, "[1]")).toBe(422);
    expect(await push(two, "[1]")).toBe(422);
    expect(await push(one, "[[1]]")).toBe(422);
    expect(await push(one, { rate: 2 })).toBe(200);
    const rows = (await operator.json("report", "errors")) as Record<string, unknown>[];
    expect(rows).toMatchObject([
      { feed_id: one.feedId, code: "VALIDATION_FAILED", pushes: 2, account_name: "Careless" },
      { feed_id: two.feedId, code: "VALIDATION_FAILED", pushes: 1, endpoint_path: two.slug },
      { feed_id: one.feedId, code: "BODY_NOT_JSON", pushes: 1 },
    ]);
    const { pushes } = (await operator.json("feed", "show", one.slug)) as {
      pushes: { detail: string; pushed_at: string; code: string }[];
    };
    const newest = pushes.find((each) => each.code === "VALIDATION_FAILED");
    expect(rows[0]).toMatchObject({
      last_detail: newest?.detail,
      last_pushed_at: newest?.pushed_at,
    });
    expect(await walk(["report", "errors"])).toEqual(rows);
    // What stands last is refused again between two pages.
    const first = await operator.run(["report", "errors", "--limit", "2", "--json"]);
    const cursor = / --after (\S+)\n$/.exec(first.stderr)?.[1] as string;
    expect(await push(one, "{")).toBe(400);
    const rest = await operator.json("report", "errors", "--after", cursor);
    expect([...JSON.parse(first.stdout), ...(rest as unknown[])]).toEqual(rows);
    expect(await operator.json("report", "errors", "--since", daysAgo(-1))).toEqual([]);

    await gateway.sql`
      update pushes set detail = ${HOSTILE}, pushed_at = now() - interval '8 days'
      where feed_id = ${two.feedId}`;
    expect(await operator.json("report", "errors")).toHaveLength(2);
    const { stdout } = await operator.run(["report", "errors", "--since", daysAgo(9)]);
    expect(stdout).toContain(HARMLESS);
    expect(stdout).not.toContain("\u001b");
  });
});

describe("report", () => {
  test("refuses wrong values, and options that a report does not take", async () => {
    const reports = ["top", "stale", "revenue", "errors"];
    const wrong = reports.flatMap((report) => [
      [report, "--since", "last week"],
      [report, "--since", "2026-02-30"],
      [report, "--since"],
      [report, "--limit", "0"],
      [report, "--limit", "1001"],
      [report, "--limit", "x"],
      [report, "--since", "2026-01-01", "--since", "2026-01-02"],
      [report, "--until", report === "revenue" ? "soon" : "2026-01-01"],
      [report, "something"],
    ]);
    for (const argv of [
      ...wrong,
      [],
      ["bottom"],
      ["top", "--by", "name"],
      ["top", "--by", ""],
      ["top", "--after", UNKNOWN_ID],
      ["stale", "--by", "reads"],
      ["errors", "--after", UNKNOWN_ID],
      ["errors", "--after", "0"],
    ]) {
      failed(await operator.run(["report", ...argv]), 2);
    }
    const now = new Date().toISOString();
    for (const [report, cursor] of [
      ["stale", UNKNOWN_ID],
      ["stale", `${now},${now},x`],
      ["stale", `${now},,${UNKNOWN_ID}`],
      ["revenue", `${now},${now},-1,${UNKNOWN_ID}`],
      ["revenue", `${now},${now},${"9".repeat(19)},${UNKNOWN_ID}`],
      ["errors", `${now},1`],
      ["errors", `${now},1,x`],
    ] as const) {
      failed(await operator.run(["report", report, "--after", cursor]), 2, "--after");
    }
  });
});
