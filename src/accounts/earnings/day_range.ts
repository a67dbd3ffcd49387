/**
 * Ranges of days in UTC, for a statement of earnings or a chart.
 *
 * @module
 */
import { MS_PER_DAY } from "../../lib/time_units.ts";
import { dayOf } from "../../lib/utc_day.ts";
import { EARNINGS_DAYS_DEFAULT, EARNINGS_DAYS_MAX } from "../../limits.ts";

/** Both are inclusive. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

/** There is no year 0. */
const FIRST_DAY = "0001-01-01";

/**
 * The requested range. It ends today if no end is given, and it is `EARNINGS_DAYS_DEFAULT` days long if no start is
 * given. Returns a sentence if the range is invalid.
 */
export function dayRange(
  { from: first, to: last }: Partial<Record<keyof DayRange, string | undefined>>,
  nowMs: number,
): DayRange | string {
  const to = last ?? dayOf(nowMs);
  const usualMs = Date.parse(to) - (EARNINGS_DAYS_DEFAULT - 1) * MS_PER_DAY;
  const from = first ?? dayOf(Math.max(usualMs, Date.parse(FIRST_DAY)));
  const days = (Date.parse(to) - Date.parse(from)) / MS_PER_DAY + 1;
  if (days < 1) return `${from} is later than ${to}. Swap them.`;
  if (days <= EARNINGS_DAYS_MAX) return { from, to };
  return `${from} to ${to} is more than ${EARNINGS_DAYS_MAX} days. Ask for fewer.`;
}
