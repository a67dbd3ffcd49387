/**
 * A data read from the request to its bytes: plan, page, admission. Interface 4.4, decisions 6 and 7.
 *
 * What is no read at all is refused first, and a page that can't be had is found out before admission, so
 * neither counts or costs. Whose last read was refused is admitted first: no page is built for it in vain;
 * and whether a client has a page already is known by its tag alone.
 * What is remembered of key and feed may be old, so a refusal that rests on it is repeated with fresh
 * knowledge before it is sent, and admission refuses as stale what was planned by an old definition.
 *
 * @module
 */
import { type Claim, type Decision, type Grant, refundedOnFault } from "../admission/admission.ts";
import { feedKeepsChanging, feedNotFound, refusalOf } from "../admission/refusal.ts";
import { lookAtWindow, standInGrant } from "../admission/stand_in.ts";
import type { Feed } from "../feeds/find.ts";
import type { Answer } from "../http/answer.ts";
import type { Call } from "../http/call.ts";
import { Problem } from "../http/errors.ts";
import { matchesTag, weakTag } from "../http/etag.ts";
import { invalidParameter } from "../http/parameters.ts";
import type { Principal } from "../key/keys.ts";
import { attempt, chain, type MaybePromise } from "../lib/maybe_promise.ts";
import { PLANS_MAX, REVALIDATION_LIMIT } from "../limits.ts";
import type { Services } from "../services.ts";
import { answerPage, notModified } from "./answer_page.ts";
import type { Page } from "./build_page.ts";
import { createPages, type PageSought, type Pages, type PageWanted } from "./pages.ts";
import { createPlans, type Plans } from "./plans.ts";
import type { ReadPlan } from "./read_plan.ts";

/** What is known of a read before its feed is. */
export interface Reading {
  readonly call: Call;
  readonly reference: string;
  readonly principal: Principal;
}

/** What is asked of admission, and the page that would answer; without one where the read is admitted first. */
interface Prepared extends PageSought {
  readonly claim: Claim;
}

type Paged = Prepared & { readonly page: Page };

type Refusal = Exclude<Decision, Grant | { kind: "stale" }>;

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

export class FeedReads {
  readonly #services: Services;
  readonly #plans: Plans;
  readonly #pages: Pages;

  constructor(services: Services) {
    this.#services = services;
    this.#plans = createPlans(services.cursorSecret);
    this.#pages = createPages(services);
  }

  /** `reference` is a feed's id or its `endpoint_path`. @throws {Problem} every refusal of a read */
  async read(reading: Reading): Promise<Answer | Problem> {
    return this.#admit(reading, await this.#prepareRemembered(reading), 1);
  }

