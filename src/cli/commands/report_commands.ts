/**
 * `report stats`, `top`, `stale`, `revenue` and `errors`: an operator's daily checks.
 *
 * @module
 */

import { type Earnings, OPERATOR_GROUPINGS } from "../../accounts/earnings/earnings.ts";
import { dayOf } from "../../lib/utc_day.ts";
import { reportEarnings } from "../../operator/earnings_statements.ts";
import { PAGE_ROWS_MAX } from "../../operator/keyset_page.ts";
import {
  ERRORS_CURSOR,
  REVENUE_CURSOR,
  reportErrors,
  reportRevenue,
  reportStale,
  reportTop,
  STALE_CURSOR,
  type TopOutcome,
} from "../../operator/reports.ts";
import { readStats } from "../../operator/stats.ts";
import { databaseCommand } from "../database_command.ts";
import { afterCursor, LIMIT_OPTION, listAnswer } from "../list_page.ts";
import { ACCOUNT_OPTION, day, oneOf, text, time } from "../options.ts";
import { type Columns, fields, table } from "../output.ts";

const TIME_FORM = { placeholder: "TIME" };
const PERIOD_OPTION = time("earliest time, inclusive; default 7 days ago");

const top = databaseCommand({
  words: "report top",
  about: "rank feeds and accounts by reads or credits charged",
  options: {
    since: time("first day, in UTC; default 7 days ago"),
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
      more: hasMore ? `for more, use a larger --limit, up to ${PAGE_ROWS_MAX}` : undefined,
    };
  },
});

const stats = databaseCommand({
  words: "report stats",
  about: "show activity by minute or day, and whether all ledgers balance",
  options: {
    since: text("first minute or UTC day; default an hour ago, or 30 days ago", TIME_FORM),
    until: text("last minute or UTC day; default now", TIME_FORM),
    by: oneOf(["minute", "day"], "group by; default day"),
  },
  run: async ({ operator, values: { since, until, by } }) => {
    const stats = await readStats(operator, { from: since, to: until, by });
    const { ledger } = stats;
    const groups = table(stats.groups, {
      [stats.by.toUpperCase()]: {
        whole: ({ at }) => (stats.by === "day" ? dayOf(at) : at),
      },
      READS: (row) => row.reads,
      CHARGED: (row) => row.charged_credits.rawJSON,
      REFUSED: (row) => row.refused,
      ERRORS: (row) => row.errors,
      PUSHES: (row) => row.pushes,
      PURCHASES: (row) => row.purchases,
      REFUNDED: (row) => row.refunded_credits.rawJSON,
      "REFUSED PUSHES": (row) => row.refused_pushes,
      DISCOVERY: (row) => row.discovery_calls,
    });
    const proof = fields(
      ledger === null
        ? { ledger: "not checked yet; a check runs every ten minutes" }
        : {
            ledger: ledger.is_balanced
              ? `balanced, ${ledger.accounts} accounts`
              : `NOT BALANCED, ${ledger.wrong_accounts} of ${ledger.accounts} accounts`,
            checked: ledger.proven_at,
            granted: `${ledger.granted_credits.rawJSON} credits`,
            revoked: `${ledger.revoked_credits.rawJSON} credits`,
            charged: `${ledger.charged_credits.rawJSON} credits`,
            refunded: `${ledger.refunded_credits.rawJSON} credits`,
            balances: `${ledger.balance_credits.rawJSON} credits`,
          },
    );
    return {
      json: JSON.stringify(stats),
      text: (columns) => [proof, "", groups(columns)].join("\n"),
    };
  },
});

const READ_COLUMNS: Columns<Pick<TopOutcome["accounts"][number], "reads" | "credits_charged">> = {
  READS: (row) => row.reads,
  CREDITS: (row) => row.credits_charged.rawJSON,
};

const stale = databaseCommand({
  words: "report stale",
  about: "list feeds that are late or were never pushed, the oldest data first",
  options: {
    since: time("omit feeds that were last pushed, or created, before this time"),
    limit: LIMIT_OPTION,
    after: afterCursor(STALE_CURSOR),
  },
  run: async ({ operator, values: { since, limit, after } }) =>
    listAnswer(await reportStale(operator, { since, limit, cursor: after }), {
      FEED: (row) => row.feed_id,
      SLUG: { whole: (row) => row.endpoint_path },
      STATUS: (row) => row.status,
      INTERVAL: (row) => `${row.sync_interval_mins} min`,
      "LAST SYNC": (row) => row.last_sync_at ?? "never",
      DUE: (row) => row.due_at,
      OWNER: (row) => row.account_name,
    }),
});

