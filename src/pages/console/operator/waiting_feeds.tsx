/** @jsxImportSource preact */
/**
 * Feeds that are waiting for review.
 *
 * @module
 */
import { listFeeds } from "../../../operator/feeds.ts";
import { fileOf, type ListedTable } from "../listed_table.tsx";
import type { PageRoute, Visit } from "../visit.ts";
import { feedsTable } from "./feed_table.tsx";

export const WAITING_FEEDS: PageRoute = {
  path: "reviews",
  download: (visit) => fileOf(visit, [waitingTable(visit)]),
  async show(visit) {
    return {
      title: "Reviews",
      content: (
        <>
          <h1>Waiting for review</h1>
          <p class="lead">View a feed as agents see it, then publish or decline it.</p>
          {await waitingTable(visit).show()}
        </>
      ),
    };
  },
};

/** @param rows of the page; by default as many as a list has */
export function waitingTable(visit: Visit, rows?: number): ListedTable {
  return feedsTable(visit, {
    name: "waiting",
    label: "Feeds waiting for review",
    ...(rows !== undefined && { rows }),
    empty:
      "No feeds are waiting for review. Providers request a review when they create or edit a feed.",
    read: (part) => listFeeds(visit.operator, { review: "waiting", ...part }),
  });
}