  /** By what is remembered; where that refuses, by what the database says now. */
  #prepareRemembered(reading: Reading): MaybePromise<Prepared> {
    return attempt(
      () =>
        chain(this.#services.feeds.find(reading.principal.accountId, reading.reference), (feed) =>
          this.#prepare(reading, feed),
        ),
      (error) => {
        if (error instanceof Problem) return this.#prepareProven(reading);
        throw error;
      },
    );
  }

  async #prepareProven(reading: Reading): Promise<Prepared> {
    const { feeds, keys } = this.#services;
    const { reference, principal } = reading;
    const [feed] = await Promise.all([
      feeds.findFresh(principal.accountId, reference),
      keys.prove(principal),
    ]);
    return this.#prepare(reading, feed);
  }

  /**
   * With the page in memory, else one built now, where it is to be there before admission.
   * @throws {Problem} every 404, 400 and 410
   */
  #prepare(reading: Reading, feed: Feed | undefined): MaybePromise<Prepared> {
    const { call, principal } = reading;
    if (feed === undefined) throw feedNotFound();
    call.subject.feedId = feed.feedId;
    if (!feed.hasData) {
      throw new Problem("FEED_NOT_SYNCED", {
        detail: "The feed is active, but its provider has pushed no data yet; try again later.",
      });
    }
    const wanted = {
      accountId: principal.accountId,
      feed,
      planned: this.#plans(call.search, feed),
    };
    const claim = this.#claimOf(reading, wanted);
    const page = this.#pages.remembered(wanted);
    if (page !== undefined || !this.#isBuiltFirst(call, wanted, claim)) {
      return { ...wanted, claim, page };
    }
    return this.#pages.build(wanted).then((built) => ({ ...wanted, claim, page: built }));
  }

  /**
   * Whether the page is made before admission: not for a caller that would be refused all the same, nor
   * where the tag alone tells whether the client has it.
   */
  #isBuiltFirst(call: Call, { planned: { plan } }: PageWanted, claim: Claim): boolean {
    const { admission } = this.#services;
    if (admission.wasRefused(claim)) return false;
    if (!isConditional(call)) return true;
    return (call.isHead || !isTagEnough(plan)) && !admission.isFull(revalidation(claim));
  }

  /** Admits and answers; plans anew where the feed has changed. */
  #admit(reading: Reading, prepared: Prepared, tries: number): MaybePromise<Answer | Problem> {
    const { call } = reading;
    if (call.isHead) return this.#admitHead(reading, prepared, tries);
    if (isConditional(call)) return this.#admitConditionally(reading, prepared, tries);
    return this.#admitRead(reading, prepared, tries);
  }

  #admitRead(reading: Reading, prepared: Prepared, tries: number): MaybePromise<Answer | Problem> {
    return chain(this.#services.admission.admit(prepared.claim), (decision) =>
      decision.kind === "stale"
        ? this.#readAnew(reading, tries)
        : this.#answerDecided(reading, prepared, decision),
    );
  }

  async #readAnew(reading: Reading, tries: number): Promise<Answer | Problem> {
    if (tries < PLANS_MAX)
      return this.#admit(reading, await this.#prepareProven(reading), tries + 1);
    throw feedKeepsChanging();
  }

  /** The headers of the GET, uncharged, from the limit that it shares with 304s. */
  async #admitHead(reading: Reading, prepared: Prepared, tries: number): Promise<Answer | Problem> {
    const { admission, database } = this.#services;
    const { call } = reading;
    const { claim } = prepared;
    const decision = await admission.admit(revalidation(claim));
    if (decision.kind === "stale") return this.#readAnew(reading, tries);
    if (decision.kind !== "granted") return this.#refuseConditional(reading, claim, decision);
    const paged = await this.#paged(prepared, decision.dataVersion);
    const { tag } = paged.page;
    if (matchesTag(call.request.headers.get("if-none-match"), tag)) return notModified(tag);
    return this.#answer(call, paged, await standInGrant(database, claim, decision));
  }

  /** With If-None-Match: 304, uncharged and from a limit of its own, or a read like any other. */
  async #admitConditionally(
    reading: Reading,
    prepared: Prepared,
    tries: number,
  ): Promise<Answer | Problem> {
    const { admission } = this.#services;
    const { claim, feed, page, planned } = prepared;
    const ifNoneMatch = reading.call.request.headers.get("if-none-match");
    const tagAt = (dataVersion: bigint) => this.#pages.tagAt(prepared, dataVersion);
    const isSameAt = (dataVersion: bigint) => matchesTag(ifNoneMatch, tagAt(dataVersion));
    let version = page?.dataVersion ?? feed.dataVersion;
    // Memory and replicas may be behind what the client has been shown.
    if (!isSameAt(version)) version = await this.#newestVersion(reading, prepared);
    if (isSameAt(version)) {
      const decision = await admission.admit(revalidation(claim));
      if (decision.kind === "stale") return this.#readAnew(reading, tries);
      if (decision.kind === "granted") {
        version = decision.dataVersion ?? version;
        if (isSameAt(version)) {
          if (!isTagEnough(planned.plan)) await this.#pages.atVersion(prepared, version);
          return notModified(tagAt(version));
        }
      } else {
        // What has changed is read like any other, whatever the limit of a 304.
        const isLimited = decision.kind === "limited";
        if (isLimited) version = await this.#newestVersion(reading, prepared);
        if (!isLimited || isSameAt(version)) {
          return this.#refuseConditional(reading, claim, decision);
        }
      }
    }
    const ready = admission.wasRefused(claim) ? prepared : await this.#paged(prepared, version);
    return this.#admitRead(reading, ready, tries);
  }

  async #newestVersion({ reference, principal }: Reading, { feed }: Prepared): Promise<bigint> {
    const fresh = await this.#services.feeds.findFresh(principal.accountId, reference);
    // A slug may have changed hands: admission says so.
    return fresh?.feedId === feed.feedId ? fresh.dataVersion : feed.dataVersion;
  }

  #paged(prepared: Prepared, dataVersion: bigint | null): MaybePromise<Paged> {
    return chain(this.#pages.atVersion(prepared, dataVersion), (page) => ({ ...prepared, page }));
  }

  /** A 402 tells of the window that a GET is counted in. Decisions 10. */
  async #refuseConditional(
    { principal }: Reading,
    claim: Claim,
    decision: Refusal,
  ): Promise<Problem> {
    const isUnpaid = decision.kind === "not_purchased" || decision.kind === "unpaid";
    const looked = isUnpaid ? await lookAtWindow(this.#services.database, claim) : undefined;
    return this.#refuse(principal, { ...decision, ...(looked && { window: looked.window }) });
  }

  #refuse(principal: Principal, decision: Refusal): Problem {
    if (decision.kind === "key_refused") this.#services.keys.forget(principal);
    const billingUrl = this.#services.billingUrl();
    return refusalOf(decision, { permission: "read", billingUrl, nowMs: Date.now() });
  }

  #answerDecided(
    { call, principal }: Reading,
    prepared: Prepared,
    decision: Grant | Refusal,
  ): MaybePromise<Answer | Problem> {
    if (decision.kind !== "granted") return this.#refuse(principal, decision);
    const { admission, http } = this.#services;
    return refundedOnFault(admission, { claim: prepared.claim, grant: decision }, () =>
      chain(this.#paged(prepared, decision.dataVersion), (paged) =>
        chain(this.#answer(call, paged, decision), (made) => {
          // A replay's event was counted when it was made.
          if (!decision.isReplay) http.metrics.readAnswered();
          return made;
        }),
      ),
    );
  }

  #answer(call: Call, { feed, planned, page }: Paged, grant: Grant): MaybePromise<Answer> {
    return answerPage({
      request: call.request,
      feedId: feed.feedId,
      planned,
      page,
      grant,
      baseUrl: this.#services.http.baseUrl(),
      cache: this.#pages.cache,
    });
  }

  #claimOf({ call, principal }: Reading, { feed, planned }: PageWanted): Claim {
    const { readsFree, readsPaid } = this.#services.config.limits;
    const { request } = call;
    const idempotencyKey = request.headers.get("idempotency-key");
    return {
      keyId: principal.keyId,
      accountId: principal.accountId,
      operation: "data",
      feedId: feed.feedId,
      definitionVersion: feed.definitionVersion,
      limit: readsFree,
      limitPaid: readsPaid,
      isGone: () => request.signal.aborted,
      ...(idempotencyKey !== null && {
        idempotency: readIdempotency(idempotencyKey, planned.pageKey),
      }),
    };
  }
}

/** Whether who has the tag has the page: not where it may be a 400 or 410 by now, which go before a 304. */
function isTagEnough(plan: ReadPlan): boolean {
  return plan.projection === undefined && !("cursor" in plan && plan.cursor !== undefined);
}

/** What may be answered without a body. */
function isConditional({ isHead, request }: Call): boolean {
  return isHead || request.headers.has("if-none-match");
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
