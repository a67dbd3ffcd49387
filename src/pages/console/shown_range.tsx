/** @jsxImportSource preact */
/**
 * The range of time that a page's charts and lists show: the last 24 hours, 7 days, 30 days or 12 months, the current
 * month, or a range of days. It is part of the page's address, as `range`, or as `from` and `to`.
 *
 * @module
 */
import { dayRange } from "../../accounts/earnings/day_range.ts";
import { monthSoFar } from "../../accounts/earnings/forecast.ts";
import { invalidParameter } from "../../api/input/parameters.ts";
import { MS_PER_DAY } from "../../lib/time_units.ts";
import { dayOf, parseDay } from "../../lib/utc_day.ts";
import { LinkChoice, PLACE } from "./link_choice.tsx";
import type { Visit } from "./visit.ts";

const RANGES = [
  ["24h", "24 hours"],
  ["7d", "7 days"],
  ["30d", "30 days"],
  ["12m", "12 months"],
] as const;
/** The choice of pages that show all of a list as long as no range is chosen. */
export const ALL_TIME = ["", "all"] as const;
/** A choice beside the others, on pages that offer it. */
export const MONTH_SO_FAR = ["month", "this month"] as const;
type RangeName = (typeof RANGES | readonly [typeof MONTH_SO_FAR])[number][0];
const ALL_RANGES = [...RANGES, MONTH_SO_FAR];

export interface ShownRange {
  /** Undefined: from one day to another. */
  readonly name: RangeName | undefined;
  /** The first and the last day in UTC. Daily totals are those of whole days. */
  readonly from: string;
  readonly to: string;
  /** Inclusive bounds of a list, RFC 3339. */
  readonly since: string;
  readonly until: string;
  /** Such as "the last 30 days". */
  readonly text: string;
}

/** Whether the page's address chooses a range. */
export function hasRange({ query }: Pick<Visit, "query">): boolean {
  return ["range", "from", "to"].some((name) => Boolean(query.get(name)?.trim()));
}

/** @throws {Problem} 400 if the days are none */
export function rangeOf(
  { query }: Pick<Visit, "query">,
  usual: RangeName = "30d",
  nowMs = Date.now(),
): ShownRange {
  const from = query.get("from")?.trim() || undefined;
  const to = query.get("to")?.trim() || undefined;
  if (from !== undefined || to !== undefined) {
    for (const day of [from, to]) {
      if (day !== undefined && parseDay(day) === undefined) {
        throw invalidParameter(
          `A day looks like 2026-11-21, got "${day.slice(0, DAY_SHOWN_MAX)}".`,
        );
      }
    }
    const days = dayRange({ from, to }, nowMs);
    if (typeof days === "string") throw invalidParameter(days);
    const since = `${days.from}T00:00:00.000000Z`;
    const until = `${days.to}T23:59:59.999999Z`;
    return { name: undefined, ...days, since, until, text: `${days.from} to ${days.to}` };
  }
  const asked = query.get("range");
  const [name, words] = ALL_RANGES.find(([each]) => each === asked) ??
    ALL_RANGES.find(([each]) => each === usual) ?? [usual, usual];
  const sinceMs = beginningOf(name, nowMs);
  // What happens while the page is made is on it, too.
  const until = new Date(nowMs + MS_PER_DAY).toISOString();
  return {
    name,
    from: dayOf(sinceMs),
    to: dayOf(nowMs),
    since: new Date(sinceMs).toISOString(),
    until,
    text: name === "month" ? words : `the last ${words}`,
  };
}

/** A range of more days is shown by month. */
const DAYS_BY_DAY_MAX = 92;

/** Whether a chart of daily totals shows months. */
export function isByMonth({ from, to }: ShownRange): boolean {
  return (Date.parse(to) - Date.parse(from)) / MS_PER_DAY > DAYS_BY_DAY_MAX;
}

const DAY_SHOWN_MAX = 64;

function beginningOf(name: RangeName, nowMs: number): number {
  const now = new Date(nowMs);
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  switch (name) {
    case "month":
      return Date.parse(monthSoFar(nowMs).from);
    case "24h":
      return nowMs - MS_PER_DAY;
    case "7d":
      return today - 6 * MS_PER_DAY;
    case "30d":
      return today - 29 * MS_PER_DAY;
    case "12m":
      return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 11, 1);
  }
}

interface RangeLinksProps {
  readonly visit: Visit;
  readonly range: ShownRange;
  /** A range that the page has beside the usual ones. */
  readonly another?: readonly [name: string, text: string];
}

/** Links to the ranges, and a form for two days. */
export function RangeLinks({ visit, range, another }: RangeLinksProps) {
  const asked = visit.query.get("range") ?? "";
  const isAnother = another?.[0] === asked && range.name !== undefined;
  const kept = keptFields(visit.query, ["range", "from", "to"]);
  return (
    <div class="filters">
      <LinkChoice
        query={visit.query}
        label="Time"
        name="range"
        choices={another === undefined ? RANGES : [another, ...RANGES]}
        chosen={isAnother ? asked : (range.name ?? "none")}
        without={["from", "to"]}
      />
      <form method="get" class="dates">
        {kept.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <label>
          From <input type="date" name="from" value={range.from} required />
        </label>
        <label>
          to <input type="date" name="to" value={range.to} required />
        </label>
        <button class="quiet" type="submit">
          Show
        </button>
      </form>
    </div>
  );
}

/** What the rest of an address asks for, which a form keeps. */
export function keptFields(
  query: URLSearchParams,
  without: readonly string[],
): readonly (readonly [string, string])[] {
  return [...query].filter(([name]) => !without.includes(name) && !PLACE.test(name));
}
