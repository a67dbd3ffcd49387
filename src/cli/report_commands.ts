/**
 * `report top`, `report stale`, `report revenue`, `report errors`: what an operator looks at each day.
 *
 * @module
 */
import { PAGE_ROWS_MAX } from "../operator/keyset_page.ts";
import {
  ERRORS_CURSOR,
  REVENUE_CURSOR,
  reportErrors,
  reportRevenue,
  reportStale,
  reportTop,
  STALE_CURSOR,
  type TopOutcome,
} from "../operator/reports.ts";
import { databaseCommand } from "./database.ts";
import { afterCursor, LIMIT_OPTION, listAnswer } from "./list_page.ts";
import { oneOf, time } from "./options.ts";
import { type Columns, table } from "./output.ts";

const PERIOD_OPTION = time("inclusive lower bound; default 7 days ago");

const top = databaseCommand({
  words: "report top",
  about: "rank feeds and accounts by what was read",
  options: {
    since: PERIOD_OPTION,
    by: oneOf(["reads", "credits"], "default reads"),
    limit: LIMIT_OPTION,
  },
  run: async ({ operator, values }) => {
    const { hasMore, ...ranked } = await reportTop(operator, values);
    const feedTable = table(ranked.feeds, {
      FEED: (row) => row.feed_id,
      SLUG: { whole: (row) => row.endpoint_path },
      ...READ_COLUMNS,
      NAME: (row) => row.feed_name,
      OWNER: (row) => row.account_name,
    });
    const accountTable = table(ranked.accounts, {
      ACCOUNT: (row) => row.account_id,
      ...READ_COLUMNS,
      NAME: (row) => row.account_name,
    });
    return {
      json: JSON.stringify(ranked),
      text: (columns) => [feedTable(columns), "", accountTable(columns)].join("\n"),
      more: hasMore
        ? `there are more: a larger --limit shows them, up to ${PAGE_ROWS_MAX}`
        : undefined,
    };
  },
});

const READ_COLUMNS: Columns<Pick<TopOutcome["accounts"][number], "reads" | "credits_charged">> = {
  READS: (row) => row.reads,
  CREDITS: (row) => row.credits_charged.rawJSON,
};

const stale = databaseCommand({
  words: "report stale",
  about: "list feeds whose provider is late or never pushed, the latest first",
  options: {
    since: time("leave out feeds that were last pushed to, or made, before it"),
    limit: LIMIT_OPTION,
    after: afterCursor(STALE_CURSOR),
  },
  run: async ({ operator, values: { since, limit, after } }) =>
    listAnswer(await reportStale(operator, { since, limit, cursor: after }), {
      FEED: (row) => row.feed_id,
      SLUG: { whole: (row) => row.endpoint_path },
      STATUS: (row) => row.status,
      EVERY: (row) => `${row.sync_interval_mins} min`,
      "LAST SYNC": (row) => row.last_sync_at ?? "never",
      DUE: (row) => row.due_at,
      OWNER: (row) => row.account_name,
    }),
});

const revenue = databaseCommand({
  words: "report revenue",
  about:
    "list what feeds have earned: charges less refunds, and one-time purchases; the most first",
  options: {
    since: PERIOD_OPTION,
    limit: LIMIT_OPTION,
    after: afterCursor(REVENUE_CURSOR),
  },
  run: async ({ operator, values: { since, limit, after } }) =>
    listAnswer(await reportRevenue(operator, { since, limit, cursor: after }), {
      FEED: (row) => row.feed_id,
      SLUG: { whole: (row) => row.endpoint_path },
      USD: (row) => row.revenue_usd.rawJSON,
      "PAID READS": (row) => row.paid_reads,
      NET: (row) => row.net_credits.rawJSON,
      SOLD: (row) => row.purchases,
      "SOLD USD": (row) => row.purchases_usd.rawJSON,
      OWNER: (row) => row.account_name,
      CHARGED: (row) => row.charged_credits.rawJSON,
      REFUNDED: (row) => row.refunded_credits.rawJSON,
    }),
});

const errors = databaseCommand({
  words: "report errors",
  about: "list refused pushes by feed and code, each with its newest one, the newest first",
  options: {
    since: PERIOD_OPTION,
    limit: LIMIT_OPTION,
    after: afterCursor(ERRORS_CURSOR),
  },
  run: async ({ operator, values: { since, limit, after } }) =>
    listAnswer(await reportErrors(operator, { since, limit, cursor: after }), {
      FEED: (row) => row.feed_id,
      SLUG: { whole: (row) => row.endpoint_path },
      CODE: { whole: (row) => row.code },
      PUSHES: (row) => row.pushes,
      "LAST DETAIL": (row) => row.last_detail,
      LAST: (row) => row.last_pushed_at,
      OWNER: (row) => row.account_name,
    }),
});

export const REPORT_COMMANDS = [top, stale, revenue, errors];
