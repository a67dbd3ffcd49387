/**
 * A provider's feed on each of the last days, and the invalid rows of its most recent refused push.
 *
 * @module
 */
import type { FieldError } from "../lib/field_error.ts";
import { FEED_DAYS_SHOWN, FEED_PUSHES_A_DAY_MAX } from "../limits.ts";
import type { Queries, Row } from "../postgres/client/database.ts";

export type FeedDay = Row<"list_feed_days">;

/** Days in chronological order, including today. */
export function listFeedDays(database: Queries, feedId: string): Promise<readonly FeedDay[]> {
  return database.rows("list_feed_days", {
    feed_id: feedId,
    days: FEED_DAYS_SHOWN,
    counted_max: FEED_PUSHES_A_DAY_MAX,
  });
}

export interface PushMistakes {
  /** The first mistakes. */
  readonly mistakes: readonly FieldError[];
  readonly mistakeCount: number;
}

/** The mistakes of the refused push with this detail. Empty if it had no invalid rows, or is not the newest. */
export async function findPushMistakes(
  database: Queries,
  { feedId, detail }: { readonly feedId: string; readonly detail: string },
): Promise<PushMistakes> {
  const row = await database.row("find_push_mistakes", { feed_id: feedId });
  if (row?.detail !== detail) return { mistakes: [], mistakeCount: 0 };
  return { mistakes: JSON.parse(row.mistakes), mistakeCount: row.mistake_count };
}
