import { expect, test } from "bun:test";
import { spawnFeedgate, startOperatedGateway } from "../../cli/support.ts";

const LINE_FEED = 0x0a;

const { gateway, operator } = await startOperatedGateway();
await gateway.sql`select create_usage_partitions('2026-01-01T00:00:00Z', 1)`;

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
