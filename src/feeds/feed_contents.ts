/**
 * The contents of feeds: rows, batches that are not complete, the most recent refusal, and the activity of the last 30
 * days.
 *
 * See `src/spec/beyond.md`, section 11.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import { nullable } from "../lib/typebox.ts";
import { ABANDONED_BATCH, OPEN_BATCHES_LISTED_MAX, PUSH_HISTORY } from "../limits.ts";
import type { Queries, Row } from "../postgres/client/database.ts";
import { count, time } from "../shapes.ts";

const OpenBatchShape = Type.Object({
  batch_id: Type.String({ description: "As given." }),
  rows: count("Rows received so far."),
  begun_at: time("Its first push."),
  closes_at: nullable(
    time(
      "When it closes unless it receives a push. Null for a first batch, which readers can see.",
    ),
  ),
});
export type OpenBatch = Static<typeof OpenBatchShape>;

export const openBatches = Type.Array(OpenBatchShape, {
  description: `Batches waiting for \`batch_complete\`, newest first, at most ${OPEN_BATCHES_LISTED_MAX}.`,
});

/** One line for each open batch of each feed, or a single line for a feed without one. */
export type FeedContent = Row<"list_feed_contents">;

export function listFeedContents(
  database: Queries,
  feedIds: readonly string[],
): Promise<FeedContent[]> {
  return database.rows("list_feed_contents", {
    feed_ids: feedIds,
    abandoned_after: ABANDONED_BATCH,
    batches_max: OPEN_BATCHES_LISTED_MAX,
    kept: PUSH_HISTORY,
  });
}

/** Takes the lines of one feed. */
export function openBatchesOf(contents: readonly FeedContent[]): readonly OpenBatch[] {
  return contents.flatMap(({ batch_id, batch_rows, begun_at, closes_at }) =>
    batch_id === null || begun_at === null
      ? []
      : [{ batch_id, rows: Number(batch_rows), begun_at, closes_at }],
  );
}
