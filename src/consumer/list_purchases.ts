/**
 * Lists an account's purchases, newest first.
 *
 * @module
 */

import { readTimePage } from "../lib/time_cursor.ts";
import { amountOf } from "../money/money.ts";
import { NANOS_PER_CENT } from "../money/money_units.ts";
import type { Queries, Row } from "../postgres/client/database.ts";

interface PurchasesQuery {
  readonly accountId: string;
  /** Null means all feeds. */
  readonly feedId: string | null;
  /** Inclusive bounds. Null means no bound. */
  readonly since: string | null;
  readonly until: string | null;
  readonly limit: number;
  /** `next_cursor` of the previous page. */
  readonly cursor: string | undefined;
  readonly cursorSecret: string;
}

/** `PurchasesShape`. */
export interface PurchasesPage {
  readonly purchases: readonly ReturnType<typeof purchaseOf>[];
  readonly limit: number;
  readonly has_more: boolean;
  /** Null on the last page. */
  readonly next_cursor: string | null;
}

/** Returns undefined if the cursor was not issued for this account. */
export async function listPurchases(
  database: Queries,
  { accountId, feedId, since, until, limit, cursor, cursorSecret }: PurchasesQuery,
): Promise<PurchasesPage | undefined> {
  const page = await readTimePage({
    limit,
    cursor,
    scope: { secret: cursorSecret, purpose: "purchases cursor", binding: accountId },
    read: ({ before_time: before, before_id: beforeId }, rowsMax) =>
      database.rows("list_purchases", {
        account_id: accountId,
        feed_id: feedId,
        since,
        until,
        before_purchased_at: before,
        before_purchase_id: beforeId,
        limit: rowsMax,
      }),
    placeOf: (row) => ({ time: row.purchased_at, id: row.purchase_id }),
  });
  if (page === undefined) return undefined;
  const { rows, nextCursor } = page;
  const purchases = rows.map(purchaseOf);
  return { purchases, limit, has_more: nextCursor !== null, next_cursor: nextCursor };
}

function purchaseOf(row: Row<"list_purchases">) {
  return {
    purchase_id: row.purchase_id,
    feed_id: row.feed_id,
    account_id: row.account_id,
    purchased_at: row.purchased_at,
    price: amountOf(row.price_cents * NANOS_PER_CENT),
    endpoint_path: row.endpoint_path,
    paid_from: row.entry_id === null ? "balance" : "elsewhere",
  };
}
