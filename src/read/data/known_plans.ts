/**
 * Caches the plans of reads, because most readers send the same few queries repeatedly.
 *
 * Planning a read with a cursor or a `jsonpath` takes up to 8 µs, more than a tenth of the read.
 *
 * @module
 */
import type { Feed } from "../../feeds/find.ts";
import { BoundedMap } from "../../lib/bounded_map.ts";
import { KNOWN_PLANS_MAX } from "../../limits.ts";
import { parseReadQuery, planRead, type ReadPlan, type ReadQuery } from "./read_plan.ts";

/** A longer query is planned each time, which also bounds the bytes of the plans in memory. */
const SEARCH_LENGTH_KEPT_MAX = 512;

/**
 * Returns a planner. `search` is the raw query string. The planner throws every 400 of `parseReadQuery` and `planRead`.
 */
export function createPlans(cursorSecret: string) {
  const known = new BoundedMap<string, ReadPlan>(KNOWN_PLANS_MAX);
  return ({ query, search }: { query: ReadQuery; search: string }, feed: Feed): ReadPlan => {
    const key = `${feed.feedId} ${feed.definitionVersion} ${search}`;
    const plan = known.get(key);
    if (plan !== undefined) return plan;
    const made = planRead(parseReadQuery(query, search), feed, cursorSecret);
    if (search.length <= SEARCH_LENGTH_KEPT_MAX) known.set(key, made);
    return made;
  };
}
