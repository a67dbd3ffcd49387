/**
 * How often a provider promises new data, in words.
 *
 * @module
 */

/** Minutes of a unit, what happens once in it, and several of it; the longest come first. */
const CALENDAR = [
  [525_600, "yearly", "years"],
  [43_200, "monthly", "months"],
  [10_080, "weekly", "weeks"],
  [1_440, "daily", "days"],
] as const;
const MINUTE = [1, "every minute", "minutes"] as const;

/** `every 60 minutes`, `daily`, `every 3 days`, `monthly`: how often a provider promises new data. */
export function intervalText(minutes: number): string {
  const [unit, word, units] = CALENDAR.find(([each]) => minutes % each === 0) ?? MINUTE;
  const times = minutes / unit;
  return times === 1 ? word : `every ${times} ${units}`;
}
