/**
 * The receipt of a push or an import.
 *
 * @module
 */
import type { FeedType } from "../feeds/find.ts";
import { MS_PER_DAY } from "../lib/time_units.ts";
import type { PushedRow } from "./rows/check_row.ts";
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
  /** The outcome of each row. Undefined for an import, which has too many. */
  readonly outcomes?: readonly RowOutcome[];
  readonly batchId: string | null;
  readonly isComplete: boolean;
  readonly stored: Omit<StoredPush, "rowOutcomes">;
  /** The feed's setting when the rows were stored. Null if events are kept forever. */
  readonly retentionDays: number | null;
  /** Time of the newest new row. Undefined if no row is new. */
  readonly newestEvent: string | undefined;
}

/** The receipt as it is answered. */
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

interface NewestOptions {
  /** The time of rows without an `event_timestamp`. */
  readonly receivedAt: string;
  /** The newest time of earlier rows. */
  readonly before?: string | undefined;
}

/** The newest time of the rows, or undefined if there are none. RFC 3339 texts in UTC sort like their times. */
export function newestEventOf(
  rows: readonly PushedRow[],
  { receivedAt, before }: NewestOptions,
): string | undefined {
  let newest = before;
  for (const { eventTime } of rows) {
    const at = eventTime ?? receivedAt;
    if (newest === undefined || at > newest) newest = at;
  }
  return newest;
}

/** Why readers don't see the rows now, and how to change that. One sentence for each reason. */
function whyUnseen(receipted: Receipted): readonly string[] {
  const { batchId, stored, retentionDays } = receipted;
  const { status, isStaged } = stored;
  const reasons: string[] = [];
  if (isStaged) {
    const batch = JSON.stringify(batchId);
    reasons.push(
      `Readers see these rows once the batch is complete: send batch_complete true with the last push of batch_id ${batch}.`,
    );
  }
  if (status !== "active") {
    reasons.push(`Readers can't see this feed while its status is ${status}: set it to active.`);
  }
  if (areAllTooOld(receipted)) {
    reasons.push(
      `Readers see no events older than retention_days (${retentionDays}), and all new rows are older: raise retention_days to show them.`,
    );
  }
  return reasons;
}

/** Whether all events are older than the feed's retention, so that readers never see them. */
function areAllTooOld({ stored, retentionDays, newestEvent }: Receipted): boolean {
  if (retentionDays === null || newestEvent === undefined) return false;
  return Date.parse(newestEvent) < Date.parse(stored.lastSyncAt) - retentionDays * MS_PER_DAY;
}
