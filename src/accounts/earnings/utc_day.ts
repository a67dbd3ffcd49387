/**
 * Days in UTC, such as `2026-11-21`, and ranges of them.
 *
 * @module
 */
import { parseEventTime } from "../../lib/date_time.ts";
import { MS_PER_DAY } from "../../lib/time_units.ts";
import { EARNINGS_DAYS_DEFAULT, EARNINGS_DAYS_MAX } from "../../limits.ts";

/** Both are inclusive. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

const DAY = /^\d{4}-\d\d-\d\d$/;
/** There is no year 0. */
const FIRST_DAY = "0001-01-01";

/** The day unchanged, or undefined if the text is not a day. */
export function parseDay(text: string): string | undefined {
  if (!DAY.test(text)) return undefined;
  return parseEventTime(`${text}T00:00:00Z`) === undefined ? undefined : text;
}

/**
 * The requested range. It ends today if no end is given, and it is `EARNINGS_DAYS_DEFAULT` days long if no start is
 * given. Returns a sentence if the range is invalid.
 */
export function dayRange(
  {
    from: first,
    to: last,
  }: { readonly from?: string | undefined; readonly to?: string | undefined },
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

/** @param time RFC 3339, or milliseconds since the epoch */
export function dayOf(time: string | number): string {
  return new Date(time).toISOString().slice(0, DAY_LENGTH);
}

/** The first day of a day's month. */
export function firstOfMonth(day: string): string {
  return `${day.slice(0, MONTH_LENGTH)}-01`;
}

const DAY_LENGTH = "2026-11-21".length;
const MONTH_LENGTH = "2026-11".length;
