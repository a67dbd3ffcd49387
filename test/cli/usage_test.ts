import { describe, expect, test } from "bun:test";
import { runCommand } from "../../src/cli/run.ts";
import { seedFeed } from "../support/seed.ts";
import { failed, linesOf, refused, shareOperatedGateway, UNKNOWN_ID } from "./support.ts";

/** What a heap is larger or smaller by from one full collection to the next: a chunk has 1 MB. */
const HEAP_NOISE_BYTES = 2_000_000;
const HEADER = "usage_id,timestamp,operation,feed_id,credits_charged,key_id";

const { gateway, operator } = await shareOperatedGateway();
await gateway.sql`select create_usage_partitions('2026-01-01T00:00:00Z', 1)`;
const metered = await seedFeed(gateway, await gateway.createAccount(), {
  type: "singleton",
  rows: [{ rate: 1 }],
  callPriceNanos: 1_500,
});

/** An account with `count` events, a millisecond apart from the beginning of 2026 on. */
async function accountWithUsage(count: number): Promise<string> {
  const accountId = await gateway.createAccount();
  await gateway.sql`
    insert into usage_events (
      usage_id, account_id, operation, charge_nanos, happened_at
    )
    select uuid_from_time(moment), ${accountId}, 'catalog', 0, moment
    from generate_series(1, ${count}::int) as number
    cross join lateral (
      select '2026-01-01T00:00:00Z'::timestamptz + number * interval '1 ms' as moment
    ) as moments`;
  return accountId;
}

describe("usage export", () => {
  test("prints the events of the log as the consumer sees them, oldest first", async () => {
    const accountId = await gateway.createAccount({ credits: 10 });
    const key = await gateway.createKey(accountId, "read");
    await gateway.get(`/v1/feed/${metered.slug}`, key);
    await gateway.get("/v1/catalog", key);
    const seen = (await (await gateway.get("/v1/usage", key)).json()) as { usage: unknown[] };
    const events = await operator.json("usage", "export", "--account", accountId);
    expect(events).toEqual(seen.usage.reverse());
    const asJson = ["usage", "export", "--account", accountId, "--format", "json"];
    expect(JSON.parse((await operator.run(asJson)).stdout)).toEqual(events);
    const { stdout } = await operator.run(["usage", "export", "--account", accountId]);
    const lines = linesOf(stdout);
    expect(lines[0]).toBe(HEADER);
    const [{ key_id: keyId }] = events as [{ key_id: string }];
    expect(lines[1]).toEndWith(`,data,${metered.feedId},1.5,${keyId}`);
    expect(lines[2]).toEndWith(`,catalog,,0,${keyId}`);
    expect(lines).toHaveLength(3);
  });

  test("a charge that was given back shows as 0", async () => {
    const accountId = await accountWithUsage(2);
    await gateway.sql`
      update usage_events set charge_nanos = 1500, refunded = happened_at = '2026-01-01T00:00:00.001Z'
      where account_id = ${accountId}`;
    const events = await operator.json("usage", "export", "--account", accountId);
    expect(events).toMatchObject([{ credits_charged: 0 }, { credits_charged: 1.5 }]);
  });

  test("any number of rows, each once and in order, over the chunks' ends", async () => {
    for (const count of [0, 5_000, 12_345]) {
      const accountId = await accountWithUsage(count);
      const { code, stdout } = await operator.run(["usage", "export", "--account", accountId]);
      const [header, ...lines] = linesOf(stdout);
      expect([code, header, lines.length]).toEqual([0, HEADER, count]);
      expect(lines).toEqual([...new Set(lines)].sort());
      const json = await operator.json("usage", "export", "--account", accountId);
      expect(json).toHaveLength(count);
    }
  });

  test("memory does not grow with the log: a chunk is read when the one before has left", async () => {
    const accountId = await accountWithUsage(60_000);
    const heaps: number[] = [];
    let isWriting = false;
    const code = await runCommand(["usage", "export", "--account", accountId], {
      environment: { DATABASE_URL: operator.databaseUrl },
      streams: {
        async write() {
          expect(isWriting).toBe(false);
          isWriting = true;
          await Bun.sleep(1);
          Bun.gc(true);
          heaps.push(process.memoryUsage().heapUsed);
          isWriting = false;
        },
        complain: (text) => expect(text).toBe(""),
      },
    });
    expect(code).toBe(0);
    expect(heaps.length).toBeGreaterThan(10);
    expect(heaps.at(-1)).toBeLessThan((heaps[2] as number) + HEAP_NOISE_BYTES);
  });

  test("since and until are both inclusive", async () => {
    const accountId = await accountWithUsage(10);
    const range = ["--since", "2026-01-01T00:00:00.003Z", "--until", "2026-01-01T00:00:00.005Z"];
    const argv = ["usage", "export", "--account", accountId, ...range];
    expect(await operator.json(...argv)).toHaveLength(3);
  });

  test("a date is its midnight in UTC, as a bound and where a key ends", async () => {
    const accountId = await accountWithUsage(3);
    const argv = ["usage", "export", "--account", accountId];
    expect(await operator.json(...argv, "--since", "2026-01-01")).toHaveLength(3);
    expect(await operator.json(...argv, "--until", "2026-01-01")).toEqual([]);
    expect(
      await operator.json(...argv, "--since", "2025-12-31", "--until", "2026-01-02"),
    ).toHaveLength(3);
    expect(
      (await operator.run([...argv, "--since", "2026-01-02", "--until", "2026-01-01"])).code,
    ).toBe(2);
    const make = ["key", "create", "--account", accountId, "--permission", "read"];
    expect(await operator.json(...make, "--expires", "2126-01-01")).toMatchObject({
      expires_at: "2126-01-01T00:00:00Z",
    });
  });

  test("an unknown account is exit code 1, --json with csv and a turned range exit code 2", async () => {
    refused(await operator.run(["usage", "export", "--account", UNKNOWN_ID]));
    const argv = ["usage", "export", "--account", UNKNOWN_ID, "--json", "--format", "csv"];
    expect((await operator.run(argv)).code).toBe(2);
    const turned = ["--since", "2026-11-02T00:00:00Z", "--until", "2026-11-01T00:00:00Z"];
    failed(await operator.run(["usage", "export", "--account", UNKNOWN_ID, ...turned]), 2);
  });
});

