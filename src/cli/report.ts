/**
 * `report top`, `report stale`, `report revenue`, `report errors`: what an operator looks at each day.
 *
 * @module
 */
import {
  creditsText,
  exactNumber,
  NANOS_PER_CENT,
  usdOfCents,
  usdText,
} from "../accounts/money.ts";
import type { Database, Row } from "../postgres/client/query.ts";
import { command } from "./command.ts";
import { withDatabase } from "./database.ts";
import { AFTER_OPTION, LIMIT_DEFAULT, LIMIT_MAX, LIMIT_OPTION, readPage } from "./list_page.ts";
import { count, oneOf, time } from "./options.ts";
import { shown, table } from "./output.ts";
import { findFeed } from "./references.ts";

const PERIOD_MS = 7 * 24 * 60 * 60_000;
const PERIOD_OPTION = time("inclusive lower bound; default 7 days ago");

const reportTop = command({
  words: "report top",
  about: "rank feeds and accounts by what was read",
  options: {
    since: PERIOD_OPTION,
    by: oneOf(["reads", "credits"], "default reads"),
    limit: LIMIT_OPTION,
  },
  run: ({ config, values }) =>
    withDatabase(config, async (database) => {
      const { since = periodStart(), by, limit = LIMIT_DEFAULT } = values;
      const found = await database.rows("list_top_reads", [since, by === "credits", limit + 1]);
      const rows = found.filter(({ place }) => place <= BigInt(limit));
      const feeds = rows.filter((row) => row.is_feed);
      const accounts = rows.filter((row) => !row.is_feed);
      const feedTable = table(
        ["FEED", "SLUG", "READS", "CREDITS", "NAME", "OWNER"],
        feeds.map((row) => [
          shown(row.feed_id),
          shown(row.endpoint_path),
          ...readCells(row),
          shown(row.feed_name),
          shown(row.account_name),
        ]),
      );
      const accountTable = table(
        ["ACCOUNT", "READS", "CREDITS", "NAME"],
        accounts.map((row) => [row.account_id, ...readCells(row), shown(row.account_name)]),
      );
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
    }),
});

const reportStale = command({
  words: "report stale",
  about: "list feeds whose provider is late or never pushed, the latest first",
  options: {
    since: time("leave out feeds that were last pushed to, or made, before it"),
    limit: LIMIT_OPTION,
    after: AFTER_OPTION,
  },
  run: ({ config, values }) =>
    withDatabase(config, async (database) => {
      const afterId = await feedIdOf(database, values.after);
      const { rows, more } = await readPage(values.limit, {
        read: (limit) => database.rows("list_stale_feeds", [values.since ?? null, afterId, limit]),
        cursorOf: (row) => row.feed_id,
      });
      return {
        more,
        json: JSON.stringify(rows),
        text: table(
          ["FEED", "SLUG", "STATUS", "EVERY", "LAST SYNC", "DUE", "OWNER"],
          rows.map((row) => [
            row.feed_id,
            row.endpoint_path,
            row.status,
            `${row.sync_interval_mins} min`,
            row.last_sync_at ?? "never",
            row.due_at,
            shown(row.account_name),
          ]),
        ),
      };
    }),
});

const reportRevenue = command({
  words: "report revenue",
  about:
    "list what feeds have earned: charges less refunds, and one-time purchases; the most first",
  options: { since: PERIOD_OPTION, limit: LIMIT_OPTION, after: AFTER_OPTION },
  run: ({ config, values }) =>
    withDatabase(config, async (database) => {
      const { since = periodStart() } = values;
      const afterId = await feedIdOf(database, values.after);
      const { rows, more } = await readPage(values.limit, {
        read: (limit) => database.rows("list_revenue", [since, afterId, limit]),
        cursorOf: (row) => row.feed_id,
      });
      return {
        more,
        json: JSON.stringify(rows.map(revenueEntry)),
        text: table(
          [
            "FEED",
            "SLUG",
            "PAID READS",
            "CHARGED",
            "REFUNDED",
            "NET",
            "SOLD",
            "SOLD USD",
            "USD",
            "OWNER",
          ],
          rows.map((row) => [
            row.feed_id,
            row.endpoint_path,
            String(row.paid_reads),
            creditsText(row.charged_nanos),
            creditsText(row.refunded_nanos),
            creditsText(netNanos(row)),
            String(row.purchases),
            usdOfCents(row.purchases_cents),
            usdText(earnedNanos(row)),
            shown(row.account_name),
          ]),
        ),
      };
    }),
});

const reportErrors = command({
  words: "report errors",
  about: "list refused pushes by feed and code, each with its newest one, the newest first",
  options: {
    since: PERIOD_OPTION,
    limit: LIMIT_OPTION,
    after: count(
      "go on behind this push; a page that is not the last one tells it",
      Number.MAX_SAFE_INTEGER,
    ),
  },
  run: ({ config, values }) =>
    withDatabase(config, async (database) => {
      const { since = periodStart(), after } = values;
      const before = after === undefined ? null : BigInt(after);
      const { rows, more } = await readPage(values.limit, {
        read: (limit) => database.rows("list_refusals", [since, before, limit]),
        cursorOf: (row) => row.last_push_id,
      });
      return {
        more,
        json: JSON.stringify(rows.map(refusalEntry)),
        text: table(
          ["FEED", "SLUG", "CODE", "PUSHES", "LAST", "OWNER", "LAST DETAIL"],
          rows.map((row) => [
            row.feed_id,
            row.endpoint_path,
            shown(row.code),
            String(row.pushes),
            row.last_pushed_at,
            shown(row.account_name),
            shown(row.last_detail),
          ]),
        ),
      };
    }),
});

/** The beginning of the period, if none is given. */
function periodStart(): string {
  return new Date(Date.now() - PERIOD_MS).toISOString();
}

/** The id of the feed that a page goes on behind. */
async function feedIdOf(database: Database, after: string | undefined): Promise<string | null> {
  return after === undefined ? null : (await findFeed(database, after)).feed_id;
}

type ReadsRow = Row<"list_top_reads">;

function readCells(row: ReadsRow): [string, string] {
  return [String(row.reads), creditsText(row.charge_nanos)];
}

function readEntry({ reads, charge_nanos: nanos }: ReadsRow) {
  return { reads: Number(reads), credits_charged: exactNumber(creditsText(nanos)) };
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

function earnedNanos(row: RevenueRow): bigint {
  return netNanos(row) + row.purchases_cents * NANOS_PER_CENT;
}

/** Money as exact numbers. */
function revenueEntry(row: RevenueRow) {
  const { charged_nanos: charged, refunded_nanos: refunded, purchases_cents: cents, ...feed } = row;
  return {
    ...feed,
    paid_reads: Number(row.paid_reads),
    purchases: Number(row.purchases),
    charged_credits: exactNumber(creditsText(charged)),
    refunded_credits: exactNumber(creditsText(refunded)),
    net_credits: exactNumber(creditsText(netNanos(row))),
    net_usd: exactNumber(usdText(netNanos(row))),
    purchases_usd: exactNumber(usdOfCents(cents)),
    revenue_usd: exactNumber(usdText(earnedNanos(row))),
  };
}

function refusalEntry(row: Row<"list_refusals">) {
  return { ...row, pushes: Number(row.pushes), last_push_id: Number(row.last_push_id) };
}

export const REPORT_COMMANDS = [reportTop, reportStale, reportRevenue, reportErrors];
