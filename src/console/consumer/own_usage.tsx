/** @jsxImportSource preact */
/**
 * What a consumer has spent, by day, feed and key, and every call.
 *
 * @module
 */
import { readSpending, type Spending, type SpendingGrouping } from "../../earnings/spending.ts";
import { dayRange } from "../../earnings/utc_day.ts";
import { assert, present } from "../../lib/assert.ts";
import { Chart, digits, FigureCard, Table, Text, Time } from "../../ui/parts.tsx";
import { FeedLink, listQuery, Next } from "../lists.tsx";
import { bodyOf } from "../own_api.ts";
import type { PageRoute, Visit } from "../visit.ts";
import type { Usage } from "./answers.ts";
import { UsageTable } from "./usage_table.tsx";

const LISTED = 50;

export const OWN_USAGE: PageRoute = {
  path: "usage",
  async show(visit) {
    const path = `/v1/usage${listQuery(visit, { limit: LISTED })}`;
    const [log, days, feeds, keys] = await Promise.all([
      visit.ask<Usage>(path).then(bodyOf),
      spending(visit, "day"),
      spending(visit, "feed"),
      spending(visit, "key"),
    ]);
    return {
      title: "Usage",
      hasCharts: true,
      content: (
        <>
          <h1>Usage</h1>
          <p class="small soft">
            The last 30 days, in UTC; complete until <Time of={days.complete_until} />
          </p>
          <div class="cards">
            <FigureCard
              label="Spent"
              value={digits(days.totals.spent_credits)}
              note={`credits = ${digits(days.totals.spent_usd)} USD`}
            />
            <FigureCard label="Reads" value={digits(days.totals.reads)} note="free ones, too" />
            <FigureCard
              label="Feeds bought"
              value={digits(days.totals.purchases)}
              note="from the balance"
            />
          </div>
          <Chart
            title="Credits spent by day"
            series={["spent"]}
            points={days.groups.map((group) => ({
              at: group.date ?? "",
              values: [group.spent_credits],
            }))}
          />
          <h2>By feed</h2>
          <SpendingTable visit={visit} head="Feed" groups={feeds.groups} />
          <h2>By key</h2>
          <SpendingTable visit={visit} head="Key" groups={keys.groups} />
          <h2>Calls</h2>
          <p class="lead">Every call that was answered, and what it cost, the newest first.</p>
          <UsageTable visit={visit} usage={log.usage} />
          <Next visit={visit} cursor={log.next_cursor} text="Older calls" />
        </>
      ),
    };
  },
};

/** Of the last 30 days. */
function spending({ operator, session }: Visit, groupBy: SpendingGrouping): Promise<Spending> {
  const range = dayRange({}, Date.now());
  assert(typeof range !== "string", "the usual range is one");
  const { id: accountId } = present(session.account);
  return readSpending(operator.database, { accountId, ...range, groupBy });
}

interface SpendingTableProps {
  readonly visit: Visit;
  readonly head: string;
  readonly groups: Spending["groups"];
}

function SpendingTable({ visit, head, groups }: SpendingTableProps) {
  return (
    <Table
      label={`Spending by ${head.toLowerCase()}`}
      rows={groups}
      columns={[
        {
          head,
          cell: (row) => {
            if (row.feed_id !== undefined) {
              return <FeedLink visit={visit} id={row.feed_id} name={row.name} />;
            }
            return <Text of={row.name || row.key_id || "not known"} />;
          },
        },
        { head: "Reads", kind: "num", cell: (row) => digits(row.reads) },
        { head: "Credits", kind: "num", cell: (row) => digits(row.spent_credits) },
      ]}
      empty="Nothing was spent in this time."
    />
  );
}
