/** @jsxImportSource preact */
/**
 * The home of an operator: whether balances match the ledger, the load of the gateway, and items that need attention.
 *
 * @module
 */
import type { ComponentChildren } from "preact";
import { problemOf } from "../../../api/problems/problems.ts";
import { MS_PER_DAY, MS_PER_MINUTE } from "../../../lib/time_units.ts";
import { dayOf } from "../../../lib/utc_day.ts";
import { hasLateFeeds, listFeeds } from "../../../operator/feeds.ts";
import { Refused, refusedOf } from "../../../operator/refused.ts";
import { readStats, type StatsOutcome } from "../../../operator/stats.ts";
import { liveAddress } from "../../layout/live_events.ts";
import {
  Chart,
  counted,
  digits,
  dollars,
  type Figure,
  FigureCard,
  Message,
  plain,
  Time,
} from "../../layout/parts.tsx";
import { byMonth, usdOfCredits } from "../amounts.ts";
import { LinkChoice } from "../link_choice.tsx";
import { CsvLink, fileOf, type ListedTable, listedTable } from "../listed_table.tsx";
import { OVERVIEW_TOPIC, overviewVersion, readOnce } from "../live_visits.ts";
import { isByMonth, RangeLinks, rangeOf, type ShownRange } from "../shown_range.tsx";
import type { PageRoute, Visit } from "../visit.ts";
import { feedsTable } from "./feed_table.tsx";
import { operatorTop } from "./top_tables.tsx";
import { waitingTable } from "./waiting_feeds.tsx";

/** Of each list. */
const FEEDS_SHOWN = 5;

export const OVERVIEW: PageRoute = {
  path: "",
  async watch({ operator }) {
    return { topic: OVERVIEW_TOPIC, version: await overviewVersion(operator.database) };
  },
  download: (visit) =>
    fileOf(visit, [
      statsTable(visit),
      waitingTable(visit),
      lateTable(visit),
      ...operatorTop(visit),
    ]),
  async show(visit) {
    const range = rangeOf(visit);
    // Read first, so that what is shown is at least as new.
    const { operator, query, root } = visit;
    const version = await overviewVersion(operator.database);
    const [stats, waiting, late, feeds, accounts] = await readOnce(
      operator.database,
      `${version} ${root} ${query}`,
      () =>
        Promise.all([
          statsOf(visit, range),
          waitingTable(visit, FEEDS_SHOWN).show(),
          lateTable(visit).show(),
          ...operatorTop(visit).map((table) => table.show().catch(refusedOf)),
        ]),
    );
    const { totals, ledger, complete_until: until } = stats;
    return {
      title: "Overview",
      hasCharts: true,
      live: liveAddress(`${visit.root}/console/live`, version),
      content: (
        <>
          <h1>Overview</h1>
          <form method="get" action={`${visit.root}/console/find`} class="search">
            <input
              type="search"
              name="q"
              aria-label="Find an account or feed"
              placeholder="Find an account or feed"
            />
            <button class="quiet" type="submit">
              Find
            </button>
          </form>
          <BalanceCheck ledger={ledger} />
          <h2>Traffic</h2>
          <RangeLinks visit={visit} range={range} another={LAST_HOUR} />
          <div class="cards">
            <FigureCard label="Reads" value={digits(totals.reads)} note="answered and logged" />
            <FigureCard
              label="Charged"
              value={`${dollars(usdOfCredits(totals.charged_credits))} USD`}
              note={counted(totals.charged_credits, "credit")}
            />
            <FigureCard
              label="Refused"
              value={digits(totals.refused)}
              note="client errors, 400 and up"
            />
            <FigureCard
              label="Errors"
              value={digits(totals.errors)}
              note="server errors, 500 and up"
            />
            <FigureCard
              label="Pushes"
              value={digits(totals.pushes)}
              note={counted(totals.pushed_rows, "row")}
            />
            <FigureCard label="Purchases" value={digits(totals.purchases)} note="from balances" />
          </div>
          <StatsCharts groups={stats.groups} range={range} />
          <p class="small soft">
            Complete until <Time of={until} />.{" "}
            <CsvLink query={visit.query} name="traffic" label="the traffic" />
          </p>
          <h2>Waiting for review</h2>
          {waiting}
          <h2>Late feeds</h2>
          {late}
          <h2>Most-read feeds</h2>
          <LinkChoice
            query={visit.query}
            label="Sort by"
            name="top"
            choices={[
              ["", "reads"],
              ["spent", "spending"],
            ]}
            chosen={visit.query.get("top") ?? ""}
          />
          <Ranking of={feeds} />
          <h2>Most active accounts</h2>
          <Ranking of={accounts} />
        </>
      ),
    };
  },
};

/** Rankings are tables of their own, which may take too long for a long range. */
const UNRANKED = { hasTop: false } as const;

const LAST_HOUR = ["1h", "1 hour"] as const;

type Group = Pick<
  StatsOutcome["groups"][number],
  "at" | "reads" | "refused" | "errors" | "pushes" | "charged_credits" | "refunded_credits"
>;

