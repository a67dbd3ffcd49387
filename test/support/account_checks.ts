/**
 * Invariants of every account, which must survive kills, pauses, and failovers.
 *
 * @module
 */
import { arrayLiteral } from "../../src/postgres/client/array_literal.ts";
import type { Connections } from "../../src/postgres/client/connect.ts";

/** The default limits of a gateway. */
export const LIMIT_FREE = 10;
const LIMIT_METERED = 100;

/** Accounts whose ledger does not add up, and windows over their limit, one per line. */
export async function findViolations(sql: Connections): Promise<string[]> {
  return [...(await checkBooks(sql)), ...(await checkLimits(sql))];
}

/** Checks that granted - revoked - charged + refunded = balance. A constraint keeps the balance from being negative. */
async function checkBooks(sql: Connections): Promise<string[]> {
  const wrong = await sql`
    select accounts.account_id
    from accounts
    left join (
      select account_id, sum(amount_nanos) as amount from credit_ledger group by account_id
    ) as entries using (account_id)
    left join (
      select account_id, sum(charge_nanos) as charged
      from usage_events group by account_id
    ) as charges using (account_id)
    where accounts.balance_nanos
        <> coalesce(entries.amount, 0) - coalesce(charges.charged, 0)
      or accounts.balance_nanos < 0`;
  return wrong.map((row) => `the books of ${row.account_id} do not add up`);
}

/** Checks that no window of 60 seconds, (t - 60 s, t] for every event's time t, exceeds the limit. */
async function checkLimits(sql: Connections): Promise<string[]> {
  const wrong = await sql`
    select counted.account_id, counted.feed_id, max(counted.reads)::int as reads
    from (
      select
        account_id, feed_id,
        count(*) over (
          partition by account_id, feed_id
          order by happened_at
          range between interval '59.999999 seconds' preceding and current row
        ) as reads
      from usage_events
      where operation in ('data', 'stream') and not failed
    ) as counted
    join feeds using (feed_id)
    where counted.reads
      > case when feeds.price_type = 'free' then ${LIMIT_FREE}::bigint else ${LIMIT_METERED}::bigint end
    group by counted.account_id, counted.feed_id`;
  return wrong.map((row) => `${row.reads} reads in 60 s by ${row.account_id} of ${row.feed_id}`);
}

/** The number of these reads that are in the log and did not fail. */
export async function countLogged(sql: Connections, usageIds: readonly string[]): Promise<number> {
  const [row] = await sql`
    select count(*)::int as found from usage_events
    where usage_id = any (${arrayLiteral([...usageIds])}::uuid[]) and not failed`;
  return row?.found;
}
