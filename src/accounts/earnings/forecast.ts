/**
 * Forecasts an account's spending for a month: the amount spent so far, plus, for the rest of the month, the average of
 * the last 7 full days. Days are in UTC. Purchases count as spent, but not toward the average.
 *
 * @module
 */
import { MS_PER_DAY } from "../../lib/time_units.ts";
import { dayOf, firstOfMonth } from "../../lib/utc_day.ts";
import type { Queries } from "../../postgres/client/database.ts";
import type { DayRange } from "./day_range.ts";

/** Number of full days to average. */
export const PACE_DAYS = 7;

/** Spending on reads in the last full days, in nano-dollars: total, by feed, and by key. */
export interface Pace {
  readonly nanos: bigint;
  readonly byFeed: ReadonlyMap<string, bigint>;
  /** A null key means that the log does not name the key. */
  readonly byKey: ReadonlyMap<string | null, bigint>;
}

/** The last full days before a time, as a range. */
export function paceDays(nowMs: number): DayRange {
  return { from: dayOf(nowMs - PACE_DAYS * MS_PER_DAY), to: dayOf(nowMs - MS_PER_DAY) };
}

/** The days of the month so far. */
export function monthSoFar(nowMs: number): DayRange {
  const today = dayOf(nowMs);
  return { from: firstOfMonth(today), to: today };
}

export async function readPace(
  database: Queries,
  { accountId, nowMs }: { readonly accountId: string; readonly nowMs: number },
): Promise<Pace> {
  const { from, to } = paceDays(nowMs);
  const rows = await database.rows("list_recurring_spending", {
    account_id: accountId,
    from_day: from,
    to_day: to,
  });
  const byFeed = new Map<string, bigint>();
  const byKey = new Map<string | null, bigint>();
  let nanos = 0n;
  for (const { feed_id: feedId, key_id: keyId, spent_nanos: spent } of rows) {
    byFeed.set(feedId, (byFeed.get(feedId) ?? 0n) + spent);
    byKey.set(keyId, (byKey.get(keyId) ?? 0n) + spent);
    nanos += spent;
  }
  return { nanos, byFeed, byKey };
}

interface MonthSpending {
  /** Spent in the month so far. */
  readonly spentNanos: bigint;
  /** Spent on reads in the last `PACE_DAYS` full days. */
  readonly paceNanos: bigint;
}

/** Forecast in nano-dollars for the end of the month. The remaining time is counted to the millisecond. */
export function forecastNanos({ spentNanos, paceNanos }: MonthSpending, nowMs: number): bigint {
  // Refunds may exceed charges.
  if (paceNanos <= 0n) return spentNanos;
  const now = new Date(nowMs);
  const endMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
  return spentNanos + (paceNanos * BigInt(endMs - nowMs)) / BigInt(PACE_DAYS * MS_PER_DAY);
}