describe("usage refund", () => {
  /** An account with 10 credits and a key. */
  async function createReader() {
    const accountId = await gateway.createAccount({ credits: 10 });
    return { accountId, key: await gateway.createKey(accountId, "read") };
  }

  async function read(key: string, base = gateway.baseUrl, headers = {}) {
    const url = `${base}/v1/feed/${metered.slug}`;
    const response = await fetch(url, { headers: { "x-api-key": key, ...headers } });
    const body = (await response.json()) as {
      code?: string;
      _origin?: { usage_id: string; credits_charged: number };
    };
    return { status: response.status, code: body.code, origin: body._origin };
  }

  async function usageIdOf(key: string): Promise<string> {
    const { origin } = await read(key);
    if (origin === undefined) throw new Error("the read was refused");
    return origin.usage_id;
  }

  const refund = (usageId: string, ...more: string[]) =>
    operator.run(["usage", "refund", usageId, "--reason", "wrong price", "--json", ...more]);

  test("gives the charge back, shows it in ledger, log and trail, and says the same if it is repeated", async () => {
    const { accountId, key } = await createReader();
    const usageId = await usageIdOf(key);
    await usageIdOf(key);
    const first = await refund(usageId);
    expect(first.code).toBe(0);
    expect(JSON.parse(first.stdout)).toEqual({
      entry_id: expect.any(Number),
      account_id: accountId,
      kind: "refund",
      credits: 1.5,
      balance_before_credits: 7,
      balance_after_credits: 8.5,
      reason: "wrong price",
      reference: `refund:${usageId}`,
      created_at: expect.any(String),
      usage_id: usageId,
    });
    expect(await refund(usageId.toUpperCase())).toEqual(first);
    const other = ["usage", "refund", usageId, "--reason", "another one"];
    const told = await operator.run(other);
    expect([told.code, told.stderr]).toEqual([0, `usage event ${usageId} was already refunded\n`]);
    expect(told.stdout).toMatch(/^reason +wrong price$/m);
    expect(await operator.json("account", "show", accountId)).toMatchObject({
      balance_credits: 8.5,
      ledger: { charged_credits: 3, refunded_credits: 1.5, is_balanced: true },
    });
    const { usage } = (await (await gateway.get("/v1/usage", key)).json()) as { usage: unknown[] };
    expect(usage).toMatchObject([
      { credits_charged: 1.5 },
      { usage_id: usageId, credits_charged: 0 },
    ]);
    const trail = (await operator.json("audit", "--account", accountId)) as { action: string }[];
    const refunds = trail.filter(({ action }) => action === "usage refund");
    expect(refunds).toMatchObject([
      {
        feed_id: metered.feedId,
        before: { balance_credits: 7 },
        after: { balance_credits: 8.5, reason: "wrong price", reference: `refund:${usageId}` },
      },
    ]);
  });

  test("all at once it is given back once, and what the gateway itself refunded is not given back again", async () => {
    const { accountId, key } = await createReader();
    const [one, two] = [await usageIdOf(key), await usageIdOf(key)];
    const { database } = gateway.gateway.services;
    const lose = (usageId: string) =>
      database.row("refund_reads", {
        batch_token: usageId.slice(-12),
        account_ids: [accountId],
        elapsed_ms: 0n,
        sent_at: new Date().toISOString(),
        only_usage: usageId,
      });
    const runs = await Promise.all([refund(one), refund(one), lose(two), refund(one), refund(two)]);
    expect(new Set([runs[0].stdout, runs[1].stdout, runs[3].stdout]).size).toBe(1);
    expect(await refund(two)).toEqual(runs[4]);
    expect(await lose(one)).toMatchObject({ refunded: 0 });
    expect(await operator.json("account", "show", accountId)).toMatchObject({
      balance_credits: 10,
      ledger: { charged_credits: 3, refunded_credits: 3, is_balanced: true },
    });
    // What the gateway refunds is nobody's act.
    const three = await usageIdOf(key);
    await lose(three);
    expect(JSON.parse((await refund(three)).stdout).reason).toContain("failed");
    const trail = (await operator.json("audit", "--account", accountId)) as {
      after: { reference: string };
    }[];
    expect(trail.map(({ after }) => after.reference)).not.toContain(`refund:${three}`);
  });

  test("a refunded read keeps its place in the window, for processes that knew the account and for others", async () => {
    const limits = { FEEDGATE_READ_LIMIT_PAID: "3" };
    const { baseUrl } = await gateway.startPeer(limits);
    const { key } = await createReader();
    const usageIds: string[] = [];
    for (let reads = 0; reads < 3; reads++) {
      usageIds.push((await read(key, baseUrl)).origin?.usage_id as string);
    }
    expect((await read(key, baseUrl)).status).toBe(429);
    for (const usageId of usageIds) expect((await refund(usageId)).code).toBe(0);
    expect((await read(key, baseUrl)).status).toBe(429);
    const other = await gateway.startPeer(limits);
    expect((await read(key, other.baseUrl)).status).toBe(429);
  });

  test("a refunded read stays spent of its key's daily budget", async () => {
    const accountId = await gateway.createAccount({ credits: 10 });
    const argv = ["key", "create", "--account", accountId, "--permission", "read"];
    const { key } = (await operator.json(...argv, "--daily-usd", "0.0000015")) as { key: string };
    expect((await refund(await usageIdOf(key))).code).toBe(0);
    const { baseUrl } = await gateway.startPeer();
    for (const base of [gateway.baseUrl, baseUrl]) {
      expect((await read(key, base)).code).toBe("KEY_BUDGET_SPENT");
    }
  });

  test("what was given back can be spent at once, on every process", async () => {
    const { baseUrl } = await gateway.startPeer();
    const accountId = await gateway.createAccount({ credits: 1.5 });
    const key = await gateway.createKey(accountId, "read");
    const usageId = await usageIdOf(key);
    for (const base of [gateway.baseUrl, baseUrl]) {
      expect((await read(key, base)).code).toBe("INSUFFICIENT_CREDITS");
    }
    await refund(usageId);
    expect((await read(key, baseUrl)).status).toBe(200);
    expect((await read(key)).code).toBe("INSUFFICIENT_CREDITS");
  });

  test("a replay under the read's Idempotency-Key has the same event, and shows that it cost nothing", async () => {
    const { accountId, key } = await createReader();
    const headers = { "Idempotency-Key": "refunded" };
    const { origin } = await read(key, gateway.baseUrl, headers);
    await refund(origin?.usage_id as string);
    for (const base of [gateway.baseUrl, (await gateway.startPeer()).baseUrl]) {
      const again = await read(key, base, headers);
      expect(again).toMatchObject({ status: 200, origin: { ...origin, credits_charged: 0 } });
    }
    expect(await operator.json("account", "show", accountId)).toMatchObject({
      balance_credits: 10,
    });
  });

  test("an event that retention has removed: refunded before, the same answer; else there is none", async () => {
    const { accountId, key } = await createReader();
    const [one, two] = [await usageIdOf(key), await usageIdOf(key)];
    const first = await refund(one);
    await gateway.sql`delete from usage_events where account_id = ${accountId}`;
    expect(await refund(one)).toEqual(first);
    expect(await refund(two)).toMatchObject({ code: 1, stdout: "" });
  });

  test("a read that cost nothing, an unknown one, and no id at all are exit code 1; no reason is exit code 2", async () => {
    const { accountId, key } = await createReader();
    const catalog = (await (await gateway.get("/v1/catalog", key)).json()) as {
      _origin: { usage_id: string };
    };
    const { usage_id: free } = catalog._origin;
    for (const [usageId, message] of [
      [free, "was free"],
      [accountId, "no usage event"],
      ["all", "no usage event"],
    ] as const) {
      refused(await refund(usageId), message);
    }
    const usageId = await usageIdOf(key);
    for (const argv of [
      [usageId],
      [usageId, "--reason", " "],
      [usageId, "--reason", "x".repeat(501)],
      ["--reason", "S"],
      [usageId, free, "--reason", "S"],
      [usageId, "--reason", "S", "--credits", "1"],
    ]) {
      failed(await operator.run(["usage", "refund", ...argv]), 2);
    }
    expect(await operator.json("account", "show", accountId)).toMatchObject({
      balance_credits: 8.5,
    });
  });
});
