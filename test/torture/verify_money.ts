/**
 * What must hold of purchases and earnings after a torture: each purchase that a client saw is in the log, nobody was
 * charged twice for a feed, and providers have earned what accounts have paid, to the nano-dollar.
 *
 * @module
 */
import { createDatabase } from "../../src/postgres/client/database.ts";
import { countSales } from "../support/run_job.ts";
import type { Record } from "./client.ts";
import { SOLD_CREDITS } from "./scene.ts";
import type { World } from "./world.ts";

export async function verifyMoney({ sql }: World, record: Record): Promise<string[]> {
  await countSales(sql);
  const violations: string[] = [];
  const events = await sql`
    select
      usage_events.usage_id, usage_events.account_id, usage_events.feed_id,
      usage_events.charge_nanos::float8 as charge_nanos, usage_events.refunded,
      purchases.purchase_id is not null as stands
    from usage_events
    left join purchases on purchases.purchase_id = usage_events.usage_id
    where usage_events.operation = 'purchase'`;
  const logged = new Map(events.map((event) => [event.usage_id as string, event]));
  for (const [id, { accountId, feedId, state }] of record.bought) {
    const event = logged.get(id);
    if (event === undefined) violations.push(`bought and not logged: ${id}`);
    else if (event.account_id !== accountId || event.feed_id !== feedId) {
      violations.push(`bought by another, or another feed: ${id}`);
    } else if (state !== "unknown" && event.stands !== (state === "standing")) {
      violations.push(`a purchase that is ${state} ${event.stands ? "stands" : "is gone"}: ${id}`);
    }
  }
  const paid = new Set<string>();
  for (const { usage_id: id, account_id, feed_id, charge_nanos, refunded, stands } of events) {
    if (charge_nanos !== SOLD_CREDITS * 1_000) violations.push(`${id} cost ${charge_nanos} nanos`);
    if (stands === refunded) violations.push(`${id}: paid ${!refunded}, bought ${stands}`);
    if (refunded) continue;
    const pair = `${account_id} ${feed_id}`;
    if (paid.has(pair)) violations.push(`charged twice for a feed: ${pair}`);
    paid.add(pair);
  }
  return [...violations, ...(await checkEarnings(sql))];
}

async function checkEarnings(sql: World["sql"]): Promise<string[]> {
  const violations: string[] = [];
  const database = createDatabase(sql);
  for (const { account_id: accountId } of await sql`select account_id from accounts`) {
    const proof = await database.row("prove_ledger", { account_id: accountId });
    if (proof?.paid_nanos === proof?.counted_nanos && proof?.waiting_nanos === 0n) continue;
    violations.push(
      `${accountId} paid ${proof?.paid_nanos} nanos, ${proof?.counted_nanos} are counted, ${proof?.waiting_nanos} wait`,
    );
  }
  const [sums] = await sql`
    select
      (select sum(paid_nanos) from counted_accounts)::text as paid,
      (select sum(gross_nanos - refunded_nanos) from earning_days)::text as earned,
      (select sum(reads) from earning_days)::text as counted_reads,
      (
        select count(*) from usage_events
        where operation in ('data', 'stream', 'export') and feed_id is not null and not failed
      )::text as reads`;
  if (sums?.paid !== sums?.earned) violations.push(`paid ${sums?.paid}, earned ${sums?.earned}`);
  if (sums?.reads !== sums?.counted_reads) {
    violations.push(`${sums?.reads} reads, ${sums?.counted_reads} are counted`);
  }
  return violations;
}
