/** @jsxImportSource preact */
/**
 * Feeds that wait for their review.
 *
 * @module
 */
import { type Listed, listQuery, Next } from "../lists.tsx";
import { bodyOf } from "../own_api.ts";
import type { PageRoute } from "../visit.ts";
import { type FeedEntry, FeedTable } from "./feed_table.tsx";

const LISTED = 50;

export const WAITING_FEEDS: PageRoute = {
  path: "reviews",
  async show(visit) {
    const path = `/v1/operator/feeds${listQuery(visit, { limit: LISTED })}&review=waiting`;
    const { feeds, next_cursor: cursor } = bodyOf(
      await visit.ask<Listed<"feeds", FeedEntry>>(path),
    );
    return {
      title: "Reviews",
      content: (
        <>
          <h1>Waiting for review</h1>
          <p class="lead">Look at a feed as an agent sees it, then publish or decline it.</p>
          <FeedTable
            visit={visit}
            feeds={feeds}
            empty="Nothing waits. Providers ask for a review when they create or edit a feed."
          />
          <Next visit={visit} cursor={cursor} />
        </>
      ),
    };
  },
};
