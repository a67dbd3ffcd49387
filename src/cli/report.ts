/**
 * `report top`, `report stale`, `report revenue`, `report errors`: what an operator looks at each day.
 *
 * @module
 */
import {
  creditsNumber,
  creditsText,
  exactNumber,
  usdNumber,
  usdOfCents,
  usdText,
} from "../accounts/money.ts";
import { parseUuid } from "../lib/uuid.ts";
import type { Row } from "../postgres/client/query.ts";
import { UsageError } from "./command.ts";
import { databaseCommand } from "./database.ts";
import { afterValues, LIMIT_DEFAULT, LIMIT_MAX, LIMIT_OPTION, listAnswer } from "./list_page.ts";
import { integer, oneOf, text, time } from "./options.ts";
import { type Columns, table } from "./output.ts";

const PERIOD_MS = 7 * 24 * 60 * 60_000;
const PERIOD_OPTION = time("inclusive lower bound; default 7 days ago");
/** Parts of cursors. */
const TIME = time("").read;
const NUMBER = integer("", { least: 0, most: Number.MAX_SAFE_INTEGER }).read;
const FEED_ID: typeof TIME = (given, name) => {
  const feedId = parseUuid(text("").read(given, name));
  if (feedId === undefined)
    throw new UsageError(`${name} must end with a feed's id, got "${given}"`);
  return feedId;
};
/** An amount of nano-dollars, which may be beyond what a double holds. */
const NANOS: typeof TIME = (given, name) => {
  if (/^\d{1,19}$/.test(given) && BigInt(given) < 2n ** 63n) return given;
  throw new UsageError(`${name} must have an amount, got "${given}"`);
};

const reportTop = databaseCommand({
  words: "report top",
  about: "rank feeds and accounts by what was read",
  options: {
    since: PERIOD_OPTION,
    by: oneOf(["reads", "credits"], "default reads"),
    limit: LIMIT_OPTION,
  },
  run: async ({ database, values }) => {
    const { since = periodStart(), by, limit = LIMIT_DEFAULT } = values;
    const found = await database.rows("list_top_reads", [since, by === "credits", limit + 1]);
    const rows = found.filter(({ place }) => place <= BigInt(limit));
    const feeds = rows.filter((row) => row.is_feed);
    const accounts = rows.filter((row) => !row.is_feed);
    const feedTable = table(feeds, {
      FEED: (row) => row.feed_id,
      SLUG: { whole: (row) => row.endpoint_path },
      ...READ_COLUMNS,
      NAME: (row) => row.feed_name,
      OWNER: (row) => row.account_name,
    });
    const accountTable = table(accounts, {
      ACCOUNT: (row) => row.account_id,
      ...READ_COLUMNS,
      NAME: (row) => row.account_name,
    });
    return {
      json: JSON.stringify({
        feeds: feeds.map((row) => ({ ...feedEntry(row), ...readEntry(row) })),
        accounts: accounts.map((row) => ({ ...accountEntry(row), ...readEntry(row) })),
      }),
      text: (columns) => [feedTable(columns), "", accountTable(columns)].join("\n"),
      more:
        rows.length === found.length
          ? undefined
          : `there are more: a larger --limit shows them, up to ${LIMIT_MAX}`,
    };
  },
});

const reportStale = databaseCommand({
  words: "report stale",
  about: "list feeds whose provider is late or never pushed, the latest first",
  options: {
    since: time("leave out feeds that were last pushed to, or made, before it"),
    limit: LIMIT_OPTION,
    after: afterValues([TIME, TIME, FEED_ID]),
  },
  run: ({ database, values }) => {
    const { since = null, after } = values;
    const [asOf = null, dueAt = null, feedId = null] = after ?? [];
    return listAnswer(values.limit, {
      read: (limit) => database.rows("list_stale_feeds", [since, asOf, dueAt, feedId, limit]),
      cursorOf: (row) => [row.as_of, row.due_at, row.feed_id],
      json: ({ as_of: _, ...row }) => JSON.stringify(row),
      columns: {
        FEED: (row) => row.feed_id,
        SLUG: { whole: (row) => row.endpoint_path },
        STATUS: (row) => row.status,
        EVERY: (row) => `${row.sync_interval_mins} min`,
        "LAST SYNC": (row) => row.last_sync_at ?? "never",
        DUE: (row) => row.due_at,
        OWNER: (row) => row.account_name,
      },
    });
  },
});

