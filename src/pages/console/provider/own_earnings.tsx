/** @jsxImportSource preact */
/**
 * A provider's earnings by day, month and feed, and the payouts.
 *
 * @module
 */
import type { ComponentChildren } from "preact";
import { type DayRange, dayRange } from "../../../accounts/earnings/day_range.ts";
import { type Earnings, earningsCsv, readEarnings } from "../../../accounts/earnings/earnings.ts";
import { readPayouts } from "../../../accounts/earnings/provider_payouts.ts";
import { invalidParameter } from "../../../api/input/parameters.ts";
import { dayOf } from "../../../lib/utc_day.ts";
import { counted, digits, dollars, FigureCard, Table, Text, Time } from "../../layout/parts.tsx";
import { creditsOfUsd } from "../amounts.ts";
import { EarningsChart } from "../earnings_chart.tsx";
import { FeedLink } from "../lists.tsx";
import { findNames } from "../names.ts";
import type { Download, PageRoute, Visit } from "../visit.ts";
import { daysOfMonth } from "./statement_page.tsx";

/** Each has a line of its own, and a provider may have thousands. */
const FEEDS_LISTED = 100;

const PAYOUTS_LISTED = 20;

export const OWN_EARNINGS: PageRoute = {
  path: "earnings",
  download: statementOf,
  async show(visit) {
    const { accountId } = await visit.admit("earnings");
    const database = visit.services.database.onBehalfOf(accountId);
    const [byDay, months, feeds, payouts] = await Promise.all([
      readEarnings(database, { accountId, groupBy: "day", ...rangeOf({}) }),
      readEarnings(database, { accountId, groupBy: "month", ...rangeOf({ from: yearAgo() }) }),
      readEarnings(database, { accountId, groupBy: "feed", ...rangeOf({}) }),
      readPayouts(database, { accountId, limit: PAYOUTS_LISTED, before: undefined }),
    ]);
    const { totals, complete_until: until } = byDay;
    const earning = feeds.groups.slice(0, FEEDS_LISTED);
    const { hasPage } = await findNames(
      visit,
      earning.map((group) => group.feed_id),
    );
    return {
      title: "Earnings",
      hasCharts: true,
      content: (
        <>
          <h1>Earnings</h1>
          <p class="small soft">
            Last 30 days (UTC), complete until <Time of={until} />
          </p>
          <div class="cards">
            <FigureCard
              label="Net"
              value={`${dollars(totals.net_usd)} USD`}
              note={`${creditsOfUsd(totals.net_usd)}: gross minus refunds and fees`}
            />
            <FigureCard
              label="Gross"
              value={`${dollars(totals.gross_usd)} USD`}
              note={`${counted(totals.paid_reads, "paid read")}, ${counted(totals.purchases, "purchase")}`}
            />
            <FigureCard
              label="Fee"
              value={`${dollars(totals.fee_usd)} USD`}
              note="kept by the platform"
            />
            <FigureCard
              label="Readers"
              value={digits(totals.accounts)}
              note="distinct accounts that read or bought"
            />
          </div>
          <p class="small soft">All time</p>
          <div class="cards">
            <FigureCard
              label="Owed"
              value={`${dollars(payouts.owed_usd)} USD`}
              note={`${creditsOfUsd(payouts.owed_usd)}, not paid out yet`}
            />
            <FigureCard
              label="Paid out"
              value={`${dollars(payouts.paid_usd)} USD`}
              note={creditsOfUsd(payouts.paid_usd)}
            />
          </div>
          <EarningsChart of={byDay} />
          <h2>By month</h2>
          <EarningsTable
            groups={[...months.groups].reverse().filter(isStatement)}
            head="Month"
            cell={({ month = "" }) => (
              <>
                {month}{" "}
                <a href={`${visit.root}/console/earnings/statement?month=${month}`}>statement</a>{" "}
                <a href={`?statement=${month}`}>CSV</a>
              </>
            )}
          />
          <h2>By feed</h2>
          <EarningsTable
            groups={earning}
            head="Feed"
            cell={({ feed_id: id = "", name }) => (
              <FeedLink visit={visit} id={id} name={name} hasPage={hasPage(id)} />
            )}
          />
          {feeds.groups.length > FEEDS_LISTED && (
            <p class="small soft">
              The {FEEDS_LISTED} highest-earning feeds, of {digits(feeds.groups.length)}.{" "}
              <code>GET /v1/provider/earnings?group_by=feed</code> returns all of them.
            </p>
          )}
          <h2>Payouts</h2>
          <Table
            label="Payouts"
            rows={payouts.payouts}
            columns={[
              { head: "When", kind: "when", cell: (row) => <Time of={row.paid_at} /> },
              { head: "USD", kind: "num", cell: (row) => dollars(row.usd) },
              { head: "Reference", cell: (row) => <Text of={row.reference} /> },
              { head: "Reversal reason", cell: (row) => <Text of={row.reason} /> },
            ]}
            empty="No payouts yet. The operator records payouts."
          />
        </>
      ),
    };
  },
};

/** The days of a month, as the API writes them. */
async function statementOf(visit: Visit): Promise<Download | undefined> {
  const month = visit.query.get("statement") ?? "";
  const range = daysOfMonth(month);
  if (range === undefined) return undefined;
  const { accountId } = await visit.admit("earnings");
  const database = visit.services.database.onBehalfOf(accountId);
  const earnings = await readEarnings(database, { accountId, groupBy: "day", ...range });
  const type = "text/csv; charset=utf-8";
  return { name: `statement-${month}.csv`, type, text: earningsCsv(earnings) };
}

/** @throws {Problem} 400 */
function rangeOf(days: Parameters<typeof dayRange>[0]): DayRange {
  const range = dayRange(days, Date.now());
  if (typeof range === "string") throw invalidParameter(range);
  return range;
}

/** The month of today, which comes first, and those in which something happened. */
function isStatement(group: Group, index: number): boolean {
  const { reads, purchases, refunded_usd: refunded } = group;
  if (index === 0) return true;
  return digits(reads) !== "0" || digits(purchases) !== "0" || digits(refunded) !== "0";
}

type Group = Earnings["groups"][number];

interface EarningsTableProps {
  readonly groups: readonly Group[];
  readonly head: string;
  cell(group: Group): ComponentChildren;
}

function EarningsTable({ groups, head, cell }: EarningsTableProps) {
  return (
    <Table
      label={`Earnings by ${head.toLowerCase()}`}
      rows={groups}
      columns={[
        { head, cell },
        { head: "Reads", kind: "num", cell: (row) => digits(row.reads) },
        { head: "Purchases", kind: "num", cell: (row) => digits(row.purchases) },
        { head: "Gross, USD", kind: "num", cell: (row) => dollars(row.gross_usd) },
        { head: "Refunded, USD", kind: "num", cell: (row) => dollars(row.refunded_usd) },
        { head: "Fee, USD", kind: "num", cell: (row) => dollars(row.fee_usd) },
        { head: "Net, USD", kind: "num", cell: (row) => dollars(row.net_usd) },
      ]}
      empty="No sales in this period. Set a price and request a review."
    />
  );
}

/** The first day of a month eleven months ago, in UTC. */
function yearAgo(): string {
  const now = new Date();
  return dayOf(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 11, 1));
}
