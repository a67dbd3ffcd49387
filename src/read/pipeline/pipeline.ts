/**
 * Every read, from the request to its answer: `authenticate → find → [304] → reserve → build → log → answer`.
 *
 * This file alone owns the order of the checks, for data, metadata, catalog and search, for GET, HEAD,
 * conditional and idempotent reads. Decisions 2, 6 and 7.
 *
 * What memory says of a feed may be old. A refusal that rests on it is repeated with fresh knowledge before it
 * is told, and a grant is proven by the statement that logs it.
 *
 * @module
 */
import type { Changed } from "../../admission/admission.ts";
import type { Grant, Refusal } from "../../admission/claims.ts";
import { judgeRepeat } from "../../admission/decide.ts";
import type { Proof } from "../../admission/proofs.ts";
import type { Reservation } from "../../admission/reservation.ts";
import type { Principal } from "../../api/callers.ts";
import { keepsChanging, refusalOf } from "../../api/refusals.ts";
import type { Answer } from "../../http/answer.ts";
import type { Call } from "../../http/call.ts";
import { Problem } from "../../http/errors.ts";
import { matchesTag } from "../../http/etag.ts";
import { KeyedMutex } from "../../lib/mutex.ts";
import { PLANS_MAX } from "../../limits.ts";
import type { Services } from "../../services.ts";
import { Projections } from "../projection/turns.ts";
import type { EmptyShown, Resource, Shown } from "./resource.ts";

/** Finds what a call reads. `isFresh`: by what the database says now. @throws {Problem} every 400 and 404 */
type FindResource<Seen> = (isFresh: boolean) => Promise<Resource<Seen>>;

/** An answer, and what it was made of. */
export interface Answered<Seen> {
  readonly answer: Answer;
  readonly seen: Seen;
}

/** What memory said of key or feed is not so: look both up, and act again. */
const STALE = "stale";
type Stale = typeof STALE;

type Outcome<Seen> = Answered<Seen> | Problem | Stale;

/** A call by a known key. */
export interface ReadCall {
  readonly call: Call;
  readonly principal: Principal;
  /** Whether a wait goes on that was counted before: the client has not asked anew. */
  readonly isWakeUp?: boolean | undefined;
}

/** A call for a resource that was found. */
interface Reading<Seen> extends ReadCall {
  readonly resource: Resource<Seen>;
}

export interface ReadPipeline {
  /** Of all reads: an account's take turns, whatever they are of. */
  readonly projections: Projections;
  answer<Seen>(readCall: ReadCall, find: FindResource<Seen>): Promise<Answer | Problem>;
  /** As `answer`, for a caller that goes on from what it has seen. */
  read<Seen>(readCall: ReadCall, find: FindResource<Seen>): Promise<Answered<Seen> | Problem>;
  /** Whether a reader that waits may read on, window and price aside. */
  recheck<Seen>(readCall: ReadCall, find: FindResource<Seen>): Promise<Proof | Problem>;
}

