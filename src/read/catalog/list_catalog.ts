/**
 * The catalog: active public feeds, most recently published first.
 *
 * @module
 */

import type { Principal } from "../../api/callers/callers.ts";
import type { pageOf } from "../../api/input/paging.ts";
import { wishesOf } from "../../api/tool_request.ts";
import type { Answer } from "../../http/answer.ts";
import { weakTag } from "../../http/etag.ts";
import type { Problem } from "../../http/problem_details.ts";
import { joinedPage, type ListedPage, listedPage } from "../../lib/offset_page.ts";
import { createSingleFlight } from "../../lib/single_flight.ts";
import { GATEWAY, type Row } from "../../postgres/client/database.ts";
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

type CatalogRow = Row<"list_catalog">;

/** Whether the caller's listing may differ from that of others: if memory was stale, it is asked for to be sure. */
export function mayBeOwn({ caller }: Principal, isFresh: boolean): boolean {
  return isFresh || caller.account.standing.seesInvited;
}

/** PostgreSQL accepts no NUL, and no feed contains one. */
const plain = (words: string) => words.replaceAll("\0", " ");

export function createListCatalog(services: Services, reads: ReadPipeline) {
  const { config, reader, http } = services;
  const limits = { free: config.limits.discovery, paid: config.limits.discovery };
  // The catalog is the same for every reader, so all readers that wait for a page share one query.
  const pages = createSingleFlight(
    async (page: CatalogPage) => listingOf(page, listedPage(await readRows(page), page.offset)),
    ({ limit, offset, category = "" }: CatalogPage) => `${limit} ${offset} ${category}`,
  );

  function readRows({ limit, offset, category }: CatalogPage) {
    const skipped = Math.min(offset, OFFSET_MAX);
    return category === undefined
      ? reader.rows(GATEWAY, "list_catalog", { limit, offset: skipped })
      : reader.rows(GATEWAY, "list_category", {
          category: plain(category),
          limit,
          offset: skipped,
        });
  }

  /** The invited feeds that the account finds, and then those that all accounts find. */
  async function readOwnPage(accountId: string, page: CatalogPage): Promise<Listing> {
    const { limit, offset, category } = page;
    const found = await joinedPage(page, {
      first: () =>
        reader.rows(accountId, "list_invited_feeds", {
          account_id: accountId,
          category: category === undefined ? null : plain(category),
          limit,
          offset: Math.min(offset, OFFSET_MAX),
        }),
      rest: (part) => readRows({ ...page, ...part }),
    });
    return listingOf(page, found);
  }

  function listingOf({ limit, offset }: CatalogPage, found: ListedPage<CatalogRow>): Listing {
    const { total, feeds, hasMore } = found;
    const baseUrl = http.baseUrl();
    const body = {
      message:
        total === 0
          ? "No feeds are listed yet."
          : `${total} feed${total === 1 ? " is" : "s are"} listed; this page shows ${feeds.length}.`,
      total,
      total_feeds: total,
      limit,
      offset,
      has_more: hasMore,
      feeds: feeds.map(catalogEntry),
      instructions: [
        `Read a feed with GET ${baseUrl}/v1/feed/{id} and your read key in the header x-api-key; {id} is a feed's id or endpoint_path.`,
        `First get the schema, a sample and the price with GET ${baseUrl}/v1/feed/{id}/metadata, which is free.`,
        `Search with GET ${baseUrl}/v1/search?q=WORDS.`,
        hasMore ? `The next page is at offset=${offset + feeds.length}.` : "This is the last page.",
      ].join(" "),
    };
    const members = JSON.stringify(body).slice(1, -1);
    return { members, tag: weakTag(members), version: null };
  }

  return (readCall: ReadCall, page: CatalogPage): Promise<Answer | Problem> => {
    const { category } = wishesOf(readCall.call.request);
    const asked = { ...page, category };
    return reads.answer(readCall, async (isFresh) => {
      const { principal } = readCall;
      const isOwn = mayBeOwn(principal, isFresh);
      return listingResource(
        { operation: "catalog", limits },
        { read: () => (isOwn ? readOwnPage(principal.accountId, asked) : pages.ask(asked)) },
      );
    });
  };
}
