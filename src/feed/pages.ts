/**
 * Pages of feeds: from memory where they are there, else built, once for all who want the same.
 *
 * @module
 */
import { feedNotFound } from "../admission/refusal.ts";
import type { Feed } from "../feeds/find.ts";
import type { MaybePromise } from "../lib/maybe_promise.ts";
import { PAGE_CACHE_BYTES_MAX } from "../limits.ts";
import { DatabaseOverloadedError, DatabaseTimeSpentError } from "../postgres/client/query.ts";
import { Projections } from "../read/data/projections.ts";
import type { Services } from "../services.ts";
import { buildPage, type Page, tagOf } from "./build_page.ts";
import { FilterIndexer } from "./filter_index.ts";
import { PageCache } from "./page_cache.ts";
import type { PlannedRead } from "./plans.ts";

/** What a page is of. */
export interface PageWanted {
  /** Who asks first: in its turn a large projection is made. */
  readonly accountId: string;
  readonly feed: Feed;
  readonly planned: PlannedRead;
}

/** What a page is of, with the page where there is one already. */
export interface PageSought extends PageWanted {
  readonly page?: Page | undefined;
}

export interface Pages {
  /** From memory, perhaps of an older version. */
  remembered(wanted: PageWanted): Page | undefined;
  /** One build for all who ask meanwhile: perhaps older than the look-up. @throws {Problem} 404, 400 and 410 */
  build(wanted: PageWanted): Promise<Page>;
  /**
   * At this data version of the feed, or a newer one; null: the version of the look-up.
   * @throws {Problem} 404, 400 and 410
   */
  atVersion(wanted: PageSought, dataVersion: bigint | null): MaybePromise<Page>;
  /** The entity tag that the page has at this data version. */
  tagAt(wanted: PageWanted, dataVersion: bigint): string;
  readonly cache: PageCache;
}

export function createPages(services: Services): Pages {
  const { database, reader, cursorSecret, incarnation } = services;
  const { metrics } = services.http;
  const filterIndexer = new FilterIndexer({
    database,
    log: services.log,
    isStopping: () => services.state.isDraining,
  });
  const projections = new Projections();
  const source = { reader, cursorSecret, incarnation, filterIndexer, projections };
  const cache = new PageCache(PAGE_CACHE_BYTES_MAX);
  metrics.gauge("feedgate_page_cache_bytes", "Bytes of pages in memory", () => cache.bytes);
  const building = new Map<string, Promise<Page>>();

  function build(wanted: PageWanted, atLeast: bigint): Promise<Page> {
    const { pageKey } = wanted.planned;
    const underWay = building.get(pageKey);
    if (underWay !== undefined) {
      return underWay.catch((error: unknown) => {
        // It was built in another's turn, which may have had no room.
        if (!isOfTurn(error)) throw error;
        return buildNow(wanted, atLeast);
      });
    }
    const built = buildNow(wanted, atLeast).finally(() => building.delete(pageKey));
    building.set(pageKey, built);
    return built;
  }

  async function buildNow(
    { accountId, feed, planned: { plan, pageKey } }: PageWanted,
    atLeast: bigint,
  ): Promise<Page> {
    const page = await buildPage(source, feed, { plan, atLeast, accountId });
    if (page === undefined) throw feedNotFound();
    cache.set(pageKey, page);
    return page;
  }

  async function rebuild(wanted: PageWanted, atLeast: bigint): Promise<Page> {
    const first = await build(wanted, atLeast);
    // What another read had begun to build may have been read before this one was granted.
    if (first.dataVersion >= atLeast) return first;
    const second = await build(wanted, atLeast);
    return second.dataVersion >= atLeast ? second : buildNow(wanted, atLeast);
  }

  return {
    remembered({ planned }) {
      const known = cache.get(planned.pageKey);
      metrics.pageLookedUp(known !== undefined);
      return known;
    },
    build: (wanted) => build(wanted, wanted.feed.dataVersion),
    atVersion(wanted, dataVersion) {
      const { feed, page } = wanted;
      return page !== undefined && page.dataVersion === dataVersion
        ? page
        : rebuild(wanted, dataVersion ?? feed.dataVersion);
    },
    tagAt: ({ feed, planned: { plan } }, dataVersion) =>
      tagOf(feed, { plan, dataVersion }, incarnation),
    cache,
  };
}

function isOfTurn(error: unknown): boolean {
  return error instanceof DatabaseTimeSpentError || error instanceof DatabaseOverloadedError;
}
