/**
 * Daily reports for operators: the most-read feeds, late feeds, earnings by feed, and refused pushes.
 *
 * Most reports read whole logs, so the database cancels one that takes too long. Rows of these lists change position
 * while a client pages through them. So a cursor contains the values of its row and the time at which the first page
 * was read.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import { nullable, oneOf } from "../lib/typebox.ts";
import { dayOf } from "../lib/utc_day.ts";
import { creditsNumber, usdNumber } from "../money/money.ts";
import type { Row } from "../postgres/client/database.ts";
import { count, exact, time, uuid } from "../shapes.ts";
import { accountReference } from "./common_shapes.ts";
import { inTime } from "./in_time.ts";
import { amountPart, defineCursor, numberPart, timePart, uuidPart } from "./keyset_cursor.ts";
import { PAGE_INPUT, PAGE_ROWS, type Page, readPage } from "./keyset_page.ts";
import type { InputOf, Operator } from "./operator.ts";
import { accountIdOf } from "./references.ts";

const PERIOD_MS = 7 * 24 * 60 * 60_000;

const since = Type.Optional(time("Inclusive lower bound; default 7 days ago."));
/** Of each row that is about a feed. */
const feedMembers = {
  feed_id: uuid("Of the feed."),
  endpoint_path: nullable(
    Type.String({ description: "Its slug; null once the feed is deleted and the slug available." }),
  ),
  feed_name: Type.String({ description: "The feed's name." }),
  account_id: uuid("The owner's account."),
  account_name: Type.String({ description: "The owner's name." }),
};
const readMembers = {
  reads: count("Answered reads."),
  credits_charged: exact("Charged for them and for purchases from the balance, minus refunds."),
};

export const TopInput = Type.Object({
  since: Type.Optional(time("The first UTC day is that of this time; default 7 days ago.")),
  until: Type.Optional(time("The last UTC day is that of this time; default today.")),
  by: Type.Optional(oneOf(["reads", "credits"], { description: "The ranking; default reads." })),
  limit: PAGE_INPUT.limit,
});
export const TopShape = Type.Object(
  {
    feeds: Type.Array(Type.Object({ ...feedMembers, ...readMembers }), {
      description: "Highest first.",
    }),
    accounts: Type.Array(
      Type.Object({
        account_id: uuid("The account."),
        account_name: Type.String({ description: "Its name." }),
        ...readMembers,
      }),
      { description: "Highest first." },
    ),
  },
  {
    $id: "TopReads",
    description: "The most-read feeds and the most active accounts.",
  },
);
export type TopOutcome = Static<typeof TopShape>;

/** Ranks feeds and accounts by what was read, of daily totals. */
export async function reportTop(
  { database }: Operator,
  { since = periodStart(), until = now(), by, limit = PAGE_ROWS }: InputOf<typeof TopInput>,
): Promise<TopOutcome & { readonly hasMore: boolean }> {
  const found = await inTime(
    database.rows("list_top_reads", {
      from_day: dayOf(since),
      to_day: dayOf(until),
      is_by_credits: by === "credits",
      limit: limit + 1,
    }),
  );
  const rows = found.filter(({ place }) => place <= limit);
  const readsOf = ({ reads, spent_nanos: nanos }: Row<"list_top_reads">) => ({
    reads: Number(reads),
    credits_charged: creditsNumber(nanos),
  });
  return {
    feeds: rows.flatMap((row) =>
      row.is_feed && row.feed_id !== null
        ? [
            {
              feed_id: row.feed_id,
              endpoint_path: row.endpoint_path,
              feed_name: row.feed_name ?? "",
              account_id: row.account_id,
              account_name: row.account_name,
              ...readsOf(row),
            },
          ]
        : [],
    ),
    accounts: rows
      .filter((row) => !row.is_feed)
      .map((row) => ({
        account_id: row.account_id,
        account_name: row.account_name,
        ...readsOf(row),
      })),
    hasMore: rows.length < found.length,
  };
}

/** The moment, when the feed was last pushed to or made, and its id. */
export const STALE_CURSOR = defineCursor(timePart, timePart, uuidPart);
export const StaleInput = Type.Object({
  ...PAGE_INPUT,
  since: Type.Optional(time("Omits feeds that were last pushed to, or created, before this time.")),
});
export const StaleShape = Type.Object(
  {
    ...feedMembers,
    status: Type.String(),
    sync_interval_mins: count("Expected minutes between pushes."),
    last_sync_at: nullable(time("Its last push; null: never.")),
    due_at: time("When it was due."),
  },
  { $id: "StaleFeed", description: "A feed whose provider is late." },
);
export type StaleOutcome = Static<typeof StaleShape>;

/** Feeds whose provider is late or never pushed, the oldest data first. */
export function reportStale(
  { database }: Operator,
  { since, limit, cursor }: InputOf<typeof StaleInput>,
): Promise<Page<StaleOutcome>> {
  const [asOf = null, syncedAt = null, feedId = null] = STALE_CURSOR.parse(cursor);
  return readPage(limit, {
    read: (rowsMax) =>
      inTime(
        database.rows("list_stale_feeds", {
          since: since ?? null,
          as_of: asOf,
          after_synced_at: syncedAt,
          after_feed_id: feedId,
          limit: rowsMax,
        }),
      ),
    cursorOf: (row) => STALE_CURSOR.write(row.as_of, row.synced_at, row.feed_id),
    entryOf: ({ as_of: _, synced_at: __, ...row }) => row,
  });
}

