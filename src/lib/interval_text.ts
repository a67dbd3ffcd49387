/**
 * Describes in words how often a provider promises new data.
 *
 * @module
 */

/** For each unit, longest first: its minutes, the word for once per unit, and the word for several units. */
const CALENDAR = [
  [525_600, "yearly", "years"],
  [43_200, "monthly", "months"],
  [10_080, "weekly", "weeks"],
  [1_440, "daily", "days"],
] as const;
const MINUTE = [1, "every minute", "minutes"] as const;

/** `every 60 minutes`, `daily`, `every 3 days`, `monthly`. */
export function intervalText(minutes: number): string {
  const [unit, word, units] = CALENDAR.find(([each]) => minutes % each === 0) ?? MINUTE;
  const times = minutes / unit;
  return times === 1 ? word : `every ${times} ${units}`;
}
