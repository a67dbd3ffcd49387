/**
 * Limits how much of the database's time each account may take: a leaky bucket of milliseconds, filled afterwards.
 *
 * The time of each statement is poured in, even if the statement failed. It runs out evenly, a budget in a minute.
 * While an account's bucket has a budget or more, no statement is run for it. A bucket holds at most two budgets. So
 * even after a stall of the database an account waits for a minute at most.
 *
 * @module
 */
import { BoundedMap } from "../../lib/bounded_map.ts";
import { WINDOW_MS } from "../../limits.ts";

interface Bucket {
  readonly ms: number;
  readonly atMs: number;
}

/** A budget of so many milliseconds for each account. It remembers the accounts that spent last, `accountsMax` of them. */
export function createTimeBudget(budgetMs: number, accountsMax: number) {
  const buckets = new BoundedMap<string, Bucket>(accountsMax);
  const ranOutMs = (forMs: number) => (forMs * budgetMs) / WINDOW_MS;

  /** Milliseconds in the account's bucket. */
  function spentMs(accountId: string, nowMs: number): number {
    const bucket = buckets.get(accountId);
    return bucket === undefined ? 0 : Math.max(0, bucket.ms - ranOutMs(nowMs - bucket.atMs));
  }

  return {
    spentMs,
    /** Milliseconds until a statement may be run for the account. 0: it may now. */
    waitMs(accountId: string, nowMs: number): number {
      const overMs = spentMs(accountId, nowMs) - budgetMs;
      return overMs < 0 ? 0 : Math.ceil((overMs * WINDOW_MS) / budgetMs) + 1;
    },
    spend(accountId: string, ms: number, nowMs: number): void {
      const spent = Math.min(spentMs(accountId, nowMs) + ms, 2 * budgetMs);
      buckets.set(accountId, { ms: spent, atMs: nowMs });
    },
  };
}
