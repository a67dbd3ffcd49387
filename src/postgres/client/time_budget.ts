/**
 * Limits how much of the database's time each account may use: a leaky bucket of milliseconds, filled after each
 * statement.
 *
 * The time of each statement is added, even if the statement failed. The bucket drains evenly, by one budget per
 * minute. While an account's bucket contains a full budget or more, no statement is run for it. A bucket is capped at
 * two budgets, so even after a stall of the database, an account waits for a minute at most.
 *
 * @module
 */
import { BoundedMap } from "../../lib/bounded_map.ts";
import { WINDOW_MS } from "../../limits.ts";

interface Bucket {
  readonly ms: number;
  readonly atMs: number;
}

/**
 * Creates a budget of this many milliseconds for each account. It remembers the `accountsMax` accounts with the most
 * recent statements.
 */
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
    /** Milliseconds until a statement may be run for the account. 0 means now. */
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
