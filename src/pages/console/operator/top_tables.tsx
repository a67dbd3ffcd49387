/** @jsxImportSource preact */
/**
 * The most-read feeds, and the accounts that read most.
 *
 * @module
 */
import { STATS_TOP_ROWS } from "../../../limits.ts";
import { reportTop, type TopOutcome } from "../../../operator/reports.ts";
import { usdOfCredits } from "../amounts.ts";
import { type ListedTable, listedTable } from "../listed_table.tsx";
import { AccountLink, FeedLink } from "../lists.tsx";
import { rangeOf } from "../shown_range.tsx";
import type { Visit } from "../visit.ts";

/** Those of the page's range, by reads or by what was spent. */
export function operatorTop(visit: Visit): readonly [ListedTable, ListedTable] {
  const { since, from: first, to } = rangeOf(visit);
  // Totals are those of whole days.
  const from = visit.query.get("range") === "1h" ? to : first;
  const by = visit.query.get("top") === "spent" ? "credits" : "reads";
  let top: Promise<TopOutcome> | undefined;
  // Both tables of a page are of one ranking.
  const read = () => {
    top ??= reportTop(visit.operator, {
      since: since.slice(0, from.length) === from ? since : `${from}T00:00:00Z`,
      until: `${to}T23:59:59.999Z`,
      by,
      limit: STATS_TOP_ROWS,
    });
    return top;
  };
  return [
    listedTable<TopOutcome["feeds"][number]>(visit, {
      name: "top-feeds",
      label: "Most-read feeds",
      rows: STATS_TOP_ROWS,
      by: "top_feeds_cursor",
      empty: "No reads in this period.",
      read: async () => ({ entries: (await read()).feeds, nextCursor: null }),
      columns: [
        {
          head: "Feed",
          text: (row) => row.feed_name,
          cell: (row) => <FeedLink visit={visit} id={row.feed_id} name={row.feed_name} />,
        },
        {
          head: "Provider",
          text: (row) => row.account_name,
          cell: (row) => <AccountLink visit={visit} id={row.account_id} name={row.account_name} />,
        },
        { head: "Reads", kind: "num", text: (row) => row.reads },
        { head: "Spent", kind: "usd", text: (row) => usdOfCredits(row.credits_charged) },
      ],
    }),
    listedTable<TopOutcome["accounts"][number]>(visit, {
      name: "top-accounts",
      label: "Most active accounts",
      rows: STATS_TOP_ROWS,
      by: "top_accounts_cursor",
      empty: "No reads in this period.",
      read: async () => ({ entries: (await read()).accounts, nextCursor: null }),
      columns: [
        {
          head: "Account",
          text: (row) => row.account_name,
          cell: (row) => <AccountLink visit={visit} id={row.account_id} name={row.account_name} />,
        },
        { head: "Reads", kind: "num", text: (row) => row.reads },
        { head: "Spent", kind: "usd", text: (row) => usdOfCredits(row.credits_charged) },
      ],
    }),
  ];
}
