/** @jsxImportSource preact */
/**
 * One account at a glance: its balance, what it spends and earns, and its suspension. Its keys, calls, money and
 * settings are on pages of their own.
 *
 * @module
 */
import { readEarnings } from "../../../accounts/earnings/earnings.ts";
import { readSpending } from "../../../accounts/earnings/spending.ts";
import {
  outlineAccount,
  ResumeAccountInput,
  resumeAccount,
  SuspendAccountInput,
  suspendAccount,
} from "../../../operator/accounts.ts";
import { inTime } from "../../../operator/in_time.ts";
import { counted, dollars, Facts, type Figure, FigureCard, Time } from "../../layout/parts.tsx";
import { FoldedForm } from "../act_form.tsx";
import { byMonth } from "../amounts.ts";
import { CsvLink, fileOf, type ListedTable, listedTable } from "../listed_table.tsx";
import { MovedChart } from "../moved_chart.tsx";
import { isByMonth, RangeLinks, rangeOf } from "../shown_range.tsx";
import { type Acted, type Done, idOf, type PageRoute, type Visit } from "../visit.ts";
import { accountView, nameOfAccount } from "./account_frame.tsx";
import { operatorAct } from "./operator_act.ts";

export const ONE_ACCOUNT: PageRoute = {
  path: "accounts/:id",
  download: (visit) => fileOf(visit, [daysTable(visit)]),
  async show(visit, form) {
    const id = idOf(visit);
    const { operator } = visit;
    const range = rangeOf(visit);
    const [row, days] = await Promise.all([
      outlineAccount(operator, { account_id: id }),
      readDays(visit),
    ]);
    const { earned } = row;
    const isOpen = row.closed_at === undefined;
    const points = (values: (day: Day) => readonly Figure[]) => {
      const daily = days.rows.map((day) => ({ at: day.date, values: values(day) }));
      return isByMonth(range) ? byMonth(daily) : daily;
    };
    const each = isByMonth(range) ? "month" : "day";
    return accountView({
      visit,
      account: row,
      part: "",
      hasCharts: true,
      children: (
        <>
          {isOpen && row.suspension_reason === undefined && (
            <FoldedForm
              summary="Suspend this account"
              form={form}
              fields={[{ name: "suspend_reason", label: "Reason", isRequired: true }]}
              buttons={[{ act: "suspend", text: "Suspend", tone: "danger" }]}
              effect="All calls with its keys are refused from the next request. Its feeds stay readable. You can resume the account at any time."
            />
          )}
          <div class="cards">
            <FigureCard
              label="Balance"
              value={`${dollars(row.balance_usd)} USD`}
              note={counted(row.balance_credits, "credit")}
            />
            <FigureCard
              label="Owed earnings"
              value={`${dollars(earned.owed_usd)} USD`}
              note={`${dollars(earned.earned_usd)} USD earned, ${dollars(earned.paid_usd)} paid`}
            />
          </div>
          <Facts
            of={{
              ID: <code>{row.id}</code>,
              Created: <Time of={row.created_at} />,
              Feeds: (
                <a href={`${visit.root}/console/feeds?account_id=${id}`}>Feeds of the account</a>
              ),
              Changes: (
                <a href={`${visit.root}/console/audit?account_id=${id}`}>
                  Audit trail of the account
                </a>
              ),
            }}
          />
          <h2>Activity</h2>
          <RangeLinks visit={visit} range={range} />
          <div class="cards">
            <FigureCard
              label="Spent"
              value={`${dollars(days.spent.totals.spent_usd)} USD`}
              note={counted(days.spent.totals.reads, "read")}
            />
            <FigureCard
              label="Sold"
              value={`${dollars(days.sold.totals.gross_usd)} USD`}
              note={`${dollars(days.sold.totals.net_usd)} USD net of refunds and fees`}
            />
          </div>
          <div class="charts">
            <MovedChart
              title={`Spent by ${each}, USD`}
              series={["spent"]}
              points={points((day) => [day.spent])}
            />
            <MovedChart
              title={`Reads by ${each}`}
              series={["reads"]}
              points={points((day) => [day.reads])}
            />
            <MovedChart
              title={`Net earnings by ${each}, USD`}
              series={["net", "gross"]}
              points={points((day) => [day.net, day.gross])}
            />
          </div>
          <p class="small soft">
            Daily totals (UTC), {range.from} to {range.to}.{" "}
            <CsvLink query={visit.query} name="days" label="the days" />
          </p>
        </>
      ),
    });
  },
  acts: {
    suspend: operatorAct({
      input: SuspendAccountInput,
      given: (visit, form) => ({
        known: { account_id: idOf(visit) },
        typed: { reason: form.text("suspend_reason") },
      }),
      confirm: async (form, visit) =>
        `${await nameOfAccount(visit)} will be suspended: every call with its keys is refused from the next request. Its feeds stay readable. Reason: ${form.text("suspend_reason")}`,
      run: suspendAccount,
      done: (visit) => backTo(visit, "suspended"),
    }),
    resume: operatorAct({
      input: ResumeAccountInput,
      given: (visit) => ({ known: { account_id: idOf(visit) } }),
      run: resumeAccount,
      done: (visit) => backTo(visit, "resumed"),
    }),
  },
};

interface Day {
  readonly date: string;
  readonly spent: Figure;
  readonly reads: Figure;
  readonly net: Figure;
  readonly gross: Figure;
}

/** What the account spent and sold on each day of the page's range. */
async function readDays(visit: Visit) {
  const { database } = visit.operator;
  const accountId = idOf(visit);
  const { from, to } = rangeOf(visit);
  const of = { accountId, from, to, groupBy: "day" } as const;
  const [spent, sold] = await inTime(
    Promise.all([readSpending(database, of), readEarnings(database, of)]),
  );
  const rows = spent.groups.map(
    (group, place): Day => ({
      date: group.date ?? "",
      spent: group.spent_usd,
      reads: group.reads,
      net: sold.groups[place]?.net_usd ?? 0,
      gross: sold.groups[place]?.gross_usd ?? 0,
    }),
  );
  return { rows, spent, sold };
}

function daysTable(visit: Visit): ListedTable {
  return listedTable<Day>(visit, {
    name: "days",
    label: "Days",
    rows: 1,
    empty: "",
    read: async () => ({ entries: (await readDays(visit)).rows, nextCursor: null }),
    columns: [
      { head: "Day (UTC)", text: (row) => row.date },
      { head: "Spent", kind: "usd", text: (row) => row.spent },
      { head: "Reads", kind: "num", text: (row) => row.reads },
      { head: "Gross sales", kind: "usd", text: (row) => row.gross },
      { head: "Net earnings", kind: "usd", text: (row) => row.net },
    ],
  });
}

function backTo(visit: Visit, done: Done): Acted {
  return { kind: "go", to: `accounts/${idOf(visit)}`, done };
}
