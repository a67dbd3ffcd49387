/**
 * Days in UTC, `2026-11-21`, and ranges of them. Beyond 6.
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

/** The day as it is; undefined if the text is none. */
export function parseDay(text: string): string | undefined {
  if (!DAY.test(text)) return undefined;
  return parseEventTime(`${text}T00:00:00Z`) === undefined ? undefined : text;
}

/**
 * The range that is meant: up to today if no end is given, and from `EARNINGS_DAYS_DEFAULT` days of it on if no
 * beginning is. Or why it is none, as a sentence.
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

const DAY_LENGTH = "2026-11-21".length;
