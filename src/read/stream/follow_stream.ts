/**
 * Following a stream: page by page, by long poll, or by server-sent events. Every page with events is one read, which
 * is charged and logged before it is sent.
 *
 * See `src/spec/beyond.md`, section 3.
 *
 * @module
 */

import { tooManyWaits } from "../../api/problems/call_refusals.ts";
import { problemOf } from "../../api/problems/problems.ts";
import type { WaitPlace } from "../../feeds/waits.ts";
import { type Answer, CACHE_PRIVATE } from "../../http/answer.ts";
import { Problem, problemAnswer, unavailable } from "../../http/problem_details.ts";
import { eventStream, eventText, KEEP_ALIVE, offsetText } from "../../http/sse_body.ts";
import { assert } from "../../lib/assert.ts";
import { SharedInterval } from "../../lib/shared_interval.ts";
import { MS_PER_SECOND } from "../../lib/time_units.ts";
import { FOLLOW_MS_MAX, UNREAD_EVENT_MS_MAX } from "../../limits.ts";
import type { Services } from "../../services.ts";
import type { ReadCall } from "../pipeline/attempts.ts";
import type { ReadPipeline } from "../pipeline/pipeline.ts";
import type { Resource } from "../pipeline/resource.ts";
import { createTailReads, type Tail, type TailRead } from "./read_tail.ts";

/** How often a paused stream checks whether its client is still connected, and how long a poll waits out a change. */
const PAUSE_MS = 1_000;
/** Sends a comment on every open stream each 15 seconds. */
const COMMENTS = new SharedInterval(15_000);
/** How often an open stream checks whether its key and feed are still valid. */
const RECHECK_MS = 15_000;
/** How soon a client should reconnect. */
const RECONNECT_MS = 1_000;

