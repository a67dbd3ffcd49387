import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { OPERATOR_COMMANDS } from "../../src/cli/commands.ts";
import { runCommand } from "../../src/cli/run.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { seedFeed } from "../support/seed.ts";
import { linesOf, type Operator, operatorOf, spawnFeedgate } from "./support.ts";

/** What a heap is larger or smaller by from one full collection to the next: a chunk has 1 MB. */
const HEAP_NOISE_BYTES = 2_000_000;
const LINE_FEED = 0x0a;
const HEADER = "usage_id,timestamp,operation,feed_id,credits_charged";

let gateway: TestGateway;
let operator: Operator;
beforeAll(async () => {
  gateway = await startTestGateway();
  operator = operatorOf(gateway.databaseUrl);
  await gateway.sql`select create_usage_partitions('2026-01-01T00:00:00Z', 1)`;
});
afterAll(() => gateway.stop());

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
    const feed = await seedFeed(gateway, await gateway.createAccount(), {
      type: "singleton",
      rows: [{ rate: 1 }],
      callPriceNanos: 1_500,
    });
    const accountId = await gateway.createAccount({ credits: 10 });
    const key = await gateway.createKey(accountId, "read");
    await gateway.get(`/v1/feed/${feed.slug}`, key);
    await gateway.get("/v1/catalog", key);
    const seen = (await (await gateway.get("/v1/usage", key)).json()) as { usage: unknown[] };
    const events = await operator.json("usage", "export", "--account", accountId);
    expect(events).toEqual(seen.usage.reverse());
    const asJson = ["usage", "export", "--account", accountId, "--format", "json"];
    expect(JSON.parse((await operator.run(asJson)).stdout)).toEqual(events);
    const { stdout } = await operator.run(["usage", "export", "--account", accountId]);
    const lines = linesOf(stdout);
    expect(lines[0]).toBe(HEADER);
    expect(lines[1]).toEndWith(`,data,${feed.feedId},1.5`);
    expect(lines[2]).toEndWith(",catalog,,0");
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
    const code = await runCommand(["usage", "export", "--account", accountId], OPERATOR_COMMANDS, {
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

  test("a slow reader gets all of it; one that closes the pipe is no failure", async () => {
    const accountId = await accountWithUsage(30_000);
    const argv = ["usage", "export", "--account", accountId];
    const slow = spawnFeedgate(argv, { DATABASE_URL: operator.databaseUrl });
    let lines = 0;
    for await (const chunk of slow.stdout) {
      // Slow for a while, and then as fast as it comes.
      if (lines < 10_000) await Bun.sleep(1);
      lines += chunk.reduce((sum, byte) => sum + Number(byte === LINE_FEED), 0);
    }
    expect([await slow.exited, lines]).toEqual([0, 1 + 30_000]);
    const closed = spawnFeedgate(argv, { DATABASE_URL: operator.databaseUrl });
    const reader = closed.stdout.getReader();
    await reader.read();
    await reader.cancel();
    expect(await closed.exited).toBe(0);
    expect(await new Response(closed.stderr).text()).toBe("");
  });

  test("an unknown account is exit code 1, --json with csv and a turned range exit code 2", async () => {
    const unknown = "00000000-0000-4000-8000-000000000001";
    const refused = await operator.run(["usage", "export", "--account", unknown]);
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    const argv = ["usage", "export", "--account", unknown, "--json", "--format", "csv"];
    expect((await operator.run(argv)).code).toBe(2);
    const turned = ["--since", "2026-11-02T00:00:00Z", "--until", "2026-11-01T00:00:00Z"];
    expect(await operator.run(["usage", "export", "--account", unknown, ...turned])).toMatchObject({
      code: 2,
      stdout: "",
    });
  });
});
