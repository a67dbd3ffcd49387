/**
 * Conversion factors between units of time, and PostgreSQL's text of a duration.
 *
 * @module
 */

export const MS_PER_SECOND = 1_000;
export const MS_PER_MINUTE = 60 * MS_PER_SECOND;
export const MS_PER_HOUR = 60 * MS_PER_MINUTE;
export const MS_PER_DAY = 24 * MS_PER_HOUR;
export const US_PER_MS = 1_000;
export const US_PER_SECOND = 1_000_000;
export const US_PER_DAY = 86_400 * US_PER_SECOND;

/** A PostgreSQL interval. */
export function intervalOf(ms: number): string {
  return `${ms} milliseconds`;
}