/** The period's beginning, the moment, what the feed has sold, and its id. */
export const REVENUE_CURSOR = defineCursor(timePart, timePart, amountPart, uuidPart);
export const RevenueInput = Type.Object({
  ...PAGE_INPUT,
  since: Type.Optional(time("The first UTC day is that of this time; default 7 days ago.")),
  until: Type.Optional(time("The last UTC day is that of this time; default today.")),
  account_id: Type.Optional(accountReference),
});
export const RevenueShape = Type.Object(
  {
    ...feedMembers,
    reads: count("Answered reads."),
    paid_reads: count("Reads that were charged."),
    purchases: count("One-time purchases."),
    gross_usd: exact("Sales of reads and purchases, on the day of the sale, before refunds."),
    refunded_usd: exact("Refunds, on the day of the refund."),
    revenue_usd: exact("Gross minus refunds: what accounts have paid."),
    fee_usd: exact("The platform's share."),
    net_usd: exact("The provider's share."),
  },
  { $id: "Revenue", description: "A feed's sales, by whole UTC days." },
);
export type RevenueOutcome = Static<typeof RevenueShape>;

/** Sales by feed, best-selling first: the daily totals, and the sales that they do not include yet. */
export async function reportRevenue(
  { database }: Operator,
  { since: asked, until, account_id: account, limit, cursor }: InputOf<typeof RevenueInput>,
): Promise<Page<RevenueOutcome>> {
  const accountId = await accountIdOf(database, account);
  const [since = asked ?? periodStart(), asOf = null, gross, feedId = null] =
    REVENUE_CURSOR.parse(cursor);
  const grossNanos = gross === undefined ? null : BigInt(gross);
  return readPage(limit, {
    read: (rowsMax) =>
      inTime(
        database.rows("list_revenue", {
          from_day: dayOf(since),
          // Whatever was sold until now, by the database's clock.
          to_day: until === undefined ? "infinity" : dayOf(until),
          account_id: accountId,
          as_of: asOf,
          after_gross_nanos: grossNanos,
          after_feed_id: feedId,
          limit: rowsMax,
        }),
      ),
    cursorOf: (row) => REVENUE_CURSOR.write(since, row.as_of, row.gross_nanos, row.feed_id),
    entryOf: revenueOf,
  });
}

function revenueOf(row: Row<"list_revenue">): RevenueOutcome {
  const paid = row.gross_nanos - row.refunded_nanos;
  return {
    feed_id: row.feed_id,
    endpoint_path: row.endpoint_path,
    feed_name: row.feed_name,
    account_id: row.account_id,
    account_name: row.account_name,
    reads: Number(row.reads),
    paid_reads: Number(row.paid_reads),
    purchases: Number(row.purchases),
    gross_usd: usdNumber(row.gross_nanos),
    refunded_usd: usdNumber(row.refunded_nanos),
    revenue_usd: usdNumber(paid),
    fee_usd: usdNumber(row.fee_nanos),
    net_usd: usdNumber(paid - row.fee_nanos),
  };
}

/** The period's beginning, the newest push of all, and the group's newest one. */
export const ERRORS_CURSOR = defineCursor(timePart, numberPart, numberPart);
export const ErrorsInput = Type.Object({ ...PAGE_INPUT, since });
export const RefusalsShape = Type.Object(
  {
    ...feedMembers,
    code: nullable(Type.String({ description: "The problem's code." })),
    pushes: count("Pushes that were refused with this code."),
    last_push_id: count("The newest of these pushes."),
    last_pushed_at: time("When it was received."),
    last_detail: nullable(
      Type.String({ description: "Its `detail`, as the provider received it." }),
    ),
  },
  { $id: "RefusedPushes", description: "Refused pushes of a feed with one code." },
);
export type RefusalsOutcome = Static<typeof RefusalsShape>;

/** Refused pushes by feed and code, each with its newest one, the newest first. */
export function reportErrors(
  { database }: Operator,
  { since: asked, limit, cursor }: InputOf<typeof ErrorsInput>,
): Promise<Page<RefusalsOutcome>> {
  const [since = asked ?? periodStart(), ...pushes] = ERRORS_CURSOR.parse(cursor);
  const [newest = null, before = null] = pushes.map(BigInt);
  return readPage(limit, {
    read: (rowsMax) =>
      inTime(
        database.rows("list_refusals", {
          since,
          newest_push_id: newest,
          before_push_id: before,
          limit: rowsMax,
        }),
      ),
    cursorOf: (row) => ERRORS_CURSOR.write(since, row.newest_push_id, row.last_push_id),
    entryOf: ({ newest_push_id: _, ...row }) => ({
      ...row,
      pushes: Number(row.pushes),
      last_push_id: Number(row.last_push_id),
    }),
  });
}

function now(): string {
  return new Date().toISOString();
}

/** The beginning of the period, if none is given. */
function periodStart(): string {
  return new Date(Date.now() - PERIOD_MS).toISOString();
}
