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
import { createPages, type Pages, type PageWanted } from "./pages.ts";
import { createPlans, type Plans } from "./plans.ts";

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
    const { call, reference } = reading;
    return attempt(
      () => chain(this.#services.feeds.find(reference), (feed) => this.#prepare(call, feed)),
      (error) => {
        if (error instanceof Problem) return this.#prepareProven(reading);
        throw error;
      },
    );
  }

  async #prepareProven({ call, reference, principal }: Reading): Promise<Prepared> {
    const { feeds, keys } = this.#services;
    const [feed] = await Promise.all([feeds.findFresh(reference), keys.prove(principal)]);
    return this.#prepare(call, feed);
  }

  /** The newest page known, else one built now. @throws {Problem} every 404, 400 and 410. */
  #prepare(call: Call, feed: Feed | undefined): MaybePromise<Prepared> {
    if (feed === undefined || feed.status !== "active") throw feedNotFound();
    call.subject.feedId = feed.feedId;
    if (!feed.hasData) {
      throw new Problem("FEED_NOT_SYNCED", {
        detail: "The feed is active, but its provider has pushed no data yet; try again later.",
      });
    }
    const wanted = { feed, planned: this.#plans(call.search, feed) };
    return chain(this.#pages.newestKnown(wanted), (page) => ({ ...wanted, page }));
  }

  /** Memory and replicas may be behind what the client has been shown: a condition is the newest page's. */
  async #newest(prepared: Prepared, reference: string): Promise<Prepared> {
    const feed = await this.#services.feeds.findFresh(reference);
    if (feed === undefined || prepared.page.dataVersion >= feed.dataVersion) return prepared;
    return { ...prepared, page: await this.#pages.atVersion(prepared, feed.dataVersion) };
  }

  /** Admits and answers; plans anew where the feed has changed. */
  #admit(reading: Reading, prepared: Prepared, tries: number): MaybePromise<Answer | Problem> {
    const { call } = reading;
    if (call.isHead || call.request.headers.has("if-none-match")) {
      return this.#admitConditionally(reading, prepared, tries);
    }
    const claim = this.#claimOf(reading, prepared);
    return chain(this.#services.admission.admit(claim), (decision) =>
      decision.kind === "stale"
        ? this.#readAnew(reading, tries)
        : this.#answerDecided(call, prepared, { claim, decision }),
    );
  }

  async #readAnew(reading: Reading, tries: number): Promise<Answer | Problem> {
    if (tries < TRIES_MAX)
      return this.#admit(reading, await this.#prepareProven(reading), tries + 1);
    throw unavailable("The feed is being changed again and again; try again in a second.");
  }

  /** HEAD, or with If-None-Match: what needs no page is admitted by its own limit, uncharged. */
  async #admitConditionally(
    reading: Reading,
    known: Prepared,
    tries: number,
  ): Promise<Answer | Problem> {
    const { admission, database } = this.#services;
    const { call, reference } = reading;
    const ifNoneMatch = call.request.headers.get("if-none-match");
    const isUnchanged = ({ page }: Prepared) => matchesTag(ifNoneMatch, page.tag);
    const isKnown = ifNoneMatch === null || isUnchanged(known);
    let prepared = isKnown ? known : await this.#newest(known, reference);
    const claim = this.#claimOf(reading, prepared);
    if (call.isHead || isUnchanged(prepared)) {
      const decision = await admission.admit(revalidation(claim));
      if (decision.kind === "stale") return this.#readAnew(reading, tries);
      if (decision.kind === "granted") {
        const page = await this.#pages.atVersion(prepared, decision.dataVersion);
        prepared = { ...prepared, page };
        if (isUnchanged(prepared)) return notModified(page);
        if (call.isHead) {
          return this.#answer(call, prepared, await standInGrant(database, claim, decision));
        }
      } else {
        // Memory may be behind: what has changed is read like any other, whatever the limit of a 304.
        if (decision.kind === "limited") prepared = await this.#newest(prepared, reference);
        if (call.isHead || isUnchanged(prepared)) return this.#refuseConditional(claim, decision);
      }
    }
    const decision = await admission.admit(claim);
    if (decision.kind === "stale") return this.#readAnew(reading, tries);
    return this.#answerDecided(call, prepared, { claim, decision });
  }

  /** A 402 tells of the window that a GET is counted in. Decisions 10. */
  async #refuseConditional(
    claim: Claim,
    decision: Exclude<Decision, Grant | { kind: "stale" }>,
  ): Promise<Problem> {
    const isUnpaid = decision.kind === "not_purchased" || decision.kind === "unpaid";
    const looked = isUnpaid ? await lookAtWindow(this.#services.database, claim) : undefined;
    return this.#refuse({ ...decision, ...(looked && { window: looked.window }) });
  }

  #refuse(decision: Exclude<Decision, Grant | { kind: "stale" }>): Problem {
    const billingUrl = this.#services.billingUrl();
    return refusalOf(decision, { permission: "read", billingUrl, nowMs: Date.now() });
  }

  #answerDecided(
    call: Call,
    prepared: Prepared,
    {
      claim,
      decision,
    }: { readonly claim: Claim; readonly decision: Exclude<Decision, { kind: "stale" }> },
  ): MaybePromise<Answer | Problem> {
    if (decision.kind !== "granted") return this.#refuse(decision);
    const { admission, http } = this.#services;
    return refundedOnFault(admission, { claim, grant: decision }, () =>
      chain(this.#pages.atVersion(prepared, decision.dataVersion), (page) =>
        chain(this.#answer(call, { ...prepared, page }, decision), (made) => {
          // A replay's event was counted when it was made.
          if (!decision.isReplay) http.metrics.readAnswered();
          return made;
        }),
      ),
    );
  }

  #answer(call: Call, { feed, planned, page }: Prepared, grant: Grant): MaybePromise<Answer> {
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

  #claimOf({ call, principal }: Reading, { feed, planned }: Prepared): Claim {
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
