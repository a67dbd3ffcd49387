import { afterAll, beforeAll, expect, test } from "bun:test";
import { installClock, type TestClock } from "../../support/database_clock.ts";
import { createProvider, createReader } from "../../support/earning_scene.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { countSales } from "../../support/run_job.ts";

const HOUR_MS = 3_600_000;

let gateway: TestGateway;
let clock: TestClock;

beforeAll(async () => {
  gateway = await startTestGateway();
  clock = await installClock(gateway.sql, gateway.databaseUrl);
});
afterAll(() => gateway.stop());

test("a sale has the fee of its moment, and a refund gives that back", async () => {
  const { sql } = gateway;
  const { database } = gateway.gateway.services;
  const rate = (millionths: number) =>
    database.row("keep_fee_rate", { rate_millionths: millionths });
  const provider = await createProvider(gateway);
  const feed = await provider.feed({ callPriceNanos: 1_000_000 });
  const reader = await createReader(gateway);
  await reader.read(feed);
  await rate(100_001);
  const { usage_id: usageId } = await reader.read(feed);
  await rate(250_000);
  await reader.read(feed);
  await countSales(sql);
  expect((await provider.earnings()).totals).toMatchObject({
    gross_usd: 0.003,
    fee_usd: 0.000350001,
    net_usd: 0.002649999,
  });
  await database.row("refund_event", { usage_id: usageId, reason: "S", actor: null });
  await countSales(sql);
  expect((await provider.earnings()).totals).toMatchObject({
    refunded_usd: 0.001,
    fee_usd: 0.00025,
    net_usd: 0.00175,
  });
});

test("a refund has the fee of its sale, though the fee changed after the clock was set back", async () => {
  const { sql } = gateway;
  const { database } = gateway.gateway.services;
  const clocked = await gateway.startPeer({ DATABASE_URL: clock.url });
  const provider = await createProvider(gateway);
  const feed = await provider.feed({ callPriceNanos: 1_000_000 });
  const reader = await createReader(gateway);
  await clock.setAhead(HOUR_MS);
  const { usage_id: usageId } = await reader.read(feed, clocked.baseUrl);
  await countSales(sql);
  await clock.setAhead(0);
  const kept = await database.row("keep_fee_rate", { rate_millionths: 500_000 });
  expect(kept?.is_later).toBe(true);
  await database.row("refund_event", { usage_id: usageId, reason: "S", actor: null });
  await countSales(sql);
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const to = day(Date.now() + HOUR_MS);
  expect((await provider.earnings(`?to=${to}`)).totals).toMatchObject({
    gross_usd: 0.001,
    refunded_usd: 0.001,
    fee_usd: 0,
    net_usd: 0,
  });
});

test("a rate begins after the one before it, although the clock was set back", async () => {
  const clocked = await gateway.startPeer({ DATABASE_URL: clock.url });
  await clock.setAhead(2 * HOUR_MS);
  await clocked.services.database.row("keep_fee_rate", { rate_millionths: 300_000 });
  await clock.setAhead(0);
  await gateway.gateway.services.database.row("keep_fee_rate", { rate_millionths: 400_000 });
  const rates =
    await gateway.sql`select rate_millionths as rate from fee_rates order by since desc`;
  expect(rates.slice(0, 2).map(({ rate }) => rate)).toEqual([400_000, 300_000]);
});
