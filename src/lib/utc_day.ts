/**
 * Days in UTC, such as `2026-11-21`.
 *
 * @module
 */
import { parseEventTime } from "./date_time.ts";

const DAY = /^\d{4}-\d\d-\d\d$/;
const DAY_LENGTH = "2026-11-21".length;
const MONTH_LENGTH = "2026-11".length;

/** The day unchanged, or undefined if the text is not a day. */
export function parseDay(text: string): string | undefined {
  if (!DAY.test(text)) return undefined;
  return parseEventTime(`${text}T00:00:00Z`) === undefined ? undefined : text;
}

/** @param time RFC 3339, or milliseconds since the epoch */
export function dayOf(time: string | number): string {
  return new Date(time).toISOString().slice(0, DAY_LENGTH);
}

/** The first day of a day's month. */
export function firstOfMonth(day: string): string {
  return `${day.slice(0, MONTH_LENGTH)}-01`;
}
