/**
 * How long what was read of a stream with `retention_days` stays right.
 *
 * @module
 */
import { MS_PER_DAY } from "../lib/time_units.ts";

/** When the oldest of the events becomes too old to be read, in ms. Infinity without retention, or without events. */
export function expiryOf(retentionDays: number | null, oldestEvent: string | null): number {
  if (retentionDays === null || oldestEvent === null) return Number.POSITIVE_INFINITY;
  return Date.parse(oldestEvent) + retentionDays * MS_PER_DAY;
}