const revenue = databaseCommand({
  words: "report revenue",
  about: "list feeds by revenue over whole UTC days, highest first",
  options: {
    since: time("first day; default 7 days ago"),
    until: time("last day; default today"),
    account: { ...ACCOUNT_OPTION, about: "only feeds of this provider, by id or exact name" },
    limit: LIMIT_OPTION,
    after: afterCursor(REVENUE_CURSOR),
  },
  run: async ({ operator, values: { account, after, ...period } }) =>
    listAnswer(await reportRevenue(operator, { ...period, account_id: account, cursor: after }), {
      FEED: (row) => row.feed_id,
      SLUG: { whole: (row) => row.endpoint_path },
      REVENUE: (row) => row.revenue_usd.rawJSON,
      "PAID READS": (row) => row.paid_reads,
      PURCHASES: (row) => row.purchases,
      FEE: (row) => row.fee_usd.rawJSON,
      NET: (row) => row.net_usd.rawJSON,
      OWNER: (row) => row.account_name,
      READS: (row) => row.reads,
      GROSS: (row) => row.gross_usd.rawJSON,
      REFUNDED: (row) => row.refunded_usd.rawJSON,
    }),
});

const errors = databaseCommand({
  words: "report errors",
  about: "list refused pushes by feed and code, most recent first",
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
      "LAST PUSH": (row) => row.last_pushed_at,
      OWNER: (row) => row.account_name,
    }),
});

const earnings = databaseCommand({
  words: "report earnings",
  about: "show the earnings of one or all providers for a period, and the amount owed",
  options: {
    account: { ...ACCOUNT_OPTION, about: "provider id or exact name; default all" },
    since: day("first day, in UTC; default 30 days including the last"),
    until: day("last day, in UTC; default today"),
    by: oneOf(OPERATOR_GROUPINGS, "group by; default day"),
  },
  run: async ({ operator, values: { account, since, until, by } }) => {
    const asked = { account_id: account, from: since, to: until, group_by: by };
    const { accountName, outcome } = await reportEarnings(operator, asked);
    const { totals } = outcome;
    const rows = outcome.groups.filter((row) => row.reads + row.purchases > 0 || hasMoney(row));
    const groups = table(rows, {
      [outcome.group_by.toUpperCase()]: (row) =>
        row.date ?? row.month ?? row.feed_id ?? row.account_id,
      ...EARNED_COLUMNS,
      ...(rows[0]?.name !== undefined && { NAME: (row) => row.name ?? "" }),
    });
    const { account_id: id } = outcome;
    const text = fields({
      account: id === null ? "all providers" : `${id} (${accountName})`,
      period: `${outcome.from} to ${outcome.to}${totals.is_final ? "" : ", not final yet"}`,
      reads: `${totals.reads} (${totals.paid_reads} paid), by ${totals.accounts} accounts`,
      purchases: totals.purchases,
      gross: `${totals.gross_usd.rawJSON} USD`,
      refunded: `${totals.refunded_usd.rawJSON} USD`,
      fee: `${totals.fee_usd.rawJSON} USD`,
      net: `${totals.net_usd.rawJSON} USD`,
      "total earned": `${outcome.earned_usd.rawJSON} USD`,
      "paid out": `${outcome.paid_usd.rawJSON} USD`,
      owed: `${outcome.owed_usd.rawJSON} USD`,
    });
    return {
      json: JSON.stringify(outcome),
      text: (columns) => [groups(columns), "", text].join("\n"),
    };
  },
});

type EarnedRow = Earnings["groups"][number];

/** Whether there are refunds, which may fall on a day without sales. */
function hasMoney({ refunded_usd: refunded }: EarnedRow): boolean {
  return refunded.rawJSON !== "0";
}

/** NET comes first, because a narrow terminal drops columns from the end. */
const EARNED_COLUMNS: Columns<EarnedRow> = {
  NET: (row) => row.net_usd.rawJSON,
  GROSS: (row) => row.gross_usd.rawJSON,
  REFUNDED: (row) => row.refunded_usd.rawJSON,
  FEE: (row) => row.fee_usd.rawJSON,
  READS: (row) => row.reads,
  "PAID READS": (row) => row.paid_reads,
  ACCOUNTS: (row) => row.accounts,
  PURCHASES: (row) => row.purchases,
  FINAL: (row) => (row.is_final ? "yes" : "not yet"),
};

export const REPORT_COMMANDS = [stats, top, stale, revenue, earnings, errors];
