/** @jsxImportSource preact */
/**
 * The reads and the spending of an account in a range of time, by feed and key, and each call: on the account's own
 * page and on that of operators. For the current month, with a forecast.
 *
 * @module
 */
import type { ComponentChildren } from "preact";
import { forecastNanos, type Pace } from "../../accounts/earnings/forecast.ts";
import type { Spending, SpendingGrouping } from "../../accounts/earnings/spending.ts";
import type { UsageRow } from "../../accounts/usage_event.ts";
import { parseUuid } from "../../lib/uuid.ts";
import { type ExactNumber, usdNumber } from "../../money/money.ts";
import {
  type Column,
  counted,
  digits,
  dollars,
  type Figure,
  FigureCard,
  Text,
  Time,
} from "../layout/parts.tsx";
import { byMonth, forecastUsd, nanosOfFigure } from "./amounts.ts";
import { addressWith, LinkChoice } from "./link_choice.tsx";
import {
  CsvLink,
  type ListedColumn,
  type ListedTable,
  type ListPart,
  listedTable,
} from "./listed_table.tsx";
import { FeedLink } from "./lists.tsx";
import { MovedChart } from "./moved_chart.tsx";
import { findNames } from "./names.ts";
import { isByMonth, MONTH_SO_FAR, RangeLinks, type ShownRange } from "./shown_range.tsx";
import type { Visit } from "./visit.ts";

const CALLS_LISTED = 50;
/** Of feeds or keys, those that cost most. */
const GROUPS_LISTED = 20;

/** Whose usage it is, and in which time. */
export interface UsageSource {
  readonly range: ShownRange;
  /** Totals of the range. */
  spending(by: SpendingGrouping): Promise<Spending>;
  calls(asked: CallsAsked): Promise<{
    readonly entries: readonly UsageRow[];
    readonly nextCursor: string | null;
  }>;
  /** Whether the month so far is a range to choose. @default false */
  readonly offersMonth?: boolean;
  /** If the range is the month so far: what a forecast begins with. */
  pace?(): Promise<Pace>;
  /** Beside each call. */
  readonly callButtons?: readonly Column<NamedCall>[];
}

export interface CallsAsked extends ListPart {
  readonly feedId: string | undefined;
  readonly keyId: string | undefined;
  /** Whether searches that cost nothing are left out. */
  readonly isDiscoveryHidden: boolean;
}

/** The tables of the page, for its files. */
export function usageTables(visit: Visit, source: UsageSource): readonly ListedTable[] {
  return [
    spendingTable(visit, source, "feed"),
    spendingTable(visit, source, "key"),
    daysTable(visit, source),
    callsTable(visit, source),
  ];
}

