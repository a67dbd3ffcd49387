/**
 * Every read, from the request to its answer: `authenticate → find → [304] → reserve → build → log → answer`.
 *
 * This file alone decides the order of the checks, for data, metadata, catalog, and search, and for GET, HEAD,
 * conditional, and idempotent reads. What memory knows of a feed may be stale, so a refusal based on memory is decided
 * again by the database's state before it is answered. A grant is proven by the statement that logs it.
 *
 * See `src/spec/decisions.md`, sections 2 and 6.
 *
 * @module
 */
import type { Changed } from "../../admission/admission.ts";
import type { Grant, Refusal } from "../../admission/claims.ts";
import { judgeRepeat } from "../../admission/decide.ts";
import type { Proof } from "../../admission/proofs.ts";
import type { Reservation } from "../../admission/reservation.ts";
import type { Answer } from "../../http/answer.ts";
import { isAnyTag, matchesTag } from "../../http/etag.ts";
import { Problem } from "../../http/problem_details.ts";
import type { Services } from "../../services.ts";
import { Projections } from "../projection/turns.ts";
import {
  type Attempt,
  Attempts,
  type Find,
  isNewest,
  type ReadCall,
  STALE,
  type Stale,
} from "./attempts.ts";
import type { EmptyShown, Resource, Shown } from "./resource.ts";

/** Finds what a call reads. */
type FindResource<Seen> = Find<Resource<Seen>>;

/** An answer, and what it was made from. */
export interface Answered<Seen> {
  readonly answer: Answer;
  readonly seen: Seen;
}

type Outcome<Seen> = Answered<Seen> | Problem | Stale;

/** A call for a resource that was found. */
type Reading<Seen> = Attempt<Resource<Seen>>;

export interface ReadPipeline {
  /** Shared by all reads, so that an account has one turn, whatever it reads. */
  readonly projections: Projections;
  /** Shared by all admitted calls. */
  readonly attempts: Attempts;
  answer<Seen>(readCall: ReadCall, find: FindResource<Seen>): Promise<Answer | Problem>;
  /** Like `answer`, for a caller that continues from what it has seen. */
  read<Seen>(readCall: ReadCall, find: FindResource<Seen>): Promise<Answered<Seen> | Problem>;
  /** Whether a waiting reader may continue to read. Ignores window and price. */
  recheck<Seen>(readCall: ReadCall, find: FindResource<Seen>): Promise<Proof | Problem>;
}

