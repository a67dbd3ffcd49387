/**
 * A feed's data as a resource: which feed, which page of it, and the page as an answer. Interface 4.4,
 * decisions 6 and 7.
 *
 * @module
 */
import { nanosOfCredits } from "../../accounts/money.ts";
import type { Claim, IdempotencyKey } from "../../admission/types.ts";
import type { Feed } from "../../feeds/find.ts";
import type { Answer } from "../../http/answer.ts";
import type { Call } from "../../http/call.ts";
import { Problem } from "../../http/errors.ts";
import { weakTag } from "../../http/etag.ts";
import { feedNotFound } from "../../http/refusals.ts";
import type { Services } from "../../services.ts";
import type { ReadCall, ReadPipeline } from "../pipeline.ts";
import type { Resource } from "../resource.ts";
import { answerPage, cachingHeaders, headOfPage } from "./answer_page.ts";
import { createPages, type PageWanted } from "./pages.ts";
import { createPlans, type PlannedRead, pageKeyOf } from "./plans.ts";
import { type ReadPlan, type ReadQuery, readQuery, shortened } from "./read_plan.ts";

/** Attempts to fit a page by the mean length of its rows. */
const FITS_IN_PROPORTION_MAX = 3;

/** What a reader asks for. */
export interface FeedRead {
  /** A feed's id or its `endpoint_path`. */
  readonly reference: string;
  readonly query: ReadQuery;
}

/** Reads by a feed's id or its `endpoint_path`. */
export function createFeedReads(services: Services, answerRead: ReadPipeline) {
  const { config, feeds, http } = services;
  const plans = createPlans(services.cursorSecret);
  const pages = createPages(services);
  const limits = { free: config.limits.readsFree, paid: config.limits.readsPaid };

  async function find(
    { call, principal }: ReadCall,
    { reference, query }: FeedRead,
    isFresh: boolean,
  ): Promise<Resource> {
    const { accountId } = principal;
    const { search } = call;
    const feed = await (isFresh
      ? feeds.findFresh(accountId, reference)
      : feeds.find(accountId, reference));
    if (feed !== undefined) call.subject.feedId = feed.feedId;
    if (!feed?.hasData) {
      // A wrong parameter is told before a missing feed. Decisions 2.
      readQuery(query, search);
      if (feed !== undefined) throw feedNotSynced();
      // What memory does not know is looked up afresh before a client is told of it.
      throw feedNotFound(isFresh ? await feeds.findNearestSlug(accountId, reference) : undefined);
    }
    return resourceOf(call, { accountId, feed, planned: plans({ query, search }, feed) });
  }

  function resourceOf(call: Call, wanted: PageWanted): Resource {
    const { feed, planned } = wanted;
    const { feedId } = feed;
    const { request } = call;
    return {
      claim: claimOf(feed, request.headers, planned),
      async build(atLeast) {
        const { planned, page } = await fit(wanted, atLeast, charsMaxOf(request.headers));
        return {
          tag: page.tag,
          version: page.dataVersion,
          answer: (grant) =>
            answerPage({
              request,
              feedId,
              planned,
              page,
              grant,
              baseUrl: http.baseUrl(),
              cache: pages.cache,
            }),
        };
      },
      async describe(dataVersion) {
        const version = dataVersion ?? feed.dataVersion;
        // What may be a 400 or 410 by now is one before it is a 304.
        if (!isTagEnough(planned.plan)) await pages.atLeast(wanted, version);
        const tag = pages.tagAt(wanted, version);
        return {
          tag,
          cachingHeaders: cachingHeaders(tag),
          head: (window) => headOfPage(tag, window),
        };
      },
    };
  }

  /** The page, with fewer rows where its data would be longer than asked for. */
  async function fit(wanted: PageWanted, atLeast: bigint | null, charsMax: number) {
    let { planned } = wanted;
    let page = await pages.atLeast(wanted, atLeast);
    for (let tries = 1; page.dataLength > charsMax; tries++) {
      const { plan } = planned;
      if (plan.kind !== "page" || plan.limit === 1) break;
      // In proportion at first; rows of very different lengths are cut by halves.
      const share = tries <= FITS_IN_PROPORTION_MAX ? charsMax / page.dataLength : 1 / 2;
      const limit = Math.max(1, Math.min(plan.limit - 1, Math.floor(plan.limit * share)));
      const fitting = shortened(plan, limit);
      planned = { ...planned, plan: fitting, pageKey: pageKeyOf(wanted.feed, fitting) };
      page = await pages.atLeast({ ...wanted, planned }, page.dataVersion);
    }
    return { planned, page };
  }

  function claimOf(feed: Feed, headers: Headers, { pageKey }: PlannedRead): Claim {
    const idempotency = readIdempotency(headers, pageKey);
    const priceNanosMax = nanosOfCredits(headers.get("feedgate-max-credits") ?? "");
    return {
      operation: "data",
      feed,
      limits,
      ...(idempotency && { idempotency }),
      ...(priceNanosMax !== undefined && { priceNanosMax }),
    };
  }

  return (readCall: ReadCall, read: FeedRead): Promise<Answer | Problem> =>
    answerRead(readCall, (isFresh) => find(readCall, read, isFresh));
}

function feedNotSynced(): Problem {
  return new Problem("FEED_NOT_SYNCED", {
    detail: "The feed is active, but its provider has pushed no data yet. Try again later.",
  });
}

/** Whether who has the tag has the page: not where it may be a 400 or 410 by now, which go before a 304. */
function isTagEnough(plan: ReadPlan): boolean {
  return plan.projection === undefined && !("cursor" in plan && plan.cursor !== undefined);
}

/** Characters that `data` may have; the route has checked the header's form. */
function charsMaxOf(headers: Headers): number {
  return Number(headers.get("feedgate-max-chars") ?? Number.POSITIVE_INFINITY);
}

/** The key, whose form the route has checked, is bound to the query that it came with. */
function readIdempotency(headers: Headers, query: string): IdempotencyKey | undefined {
  const key = headers.get("idempotency-key");
  return key === null ? undefined : { key, queryHash: weakTag(query) };
}
