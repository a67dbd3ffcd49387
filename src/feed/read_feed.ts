/**
 * A data read from the request to its bytes: plan, page, admission. Interface 4.4, decisions 6 and 7.
 *
 * Everything that can be refused without cost is refused first. What is remembered of key and feed
 * may be old, so a refusal that rests on it is repeated with fresh knowledge before it is sent, and
 * admission refuses as stale what was planned by an old definition.
 *
 * @module
 */
import { type Claim, type Decision, type Grant, refundedOnFault } from "../admission/admission.ts";
import { feedNotFound, refusalOf } from "../admission/refusal.ts";
import { lookAtWindow, standInGrant } from "../admission/stand_in.ts";
import type { Feed } from "../feed_row/feeds.ts";
import type { Answer } from "../http/answer.ts";
import type { Call } from "../http/endpoint.ts";
import { Problem, unavailable } from "../http/errors.ts";
import { matchesTag, weakTag } from "../http/etag.ts";
import { invalidParameter } from "../http/parameters.ts";
import type { Principal } from "../key/keys.ts";
import { attempt, chain, type MaybePromise } from "../lib/maybe_promise.ts";
import { REVALIDATION_LIMIT } from "../limits.ts";
import type { Services } from "../services.ts";
import { answerPage, notModified } from "./answer_page.ts";
import type { Page } from "./build_page.ts";
import { createPages, type PageWanted } from "./pages.ts";
import { createPlans } from "./plans.ts";

export type ReadFeed = (call: Call, reference: string) => MaybePromise<Answer | Problem>;

/** What is known of a read before its feed is. */
interface Reading {
  readonly call: Call;
  readonly reference: string;
  readonly principal: Principal;
}

/** A planned read with the page that would answer it. */
interface Prepared extends PageWanted {
  readonly page: Page;
}

/** How often a read is planned anew because its feed changed under it. */
const TRIES_MAX = 5;
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

