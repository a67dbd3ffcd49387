/**
 * Top-ups as operators see them: all of them, those that need attention, and the amounts received by payment method.
 * See `src/spec/beyond.md`, section 15.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import type { Actor } from "../accounts/actor.ts";
import { type DayRange, dayRange } from "../accounts/earnings/day_range.ts";
import { nullable, oneOf } from "../lib/typebox.ts";
import { parseUuid } from "../lib/uuid.ts";
import { creditsNumber, usdNumber } from "../money/money.ts";
import type { Database, Row } from "../postgres/client/database.ts";
import { count, exact, TOPUP_STATUSES, TOPUP_WAYS, time, uuid } from "../shapes.ts";
import { accountReference, reason } from "./common_shapes.ts";
import { inTime } from "./in_time.ts";
import { defineCursor, timePart, uuidPart } from "./keyset_cursor.ts";
import { PAGE_INPUT, type Page, readPage } from "./keyset_page.ts";
import type { InputOf, Operator } from "./operator.ts";
import { accountIdOf } from "./references.ts";
import { Refused } from "./refused.ts";

export const ListedTopupShape = Type.Object(
  {
    topup_id: uuid("Of the top-up."),
    account_id: nullable(uuid("The account; null if not known yet.")),
    key_id: nullable(uuid("The key that requested it.")),
    way: oneOf(TOPUP_WAYS, { description: "The payment method." }),
    status: oneOf(TOPUP_STATUSES, { description: "The outcome." }),
    usd: exact("The amount to pay."),
    credits: exact("The credits it grants."),
    reference: nullable(Type.String({ description: "The grant's reference in the ledger." })),
    payment_id: nullable(Type.String({ description: "The payment method's id of the payment." })),
    created_at: time("When it was created."),
    expires_at: time("When it expires."),
    ended_at: nullable(time("When it was granted or expired.")),
    taken_back_usd: exact("The amount revoked from the balance after refunds and disputes."),
    unrecovered_usd: exact("The amount returned to the payer that the balance did not cover."),
    alert: nullable(Type.String({ description: "Issues that need attention, one per line." })),
    last_error: nullable(
      Type.String({ description: "Why the payment method did not answer last time." }),
    ),
  },
  { $id: "ListedTopUp", description: "A top-up as operators see it." },
);
export type TopupOutcome = Static<typeof ListedTopupShape>;

export const TOPUPS_CURSOR = defineCursor(timePart, uuidPart);

export const ListTopupsInput = Type.Object({
  ...PAGE_INPUT,
  account_id: Type.Optional(accountReference),
  way: Type.Optional(oneOf(TOPUP_WAYS, { description: "Only top-ups by this payment method." })),
  status: Type.Optional(oneOf(TOPUP_STATUSES, { description: "Only top-ups with this status." })),
  alerts: Type.Optional(
    Type.Boolean({ description: "True lists only top-ups that need attention." }),
  ),
});

/** Newest first. */
export async function listTopups(
  { database }: Operator,
  input: InputOf<typeof ListTopupsInput>,
): Promise<Page<TopupOutcome>> {
  const { limit, cursor, account_id: account, way = null, status = null, alerts = false } = input;
  const [beforeTime = null, beforeId = null] = TOPUPS_CURSOR.parse(cursor);
  const accountId = await accountIdOf(database, account);
  return readPage(limit, {
    read: (rowsMax) =>
      inTime(
        database.rows("list_topups", {
          account_id: accountId,
          way,
          status,
          alerts_only: alerts,
          before_created_at: beforeTime,
          before_topup_id: beforeId,
          limit: rowsMax,
        }),
      ),
    cursorOf: (row) => TOPUPS_CURSOR.write(row.created_at, row.topup_id),
    entryOf: outcomeOf,
  });
}

