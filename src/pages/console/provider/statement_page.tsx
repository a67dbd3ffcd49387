/** @jsxImportSource preact */
/**
 * The statement of a month: sales, fee, and payouts. It can be printed.
 *
 * @module
 */
import type { DayRange } from "../../../accounts/earnings/day_range.ts";
import { type Earnings, readEarnings } from "../../../accounts/earnings/earnings.ts";
import { readPayouts } from "../../../accounts/earnings/provider_payouts.ts";
import { invalidParameter } from "../../../api/input/parameters.ts";
import { dayOf } from "../../../lib/utc_day.ts";
import {
  type Column,
  digits,
  dollars,
  Facts,
  type Figure,
  plain,
  Table,
  Text,
  Time,
} from "../../layout/parts.tsx";
import { creditsOfUsd } from "../amounts.ts";
import type { PageRoute } from "../visit.ts";

/** Payouts that a month may have on its statement. */
const PAYOUTS_LISTED = 100;
const MONTH_NAME = new Intl.DateTimeFormat("en-US", {
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

export const STATEMENT: PageRoute = {
  path: "earnings/statement",
  async show(visit) {
    const month = visit.query.get("month")?.trim() || new Date().toISOString().slice(0, 7);
    const range = daysOfMonth(month);
    if (range === undefined) {
      throw invalidParameter("month must be a month such as 2026-11.");
    }
    const { accountId } = await visit.admit("earnings");
    const database = visit.services.database.onBehalfOf(accountId);
    const [byFeed, byDay, paid] = await Promise.all([
      readEarnings(database, { accountId, groupBy: "feed", ...range }),
      readEarnings(database, { accountId, groupBy: "day", ...range }),
      readPayouts(database, { accountId, limit: PAYOUTS_LISTED, before: undefined }),
    ]);
    const { totals, complete_until: until } = byFeed;
    const name = MONTH_NAME.format(Date.parse(range.from));
    const payouts = paid.payouts.filter(({ paid_at: at }) => at.startsWith(month));
    return {
      title: `Statement ${month}`,
      content: (
        <article class="statement">
          <p class="crumbs">
            <a href={`${visit.root}/console/earnings`}>Earnings</a>
          </p>
          <h1>Statement for {name}</h1>
          <Facts
            of={{
              Provider: <Text of={visit.session.account?.name} />,
              Account: <code>{accountId}</code>,
              Gateway: visit.baseUrl,
              Period: `${range.from} to ${range.to} (UTC)`,
              State: totals.is_final ? (
                "final, except for refunds"
              ) : (
                <>
                  not final: includes sales until <Time of={until} />
                </>
              ),
            }}
          />
          <Table
            label="Totals"
            rows={sumsOf(totals)}
            columns={[
              { head: "Item", cell: ([what]) => what },
              { head: "USD", kind: "num", cell: ([, usd]) => dollars(usd) },
              { head: "Credits", kind: "num", cell: ([, usd]) => creditsOfUsd(usd) },
            ]}
            empty=""
          />
          <h2>By feed</h2>
          <Table
            label="By feed"
            rows={byFeed.groups}
            columns={[{ head: "Feed", cell: (row) => <Text of={row.name} /> }, ...SUMS]}
            empty="No sales in this month."
          />
          {byFeed.groups.length > 0 && (
            <>
              <h2>By day</h2>
              <Table
                label="By day"
                rows={byDay.groups.filter(isSold)}
                columns={[{ head: "Day (UTC)", cell: (row) => row.date }, ...SUMS]}
                empty=""
              />
            </>
          )}
          <h2>Payouts</h2>
          <Table
            label="Payouts"
            rows={payouts}
            columns={[
              { head: "When", kind: "when", cell: (row) => <Time of={row.paid_at} /> },
              { head: "Reference", cell: (row) => <Text of={row.reference} /> },
              { head: "USD", kind: "num", cell: (row) => dollars(row.usd) },
            ]}
            empty="No payouts in this month."
          />
          <p class="hint">
            Amounts are exact. To save a PDF, print this page. To process the data,{" "}
            <a href={`${visit.root}/console/earnings?statement=${month}`}>download it as CSV</a>.
          </p>
        </article>
      ),
    };
  },
};

/** Undefined if it is no month. */
export function daysOfMonth(month: string): DayRange | undefined {
  const [, year, number] = /^([1-9]\d{3})-(0[1-9]|1[0-2])$/.exec(month) ?? [];
  if (year === undefined) return undefined;
  return { from: `${month}-01`, to: dayOf(Date.UTC(Number(year), Number(number), 0)) };
}

type Sums = Earnings["totals"];
type Group = Earnings["groups"][number];

function sumsOf(totals: Sums): readonly (readonly [what: string, usd: Figure])[] {
  return [
    ["Gross: reads and purchases", totals.gross_usd],
    ["Refunded", negated(totals.refunded_usd)],
    ["Platform fee", negated(totals.fee_usd)],
    ["Net", totals.net_usd],
  ];
}

/** Of what is subtracted. A refund may bring a fee back. */
function negated(figure: Figure): string {
  const text = plain(figure);
  if (/^0(\.0*)?$/.test(text)) return text;
  return text.startsWith("-") ? text.slice(1) : `-${text}`;
}

function isSold(group: Group): boolean {
  return [group.reads, group.purchases, group.refunded_usd].some((each) => digits(each) !== "0");
}

const SUMS: readonly Column<Group>[] = [
  { head: "Reads", kind: "num", cell: (row) => digits(row.reads) },
  { head: "Purchases", kind: "num", cell: (row) => digits(row.purchases) },
  { head: "Gross, USD", kind: "num", cell: (row) => dollars(row.gross_usd) },
  { head: "Refunded, USD", kind: "num", cell: (row) => dollars(row.refunded_usd) },
  { head: "Fee, USD", kind: "num", cell: (row) => dollars(row.fee_usd) },
  { head: "Net, USD", kind: "num", cell: (row) => dollars(row.net_usd) },
];