const reportRevenue = databaseCommand({
  words: "report revenue",
  about:
    "list what feeds have earned: charges less refunds, and one-time purchases; the most first",
  options: {
    since: PERIOD_OPTION,
    limit: LIMIT_OPTION,
    after: afterValues([TIME, TIME, NANOS, FEED_ID]),
  },
  run: ({ database, values }) => {
    const [since = values.since ?? periodStart(), asOf = null, earned, feedId = null] =
      values.after ?? [];
    const earnedNanos = earned === undefined ? null : BigInt(earned);
    return listAnswer(values.limit, {
      read: (limit) => database.rows("list_revenue", [since, asOf, earnedNanos, feedId, limit]),
      cursorOf: (row) => [since, row.as_of, row.earned_nanos, row.feed_id],
      json: (row) => JSON.stringify(revenueEntry(row)),
      columns: {
        FEED: (row) => row.feed_id,
        SLUG: { whole: (row) => row.endpoint_path },
        USD: (row) => usdText(row.earned_nanos),
        "PAID READS": (row) => row.paid_reads,
        NET: (row) => creditsText(netNanos(row)),
        SOLD: (row) => row.purchases,
        "SOLD USD": (row) => usdOfCents(row.purchases_cents),
        OWNER: (row) => row.account_name,
        CHARGED: (row) => creditsText(row.charged_nanos),
        REFUNDED: (row) => creditsText(row.refunded_nanos),
      },
    });
  },
});

const reportErrors = databaseCommand({
  words: "report errors",
  about: "list refused pushes by feed and code, each with its newest one, the newest first",
  options: {
    since: PERIOD_OPTION,
    limit: LIMIT_OPTION,
    after: afterValues([TIME, NUMBER, NUMBER]),
  },
  run: ({ database, values }) => {
    const [since = values.since ?? periodStart(), ...pushes] = values.after ?? [];
    const [newest = null, before = null] = pushes.map(BigInt);
    return listAnswer(values.limit, {
      read: (limit) => database.rows("list_refusals", [since, newest, before, limit]),
      cursorOf: (row) => [since, row.newest_push_id, row.last_push_id],
      json: (row) => JSON.stringify(refusalEntry(row)),
      columns: {
        FEED: (row) => row.feed_id,
        SLUG: { whole: (row) => row.endpoint_path },
        CODE: { whole: (row) => row.code },
        PUSHES: (row) => row.pushes,
        "LAST DETAIL": (row) => row.last_detail,
        LAST: (row) => row.last_pushed_at,
        OWNER: (row) => row.account_name,
      },
    });
  },
});

/** The beginning of the period, if none is given. */
function periodStart(): string {
  return new Date(Date.now() - PERIOD_MS).toISOString();
}

type ReadsRow = Row<"list_top_reads">;

const READ_COLUMNS: Columns<ReadsRow> = {
  READS: (row) => row.reads,
  CREDITS: (row) => creditsText(row.charge_nanos),
};

function readEntry({ reads, charge_nanos: nanos }: ReadsRow) {
  return { reads: Number(reads), credits_charged: creditsNumber(nanos) };
}

function accountEntry({ account_id, account_name }: ReadsRow) {
  return { account_id, account_name };
}

function feedEntry({ feed_id, endpoint_path, feed_name, account_id, account_name }: ReadsRow) {
  return { feed_id, endpoint_path, feed_name, account_id, account_name };
}

type RevenueRow = Row<"list_revenue">;

function netNanos(row: RevenueRow): bigint {
  return row.charged_nanos - row.refunded_nanos;
}

/** Money as exact numbers. */
function revenueEntry(row: RevenueRow) {
  const { as_of: _, earned_nanos: earned, ...shown } = row;
  const {
    charged_nanos: charged,
    refunded_nanos: refunded,
    purchases_cents: cents,
    ...feed
  } = shown;
  return {
    ...feed,
    paid_reads: Number(row.paid_reads),
    purchases: Number(row.purchases),
    charged_credits: creditsNumber(charged),
    refunded_credits: creditsNumber(refunded),
    net_credits: creditsNumber(netNanos(row)),
    net_usd: usdNumber(netNanos(row)),
    purchases_usd: exactNumber(usdOfCents(cents)),
    revenue_usd: usdNumber(earned),
  };
}

function refusalEntry({ newest_push_id: _, ...row }: Row<"list_refusals">) {
  return { ...row, pushes: Number(row.pushes), last_push_id: Number(row.last_push_id) };
}

export const REPORT_COMMANDS = [reportTop, reportStale, reportRevenue, reportErrors];