/** The parts of the page below its heading. */
export async function usageParts(visit: Visit, source: UsageSource): Promise<ComponentChildren> {
  const { range } = source;
  const { query } = visit;
  const [days, pace] = await Promise.all([source.spending("day"), source.pace?.()]);
  const { totals } = days;
  const isMonthly = isByMonth(range);
  const points = days.groups.map((group) => ({
    at: group.date ?? "",
    values: [group.spent_usd],
  }));
  return (
    <>
      <RangeLinks
        visit={visit}
        range={range}
        {...(source.offersMonth && { another: MONTH_SO_FAR })}
      />
      <div class="cards">
        <FigureCard
          label="Spent"
          value={`${dollars(totals.spent_usd)} USD`}
          note={counted(totals.spent_credits, "credit")}
        />
        {pace !== undefined && (
          <FigureCard
            label="Forecast"
            value={`${dollars(forecastOf(totals.spent_usd, pace.nanos))} USD`}
            note="by the end of the month"
          />
        )}
        <FigureCard label="Reads" value={digits(totals.reads)} note="including free ones" />
        <FigureCard label="Purchases" value={digits(totals.purchases)} note="from the balance" />
      </div>
      <MovedChart
        title={`Spent by ${isMonthly ? "month" : "day"}, USD`}
        series={["spent"]}
        points={isMonthly ? byMonth(points) : points}
      />
      <p class="small soft">
        Daily totals (UTC), {range.from} to {range.to}, complete until{" "}
        <Time of={days.complete_until} />.{" "}
        <CsvLink query={query} name="spending-by-day" label="the days" />
        {pace !== undefined && (
          <>
            <br />
            The forecast is the amount spent so far this month, plus the daily average of the last 7
            full days for each remaining day. It assumes no further purchases.
          </>
        )}
      </p>
      <h2>By feed</h2>
      {await spendingTable(visit, source, "feed").show()}
      <h2>By key</h2>
      {await spendingTable(visit, source, "key").show()}
      <h2 id="calls">Calls</h2>
      <div class="filters">
        <LinkChoice
          query={query}
          label="Free searches"
          name="searches"
          choices={[
            ["", "hidden"],
            ["yes", "shown"],
          ]}
          chosen={query.get("searches") === "yes" ? "yes" : ""}
        />
        {["feed", "key"].map(
          (name) =>
            query.has(name) && (
              <a href={addressWith(query, { name, value: "" })}>Calls of all {name}s</a>
            ),
        )}
      </div>
      {await callsTable(visit, source).show()}
    </>
  );
}

/** By the end of the month. */
export function forecastOf(spent: Figure, paceNanos: bigint): ExactNumber {
  const spentNanos = nanosOfFigure(spent);
  return forecastUsd(spentNanos, forecastNanos({ spentNanos, paceNanos }, Date.now()));
}

/** A feed or a key, and what was spent on it or with it. */
interface SpendingGroup {
  /** Null if the log does not name the key. */
  readonly id: string | null;
  readonly name: string | undefined;
  /** Whether the visitor may see the feed's page. */
  readonly hasPage: boolean;
  readonly reads: number;
  readonly spent: Figure;
  /** By the end of the month, if the range is the month. */
  readonly forecast: ExactNumber | undefined;
}

type SpendingBy = "feed" | "key";

function spendingTable(visit: Visit, source: UsageSource, by: SpendingBy): ListedTable {
  return listedTable<SpendingGroup>(visit, {
    name: `spending-by-${by}`,
    label: `Spending by ${by}`,
    rows: GROUPS_LISTED,
    by: `${by}s_cursor`,
    empty: "No reads or spending in this period.",
    async read({ limit }) {
      const [{ groups }, pace] = await Promise.all([source.spending(by), source.pace?.()]);
      const paces: ReadonlyMap<string | null, bigint> | undefined =
        by === "feed" ? pace?.byFeed : pace?.byKey;
      const spent = groups.map((group) => ({
        id: group.feed_id ?? group.key_id ?? null,
        reads: group.reads,
        spent: group.spent_usd as Figure,
      }));
      const known = new Set(spent.map(({ id }) => id));
      // At the beginning of a month, what will be read was not read yet.
      const expected = [...(paces ?? [])]
        .filter(([id, nanos]) => !known.has(id) && nanos > 0n)
        .map(([id]) => ({ id, reads: 0, spent: 0 }));
      const listed = [...spent, ...expected].slice(0, limit);
      const names = await findNames(
        visit,
        listed.map(({ id }) => id),
      );
      const entries = listed.map((group) => ({
        ...group,
        name: names.nameOf(group.id),
        hasPage: by === "feed" && group.id !== null && names.hasPage(group.id),
        forecast: paces && forecastOf(group.spent, paces.get(group.id) ?? 0n),
      }));
      return { entries, nextCursor: null };
    },
    columns: [
      {
        head: by === "feed" ? "Feed" : "Key",
        text: (row) => row.name ?? row.id ?? "unknown",
        cell: ({ id, name, hasPage }) =>
          by === "feed" && id !== null ? (
            <FeedLink visit={visit} id={id} name={name} hasPage={hasPage} />
          ) : (
            <Text of={name ?? "unknown"} />
          ),
      },
      { head: "Reads", kind: "num", text: (row) => row.reads },
      { head: "Spent", kind: "usd", text: (row) => row.spent },
      ...(source.pace === undefined ? [] : [FORECAST]),
    ],
    buttons: [
      {
        head: "Calls",
        kind: "id",
        cell: ({ id }) =>
          id !== null && (
            <a href={`${addressWith(visit.query, { name: by, value: id })}#calls`}>Show calls</a>
          ),
      },
    ],
  });
}

