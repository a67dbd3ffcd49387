/** @jsxImportSource preact */
/**
 * What a consumer has spent, by day, feed and key, and every call.
 *
 * @module
 */
import type { Spending } from "../../../accounts/earnings/spending.ts";
import { present } from "../../../lib/assert.ts";
import {
  counted,
  digits,
  dollars,
  FigureCard,
  Money,
  Table,
  Text,
  Time,
} from "../../layout/parts.tsx";
import { LinkChoice } from "../link_choice.tsx";
import { FeedLink, Next } from "../lists.tsx";
import type { Names } from "../names.ts";
import { SpendingChart, spendingOf } from "../spending_chart.tsx";
import type { PageRoute, Visit } from "../visit.ts";
import { readCalls } from "./own_records.ts";
import { namesIn, UsageTable } from "./usage_table.tsx";

const LISTED = 50;
/** Of feeds or keys, those that cost most. */
const GROUPS_LISTED = 50;

export const OWN_USAGE: PageRoute = {
  path: "usage",
  async show(visit) {
    const { id: accountId } = present(visit.session.account);
    const [log, days, feeds, keys] = await Promise.all([
      readCalls(visit, LISTED),
      spendingOf(visit, accountId, "day"),
      spendingOf(visit, accountId, "feed"),
      spendingOf(visit, accountId, "key"),
    ]);
    const listed = feeds.groups.slice(0, GROUPS_LISTED);
    const names = await namesIn(
      visit,
      log.rows,
      listed.map((group) => group.feed_id),
    );
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
              value={`${dollars(days.totals.spent_usd)} USD`}
              note={counted(days.totals.spent_credits, "credit")}
            />
            <FigureCard
              label="Reads"
              value={digits(days.totals.reads)}
              note="including free ones"
            />
            <FigureCard
              label="Feeds bought"
              value={digits(days.totals.purchases)}
              note="from the balance"
            />
          </div>
          <SpendingChart of={days} />
          <h2>By feed</h2>
          <SpendingTable visit={visit} head="Feed" groups={listed} names={names} />
          <h2>By key</h2>
          <SpendingTable
            visit={visit}
            head="Key"
            groups={keys.groups.slice(0, GROUPS_LISTED)}
            names={names}
          />
          <h2>Calls</h2>
          <p class="lead">Every call that was answered, and what it cost, newest first.</p>
          <LinkChoice
            query={visit.query}
            label="Free searches"
            name="searches"
            choices={[
              ["", "left out"],
              ["yes", "included"],
            ]}
            chosen={visit.query.get("searches") === "yes" ? "yes" : ""}
          />
          <UsageTable visit={visit} usage={log.rows} names={names} />
          <Next visit={visit} cursor={log.nextCursor} text="Older calls" />
        </>
      ),
    };
  },
};

interface SpendingTableProps {
  readonly visit: Visit;
  readonly head: string;
  readonly groups: Spending["groups"];
  readonly names: Names;
}

function SpendingTable({ visit, head, groups, names }: SpendingTableProps) {
  return (
    <Table
      label={`Spending by ${head.toLowerCase()}`}
      rows={groups}
      columns={[
        {
          head,
          cell: ({ feed_id: id, name, key_id: keyId }) => {
            if (id !== undefined) {
              return <FeedLink visit={visit} id={id} name={name} hasPage={names.hasPage(id)} />;
            }
            return <Text of={name || keyId || "not known"} />;
          },
        },
        { head: "Reads", kind: "num", cell: (row) => digits(row.reads) },
        {
          head: "Spent",
          kind: "num",
          cell: (row) => <Money usd={row.spent_usd} credits={row.spent_credits} />,
        },
      ]}
      empty={
        <>
          Nothing was spent in this time. Try a feed of the{" "}
          <a href={`${visit.root}/console/catalog`}>catalog</a>.
        </>
      }
    />
  );
}
