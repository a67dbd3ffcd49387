/**
 * Plans of reads that were made before: most readers send the same few queries again and again.
 *
 * A plan depends on the raw query and on the feed's definition and on nothing else, so it is kept by
 * both, with what else follows from the query alone.
 *
 * @module
 */
import type { Feed } from "../../feeds/find.ts";
import { walkSearchOf } from "../../http/next_link.ts";
import { BoundedMap } from "../../lib/bounded_map.ts";
import { KNOWN_PLANS_MAX } from "../../limits.ts";
import { planRead, type ReadPlan, type ReadQuery, readQuery } from "./read_plan.ts";

export interface PlannedRead {
  readonly plan: ReadPlan;
  /** Feed and normalized query: reads of one key show one page. */
  readonly pageKey: string;
  /** The raw query without cursor and offset, with a `&` behind it where there is any: for `Link`. */
  readonly walkSearch: string;
}

/** A longer query is planned anew each time, so that what is kept is bounded in bytes, too. */
const SEARCH_LENGTH_KEPT_MAX = 512;

/** A query that the route's schema has passed, and the same as it was sent. */
export interface SentQuery {
  readonly query: ReadQuery;
  readonly search: string;
}

/** @throws {Problem} 400, as `readQuery` and `planRead` */
export type Plans = (sent: SentQuery, feed: Feed) => PlannedRead;

export function pageKeyOf({ feedId }: Feed, { key }: ReadPlan): string {
  return `${feedId} ${key}`;
}

export function createPlans(cursorSecret: string): Plans {
  const known = new BoundedMap<string, PlannedRead>(KNOWN_PLANS_MAX);
  return ({ query, search }, feed) => {
    const key = `${feed.feedId} ${feed.definitionVersion} ${search}`;
    const planned = known.get(key);
    if (planned !== undefined) return planned;
    const plan = planRead(readQuery(query, search), feed, cursorSecret);
    const made = { plan, pageKey: pageKeyOf(feed, plan), walkSearch: walkSearchOf(search) };
    if (search.length <= SEARCH_LENGTH_KEPT_MAX) known.set(key, made);
    return made;
  };
}
