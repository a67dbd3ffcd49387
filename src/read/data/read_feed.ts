/**
 * A feed's data as a resource: finds the feed, plans the page, and turns the page into an answer.
 *
 * See `src/spec/decisions.md`, section 6.
 *
 * @module
 */

import { invalidParameter } from "../../api/input/parameters.ts";
import { feedNotSynced } from "../../api/problems/call_refusals.ts";
import { wishesOf } from "../../api/tool_request.ts";
import type { WaitPlace } from "../../feeds/waits.ts";
import type { Answer } from "../../http/answer.ts";
import type { Call } from "../../http/call.ts";
import { isAnyTag } from "../../http/etag.ts";
import { preferredWaitSeconds } from "../../http/prefer.ts";
import { Problem } from "../../http/problem_details.ts";
import { MS_PER_SECOND } from "../../lib/time_units.ts";
import { CONDITIONAL_WAIT_SECONDS_MAX } from "../../limits.ts";
import type { Services } from "../../services.ts";
import type { ReadCall } from "../pipeline/attempts.ts";
import { claimOf } from "../pipeline/claim_headers.ts";
import { findFeed, problemOfNoFeed } from "../pipeline/find_feed.ts";
import type { ReadPipeline } from "../pipeline/pipeline.ts";
import type { Resource } from "../pipeline/resource.ts";
import { picksRowsByPlace } from "../projection/projection_parse.ts";
import {
  answerPage,
  cachingHeaders,
  type FeedVersion,
  headOfPage,
  takenPage,
} from "./answer_page.ts";
import { type Page, tagOf } from "./build_page.ts";
import { createPages, type PageWanted } from "./find_page.ts";
import { createPlans } from "./known_plans.ts";
import { keeping, parseReadQuery, type ReadQuery, shortened } from "./read_plan.ts";

/** Attempts to fit a page by the mean length of its rows. */
const FITS_IN_PROPORTION_MAX = 3;

/** A request for a feed's data. */
interface FeedRead {
  /** A feed's id or its `endpoint_path`. */
  readonly reference: string;
  readonly query: ReadQuery;
}