export function createReadPipeline(services: Services): ReadPipeline {
  const { admission, http, keys } = services;
  const turns = new KeyedMutex();

  /** Acts by what memory says of key and feed; where that is not so, by what the database says. */
  async function attempt<Seen, Result extends object>(
    { call, principal: known, isWakeUp }: ReadCall,
    find: FindResource<Seen>,
    act: (reading: Reading<Seen>) => Promise<Result | Problem | Stale>,
  ): Promise<Result | Problem> {
    for (let tries = 1; tries <= PLANS_MAX; tries++) {
      const isFresh = tries > 1;
      const principal = isFresh ? await keys.authenticate(call, "read") : known;
      let resource: Resource<Seen>;
      try {
        resource = await (isFresh ? findProven(principal, find) : find(false));
      } catch (error) {
        // What memory refuses is found anew.
        if (isFresh || !(error instanceof Problem)) throw error;
        continue;
      }
      const outcome = await act({ call, principal, isWakeUp, resource });
      if (outcome !== STALE) return outcome;
    }
    return keepsChanging("The account, or what it reads,");
  }

  /** The order of the checks. What fails before the read was logged costs nothing. */
  async function read<Seen>(reading: Reading<Seen>): Promise<Outcome<Seen>> {
    const { call, resource } = reading;
    const { request } = call;
    if (call.isHead || request.headers.has("if-none-match")) {
      const answered = await answerWithoutBody(reading);
      if (answered !== undefined) return answered;
    }
    const reserved = await reserve(reading);
    if (reserved.kind !== "reserved") return refuse(reading, reserved);
    const { remembered } = reserved;
    try {
      let shown = await resource.build(remembered?.answeredVersion ?? null, remembered);
      // The data has moved since the Idempotency-Key was proven.
      if (remembered !== undefined && shown.version !== remembered.answeredVersion) return STALE;
      if (shown.empty !== undefined) {
        admission.release(reserved);
        return await answerEmpty(reading, shown, shown.empty);
      }
      const { beginsAfter } = shown;
      const isGone = () => request.signal.aborted;
      let logged = await admission.log(reserved, {
        shownVersion: shown.version,
        mustBeNewest: beginsAfter === undefined,
        beginsAfter,
        isGone,
      });
      if (logged.kind === "data_moved") {
        // A version that was the newest after the call came is new enough, whatever is pushed meanwhile.
        shown = await resource.build(logged.version);
        logged = await admission.log(reserved, { shownVersion: shown.version, isGone });
      }
      if (logged.kind === "granted") return await answerLogged(reading, shown, logged);
      return logged.kind === "data_moved" ? STALE : refuse(reading, logged);
    } finally {
      admission.release(reserved);
    }
  }

  /** HEAD, and a GET whose client has what is shown; undefined: the body is needed. */
  async function answerWithoutBody<Seen>(
    reading: Reading<Seen>,
  ): Promise<Outcome<Seen> | undefined> {
    const { call, principal, resource } = reading;
    const { claim } = resource;
    const { caller } = principal;
    const proof = await prove(reading);
    if (isRefused(proof)) return proof;
    const { cachingHeaders, head, seen } = await resource.describe(proof.feed?.dataVersion ?? null);
    const { ETag: tag } = cachingHeaders;
    const ifNoneMatch = call.request.headers.get("if-none-match");
    const isUnchanged = tag !== undefined && matchesTag(ifNoneMatch, tag);
    if (!isUnchanged && !call.isHead) return undefined;
    const limited = countUnlogged(reading);
    if (limited !== undefined) return refuse(reading, limited);
    if (isUnchanged) {
      return { answer: { status: 304, headers: { ...cachingHeaders }, body: null }, seen };
    }
    const unrepeated = judgeRepeat(claim, proof);
    if (unrepeated !== undefined) return refuse(reading, unrepeated);
    const isPriced = proof.remembered === undefined;
    const unpaid = admission.judge(caller, claim, { isWindowed: false, isPriced });
    if (unpaid !== undefined) return refuse(reading, unpaid);
    return { answer: head(admission.windowOf(caller, claim)), seen };
  }

  /** Proves key, feed and purchase as of now. A problem tells why the caller may not read the feed at all. */
  async function prove(reading: Reading<unknown>): Promise<Proof | Problem | Stale> {
    const { caller } = reading.principal;
    const { claim } = reading.resource;
    const proof = await proveClaim(reading);
    if (proof.kind !== "proof") return refuse(reading, proof);
    const unsold = admission.judge(caller, claim, { isWindowed: false, isPriced: false });
    return unsold === undefined ? proof : refuse(reading, unsold);
  }

  /** Proves the claim; `changed` if the feed is not as it was planned by, or the account is not as it is known. */
  async function proveClaim({
    principal,
    resource,
  }: Reading<unknown>): Promise<Proof | Refusal | Changed> {
    const { caller } = principal;
    const { claim } = resource;
    const proof = await admission.prove(caller, claim);
    if (proof.kind !== "proof") return proof;
    const { feed } = claim;
    const isAsPlanned =
      feed === undefined ||
      (proof.feed?.isReadable === true && proof.feed.definitionVersion === feed.definitionVersion);
    return isAsPlanned && caller.account.isCurrent ? proof : { kind: "changed" };
  }

  /** A place and a price. An Idempotency-Key is proven first, and every refusal but that of a full window. */
  function reserve(reading: Reading<unknown>) {
    const { claim } = reading.resource;
    if (claim.idempotency === undefined) {
      const first = admission.reserve(reading.principal.caller, claim);
      if (first.kind === "reserved" || first.kind === "limited") return first;
    }
    return reserveProven(reading);
  }

  async function reserveProven(
    reading: Reading<unknown>,
  ): Promise<Reservation | Refusal | Changed> {
    const { caller } = reading.principal;
    const { account } = caller;
    const { claim } = reading.resource;
    const { newsCount } = account;
    const proof = await proveClaim(reading);
    if (proof.kind !== "proof") return proof;
    if (claim.idempotency === undefined) return admission.reserve(caller, claim);
    // By news that came beside the proof, another process may have used the key since.
    const isNewest = account.newsCount === newsCount || account.version === proof.news.version;
    if (!isNewest) return { kind: "changed" };
    return judgeRepeat(claim, proof) ?? admission.reserve(caller, claim, proof.remembered);
  }

  /** Counts what the client has asked. A provider's pushes wake waits, and must not use up a reader's limit. */
  function countUnlogged({ principal, isWakeUp }: Reading<unknown>): Refusal | undefined {
    return isWakeUp ? undefined : admission.countUnlogged(principal.caller, "revalidate");
  }

  /** Nothing is charged for nothing; but the key must hold, and nothing may have come since. */
  async function answerEmpty<Seen>(
    reading: Reading<Seen>,
    { seen }: Shown<Seen>,
    empty: EmptyShown,
  ): Promise<Outcome<Seen>> {
    const { caller } = reading.principal;
    const proof = await prove(reading);
    if (isRefused(proof)) return proof;
    if (proof.feed?.dataVersion !== empty.version) return STALE;
    const limited = countUnlogged(reading);
    if (limited !== undefined) return refuse(reading, limited);
    return { answer: empty.answer(admission.windowOf(caller, reading.resource.claim)), seen };
  }

  /** A read that was logged is answered; if it can't be, it is refunded. */
  async function answerLogged<Seen>(
    reading: Reading<Seen>,
    shown: Shown<Seen>,
    grant: Grant,
  ): Promise<Answered<Seen>> {
    const { call, principal } = reading;
    let isSent = false;
    try {
      const answer = await shown.answer(grant);
      isSent = !call.request.signal.aborted;
      if (isSent) call.subject.chargedNanos = grant.isReplay ? 0n : grant.receipt.chargeNanos;
      return { answer, seen: shown.seen };
    } finally {
      if (grant.isReplay) {
        // Its event was counted, and seen, before.
      } else if (isSent) http.metrics.readAnswered();
      else await admission.refund(principal.caller, grant);
    }
  }

  /** By what the database says. A key that does not hold is told before all else. */
  async function findProven<Seen>(
    principal: Principal,
    find: FindResource<Seen>,
  ): Promise<Resource<Seen>> {
    const [found, proven] = await Promise.allSettled([find(true), keys.prove(principal)]);
    if (proven.status === "rejected") throw proven.reason;
    if (found.status === "rejected") throw found.reason;
    return found.value;
  }

  function refuse(
    { principal, resource }: Reading<unknown>,
    refusal: Refusal | Changed,
  ): Problem | Stale {
    if (refusal.kind === "changed") return STALE;
    admission.noteRefused(resource.claim.operation, refusal);
    return refusalOf(refusal, {
      principal,
      feedId: resource.claim.feed?.feedId,
      billingUrl: services.billingUrl(),
      nowMs: Date.now(),
    });
  }

  /** Reads under one Idempotency-Key take turns: the second finds what the first left. */
  function readInTurn<Seen>(reading: Reading<Seen>): Promise<Outcome<Seen>> {
    const { principal, resource } = reading;
    const { idempotency } = resource.claim;
    if (idempotency === undefined) return read(reading);
    return turns.run(`${principal.accountId} ${idempotency.key}`, () => read(reading));
  }

  return {
    projections: new Projections(),
    async answer(readCall, find) {
      const outcome = await attempt(readCall, find, readInTurn);
      return outcome instanceof Problem ? outcome : outcome.answer;
    },
    read: (readCall, find) => attempt(readCall, find, readInTurn),
    recheck: (readCall, find) => attempt(readCall, find, prove),
  };
}

function isRefused(outcome: Proof | Problem | Stale): outcome is Problem | Stale {
  return outcome === STALE || outcome instanceof Problem;
}
