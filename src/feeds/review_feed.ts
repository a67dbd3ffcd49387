/**
 * All that an operator looks at before a feed is listed, taken down or deleted: what it says of itself, how much it
 * holds, its newest rows and its newest pushes.
 *
 * @module
 */
import type { Database, Row } from "../postgres/client/query.ts";
import type { FeedRow } from "./feed_text.ts";

/** Pushes that a review has. */
const PUSHES_SHOWN = 20;

export interface FeedReview {
  readonly row: FeedRow;
  /** Rows that readers see, and the bytes of their texts. */
  readonly rowCount: bigint;
  readonly payloadBytes: bigint;
  /** JSON texts, as they were pushed. */
  readonly newestRows: readonly string[];
  readonly pushes: readonly Row<"list_newest_pushes">[];
  /** Of a deleted feed: rows that are still to be removed. */
  readonly rowsLeft: bigint;
}

/** A feed in any state. `rowsMax`: how many of its rows. */
export async function reviewFeed(
  database: Database,
  row: Row<"find_feed_row">,
  rowsMax: number,
): Promise<FeedReview> {
  const feedId = row.feed_id;
  const isEmptying = row.deleted_at !== null && row.emptied_at === null;
  const [newest, pushes, left] = await Promise.all([
    row.deleted_at === null && rowsMax > 0
      ? database.rows("list_newest_rows", [feedId, rowsMax])
      : [],
    database.rows("list_newest_pushes", [feedId, PUSHES_SHOWN]),
    isEmptying ? database.row("count_rows_left", [feedId]) : undefined,
  ]);
  return {
    row,
    rowCount: row.row_count,
    payloadBytes: row.payload_bytes,
    newestRows: newest.map(({ payload }) => payload),
    pushes,
    rowsLeft: left?.rows_left ?? 0n,
  };
}
