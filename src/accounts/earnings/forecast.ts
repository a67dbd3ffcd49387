/**
 * What an account will have spent by the end of a month: what it has spent in the month so far, and for the rest of the
 * month the mean of the last 7 full days. Days are those of UTC. Purchases are in what was spent, and not in the mean.
 *
 * @module
 */
import { MS_PER_DAY } from "../../lib/time_units.ts";
import type { Queries } from "../../postgres/client/database.ts";
import { type DayRange, dayOf, firstOfMonth } from "./utc_day.ts";

/** Full days whose mean is taken. */
export const PACE_DAYS = 7;

/** What was spent on reads in the last full days, in nano-dollars: in all, by feed, and by key. */
export interface Pace {
  readonly nanos: bigint;
  readonly byFeed: ReadonlyMap<string, bigint>;
  /** Null: the log does not name the key. */
  readonly byKey: ReadonlyMap<string | null, bigint>;
}

/** The last full days before a time. */
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
  /** In the month so far. */
  readonly spentNanos: bigint;
  /** On reads in the last `PACE_DAYS` full days. */
  readonly paceNanos: bigint;
}

/** Nano-dollars by the end of the month. The rest of the month counts to the millisecond. */
export function forecastNanos({ spentNanos, paceNanos }: MonthSpending, nowMs: number): bigint {
  // More may have been refunded than was charged.
  if (paceNanos <= 0n) return spentNanos;
  const now = new Date(nowMs);
  const endMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
  return spentNanos + (paceNanos * BigInt(endMs - nowMs)) / BigInt(PACE_DAYS * MS_PER_DAY);
}
