/**
 * Search over active public feeds. `sql/read/functions/search_matches.sql` ranks the hits.
 *
 * @module
 */

import type { pageOf } from "../../api/input/paging.ts";
import type { Answer } from "../../http/answer.ts";
import { weakTag } from "../../http/etag.ts";
import type { Problem } from "../../http/problem_details.ts";
import { joinedPage, listedPage } from "../../lib/offset_page.ts";
import { CATEGORIES_LISTED_MAX, CATEGORY_MATCHES_MAX } from "../../limits.ts";
import type { Services } from "../../services.ts";
import type { ReadCall } from "../pipeline/attempts.ts";
import { type Listing, listingResource } from "../pipeline/listing.ts";
import type { ReadPipeline } from "../pipeline/pipeline.ts";
import { searchHit } from "./entries.ts";
import { mayBeOwn, OFFSET_MAX } from "./list_catalog.ts";

interface Search extends ReturnType<typeof pageOf> {
  readonly q: string;
  readonly category: string | undefined;
}

export function createSearchFeeds(services: Services, reads: ReadPipeline) {
  const { config, reader } = services;
  const limits = { free: config.limits.discovery, paid: config.limits.discovery };

  async function readHits(
    { accountId, isOwn }: { readonly accountId: string; readonly isOwn: boolean },
    { q, category, limit, offset }: Search,
  ): Promise<Listing> {
    const words = {
      q: q.replaceAll("\0", " "),
      category: category?.replaceAll("\0", " ") ?? null,
    };
    const page = { limit, offset: Math.min(offset, OFFSET_MAX) };
    const readShared = (part: { limit: number; offset: number }) =>
      reader.rows(accountId, "search_feeds", { ...words, ...part });
    const { total, feeds, hasMore } = isOwn
      ? await joinedPage(page, {
          first: () =>
            reader.rows(accountId, "search_invited_feeds", {
              account_id: accountId,
              ...words,
              ...page,
            }),
          rest: readShared,
        })
      : listedPage(await readShared(page), offset);
    const body = {
      query: q,
      total,
      limit,
      offset,
      has_more: hasMore,
      results: feeds.map(searchHit),
      ...(total === 0 &&
        category !== undefined && { categories: await readCategories(accountId, q) }),
    };
    const members = JSON.stringify(body).slice(1, -1);
    return { members, tag: weakTag(members), version: null };
  }

  /** The categories in which the same search has hits. */
  async function readCategories(accountId: string, q: string): Promise<readonly string[]> {
    const rows = await reader.rows(accountId, "list_categories_found", {
      q: q.replaceAll("\0", " "),
      matches_max: CATEGORY_MATCHES_MAX,
      categories_max: CATEGORIES_LISTED_MAX,
    });
    return rows.map((row) => row.category);
  }

  return (readCall: ReadCall, search: Search): Promise<Answer | Problem> =>
    reads.answer(readCall, async (isFresh) => {
      const { principal } = readCall;
      const { accountId } = principal;
      const whose = { accountId, isOwn: mayBeOwn(principal, isFresh) };
      return listingResource(
        { operation: "search", limits },
        { read: () => readHits(whose, search) },
      );
    });
}