export function createReadPipeline(services: Services): ReadPipeline {
  const { admission, http } = services;
  const attempts = new Attempts(services);

  /** Runs the checks in order. If the read fails before it is logged, it costs nothing. */
  async function read<Seen>(reading: Reading<Seen>): Promise<Outcome<Seen>> {
    const { call, resource } = reading;
    const { request } = call;
    if (call.isHead || request.headers.has("if-none-match")) {
      const answered = await answerWithoutBody(reading);
      if (answered !== undefined) return answered;
    }
    const first = await reserve(reading);
    if (first.kind !== "reserved") return attempts.refuse(reading, first);
    const { remembered } = first;
    let reserved = first;
    try {
      let shown = await resource.build(remembered?.answeredVersion ?? null, remembered);
      // The data has moved since the Idempotency-Key was proven.
      if (remembered !== undefined && shown.version !== remembered.answeredVersion) return STALE;
      if (shown.empty !== undefined) {
        admission.release(reserved);
        return await answerEmpty(reading, shown, shown.empty);
      }
      if (shown.units !== undefined && remembered === undefined) {
        const exact = admission.reserveAgain(reserved, shown.units);
        if (exact.kind !== "reserved") return STALE;
        reserved = exact;
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
        // A version that was the newest after the call arrived is new enough, even if more is pushed during the build.
        shown = await resource.build(logged.version);
        logged = await admission.log(reserved, { shownVersion: shown.version, isGone });
      }
      if (logged.kind === "granted") return await answerLogged(reading, shown, logged);
      return logged.kind === "data_moved" ? STALE : attempts.refuse(reading, logged);
    } finally {
      admission.release(reserved);
    }
  }

  /** Answers HEAD, and a GET whose client already has the page. Undefined if the body is needed. */
  async function answerWithoutBody<Seen>(
    reading: Reading<Seen>,
  ): Promise<Outcome<Seen> | undefined> {
    const { call, principal, resource } = reading;
    const { claim } = resource;
    const { caller } = principal;
    const proof = await prove(reading);
    if (isRefused(proof)) return proof;
    const ifNoneMatch = call.request.headers.get("if-none-match");
    const isPriced = proof.remembered === undefined;
    const unpaid = admission.judge(caller, claim, { isWindowed: false, isPriced });
    // Nobody learns of rows, or has pages built, without being able to pay for them. Only a client that may already have
    // the page gets its 304 with an empty balance.
    const mayHavePage = ifNoneMatch !== null && !isAnyTag(ifNoneMatch);
    if (unpaid !== undefined && !mayHavePage) return attempts.refuse(reading, unpaid);
    // A page that is built for a tag that may be made up is counted, whatever it shows.
    const early = unpaid === undefined ? undefined : countUnlogged(reading);
    if (early !== undefined) return attempts.refuse(reading, early);
    const described = await resource
      .describe(proof.feed?.dataVersion ?? null)
      .catch((error: unknown) => {
        // Whether a read is a 400 may depend on the rows.
        if (unpaid !== undefined && error instanceof Problem && error.status === 400) return unpaid;
        throw error;
      });
    if ("kind" in described) return attempts.refuse(reading, described);
    const { cachingHeaders, head, seen } = described;
    const { ETag: tag } = cachingHeaders;
    const isUnchanged = tag !== undefined && matchesTag(ifNoneMatch, tag);
    if (!isUnchanged && !call.isHead) return undefined;
    const limited = unpaid === undefined ? countUnlogged(reading) : undefined;
    if (limited !== undefined) return attempts.refuse(reading, limited);
    if (isUnchanged) {
      return { answer: { status: 304, headers: { ...cachingHeaders }, body: null }, seen };
    }
    const unrepeated = judgeRepeat(claim, proof);
    if (unrepeated !== undefined) return attempts.refuse(reading, unrepeated);
    if (unpaid !== undefined) return attempts.refuse(reading, unpaid);
    return { answer: head(admission.windowOf(caller, claim)), seen };
  }

  /** Proves key, feed, and purchase now. Returns a problem if the caller may not read the feed at all. */
  async function prove(reading: Reading<unknown>): Promise<Proof | Problem | Stale> {
    const { caller } = reading.principal;
    const { claim } = reading.resource;
    const proof = await attempts.prove(reading);
    if (proof.kind !== "proof") return attempts.refuse(reading, proof);
    const unsold = admission.judge(caller, claim, { isWindowed: false, isPriced: false });
    return unsold === undefined ? proof : attempts.refuse(reading, unsold);
  }

  /** Reserves. An Idempotency-Key is proven first, and so is every refusal except that of a full window. */
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
    const { claim } = reading.resource;
    const { newsCount } = caller.account;
    const proof = await attempts.prove(reading);
    if (proof.kind !== "proof") return proof;
    if (claim.idempotency === undefined) return admission.reserve(caller, claim);
    if (!isNewest(caller, newsCount, proof)) return { kind: "changed" };
    return judgeRepeat(claim, proof) ?? admission.reserve(caller, claim, proof.remembered);
  }

  /** Counts a call once. Pushes wake a waiting call repeatedly, and that must not use up the reader's limit. */
  function countUnlogged({ principal, isWakeUp }: Reading<unknown>): Refusal | undefined {
    return isWakeUp ? undefined : admission.countUnlogged(principal.caller, "revalidate");
  }

  /** An empty page costs nothing. The key must still be valid, and no event may have arrived since. */
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
    if (limited !== undefined) return attempts.refuse(reading, limited);
    return { answer: empty.answer(admission.windowOf(caller, reading.resource.claim)), seen };
  }

  /** Answers a read that was logged. If it can't be answered, it is refunded. */
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
        // A replay is not counted, because the first answer of this usage event was.
      } else if (isSent) http.metrics.readAnswered();
      else await admission.refund(principal.caller, grant);
    }
  }

  function readInTurn<Seen>(reading: Reading<Seen>): Promise<Outcome<Seen>> {
    return attempts.inTurn(reading, () => read(reading));
  }

  return {
    projections: new Projections(),
    attempts,
    // An async function here would add 4 % to the processor time of a refused read.
    answer: (readCall, find) => attempts.run(readCall, find, readInTurn).then(answerOf),
    read: (readCall, find) => attempts.run(readCall, find, readInTurn),
    recheck: (readCall, find) => attempts.run(readCall, find, prove),
  };
}

function isRefused(outcome: Proof | Problem | Stale): outcome is Problem | Stale {
  return outcome === STALE || outcome instanceof Problem;
}

function answerOf<Seen>(outcome: Answered<Seen> | Problem): Answer | Problem {
  return outcome instanceof Problem ? outcome : outcome.answer;
}
