/**
 * A data read from the request to its bytes: plan, page, admission. Interface 4.4, decisions 6 and 7.
 *
 * Everything that can be refused without cost is refused first. What is remembered of key and feed
 * may be old, so a refusal that rests on it is repeated with fresh knowledge before it is sent, and
 * admission refuses as stale what was planned by an old definition.
 *
 * @module
 */
import type { Claim, Grant } from "../admission/admission.ts";
import { feedNotFound, originText, refusalOf } from "../admission/refusal.ts";
import type { Feed } from "../feed_row/feeds.ts";
import type { Call } from "../http/endpoint.ts";
import { Problem } from "../http/errors.ts";
import { matchesTag, weakTag } from "../http/etag.ts";
import { invalidParameter } from "../http/parameters.ts";
import { rateHeaders } from "../http/rate_headers.ts";
import type { Principal } from "../key/keys.ts";
import { PAGE_CACHE_BYTES_MAX, REVALIDATION_LIMIT } from "../limits.ts";
import type { Services } from "../services.ts";
import { buildPage, type Page } from "./build_page.ts";
import { createFilterIndexer } from "./filter_index.ts";
import { createPageCache } from "./page_cache.ts";
import { planRead, type ReadPlan } from "./read_plan.ts";

export type ReadFeed = (call: Call, reference: string) => Promise<Response>;

/** A planned read with the page that would answer it. */
interface Prepared {
  readonly feed: Feed;
  readonly plan: ReadPlan;
  readonly page: Page;
}

/** How often a read is planned anew because its feed changed under it. */
const ATTEMPTS_MAX = 5;
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