export function createFollow(services: Services, reads: ReadPipeline) {
  const { http, intervals, waits } = services;
  const findTail = createTailReads(services, reads.projections);

  /** The next page. HEAD sees none. */
  function readPage(readCall: ReadCall, read: TailRead) {
    return reads.read(readCall, (isFresh) => findTail(readCall, read, isFresh));
  }

  /** The next page with events, or 204 if none arrive in time. */
  async function longPoll(
    readCall: ReadCall,
    read: TailRead,
    seconds: number,
  ): Promise<Answer | Problem> {
    const { signal } = readCall.call.request;
    const endsMs = performance.now() + seconds * MS_PER_SECOND;
    let place: WaitPlace | undefined;
    let { offset } = read;
    try {
      for (;;) {
        const isWakeUp = place !== undefined;
        const page = await readPage({ ...readCall, isWakeUp }, { ...read, offset });
        if (page instanceof Problem) {
          // What it waits for may change faster than it can be read.
          const pauseMs = isWakeUp && page.code === "UNAVAILABLE" ? PAUSE_MS : Infinity;
          if (performance.now() + pauseMs >= endsMs || waits.isDraining) return page;
          await Bun.sleep(pauseMs);
          continue;
        }
        const { answer, seen: tail } = page;
        if (tail?.isEmpty !== true) return answer;
        place ??= waits.enter(readCall.principal.accountId, signal);
        if (place === undefined) return tooManyWaits();
        offset = tail.nextOffset;
        const end = await place.until({
          feedId: tail.feedId,
          version: tail.dataVersion,
          msMax: endsMs - performance.now(),
        });
        if (end !== "moved") return nothingCame(offset, waits.isDraining);
      }
    } finally {
      readCall.call.subject.waitedMs = place?.waitedMs;
      place?.leave();
    }
  }

  /** Server-sent events. `onEnd` is called when the stream has ended. */
  async function events(
    readCall: ReadCall,
    read: TailRead,
    onEnd: () => void,
  ): Promise<Answer | Problem> {
    // If there is a problem from the start, the answer has its status.
    const proof = await reads.recheck(readCall, (isFresh) => findTail(readCall, read, isFresh));
    if (proof instanceof Problem) return proof;
    // The position of `now` is resolved at once, because the first page may have to wait for room in the window.
    const offset = read.offset === "now" ? await endOf(readCall, read) : read.offset;
    const place = waits.enter(readCall.principal.accountId, readCall.call.request.signal);
    if (place === undefined) return tooManyWaits();
    return eventStream(follow(readCall, { ...read, offset }, place), {
      comments: COMMENTS,
      unreadMsMax: UNREAD_EVENT_MS_MAX,
      onEnd: () => {
        place.leave();
        onEnd();
      },
    });
  }

  /** The offset after the newest event. */
  async function endOf(readCall: ReadCall, read: TailRead): Promise<string> {
    const { build } = await findTail(readCall, { ...read, offset: "now" }, false);
    const { seen } = await build(null);
    assert(seen !== undefined, "a page has a tail");
    return seen.nextOffset;
  }

  /** Yields events until a problem ends the stream. The last event contains the problem. */
  async function* follow(
    readCall: ReadCall,
    read: TailRead,
    place: WaitPlace,
  ): AsyncGenerator<string, void, void> {
    const { request, requestId } = readCall.call;
    const endsMs = performance.now() + FOLLOW_MS_MAX;
    const isStillAt = stillAt(readCall, read);
    // The first interval is random, because many clients may reconnect at the same time.
    let recheckMs = RECHECK_MS * Math.random();
    const waitFor = ({ feedId, dataVersion: version }: Tail) => {
      const msMax = recheckMs;
      recheckMs = RECHECK_MS;
      return { feedId, version, msMax };
    };
    let { offset } = read;
    let isWakeUp = false;
    // Sent at once, so that the client knows that it is connected.
    yield `retry: ${RECONNECT_MS}\n${KEEP_ALIVE}`;
    // With an offset, a client that is cut off before its first event misses nothing.
    if (read.sentOffset === "now") yield offsetText(offset);
    try {
      while (!isOver(request.signal, endsMs)) {
        const page = await readPage({ ...readCall, isWakeUp }, { ...read, offset }).catch(
          passingProblem,
        );
        const tail = page instanceof Problem ? undefined : page.seen;
        let pauseMs = 0;
        // The page itself is not kept in memory while the stream waits.
        let isUpToDate = false;
        if (page instanceof Problem) {
          pauseMs = Number(passingProblem(page).options.extras?.retry_after_ms);
        } else {
          assert(tail !== undefined, "an answer has a page");
          isWakeUp = true;
          ({ nextOffset: offset, isUpToDate } = tail);
          if (!tail.isEmpty) {
            yield eventText({ name: "rows", id: offset, data: bodyText(page.answer) });
            pauseMs = intervals.rowEvents;
          }
        }
        for (let pausedMs = 0; pausedMs < pauseMs; pausedMs += PAUSE_MS) {
          // A full window hides that the key or the feed is no longer valid.
          if (pausedMs > 0 && pausedMs % RECHECK_MS === 0) await isStillAt(0n);
          await Bun.sleep(Math.min(pauseMs - pausedMs, PAUSE_MS));
          if (isOver(request.signal, endsMs)) return;
        }
        if (tail === undefined || !isUpToDate) continue;

        while ((await place.until(waitFor(tail))) !== "moved") {
          if (isOver(request.signal, endsMs)) return;
          if (!(await isStillAt(tail.dataVersion))) break;
        }
      }
    } catch (error) {
      const problem = problemOf(error);
      if (problem.code === "INTERNAL") {
        http.log.error("stream failed", { request_id: requestId, error });
      }
      yield endEvent(problem, requestId);
    }
  }

  /** Whether the client has disconnected. @throws {Problem} if the stream must end for another reason */
  function isOver(signal: AbortSignal, endsMs: number): boolean {
    if (signal.aborted) return true;
    if (waits.isDraining) {
      throw unavailable("The gateway is shutting down. Reconnect in a second with Last-Event-ID.");
    }
    if (performance.now() >= endsMs) {
      throw unavailable("The stream has been open for 15 minutes. Reconnect with Last-Event-ID.");
    }
    return false;
  }

  /**
   * Returns a test for whether the feed is still at a version. If the database does not answer, assumes that it is. The
   * feed is found only once, because that takes as long as the rest. @throws {Problem} if the key or the feed is no
   * longer valid
   */
  function stillAt(readCall: ReadCall, read: TailRead): (version: bigint) => Promise<boolean> {
    // The offset does not matter here, and decoding a token takes longer than all the rest.
    const anywhere = { ...read, offset: "now" };
    let found: Promise<Resource<unknown>> | undefined;
    const find = (isFresh: boolean) => {
      if (isFresh || found === undefined) {
        found = findTail(readCall, anywhere, isFresh);
      }
      return found;
    };
    return async (version) => {
      const proof = await reads.recheck(readCall, find).catch(passingProblem);
      if (!(proof instanceof Problem)) return proof.feed?.dataVersion === version;
      passingProblem(proof);
      return true;
    };
  }

  function endEvent(problem: Problem, requestId: string): string {
    const context = { requestId, isKeyed: true, baseUrl: http.baseUrl() };
    return eventText({ name: "end", data: bodyText(problemAnswer(problem, context)) });
  }

  return {
    /** The next page, without waiting. */
    page: (readCall: ReadCall, read: TailRead) =>
      reads.answer(readCall, (isFresh) => findTail(readCall, read, isFresh)),
    longPoll,
    events,
  };
}

function nothingCame(offset: string, isDraining: boolean): Answer {
  return {
    status: 204,
    headers: {
      "Cache-Control": CACHE_PRIVATE,
      "Feedgate-Next-Offset": offset,
      ...(isDraining && { "Retry-After": "1" }),
    },
    body: null,
  };
}

/** A problem that may pass while the stream waits: a full window, an unreachable database. @throws every other error */
function passingProblem(error: unknown): Problem {
  const problem = problemOf(error);
  if (problem.code !== "RATE_LIMITED" && problem.code !== "UNAVAILABLE") throw error;
  return problem;
}

function bodyText({ body }: Answer): string {
  assert(typeof body === "string", "a page and a problem are texts");
  return body;
}