/** By minute for an hour, by hour for a day, and otherwise by day. */
async function statsOf({ operator, query }: Visit, range: ShownRange) {
  const nowMs = Date.now();
  if (query.get("range") === "1h" && range.name !== undefined) {
    return readStats(operator, { by: "minute" }, UNRANKED);
  }
  if (range.name === "24h") {
    const from = new Date(nowMs - MS_PER_DAY + MS_PER_MINUTE).toISOString();
    const stats = await readStats(operator, { by: "minute", from }, UNRANKED);
    return { ...stats, groups: byHour(stats.groups) };
  }
  return readStats(operator, { by: "day", from: range.from, to: range.to }, UNRANKED);
}

const HOUR_LENGTH = "2026-11-21T10".length;

function byHour(groups: readonly Group[]): readonly Group[] {
  const hours = Map.groupBy(groups, ({ at }) => `${at.slice(0, HOUR_LENGTH)}:00:00Z`);
  return [...hours].map(([at, minutes]) => {
    const sum = (of: (group: Group) => Figure) =>
      byMonth(minutes.map((group) => ({ at: "", values: [of(group)] })))[0]?.values[0] ?? 0;
    const count = (of: (group: Group) => number) =>
      minutes.reduce((total, group) => total + of(group), 0);
    return {
      at,
      reads: count((group) => group.reads),
      refused: count((group) => group.refused),
      errors: count((group) => group.errors),
      pushes: count((group) => group.pushes),
      charged_credits: JSON.rawJSON(plain(sum((group) => group.charged_credits))),
      refunded_credits: JSON.rawJSON(plain(sum((group) => group.refunded_credits))),
    };
  });
}

const MIDNIGHT = "T00:00:00.000Z";

interface StatsChartsProps {
  readonly groups: readonly Group[];
  readonly range: ShownRange;
}

function StatsCharts({ groups, range }: StatsChartsProps) {
  const isMonthly = isByMonth(range);
  const isDaily = groups.every(({ at }) => at.endsWith(MIDNIGHT));
  const points = (values: (group: Group) => readonly Figure[]) => {
    const each = groups.map((group) => ({
      at: isDaily ? dayOf(group.at) : group.at,
      values: values(group),
    }));
    return isMonthly ? byMonth(each) : each;
  };
  return (
    <div class="charts">
      <Chart
        title="Reads and refusals"
        series={["reads", "refused"]}
        points={points((group) => [group.reads, group.refused])}
      />
      <Chart
        title="Charged and refunded, USD"
        series={["charged", "refunded"]}
        points={points((group) => [
          usdOfCredits(group.charged_credits),
          usdOfCredits(group.refunded_credits),
        ])}
      />
      <Chart
        title="Errors and pushes"
        series={["errors", "pushes"]}
        points={points((group) => [group.errors, group.pushes])}
      />
    </div>
  );
}

function Ranking({ of }: { readonly of: ComponentChildren | Refused }) {
  if (!(of instanceof Refused)) return <>{of}</>;
  return <div class="empty">{problemOf(of).detailIn()}</div>;
}

function statsTable(visit: Visit): ListedTable {
  return listedTable<Group>(visit, {
    name: "traffic",
    label: "Traffic",
    rows: 1,
    empty: "",
    read: async () => ({
      entries: (await statsOf(visit, rangeOf(visit))).groups,
      nextCursor: null,
    }),
    columns: [
      { head: "Time (UTC)", text: (row) => row.at },
      { head: "Reads", kind: "num", text: (row) => row.reads },
      { head: "Charged", kind: "usd", text: (row) => usdOfCredits(row.charged_credits) },
      { head: "Refunded", kind: "usd", text: (row) => usdOfCredits(row.refunded_credits) },
      { head: "Refused", kind: "num", text: (row) => row.refused },
      { head: "Errors", kind: "num", text: (row) => row.errors },
      { head: "Pushes", kind: "num", text: (row) => row.pushes },
    ],
  });
}

function lateTable(visit: Visit): ListedTable {
  const { operator } = visit;
  return feedsTable(visit, {
    name: "late",
    label: "Late feeds",
    rows: FEEDS_SHOWN,
    empty: "All feeds are up to date.",
    async read(part) {
      if (!(await hasLateFeeds(operator))) return { entries: [], nextCursor: null };
      return listFeeds(operator, { health: "late", ...part });
    },
  });
}

function BalanceCheck({ ledger }: { readonly ledger: StatsOutcome["ledger"] }) {
  if (ledger === null) {
    return (
      <Message tone="plain">
        <p>Balances are first checked against the ledger ten minutes after the first start.</p>
      </Message>
    );
  }
  const { is_balanced: isBalanced } = ledger;
  const usd = (credits: typeof ledger.granted_credits) => dollars(usdOfCredits(credits));
  return (
    <Message tone={isBalanced ? "good" : "bad"}>
      <p>
        <strong>
          {isBalanced ? "All balances match the ledger." : "Balances don't match the ledger."}
        </strong>{" "}
        {isBalanced
          ? `Checked for ${counted(ledger.accounts, "account")}`
          : `${digits(ledger.wrong_accounts)} of ${counted(ledger.accounts, "account")} are wrong`}{" "}
        at <Time of={ledger.proven_at} />.
      </p>
      <p class="small">
        {usd(ledger.granted_credits)} granted − {usd(ledger.revoked_credits)} revoked −{" "}
        {usd(ledger.charged_credits)} charged + {usd(ledger.refunded_credits)} refunded{" "}
        {isBalanced ? "=" : "≠"} {usd(ledger.balance_credits)} USD in balances
      </p>
    </Message>
  );
}
