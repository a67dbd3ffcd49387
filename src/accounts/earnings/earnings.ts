/**
 * A provider's sales, read from daily totals. A background job computes these from the usage log and from purchases
 * (`sql/accounts/earnings/functions/count_sales.sql`).
 *
 * See `src/spec/beyond.md`, section 6.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import { assert } from "../../lib/assert.ts";
import { csvField, csvLine } from "../../lib/csv_field.ts";
import { nullable, oneOf } from "../../lib/typebox.ts";
import { type ExactNumber, usdNumber } from "../../money/money.ts";
import type { Queries, Row } from "../../postgres/client/database.ts";
import { count, exact, time, uuid } from "../../shapes.ts";
import type { DayRange } from "./day_range.ts";

/** How a provider's earnings can be grouped. */
export const GROUPINGS = ["day", "month", "feed"] as const;
/** How the operator's view of earnings can be grouped. */
export const OPERATOR_GROUPINGS = [...GROUPINGS, "account"] as const;
export type Grouping = (typeof OPERATOR_GROUPINGS)[number];

const usd = (description: string) => exact(`${description} In USD, exact.`);

const sums = {
  reads: count("Answered reads."),
  paid_reads: count("Reads that were charged."),
  accounts: count("Distinct accounts that read or bought."),
  purchases: count("One-time purchases."),
  gross_usd: usd("Sales of reads and purchases, on the day of the sale, before refunds."),
  refunded_usd: usd("Refunds, on the day of the refund."),
  fee_usd: usd("The platform's fee for the sales, minus the fee for what was refunded."),
  net_usd: usd("Gross minus refunds and fee."),
  is_final: Type.Boolean({ description: "Whether it is final, except for refunds." }),
};
const SumsShape = Type.Object(sums);

const groupMembers = {
  date: Type.Optional(Type.String({ format: "date", description: "By day." })),
  month: Type.Optional(Type.String({ description: "By month, such as 2026-11." })),
  feed_id: Type.Optional(uuid("By feed.")),
  name: Type.Optional(Type.String({ description: "Of the feed or account." })),
};
const rangeMembers = {
  from: Type.String({ format: "date", description: "The first day, in UTC." }),
  to: Type.String({ format: "date", description: "The last day, in UTC." }),
};
const totalMembers = {
  totals: Type.Object(sums, {
    description: "Totals for the whole range. `accounts` are distinct across the range.",
  }),
  complete_until: nullable(
    time("All sales before this time are counted; at most one minute ago. Null: none counted yet."),
  ),
};
const GROUPS_ORDER =
  "Every day or month of the range in order, or each feed or provider with sales, highest first.";

export const EarningsShape = Type.Object(
  {
    ...rangeMembers,
    group_by: oneOf(GROUPINGS, { description: "The grouping." }),
    groups: Type.Array(Type.Object({ ...groupMembers, ...sums }), { description: GROUPS_ORDER }),
    ...totalMembers,
  },
  { $id: "Earnings", description: "A provider's sales." },
);

/** The members of earnings in the operator's view. */
export const operatorEarningsMembers = {
  ...rangeMembers,
  group_by: oneOf(OPERATOR_GROUPINGS, { description: "The grouping." }),
  groups: Type.Array(
    Type.Object({
      ...groupMembers,
      account_id: Type.Optional(uuid("By account: the provider.")),
      ...sums,
    }),
    { description: GROUPS_ORDER },
  ),
  ...totalMembers,
};
const OperatorEarningsShape = Type.Object(operatorEarningsMembers);
export type Earnings = Static<typeof OperatorEarningsShape>;

export interface EarningsQuery extends DayRange {
  /** The provider. Null means all of them. */
  readonly accountId: string | null;
  readonly groupBy: Grouping;
}

export async function readEarnings(
  database: Queries,
  { accountId, from, to, groupBy }: EarningsQuery,
): Promise<Earnings> {
  const rows = await database.rows("list_earnings", {
    account_id: accountId,
    from_day: from,
    to_day: to,
    group_by: groupBy,
  });
  const whole = rows.at(-1);
  assert(whole !== undefined, "the last row is the whole range's");
  return {
    from,
    to,
    group_by: groupBy,
    groups: rows.slice(0, -1).map((row) => ({ ...groupOf(row, groupBy), ...sumsOf(row) })),
    totals: sumsOf(whole),
    complete_until: whole.complete_until,
  };
}

function groupOf(row: Row<"list_earnings">, groupBy: Grouping) {
  const name = row.group_name ?? "";
  switch (groupBy) {
    case "day":
      return { date: name };
    case "month":
      return { month: name };
    case "feed":
      return { feed_id: name, name: row.label ?? "" };
    case "account":
      return { account_id: name, name: row.label ?? "" };
  }
}

function sumsOf(row: Row<"list_earnings">): Static<typeof SumsShape> {
  const { gross_nanos: gross, refunded_nanos: refunded, fee_nanos: fee } = row;
  return {
    reads: Number(row.reads),
    paid_reads: Number(row.paid_reads),
    accounts: Number(row.accounts),
    purchases: Number(row.purchases),
    gross_usd: usdNumber(gross),
    refunded_usd: usdNumber(refunded),
    fee_usd: usdNumber(fee),
    net_usd: usdNumber(gross - refunded - fee),
    is_final: row.is_final,
  };
}

const KEY_COLUMNS: Readonly<
  Record<Grouping, readonly ("date" | "month" | "feed_id" | "account_id" | "name")[]>
> = {
  day: ["date"],
  month: ["month"],
  feed: ["feed_id", "name"],
  account: ["account_id", "name"],
};
const SUM_COLUMNS = [
  "reads",
  "paid_reads",
  "accounts",
  "purchases",
  "gross_usd",
  "refunded_usd",
  "fee_usd",
  "net_usd",
  "is_final",
] as const satisfies readonly (keyof typeof sums)[];

/** The groups as CSV (RFC 4180), with a header. Totals are omitted, so that the sum of a column is correct. */
export function earningsCsv({ group_by: groupBy, groups }: Earnings): string {
  const columns = [...KEY_COLUMNS[groupBy], ...SUM_COLUMNS];
  const lines = groups.map((group) => columns.map((column) => csvValue(group[column] ?? "")));
  return [columns, ...lines].map(csvLine).join("");
}

function csvValue(value: string | number | boolean | ExactNumber): string {
  if (typeof value === "object") return value.rawJSON;
  return typeof value === "string" ? csvField(value) : String(value);
}
