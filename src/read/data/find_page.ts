/**
 * Pages of feeds: taken from memory, or built once for all readers that want the same page.
 *
 * @module
 */

import { feedNotFound } from "../../api/problems/call_refusals.ts";
import type { Feed } from "../../feeds/find.ts";
import { JoinedRuns } from "../../lib/joined_runs.ts";
import { PAGE_CACHE_BYTES_MAX } from "../../limits.ts";
import type { Services } from "../../services.ts";
import { inTurnOf, sharedFor } from "../pipeline/shared_turns.ts";
import type { Projections } from "../projection/turns.ts";
import { buildPage, type Page, pageKeyOf } from "./build_page.ts";
import { createFilterIndexer } from "./filter_index.ts";
import { PageCache } from "./page_cache.ts";
import type { ReadPlan } from "./read_plan.ts";

/** Identifies a page. */
export interface PageWanted {
  /** The account that asks first. A large projection is made in its turn. */
  readonly accountId: string;
  readonly feed: Feed;
  readonly plan: ReadPlan;
}

export function createPages(services: Services, projections: Projections) {
  const { reader, incarnation } = services;
  const { metrics } = services.http;
  const source = {
    reader,
    incarnation,
    noteUnindexed: createFilterIndexer(services),
    projections,
  };
  const cache = new PageCache(PAGE_CACHE_BYTES_MAX);
  metrics.gauge("feedgate_page_cache_bytes", "Bytes of pages in the page cache", () => cache.bytes);
  const builds = new JoinedRuns<Page>();

  function build(wanted: PageWanted, atLeast: bigint): Promise<Page> {
    const { accountId } = wanted;
    const own = () => buildNow(wanted, atLeast);
    const shared = builds.join(pageKeyOf(wanted), () => inTurnOf(accountId, own));
    return sharedFor(accountId, shared, own);
  }

  async function buildAtLeast(wanted: PageWanted, atLeast: bigint): Promise<Page> {
    const first = await build(wanted, atLeast);
    // Another read may have started to build its page before this version existed.
    if (first.dataVersion >= atLeast) return first;
    const second = await build(wanted, atLeast);
    return second.dataVersion >= atLeast ? second : buildNow(wanted, atLeast);
  }

  async function buildNow(wanted: PageWanted, atLeast: bigint): Promise<Page> {
    const { accountId, feed, plan } = wanted;
    const page = await buildPage({ source, feed, atLeast, accountId }, plan);
    if (page === undefined) throw feedNotFound();
    cache.set(page.key, page);
    return page;
  }

  return {
    /**
     * The page at this data version of the feed, or a newer one. With null, the page at any version if it is in memory,
     * else at the version found by the feed's look-up. Concurrent readers share one build. @throws {Problem} 404, 400,
     * and 410
     */
    atLeast(wanted: PageWanted, dataVersion: bigint | null): Page | Promise<Page> {
      const known = cache.get(pageKeyOf(wanted));
      metrics.pageLookedUp(known !== undefined);
      const isGood =
        known !== undefined &&
        known.dataVersion >= (dataVersion ?? 0n) &&
        known.expiresMs > Date.now();
      return isGood ? known : buildAtLeast(wanted, dataVersion ?? wanted.feed.dataVersion);
    },
    cache,
  };
}