const FORECAST: ListedColumn<SpendingGroup> = {
  head: "Forecast",
  kind: "usd",
  text: (row) => row.forecast,
};

type Day = Spending["groups"][number];

function daysTable(visit: Visit, source: UsageSource): ListedTable {
  return listedTable<Day>(visit, {
    name: "spending-by-day",
    label: "Days",
    rows: 1,
    empty: "",
    read: async () => ({ entries: (await source.spending("day")).groups, nextCursor: null }),
    columns: [
      { head: "Day (UTC)", text: (row) => row.date },
      { head: "Reads", kind: "num", text: (row) => row.reads },
      { head: "Purchases", kind: "num", text: (row) => row.purchases },
      { head: "Spent", kind: "usd", text: (row) => row.spent_usd },
    ],
  });
}

/** A call with the names of what it was about. */
export type NamedCall = UsageRow & {
  readonly feed: string | undefined;
  readonly key: string | undefined;
  /** Whether the visitor may see the feed's page. */
  readonly hasPage: boolean;
};

function callsTable(visit: Visit, source: UsageSource): ListedTable {
  const { query } = visit;
  return listedTable<NamedCall>(visit, {
    name: "calls",
    label: "Calls",
    rows: CALLS_LISTED,
    next: "Older calls",
    empty: "No calls in this period.",
    async read(part) {
      const { entries, nextCursor } = await source.calls({
        ...part,
        feedId: parseUuid(query.get("feed") ?? ""),
        keyId: parseUuid(query.get("key") ?? ""),
        isDiscoveryHidden: query.get("searches") !== "yes",
      });
      return { entries: await namedCalls(visit, entries), nextCursor };
    },
    columns: callColumns(visit),
    ...(source.callButtons !== undefined && { buttons: source.callButtons }),
  });
}

export async function namedCalls(
  visit: Visit,
  calls: readonly UsageRow[],
): Promise<readonly NamedCall[]> {
  const names = await findNames(
    visit,
    calls.flatMap(({ feed_id: feedId, key_id: keyId }) => [feedId, keyId]),
  );
  return calls.map((call) => ({
    ...call,
    feed: names.nameOf(call.feed_id),
    key: names.nameOf(call.key_id),
    hasPage: call.feed_id !== null && names.hasPage(call.feed_id),
  }));
}

/** Ids of a day begin alike. */
const ID_END_LENGTH = 12;

export function callColumns(visit: Visit): readonly ListedColumn<NamedCall>[] {
  return [
    {
      head: "When",
      kind: "when",
      text: (call) => call.timestamp,
      cell: (call) => <Time of={call.timestamp} isExact />,
    },
    { head: "Call", text: (call) => call.operation },
    {
      head: "Feed",
      text: (call) => call.feed,
      cell: ({ feed_id: id, feed, hasPage }) =>
        id !== null && <FeedLink visit={visit} id={id} name={feed} hasPage={hasPage} />,
    },
    { head: "Key", text: (call) => call.key },
    { head: "Charged", kind: "usd", text: (call) => usdNumber(call.charge_nanos) },
    {
      head: "Usage ID",
      kind: "id",
      text: (call) => call.usage_id,
      cell: ({ usage_id: id }) => (
        <code class="small" title={id}>
          …{id.slice(-ID_END_LENGTH)}
        </code>
      ),
    },
  ];
}
