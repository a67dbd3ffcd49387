/**
 * The catalog: active public feeds, most recently published first.
 *
 * @module
 */

import type { pageOf } from "../../api/input/paging.ts";
import { wishesOf } from "../../api/tool_request.ts";
import type { Answer } from "../../http/answer.ts";
import { weakTag } from "../../http/etag.ts";
import type { Problem } from "../../http/problem_details.ts";
import { listedPage } from "../../lib/offset_page.ts";
import { createSingleFlight } from "../../lib/single_flight.ts";
import { GATEWAY } from "../../postgres/client/database.ts";
import type { Services } from "../../services.ts";
import type { ReadCall } from "../pipeline/attempts.ts";
import { type Listing, listingResource } from "../pipeline/listing.ts";
import type { ReadPipeline } from "../pipeline/pipeline.ts";
import { catalogEntry } from "./entries.ts";

/** The largest integer in PostgreSQL. No catalog is longer. */
export const OFFSET_MAX = 2 ** 31 - 1;

interface CatalogPage extends ReturnType<typeof pageOf> {
  /** A tool may ask for the feeds of one category. */
  readonly category?: string | undefined;
}

export function createListCatalog(services: Services, reads: ReadPipeline) {
  const { config, reader, http } = services;
  const limits = { free: config.limits.discovery, paid: config.limits.discovery };
  // The catalog is the same for every reader, so all readers that wait for a page share one query.
  const pages = createSingleFlight(
    readPage,
    ({ limit, offset, category = "" }: CatalogPage) => `${limit} ${offset} ${category}`,
  );

  async function readPage({ limit, offset, category }: CatalogPage): Promise<Listing> {
    const skipped = Math.min(offset, OFFSET_MAX);
    const rows =
      category === undefined
        ? await reader.rows(GATEWAY, "list_catalog", { limit, offset: skipped })
        : // PostgreSQL accepts no NUL, and no feed contains one.
          await reader.rows(GATEWAY, "list_category", {
            category: category.replaceAll("\0", " "),
            limit,
            offset: skipped,
          });
    const { total, feeds, hasMore } = listedPage(rows, offset);
    const baseUrl = http.baseUrl();
    const body = {
      message:
        total === 0
          ? "No feed is listed yet."
          : `${total} feed${total === 1 ? " is" : "s are"} listed; this page shows ${feeds.length}.`,
      total,
      total_feeds: total,
      limit,
      offset,
      has_more: hasMore,
      feeds: feeds.map(catalogEntry),
      instructions: [
        `Read a feed with GET ${baseUrl}/v1/feed/{id} and your read key in the header x-api-key; {id} is a feed's id or endpoint_path.`,
        `Look first at GET ${baseUrl}/v1/feed/{id}/metadata, which is free: it has the schema, a sample and the price.`,
        `Search with GET ${baseUrl}/v1/search?q=WORDS.`,
        hasMore ? `The next page is at offset=${offset + feeds.length}.` : "This is the last page.",
      ].join(" "),
    };
    const members = JSON.stringify(body).slice(1, -1);
    return { members, tag: weakTag(members), version: null };
  }

  return (readCall: ReadCall, page: CatalogPage): Promise<Answer | Problem> => {
    const { category } = wishesOf(readCall.call.request);
    return reads.answer(readCall, async () =>
      listingResource({ operation: "catalog", limits }, () => pages.ask({ ...page, category })),
    );
  };
}
