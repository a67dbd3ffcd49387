/**
 * The receipt of a push, and of an import. Decisions 5, beyond 11.
 *
 * @module
 */
import type { FeedType } from "../feeds/find.ts";
import type { StoredPush } from "./store_push.ts";

export type RowOutcome = "inserted" | "updated" | "duplicate";

/** What was stored. */
export interface Receipted {
  readonly feedId: string;
  readonly feedType: FeedType;
  readonly rows: {
    readonly received: number;
    readonly inserted: number;
    readonly updated: number;
    readonly duplicate: number;
  };
  /** Of each row; undefined for an import, which has too many. */
  readonly outcomes?: readonly RowOutcome[];
  readonly batchId: string | null;
  readonly isComplete: boolean;
  readonly stored: Omit<StoredPush, "rowOutcomes">;
}

/** As it is answered. */
export function receiptOf(receipted: Receipted) {
  const { feedId, feedType, rows, outcomes, batchId, isComplete, stored } = receipted;
  const unseen = whyUnseen(receipted);
  return {
    feed_id: feedId,
    feed_type: feedType,
    status: stored.status,
    rows_received: rows.received,
    rows_inserted: rows.inserted,
    rows_updated: rows.updated,
    rows_duplicate: rows.duplicate,
    ...(outcomes !== undefined && { row_outcomes: [...outcomes] }),
    batch_id: batchId,
    batch_complete: isComplete,
    is_visible: unseen.length === 0,
    ...(unseen.length > 0 && { detail: unseen.join(" ") }),
    last_sync_at: stored.lastSyncAt,
    data_version: Number(stored.dataVersion),
  };
}

/** Why readers don't see the rows now, and what to do about it: a sentence for each reason. Beyond 11. */
function whyUnseen({ batchId, stored: { status, isStaged } }: Receipted): readonly string[] {
  const reasons: string[] = [];
  if (isStaged) {
    const batch = JSON.stringify(batchId);
    reasons.push(
      `Readers see these rows once the batch is complete: send batch_complete true with the last push of batch_id ${batch}.`,
    );
  }
  if (status !== "active") {
    reasons.push(
      `Readers see nothing of this feed while its status is ${status}: set it to active.`,
    );
  }
  return reasons;
}