export function createReadFeed(services: Services): ReadFeed {
  const { admission, database, feeds, keys } = services;
  const { readsFree, readsPaid } = services.config.limits;
  const { metrics } = services.http;
  const plans = createPlans(services.cursorSecret);
  const pages = createPages(services);

  /** The newest page known, else one built now. @throws {Problem} every 404, 400 and 410. */
  function prepare(call: Call, feed: Feed | undefined): MaybePromise<Prepared> {
    if (feed === undefined || feed.status !== "active") throw feedNotFound();
    call.subject.feedId = feed.feedId;
    if (!feed.hasData) {
      throw new Problem("FEED_NOT_SYNCED", {
        detail: "The feed is active, but its provider has pushed no data yet; try again later.",
      });
    }
    const wanted = { feed, planned: plans(call.search, feed) };
    return chain(pages.newestKnown(wanted), (page) => ({ ...wanted, page }));
  }

  /** By what is remembered; where that refuses, by what the database says now. */
  function prepareRemembered(reading: Reading): MaybePromise<Prepared> {
    const { call, reference } = reading;
    return attempt(
      () => chain(feeds.find(reference), (feed) => prepare(call, feed)),
      (error) => {
        if (error instanceof Problem) return prepareProven(reading);
        throw error;
      },
    );
  }

  async function prepareProven({ call, reference, principal }: Reading): Promise<Prepared> {
    const [feed] = await Promise.all([feeds.findFresh(reference), keys.prove(principal)]);
    return prepare(call, feed);
  }

  /** Memory and replicas may be behind what the client has been shown: a condition is the newest page's. */
  async function newest(prepared: Prepared, reference: string): Promise<Prepared> {
    const feed = await feeds.findFresh(reference);
    if (feed === undefined || prepared.page.dataVersion >= feed.dataVersion) return prepared;
    return { ...prepared, page: await pages.atVersion(prepared, feed.dataVersion) };
  }

  function claimOf({ call, principal }: Reading, { feed, planned }: Prepared) {
    const { headers, signal } = call.request;
    const idempotencyKey = headers.get("idempotency-key");
    return {
      keyId: principal.keyId,
      accountId: principal.accountId,
      operation: "data" as const,
      feedId: feed.feedId,
      definitionVersion: feed.definitionVersion,
      limit: readsFree,
      limitPaid: readsPaid,
      signal,
      ...(idempotencyKey !== null && {
        idempotency: readIdempotency(idempotencyKey, planned.pageKey),
      }),
    };
  }

  /** Admits and answers; plans anew where the feed has changed. */
  function read(
    reading: Reading,
    prepared: Prepared,
    tries: number,
  ): MaybePromise<Answer | Problem> {
    const { call } = reading;
    if (call.isHead || call.request.headers.has("if-none-match")) {
      return readConditionally(reading, prepared, tries);
    }
    const claim = claimOf(reading, prepared);
    return chain(admission.admit(claim), (decision) =>
      decision.kind === "stale"
        ? readAnew(reading, tries)
        : answerDecided(call, prepared, { claim, decision }),
    );
  }

  async function readAnew(reading: Reading, tries: number): Promise<Answer | Problem> {
    if (tries < TRIES_MAX) return read(reading, await prepareProven(reading), tries + 1);
    throw unavailable("The feed is being changed again and again; try again in a second.");
  }

  /** HEAD, or with If-None-Match: what needs no page is admitted by its own limit, uncharged. */
  async function readConditionally(
    reading: Reading,
    known: Prepared,
    tries: number,
  ): Promise<Answer | Problem> {
    const { call, reference } = reading;
    const ifNoneMatch = call.request.headers.get("if-none-match");
    const isUnchanged = ({ page }: Prepared) => matchesTag(ifNoneMatch, page.tag);
    const isKnown = ifNoneMatch === null || isUnchanged(known);
    let prepared = isKnown ? known : await newest(known, reference);
    const claim = claimOf(reading, prepared);
    if (call.isHead || isUnchanged(prepared)) {
      const decision = await admission.admit(revalidation(claim));
      if (decision.kind === "stale") return readAnew(reading, tries);
      if (decision.kind === "granted") {
        prepared = { ...prepared, page: await pages.atVersion(prepared, decision.dataVersion) };
        if (isUnchanged(prepared)) return notModified(prepared.page);
        if (call.isHead) {
          return answer(call, prepared, await standInGrant(database, claim, decision));
        }
      } else {
        // Memory may be behind: what has changed is read like any other, whatever the limit of a 304.
        if (decision.kind === "limited") prepared = await newest(prepared, reference);
        if (call.isHead || isUnchanged(prepared)) return refuseConditional(claim, decision);
      }
    }
    const decision = await admission.admit(claim);
    if (decision.kind === "stale") return readAnew(reading, tries);
    return answerDecided(call, prepared, { claim, decision });
  }

  /** A 402 tells of the window that a GET is counted in. Decisions 10. */
  async function refuseConditional(
    claim: Claim,
    decision: Exclude<Decision, Grant | { kind: "stale" }>,
  ): Promise<Problem> {
    const isUnpaid = decision.kind === "not_purchased" || decision.kind === "unpaid";
    const window = isUnpaid ? (await lookAtWindow(database, claim)).window : undefined;
    return refusalOf({ ...decision, ...(window && { window }) }, refusalContext());
  }

  function answerDecided(
    call: Call,
    prepared: Prepared,
    {
      claim,
      decision,
    }: { readonly claim: Claim; readonly decision: Exclude<Decision, { kind: "stale" }> },
  ): MaybePromise<Answer | Problem> {
    if (decision.kind !== "granted") return refusalOf(decision, refusalContext());
    return refundedOnFault(admission, { claim, grant: decision }, () =>
      chain(pages.atVersion(prepared, decision.dataVersion), (page) =>
        chain(answer(call, { ...prepared, page }, decision), (made) => {
          // A replay's event was counted when it was made.
          if (!decision.isReplay) metrics.readAnswered();
          return made;
        }),
      ),
    );
  }

  const refusalContext = () => ({
    permission: "read" as const,
    billingUrl: services.billingUrl(),
    nowMs: Date.now(),
  });

  function answer(
    call: Call,
    { feed, planned, page }: Prepared,
    grant: Grant,
  ): MaybePromise<Answer> {
    const { request } = call;
    const baseUrl = services.http.baseUrl();
    return answerPage({
      request,
      feedId: feed.feedId,
      planned,
      page,
      grant,
      baseUrl,
      cache: pages.cache,
    });
  }

  return (call, reference) =>
    chain(keys.authenticate(call, "read"), (principal) => {
      const reading = { call, reference, principal };
      return chain(prepareRemembered(reading), (prepared) => read(reading, prepared, 1));
    });
}

function revalidation(claim: Claim): Claim {
  const { idempotency: _, limitPaid: __, ...rest } = claim;
  return { ...rest, operation: "revalidate", limit: REVALIDATION_LIMIT };
}

function readIdempotency(key: string, query: string): { key: string; queryHash: string } {
  if (!IDEMPOTENCY_KEY.test(key)) {
    throw invalidParameter("Idempotency-Key must be 1 to 255 visible ASCII characters.");
  }
  return { key, queryHash: weakTag(query) };
}
