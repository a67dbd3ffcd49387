/** @jsxImportSource preact */
/**
 * Feeds that wait for their review.
 *
 * @module
 */
import { ListFeedsInput, listFeeds } from "../../../operator/feeds.ts";
import { Next } from "../lists.tsx";
import type { PageRoute } from "../visit.ts";
import { FeedTable } from "./feed_table.tsx";
import { listInput } from "./operator_act.ts";

const LISTED = 50;

export const WAITING_FEEDS: PageRoute = {
  path: "reviews",
  async show(visit) {
    const fixed = { review: "waiting" };
    const input = listInput(visit, ListFeedsInput, { limit: LISTED, fixed });
    const { entries, nextCursor } = await listFeeds(visit.operator, input);
    return {
      title: "Reviews",
      content: (
        <>
          <h1>Waiting for review</h1>
          <p class="lead">Look at a feed as an agent sees it, then publish or decline it.</p>
          <FeedTable
            visit={visit}
            feeds={entries}
            empty="Nothing waits. Providers ask for a review when they create or edit a feed."
          />
          <Next visit={visit} cursor={nextCursor} />
        </>
      ),
    };
  },
};