/** Creates reads of feeds, by id or by `endpoint_path`. */
export function createFeedReads(services: Services, reads: ReadPipeline) {
  const { config, feeds, http, incarnation, waits } = services;
  const plans = createPlans(services.cursorSecret);
  const pages = createPages(services, reads.projections);
  const limits = { free: config.limits.readsFree, paid: config.limits.readsPaid };

  async function find(
    { call, principal }: ReadCall,
    { reference, query }: FeedRead,
    isFresh: boolean,
  ): Promise<Resource<FeedVersion>> {
    const { accountId } = principal;
    const { search } = call;
    const wantedFeed = { seeker: principal.caller.account, reference, isFresh };
    const feed = await findFeed(feeds, wantedFeed);
    if (feed !== undefined) call.subject.feedId = feed.feedId;
    if (!feed?.hasData) {
      // An invalid parameter (400) is reported before a missing feed (404).
      parseReadQuery(query, search);
      if (feed === undefined) throw await problemOfNoFeed(feeds, wantedFeed);
      throw feedNotSynced();
    }
    const { fields } = wishesOf(call.request);
    const planned = plans({ query, search }, feed);
    const plan = fields === undefined ? planned : keeping(planned, fields);
    return resourceOf(call, { accountId, feed, plan });
  }

  function resourceOf(call: Call, wanted: PageWanted): Resource<FeedVersion> {
    const { feed, plan } = wanted;
    const { feedId } = feed;
    const { request } = call;
    // The route has checked the header's form.
    const wishedChars = request.headers.get("feedgate-max-chars");
    const charsMax = wishedChars === null ? Number.POSITIVE_INFINITY : Number(wishedChars);
    // The length is part of the query, so that the tag is known before the page is built.
    const query = wishedChars === null ? plan.key : `${wishedChars} ${plan.key}`;
    return {
      claim: claimOf({ operation: "data", feed, limits, query }, request.headers),
      async build(atLeast) {
        const whole = await pages.atLeast(wanted, atLeast);
        refuseLong(wanted, whole, charsMax);
        const page = whole.dataLength > charsMax ? await fit(wanted, whole, charsMax) : whole;
        const { take } = wishesOf(request);
        if (take !== undefined) return takenPage(wanted, page, take);
        const { dataVersion: version } = page;
        return {
          seen: { feedId, version },
          version,
          answer: (grant) =>
            answerPage({
              request,
              feedId,
              page,
              tag:
                wishedChars === null ? page.tag : tagOf(query + page.variant, version, incarnation),
              grant,
              baseUrl: http.baseUrl(),
              cache: pages.cache,
            }),
        };
      },
      async describe(dataVersion) {
        const version = dataVersion ?? feed.dataVersion;
        let variant = "";
        // A read that is now a 400 or 410 must not get 304, and the rows of a stream with retention depend on the time.
        const needsPage =
          feed.retentionDays !== null ||
          plan.projection !== undefined ||
          (plan.kind === "page" && plan.cursor) ||
          // A filter's name may no longer occur in any row. A tag proves that the names occurred at its version.
          ((call.isHead || isAnyTag(request.headers.get("if-none-match"))) &&
            plan.kind === "page" &&
            plan.filters.length > 0) ||
          (plan.kind === "document" && wishedChars !== null);
        if (needsPage) {
          const whole = await pages.atLeast(wanted, version);
          refuseLong(wanted, whole, charsMax);
          const isCut = feed.retentionDays !== null && whole.dataLength > charsMax;
          ({ variant } = isCut ? await fit(wanted, whole, charsMax) : whole);
        }
        const tag = tagOf(query + variant, version, incarnation);
        return {
          seen: { feedId, version },
          cachingHeaders: cachingHeaders(tag),
          head: (window) => headOfPage(tag, window),
        };
      },
    };
  }

  /**
   * Refuses to shorten what has no rows to leave out: a document, and projections that select rows by position, because
   * with fewer rows they would select other ones. At least one row is always returned. @throws {Problem} 400, 429
   */
  function refuseLong({ accountId, plan }: PageWanted, { dataLength }: Page, charsMax: number) {
    if (dataLength <= charsMax) return;
    const { projection } = plan;
    const isByPlace =
      plan.kind === "page" &&
      plan.limit > 1 &&
      projection !== undefined &&
      picksRowsByPlace(projection);
    if (plan.kind !== "document" && !isByPlace) return;
    if (projection !== undefined) reads.projections.noteRefused(accountId);
    throw invalidParameter((words) => {
      const tooMany = words.tooManyChars(dataLength);
      return isByPlace
        ? `The result of jsonpath ${tooMany}. Select less, or allow more.`
        : `The document ${tooMany}. Select parts of it with ${words.parts}, or allow more.`;
    });
  }

  /** The page with fewer rows, so that its data is no longer than requested. */
  async function fit(wanted: PageWanted, whole: Page, charsMax: number): Promise<Page> {
    let { plan } = wanted;
    let page = whole;
    for (let tries = 1; page.dataLength > charsMax; tries++) {
      if (plan.kind !== "page" || plan.limit === 1) break;
      // In proportion at first. If rows differ greatly in length, the page is then halved repeatedly.
      const share = tries <= FITS_IN_PROPORTION_MAX ? charsMax / page.dataLength : 1 / 2;
      const limit = Math.max(1, Math.min(plan.limit - 1, Math.floor(plan.limit * share)));
      plan = shortened(plan, limit);
      page = await pages.atLeast({ ...wanted, plan }, page.dataVersion);
    }
    return page;
  }

  /** If the answer would be 304, waits until the feed changes or the time is up. */
  async function answerAfter(
    readCall: ReadCall,
    read: FeedRead,
    seconds: number,
  ): Promise<Answer | Problem> {
    const endsMs = performance.now() + seconds * MS_PER_SECOND;
    const { signal } = readCall.call.request;
    let place: WaitPlace | undefined;
    try {
      for (;;) {
        const isWakeUp = place !== undefined;
        const outcome = await reads.read({ ...readCall, isWakeUp }, (isFresh) =>
          find(readCall, read, isFresh),
        );
        if (outcome instanceof Problem) return outcome;
        const { answer, seen } = outcome;
        const isUnchanged = answer.status === 304;
        if (isUnchanged) place ??= waits.enter(readCall.principal.accountId, signal);
        if (place === undefined) return answer;
        const msMax = endsMs - performance.now();
        const end = isUnchanged ? await place.until({ ...seen, msMax }) : undefined;
        if (end === "moved") continue;
        // While the gateway drains, the read is answered at once, as if it had no preference.
        if (end !== "draining") answer.headers["Preference-Applied"] = `wait=${seconds}`;
        return answer;
      }
    } finally {
      readCall.call.subject.waitedMs = place?.waitedMs;
      place?.leave();
    }
  }

  return (readCall: ReadCall, read: FeedRead): Promise<Answer | Problem> => {
    const { headers } = readCall.call.request;
    const seconds =
      readCall.call.isHead || !headers.has("if-none-match") || waits.isDraining
        ? undefined
        : preferredWaitSeconds(headers, CONDITIONAL_WAIT_SECONDS_MAX);
    return seconds === undefined
      ? reads.answer(readCall, (isFresh) => find(readCall, read, isFresh))
      : answerAfter(readCall, read, seconds);
  };
}
