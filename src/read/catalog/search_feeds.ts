/**
 * Search over active public feeds. `sql/read/functions/search_matches.sql` ranks the hits.
 *
 * @module
 */

import type { pageOf } from "../../api/input/paging.ts";
import type { Answer } from "../../http/answer.ts";
import { weakTag } from "../../http/etag.ts";
import type { Problem } from "../../http/problem_details.ts";
import { listedPage } from "../../lib/offset_page.ts";
import { CATEGORIES_LISTED_MAX, CATEGORY_MATCHES_MAX } from "../../limits.ts";
import type { Services } from "../../services.ts";
import type { ReadCall } from "../pipeline/attempts.ts";
import { type Listing, listingResource } from "../pipeline/listing.ts";
import type { ReadPipeline } from "../pipeline/pipeline.ts";
import { searchHit } from "./entries.ts";
import { OFFSET_MAX } from "./list_catalog.ts";

interface Search extends ReturnType<typeof pageOf> {
  readonly q: string;
  readonly category: string | undefined;
}

export function createSearchFeeds(services: Services, reads: ReadPipeline) {
  const { config, reader } = services;
  const limits = { free: config.limits.discovery, paid: config.limits.discovery };

  async function readHits(
    accountId: string,
    { q, category, limit, offset }: Search,
  ): Promise<Listing> {
    const rows = await reader.rows(accountId, "search_feeds", {
      q: q.replaceAll("\0", " "),
      category: category?.replaceAll("\0", " ") ?? null,
      limit,
      offset: Math.min(offset, OFFSET_MAX),
    });
    const { total, feeds, hasMore } = listedPage(rows, offset);
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
    reads.answer(readCall, async () =>
      listingResource({ operation: "search", limits }, () =>
        readHits(readCall.principal.accountId, search),
      ),
    );
}
