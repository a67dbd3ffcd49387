/**
 * The time of an event: strictly parses an RFC 3339 date-time into the UTC text that is stored.
 *
 * Takes the text as it was pushed or requested. Returns `2024-02-29T12:00:00.123456Z`, which PostgreSQL's timestamptz
 * accepts unchanged, or undefined. From year 0001 to 9999, such texts sort like the times that they name. A time whose
 * offset or leap second moves it out of these years is refused, because its text would not.
 *
 * See `src/spec/decisions.md`, section 10.
 *
 * @module
 */
import { MS_PER_MINUTE, MS_PER_SECOND } from "./time_units.ts";

/** RFC 3339, section 5.6. `T` and `Z` in either case, but no blank instead of `T`. */
const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.(\d+))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/;
const FRACTION_DIGITS = 6;
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const LEAP_DAY = 29;
const LEAP_SECOND = "60";
const MINUTES_PER_HOUR = 60;
const MINUTES_PER_DAY = 1_440;

/**
 * The UTC text of an RFC 3339 date-time, to the microsecond. Undefined if `text` is not one.
 *
 * Digits after the sixth are cut. A leap second is allowed only at the end of a UTC day, and becomes the first second
 * of the next day, with its fraction.
 */
export function parseEventTime(text: string): string | undefined {
  const match = DATE_TIME.exec(text);
  if (match === null) return undefined;
  const [, date = "", hours = "", minutes = "", seconds = "", fraction = "", sign] = match;
  if (!isDate(date)) return undefined;
  const micros = fraction.slice(0, FRACTION_DIGITS).padEnd(FRACTION_DIGITS, "0");
  if (sign === undefined && seconds !== LEAP_SECOND) {
    return `${date}T${hours}:${minutes}:${seconds}.${micros}Z`;
  }
  const offset = Number(match[7] ?? 0) * MINUTES_PER_HOUR + Number(match[8] ?? 0);
  const east = sign === "-" ? -offset : offset;
  const minuteMs = Date.parse(`${date}T${hours}:${minutes}Z`) - east * MS_PER_MINUTE;
  if (seconds === LEAP_SECOND && !isLastMinuteOfDay(minuteMs)) return undefined;
  const utc = new Date(minuteMs + Number(seconds) * MS_PER_SECOND).toISOString();
  // Outside the years 0001 to 9999: `0000-…`, and `+010000-…`.
  if (utc.startsWith("0000") || utc.startsWith("+")) return undefined;
  return `${utc.slice(0, -".000Z".length)}.${micros}Z`;
}

/** Whether the date `yyyy-mm-dd` exists in the calendar. There is no year 0000. */
function isDate(date: string): boolean {
  const year = Number(date.slice(0, 4));
  const day = Number(date.slice(8));
  if (year === 0 || day < 1) return false;
  if (day === LEAP_DAY && date.slice(5, 7) === "02") return isLeapYear(year);
  return day <= (DAYS_IN_MONTH[Number(date.slice(5, 7)) - 1] ?? 0);
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function isLastMinuteOfDay(epochMs: number): boolean {
  const minute = epochMs / MS_PER_MINUTE;
  return ((minute % MINUTES_PER_DAY) + MINUTES_PER_DAY) % MINUTES_PER_DAY === MINUTES_PER_DAY - 1;
}
