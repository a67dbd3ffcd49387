/**
 * Turns a page into a response: its headers, the reader's `_origin`, and the encoding that the client accepts.
 *
 * See `src/spec/decisions.md`, section 6.
 *
 * @module
 */
import type { Grant, WindowState } from "../../admission/claims.ts";
import { limitHeaders, rateHeaders, stateHeaders } from "../../api/callers/rate_headers.ts";
import type { ToolWishes } from "../../api/tool_request.ts";
import { acceptsGzip } from "../../http/accept_encoding.ts";
import { type Answer, answerHead, CACHE_PRIVATE, privateJson } from "../../http/answer.ts";
import { nextLink } from "../../http/next_link.ts";
import { sharedHeaders } from "../../http/shared_headers.ts";
import { COMPRESSED_BYTES_MIN } from "../../limits.ts";
import { originText } from "../pipeline/read_receipt.ts";
import type { Shown } from "../pipeline/resource.ts";
import { BEFORE_DATA, type Page } from "./build_page.ts";
import { completeAnswer } from "./compression.ts";
import type { PageWanted } from "./find_page.ts";
import type { PageCache } from "./page_cache.ts";
import { isOfRows } from "./read_plan.ts";

/** A feed, as of a version of its data. */
export interface FeedVersion {
  readonly feedId: string;
  readonly version: bigint;
}

interface PageAnswer {
  readonly request: Request;
  readonly feedId: string;
  readonly page: Page;
  /** The entity tag of the requested page. */
  readonly tag: string;
  readonly grant: Grant;
  /** Public address, for `Link`. */
  readonly baseUrl: string;
  readonly cache: PageCache;
}

/** 200. */
export function answerPage(answer: PageAnswer): Answer | Promise<Answer> {
  const { request, feedId, page, tag, grant, baseUrl, cache } = answer;
  const { limit } = grant.window;
  const end = `"_origin":${originText(grant.receipt, feedId)}}`;
  const headers = stateHeaders(grant.window, Date.now());
  const shared = sharedHeaders(page, `${limit} ${tag} ${request.url}`, () => ({
    "Content-Type": "application/json",
    ...cachingHeaders(tag),
    ...(page.nextCursor !== null && {
      Link: nextLink({ requestUrl: request.url, baseUrl }, page.nextCursor),
    }),
    ...limitHeaders({ limit }),
  }));
  const isCompressed =
    page.text.length + end.length > COMPRESSED_BYTES_MIN &&
    acceptsGzip(request.headers.get("accept-encoding"));
  if (!isCompressed) return { headers, sharedHeaders: shared, body: [page.text, end] };
  headers["Content-Encoding"] = "gzip";
  return cache
    .compressed(page.key, page)
    .then((start) => ({ headers, sharedHeaders: shared, body: completeAnswer(start, end) }));
}

/** The page for a tool, which receives the rows instead of a response. */
export function takenPage(
  { feed: { feedId }, plan }: PageWanted,
  page: Page,
  take: NonNullable<ToolWishes["take"]>,
): Shown<FeedVersion> {
  const { dataVersion: version, nextCursor, missing, fieldsNotFound } = page;
  // A slice shares the characters of the page.
  const data = page.text.slice(BEFORE_DATA.length, BEFORE_DATA.length + page.dataLength);
  return {
    seen: { feedId, version },
    version,
    answer: ({ receipt, window }) => {
      take({
        rows: isOfRows(plan) ? [data] : ["[", data, "]"],
        next: { has_more: nextCursor !== null, next_cursor: nextCursor },
        missing,
        fieldsNotFound,
        origin: originText(receipt, feedId),
        window,
      });
      return { headers: privateJson(), body: null };
    },
  };
}

/** HEAD: like 200, but without `Content-Length` and `Link`, which would reveal what readers pay for. */
export function headOfPage(tag: string, window: WindowState): Answer {
  return answerHead({
    "Content-Type": "application/json",
    ...cachingHeaders(tag),
    ...rateHeaders(window, Date.now()),
  });
}

/** Caching headers of 200 and 304. RFC 9110, 15.4.5. */
export function cachingHeaders(tag: string) {
  return { ETag: tag, "Cache-Control": CACHE_PRIVATE, Vary: "Accept-Encoding" };
}
