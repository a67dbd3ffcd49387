/**
 * A provider's payouts, and the amount it is owed: earned − paid out.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import { present } from "../../lib/assert.ts";
import { nullable } from "../../lib/typebox.ts";
import { usdNumber } from "../../money/money.ts";
import type { Queries, Row } from "../../postgres/client/database.ts";
import { count, exact, nextCursor, page, time } from "../../shapes.ts";

export const PayoutShape = Type.Object(
  {
    payout_id: count("Increases with time."),
    paid_at: time("When it was recorded."),
    usd: exact("The amount paid, exact; negative if the entry reverses a payout."),
    reference: Type.String({ description: "The payment reference." }),
    undoes_payout_id: nullable(count("The payout that this entry reverses; else null.")),
    undone_by_payout_id: nullable(count("The entry that reverses this payout; else null.")),
    reason: nullable(Type.String({ description: "The reason for the reversal; else null." })),
  },
  { $id: "Payout", description: "A payout to a provider, or the reversal of one." },
);

export const PayoutsShape = Type.Object(
  {
    payouts: Type.Array(PayoutShape, { description: "Newest first." }),
    earned_usd: exact("All-time net earnings that have been counted."),
    paid_usd: exact("All payouts minus those that were reversed."),
    owed_usd: exact("Earned minus paid; negative if more was paid."),
    limit: page.limit,
    has_more: page.has_more,
    next_cursor: nextCursor,
  },
  { $id: "Payouts", description: "What a provider has been paid and is owed." },
);

/** @param row the payout as it was recorded */
export function payoutOf(row: Omit<Row<"list_payouts">, "account_id">): Static<typeof PayoutShape> {
  return {
    payout_id: Number(row.payout_id),
    paid_at: row.paid_at,
    usd: usdNumber(row.amount_nanos),
    reference: row.reference,
    undoes_payout_id: numberOrNull(row.undoes_payout_id),
    undone_by_payout_id: numberOrNull(row.undone_by_payout_id),
    reason: row.reason,
  };
}

function numberOrNull(id: bigint | null): number | null {
  return id === null ? null : Number(id);
}

interface PayoutsQuery {
  readonly accountId: string;
  readonly limit: number;
  /** The page's payouts are older than this one. Undefined for the first page. */
  readonly before: bigint | undefined;
}

export async function readPayouts(
  database: Queries,
  { accountId, limit, before }: PayoutsQuery,
): Promise<Static<typeof PayoutsShape>> {
  const found = await database.rows("list_payouts", {
    account_id: accountId,
    since: null,
    until: null,
    before_payout_id: before ?? null,
    limit: limit + 1,
  });
  const rows = found.slice(0, limit);
  const isLast = found.length === rows.length;
  const { earned_usd, paid_usd, owed_usd } = await readEarned(database, accountId);
  return {
    payouts: rows.map(payoutOf),
    earned_usd,
    paid_usd,
    owed_usd,
    limit,
    has_more: !isLast,
    next_cursor: isLast ? null : String(rows.at(-1)?.payout_id),
  };
}

/** A provider's total sales, and the amount it is owed. Null means all providers together. */
export async function readEarned(database: Queries, accountId: string | null) {
  const row = present(await database.row("find_earned", { account_id: accountId }));
  const net = row.gross_nanos - row.refunded_nanos - row.fee_nanos;
  return {
    gross_usd: usdNumber(row.gross_nanos),
    refunded_usd: usdNumber(row.refunded_nanos),
    fee_usd: usdNumber(row.fee_nanos),
    earned_usd: usdNumber(net),
    paid_usd: usdNumber(row.paid_nanos),
    owed_usd: usdNumber(net - row.paid_nanos),
  };
}