export function createReadFeed(services: Services): ReadFeed {
  const { admission, database, feeds, keys, cursorSecret } = services;
  const filterIndexer = createFilterIndexer({
    database,
    log: services.log,
    isStopping: () => services.state.isDraining,
  });
  const source = { database, cursorSecret, filterIndexer };
  const cache = createPageCache(PAGE_CACHE_BYTES_MAX);

  /** The newest page known, else one built now. @throws {Problem} every 404, 400 and 410. */
  async function prepare(call: Call, feed: Feed | undefined): Promise<Prepared> {
    if (feed === undefined || feed.status !== "active") throw feedNotFound();
    if (!feed.hasData) {
      throw new Problem("FEED_NOT_SYNCED", {
        detail: "The feed is active, but its provider has pushed no data yet; try again later.",
      });
    }
    const plan = planRead(call.search, feed, cursorSecret);
    return { feed, plan, page: cache.get(cacheKey(feed, plan)) ?? (await build(feed, plan)) };
  }

  async function build(feed: Feed, plan: ReadPlan): Promise<Page> {
    const page = await buildPage(source, feed, plan);
    if (page === undefined) throw feedNotFound();
    cache.set(cacheKey(feed, plan), page);
    return page;
  }

  async function prepareProven(
    call: Call,
    reference: string,
    principal: Principal,
  ): Promise<Prepared> {
    const [feed] = await Promise.all([feeds.findFresh(reference), keys.prove(principal)]);
    return prepare(call, feed);
  }

  /** The page at the version that was granted, or a newer one. */
  async function pageAt(prepared: Prepared, dataVersion: bigint | null): Promise<Page> {
    const { feed, plan, page } = prepared;
    return page.dataVersion === dataVersion ? page : build(feed, plan);
  }

  return async (call, reference) => {
    const { headers, signal } = call.request;
    const principal = await keys.authenticate(headers, "read");
    const idempotencyKey = headers.get("idempotency-key");
    const ifNoneMatch = headers.get("if-none-match");
    const context = () => ({
      permission: "read" as const,
      billingUrl: services.billingUrl(),
      nowMs: Date.now(),
    });

    let prepared: Prepared | undefined;
    try {
      prepared = await prepare(call, await feeds.find(reference));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      prepared ??= await prepareProven(call, reference, principal);
      const { feed, plan } = prepared;
      const claim: Claim = {
        keyId: principal.keyId,
        accountId: principal.accountId,
        operation: "data",
        feedId: feed.feedId,
        definitionVersion: feed.definitionVersion,
        limit: services.config.limits.readsFree,
        limitPaid: services.config.limits.readsPaid,
        signal,
        ...(idempotencyKey !== null && {
          idempotency: readIdempotency(idempotencyKey, cacheKey(feed, plan)),
        }),
      };
      if (call.isHead || matchesTag(ifNoneMatch, tagOf(plan, prepared.page))) {
        const decision = await admission.admit(revalidation(claim));
        if (decision.kind === "stale") {
          prepared = undefined;
          continue;
        }
        if (decision.kind !== "granted") throw refusalOf(decision, context());
        const page = await pageAt(prepared, decision.dataVersion);
        if (matchesTag(ifNoneMatch, tagOf(plan, page))) return notModified(plan, page);
        if (call.isHead) return headOnly(call, plan, page);
        prepared = { ...prepared, page };
      }
      const decision = await admission.admit(claim);
      if (decision.kind === "stale") {
        prepared = undefined;
        continue;
      }
      if (decision.kind !== "granted") throw refusalOf(decision, context());
      const page = await afterGrant(decision, claim, () =>
        pageAt(prepared as Prepared, decision.dataVersion),
      );
      return answer({ call, feed, plan, page, grant: decision });
    }
    throw new Problem("UNAVAILABLE", {
      detail: "The feed is being changed again and again; try again in a second.",
      headers: { "Retry-After": "1" },
    });
  };

  /** A fault after the charge gives the charge back. Decisions 6. */
  async function afterGrant<T>(grant: Grant, claim: Claim, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await admission.refund(claim, grant);
      throw error;
    }
  }

  function answer(read: {
    call: Call;
    feed: Feed;
    plan: ReadPlan;
    page: Page;
    grant: Grant;
  }): Response {
    const { call, feed, plan, page, grant } = read;
    return new Response(`${page.text}"_origin":${originText(grant, feed.feedId)}}`, {
      headers: { ...pageHeaders(call, plan, page), ...rateHeaders(grant.window, Date.now()) },
    });
  }

  function headOnly(call: Call, plan: ReadPlan, page: Page): Response {
    return new Response(null, { headers: pageHeaders(call, plan, page) });
  }

  function pageHeaders(call: Call, plan: ReadPlan, page: Page): Record<string, string> {
    return {
      "Content-Type": "application/json",
      "Cache-Control": "private, no-cache",
      ETag: tagOf(plan, page),
      ...(page.nextCursor !== null && { Link: nextLink(call, page.nextCursor) }),
    };
  }

  /** Absolute on the base URL, in the path form of the request. Decisions 10, RFC 8288. */
  function nextLink(call: Call, cursor: string): string {
    const { pathname } = new URL(call.request.url);
    const kept = call.search
      .split("&")
      .filter((part) => part !== "" && !/^(cursor|offset)(=|$)/.test(part));
    const search = [...kept, `cursor=${cursor}`].join("&");
    return `<${services.http.baseUrl()}${pathname}?${search}>; rel="next"`;
  }
}

function revalidation(claim: Claim): Claim {
  const { idempotency: _, limitPaid: __, ...rest } = claim;
  return { ...rest, operation: "revalidate", limit: REVALIDATION_LIMIT };
}

function cacheKey(feed: Feed, plan: ReadPlan): string {
  return `${feed.feedId} ${plan.key}`;
}

/** Of data version and normalized query. Decisions 6. */
function tagOf(plan: ReadPlan, page: Page): string {
  return weakTag(`${page.dataVersion} ${plan.key}`);
}

function notModified(plan: ReadPlan, page: Page): Response {
  return new Response(null, {
    status: 304,
    headers: { ETag: tagOf(plan, page), "Cache-Control": "private, no-cache" },
  });
}

function readIdempotency(key: string, query: string): { key: string; queryHash: string } {
  if (!IDEMPOTENCY_KEY.test(key)) {
    throw invalidParameter("Idempotency-Key must be 1 to 255 visible ASCII characters.");
  }
  return { key, queryHash: weakTag(query) };
}
