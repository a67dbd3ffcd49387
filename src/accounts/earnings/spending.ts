/**
 * The credits that an account has spent, by UTC day, feed, or key, read from daily totals. A background job computes
 * these from the usage log (`sql/accounts/earnings/functions/count_sales.sql`).
 *
 * A refund counts on the day of the refund, as it does in the earnings of providers.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import { assert } from "../../lib/assert.ts";
import { nullable, oneOf } from "../../lib/typebox.ts";
import { creditsNumber, usdNumber } from "../../money/money.ts";
import type { Queries, Row } from "../../postgres/client/database.ts";
import { count, exact, time, uuid } from "../../shapes.ts";
import type { DayRange } from "./day_range.ts";

export const SPENDING_GROUPINGS = ["day", "feed", "key"] as const;
export type SpendingGrouping = (typeof SPENDING_GROUPINGS)[number];

const sums = {
  reads: count("Answered reads of feeds."),
  purchases: count("Feeds bought from the balance."),
  charged_credits: exact("Charged for reads and purchases, before refunds."),
  refunded_credits: exact("Refunds, on the day of the refund."),
  spent_credits: exact("Charged minus refunds."),
  spent_usd: exact("The same in USD."),
  is_final: Type.Boolean({ description: "Whether it is final, except for refunds." }),
};

export const SpendingShape = Type.Object(
  {
    from: Type.String({ format: "date", description: "The first day, in UTC." }),
    to: Type.String({ format: "date", description: "The last day, in UTC." }),
    group_by: oneOf(SPENDING_GROUPINGS, { description: "The grouping." }),
    groups: Type.Array(
      Type.Object({
        date: Type.Optional(Type.String({ format: "date", description: "By day." })),
        feed_id: Type.Optional(uuid("By feed.")),
        key_id: Type.Optional(nullable(uuid("By key; null if the log does not name it."))),
        name: Type.Optional(Type.String({ description: "Of the feed or key." })),
        ...sums,
      }),
      {
        description:
          "Every day of the range in order, or each feed or key that was charged, highest spending first.",
      },
    ),
    totals: Type.Object(sums, { description: "Totals for the whole range." }),
    complete_until: nullable(
      time(
        "All reads before this time are counted; at most one minute ago. Null: none counted yet.",
      ),
    ),
  },
  { $id: "Spending", description: "An account's spending." },
);
export type Spending = Static<typeof SpendingShape>;

export interface SpendingQuery extends DayRange {
  readonly accountId: string;
  readonly groupBy: SpendingGrouping;
}

export async function readSpending(
  database: Queries,
  { accountId, from, to, groupBy }: SpendingQuery,
): Promise<Spending> {
  const rows = await database.rows("list_spending", {
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

function groupOf({ group_name: group, label }: Row<"list_spending">, groupBy: SpendingGrouping) {
  const id = group ?? "";
  const name = label ?? "";
  switch (groupBy) {
    case "day":
      return { date: id };
    case "feed":
      return { feed_id: id, name };
    case "key":
      return { key_id: id === "" ? null : id, name };
  }
}

function sumsOf(row: Row<"list_spending">) {
  const { charged_nanos: charged, refunded_nanos: refunded } = row;
  return {
    reads: Number(row.reads),
    purchases: Number(row.purchases),
    charged_credits: creditsNumber(charged),
    refunded_credits: creditsNumber(refunded),
    spent_credits: creditsNumber(charged - refunded),
    spent_usd: usdNumber(charged - refunded),
    is_final: row.is_final,
  };
}
