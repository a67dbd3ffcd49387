/**
 * A data read from the request to its bytes: plan, page, admission. Interface 4.4, decisions 6 and 7.
 *
 * What is no read at all is refused first, and a page that can't be had is found out before admission, so
 * neither counts or costs. Whose last read was refused, or who has no 304 left, is admitted first: no page
 * is built for it in vain.
 * What is remembered of key and feed may be old, so a refusal that rests on it is repeated with fresh
 * knowledge before it is sent, and admission refuses as stale what was planned by an old definition.
 *
 * @module
 */
import { type Claim, type Decision, type Grant, refundedOnFault } from "../admission/admission.ts";
import { feedKeepsChanging, feedNotFound, refusalOf } from "../admission/refusal.ts";
import { lookAtWindow, standInGrant } from "../admission/stand_in.ts";
import type { Feed } from "../feed_row/feeds.ts";
import type { Answer } from "../http/answer.ts";
import type { Call } from "../http/endpoint.ts";
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

/** What is known of a read before its feed is. */
interface Reading {
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
  read(call: Call, reference: string): MaybePromise<Answer | Problem> {
    return chain(this.#services.keys.authenticate(call, "read"), (principal) => {
      const reading = { call, reference, principal };
      return chain(this.#prepareRemembered(reading), (prepared) =>
        this.#admit(reading, prepared, 1),
      );
    });
  }

  /** By what is remembered; where that refuses, by what the database says now. */
  #prepareRemembered(reading: Reading): MaybePromise<Prepared> {
    return attempt(
      () =>
        chain(this.#services.feeds.find(reading.reference), (feed) => this.#prepare(reading, feed)),
      (error) => {
        if (error instanceof Problem) return this.#prepareProven(reading);
        throw error;
      },
    );
  }

  async #prepareProven(reading: Reading): Promise<Prepared> {
    const { feeds, keys } = this.#services;
    const { reference, principal } = reading;
    const [feed] = await Promise.all([feeds.findFresh(reference), keys.prove(principal)]);
    return this.#prepare(reading, feed);
  }

  /**
   * The page in memory, else one built now, but for a caller that was refused a moment ago.
   * @throws {Problem} every 404, 400 and 410
   */
  #prepare(reading: Reading, feed: Feed | undefined): MaybePromise<Prepared> {
    const { call, principal } = reading;
    if (feed === undefined || feed.status !== "active") throw feedNotFound();
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
    if (page !== undefined) return { ...wanted, claim, page };
    if (this.#isAdmittedFirst(call, claim)) return { ...wanted, claim };
    return this.#pages.build(wanted).then((built) => ({ ...wanted, claim, page: built }));
  }

  /** Whose last read was refused, or who has no 304 left, has no page built in vain. */
  #isAdmittedFirst(call: Call, claim: Claim): boolean {
    const { admission } = this.#services;
    return (
      admission.wasRefused(claim) || (isConditional(call) && admission.isFull(revalidation(claim)))
    );
  }

  /** Memory and replicas may be behind what the client has been shown: a condition is the newest page's. */
  async #newest(prepared: Paged, reference: string): Promise<Paged> {
    const feed = await this.#services.feeds.findFresh(reference);
    if (feed === undefined || prepared.page.dataVersion >= feed.dataVersion) return prepared;
    return { ...prepared, page: await this.#pages.atVersion(prepared, feed.dataVersion) };
  }

  /** Admits and answers; plans anew where the feed has changed. */
  #admit(reading: Reading, prepared: Prepared, tries: number): MaybePromise<Answer | Problem> {
    const { call } = reading;
    if (isConditional(call)) {
      return this.#admitConditionally(reading, prepared, tries);
    }
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

  /** HEAD, or with If-None-Match: what needs no page is admitted by its own limit, uncharged. */
  async #admitConditionally(
    reading: Reading,
    prepared: Prepared,
    tries: number,
  ): Promise<Answer | Problem> {
    if (isPaged(prepared)) return this.#revalidate(reading, prepared, { tries });
    const decision = await this.#services.admission.admit(revalidation(prepared.claim));
    if (decision.kind === "stale") return this.#readAnew(reading, tries);
    if (decision.kind === "granted") {
      const paged = await this.#paged(prepared, decision.dataVersion);
      return this.#revalidate(reading, paged, { tries, admitted: decision });
    }
    const changed =
      decision.kind === "limited" ? await this.#changed(reading, prepared) : undefined;
    return changed === undefined
      ? this.#refuseConditional(reading, prepared, decision)
      : this.#revalidate(reading, changed, { tries });
  }

  /** What has changed by its tag alone is read like any other, whatever the limit of a 304. */
  async #changed({ call, reference }: Reading, prepared: Prepared): Promise<Paged | undefined> {
    const { admission, feeds } = this.#services;
    if (call.isHead || admission.wasRefused(prepared.claim)) return undefined;
    const feed = await feeds.findFresh(reference);
    if (feed === undefined) throw feedNotFound();
    const tag = this.#pages.tagAt(prepared, feed.dataVersion);
    if (matchesTag(call.request.headers.get("if-none-match"), tag)) return undefined;
    return this.#paged(prepared, feed.dataVersion);
  }

  /** `admitted` is the revalidation's own grant, where the page was built on it. */
  async #revalidate(
    reading: Reading,
    known: Paged,
    { tries, admitted }: { tries: number; admitted?: Grant },
  ): Promise<Answer | Problem> {
    const { admission, database } = this.#services;
    const { call, reference } = reading;
    const { claim } = known;
    const ifNoneMatch = call.request.headers.get("if-none-match");
    const isUnchanged = ({ page }: Paged) => matchesTag(ifNoneMatch, page.tag);
    const isKnown = ifNoneMatch === null || isUnchanged(known);
    let paged = isKnown ? known : await this.#newest(known, reference);
    if (call.isHead || isUnchanged(paged)) {
      const decision = admitted ?? (await admission.admit(revalidation(claim)));
      if (decision.kind === "stale") return this.#readAnew(reading, tries);
      if (decision.kind === "granted") {
        paged = await this.#paged(paged, decision.dataVersion);
        if (isUnchanged(paged)) return notModified(paged.page);
        if (call.isHead) {
          return this.#answer(call, paged, await standInGrant(database, claim, decision));
        }
      } else {
        // Memory may be behind: what has changed is read like any other, whatever the limit of a 304.
        if (decision.kind === "limited") paged = await this.#newest(paged, reference);
        if (call.isHead || isUnchanged(paged)) {
          return this.#refuseConditional(reading, paged, decision);
        }
      }
    }
    const decision = await admission.admit(claim);
    if (decision.kind === "stale") return this.#readAnew(reading, tries);
    return this.#answerDecided(reading, paged, decision);
  }

  #paged(prepared: Prepared, dataVersion: bigint | null): MaybePromise<Paged> {
    return chain(this.#pages.atVersion(prepared, dataVersion), (page) => ({ ...prepared, page }));
  }

  /** A 402 tells of the window that a GET is counted in. Decisions 10. */
  async #refuseConditional(
    { principal }: Reading,
    { claim }: Prepared,
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
    const { headers, signal } = call.request;
    const idempotencyKey = headers.get("idempotency-key");
    return {
      keyId: principal.keyId,
      accountId: principal.accountId,
      operation: "data",
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
}

/** What may be answered without a body. */
function isConditional({ isHead, request }: Call): boolean {
  return isHead || request.headers.has("if-none-match");
}

function isPaged(prepared: Prepared): prepared is Paged {
  return prepared.page !== undefined;
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