function outcomeOf(row: Row<"list_topups">): TopupOutcome {
  return {
    topup_id: row.topup_id,
    account_id: row.account_id,
    key_id: row.key_id,
    // The table has no others.
    way: row.way as TopupOutcome["way"],
    status: row.status as TopupOutcome["status"],
    usd: usdNumber(row.amount_nanos),
    credits: creditsNumber(row.amount_nanos),
    reference: row.reference,
    payment_id: row.payment_id,
    created_at: row.created_at,
    expires_at: row.expires_at,
    ended_at: row.ended_at,
    taken_back_usd: usdNumber(row.taken_back_nanos),
    unrecovered_usd: usdNumber(row.unrecovered_nanos),
    alert: row.alert,
    last_error: row.last_error,
  };
}

export const SettleTopupInput = Type.Object({
  topup_id: Type.String({
    description: "The top-up, by its id.",
    examples: ["5e0b7c1d-6a2f-4d83-9c70-1f4b8a2e6d05"],
  }),
  reason,
});

export const SettledTopupShape = Type.Object(
  {
    topup_id: uuid("Of the top-up."),
    is_settled: Type.Boolean({ description: "Whether this call cleared an alert." }),
  },
  { $id: "SettledTopUp", description: "A top-up without an alert." },
);

/** Takes the alert of a top-up away, once somebody has settled what it was about. */
export async function settleTopup(
  { database }: Operator,
  input: InputOf<typeof SettleTopupInput>,
  actor: Actor,
): Promise<Static<typeof SettledTopupShape>> {
  const topupId = await requireTopup(database, input.topup_id);
  const row = await database.row("settle_topup", {
    topup_id: topupId,
    reason: input.reason,
    actor,
  });
  return { topup_id: topupId, is_settled: (row?.topup_id ?? null) !== null };
}

async function requireTopup(database: Database, text: string): Promise<string> {
  const topupId = parseUuid(text);
  const found = topupId && (await database.row("find_topup", { topup_id: topupId }));
  if (!found) throw new Refused("TOPUP_NOT_FOUND", `no top-up has the id "${text}"`);
  return found.topup_id;
}

export const TopupReportInput = Type.Object({
  from: Type.Optional(
    Type.String({ format: "date", description: "The first day, in UTC; default 30 days ago." }),
  ),
  to: Type.Optional(
    Type.String({ format: "date", description: "The last day, in UTC; default today." }),
  ),
});

export const TopupReportShape = Type.Object(
  {
    from: Type.String({ format: "date", description: "The first day, in UTC." }),
    to: Type.String({ format: "date", description: "The last day, in UTC." }),
    ways: Type.Array(
      Type.Object({
        way: oneOf(TOPUP_WAYS, { description: "The payment method." }),
        granted: count("Top-ups that were granted in this period."),
        paid_usd: exact("The amount paid for them."),
        taken_back_usd: exact("The amount revoked from them so far, after refunds and disputes."),
        unrecovered_usd: exact("The amount returned to payers beyond that."),
        expired: count("Top-ups that expired unpaid."),
        alerts: count("Top-ups of this period that need attention."),
      }),
      { description: "Payment methods with top-ups in this period." },
    ),
  },
  { $id: "TopUpReport", description: "Money received, by payment method." },
);
type TopupReport = Static<typeof TopupReportShape>;

/** What came in by each way. @throws {Refused} if the range is none */
export async function reportTopups(
  { database }: Operator,
  input: InputOf<typeof TopupReportInput>,
): Promise<TopupReport> {
  const range: DayRange | string = dayRange(input, Date.now());
  if (typeof range === "string") throw new Refused("RANGE_INVALID", range);
  const rows = await inTime(
    database.rows("report_topups", { from_day: range.from, to_day: range.to }),
  );
  return {
    ...range,
    ways: rows.map((row) => ({
      way: row.way as TopupOutcome["way"],
      granted: Number(row.granted),
      paid_usd: usdNumber(row.paid_nanos),
      taken_back_usd: usdNumber(row.taken_back_nanos),
      unrecovered_usd: usdNumber(row.unrecovered_nanos),
      expired: Number(row.expired),
      alerts: Number(row.alerts),
    })),
  };
}
