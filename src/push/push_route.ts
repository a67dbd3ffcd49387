/**
 * `POST /provider/feed/{feed_id}/push`: rows or a document into a feed. Interface 4.6, decisions 2 and 5.
 *
 * This file is the HTTP side of a push: it receives the body, hands it to `pushToFeed`, and answers. Every
 * push that is counted tells of the feed's window in its headers. A refused one leaves a row in the feed's
 * history, unless it is a dry run; `pushToFeed` does the same for one that is stored.
 *
 * @module
 */

import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { authenticated } from "../api/auth.ts";
import type { Principal } from "../api/callers.ts";
import {
  BODY_PROBLEMS,
  COUNTED,
  described,
  documented,
  OWN_FEED_PARAMS,
} from "../api/described.ts";
import { PUSH_RESULT, ROWS } from "../api/examples.ts";
import { feedForbidden, feedSuspended } from "../api/feed_problems.ts";
import { RATE_HEADERS } from "../api/header_docs.ts";
import { parameters, queryFlag } from "../api/parameters.ts";
import { problemOf } from "../api/problems.ts";
import { rateHeaders, rateLimited } from "../api/rate_headers.ts";
import { keepsChanging } from "../api/refusals.ts";
import { type Feed, type Feeds, findOwned } from "../feeds/find.ts";
import { type Answer, privateJson } from "../http/answer.ts";
import type { Call } from "../http/call.ts";
import { Problem, unavailable } from "../http/errors.ts";
import type { HoldBytes } from "../http/load/body_budget.ts";
import { uploads } from "../http/load/uploads.ts";
import { bodyTextOf, mediaTypeOf, receiveBody } from "../http/read_body.ts";
import { respond } from "../http/respond.ts";
import { present, unreachable } from "../lib/assert.ts";
import type { Limits } from "../limits.ts";
import { DatabaseUnavailableError } from "../postgres/client/query.ts";
import type { Services } from "../services.ts";
import { bodyLimitOf, type Push, type PushBody } from "./parse_push.ts";
import {
  type Arrival,
  type PushOutcome,
  type PushServices,
  pushToFeed,
  refuseUnchecked,
} from "./push_feed.ts";
import { payloadTooLarge, problemOfRefusal } from "./push_problems.ts";
import { PushBodyShape, PushResultShape } from "./push_shapes.ts";
import { createPushStore, type StoredPush } from "./store_push.ts";

const PUSH_QUERY = parameters({
  dry_run: Type.Optional(
    queryFlag({ description: "Run every check, store nothing, and answer as the push would." }),
  ),
});

const PUSH_FEED = described({
  access: "provider",
  window: "push",
  operationId: "pushFeed",
  tag: "provider",
  summary: "Push data into a feed",
  description: [
    "A push is stored as a whole or not at all, and the first successful one activates the feed.",
    "Singleton: one object replaces the document. Collection: rows go into the current batch, or into a batch of their own that is swapped in by `batch_complete`. Stream: events are appended; a row id that is there already is skipped, so a push can be repeated.",
    "Values come back as they were pushed, long numbers and key order included. The body may be gzip-encoded; rows may also be sent as lines (`application/x-ndjson`).",
  ].join("\n\n"),
  answers: {
    200: documented(PushResultShape, {
      description: "Stored; or, in a dry run, found fit to be stored.",
      headers: ["Cache-Control", ...RATE_HEADERS],
      examples: { Stored: PUSH_RESULT, "Dry run": { ...PUSH_RESULT, dry_run: true } },
    }),
  },
  problems: [
    ...BODY_PROBLEMS,
    "SCHEMA_INVALID",
    "FEED_FORBIDDEN",
    "FEED_SUSPENDED",
    "BATCH_CLOSED",
    ...COUNTED,
  ],
});
const PUSH_BODY = documented(PushBodyShape, {
  description: "At most 4 MB for a singleton, else 2 MB, 500 rows, 50 KB a row by default.",
  examples: {
    "Events of a stream": { payload: ROWS },
    "Last part of a batch": {
      payload: [{ id: 1, city: "Lima", temperature: 19.4 }],
      batch_id: "2026-11-21",
      batch_complete: true,
    },
    "A singleton's document": { payload: { temperature: 21.5, unit: "C" } },
    "The payload alone": ROWS,
  },
  mediaTypes: {
    "application/json": {},
    "application/x-ndjson": {
      schema: Type.String(),
      example: ROWS.map((row) => JSON.stringify(row)).join("\n"),
    },
  },
});

/** By the letter of `push_to_feed`. */
const ROW_OUTCOMES = new Map<string, "inserted" | "updated" | "duplicate">([
  ["i", "inserted"],
  ["u", "updated"],
  ["d", "duplicate"],
]);

export function pushRoutes(services: Services) {
  const { storedFeeds: feeds, rowSchemas, database, waits, bodies } = services;
  const { limits } = services.config;
  const store = createPushStore(database, limits.pushes);
  const onMoved = waits.moved.bind(waits);
  const pushes: PushServices = { feeds, rowSchemas, limits, store, onMoved };
  return new Elysia({ name: "push" })
    .use(authenticated(services.keys, "write"))
    .use(uploads())
    .post(
      "/provider/feed/:feed_id/push",
      async ({ call, principal, params, query }) => {
        const startedMs = performance.now();
        const { accountId, keyId } = principal;
        const feed = await findUsable(feeds, accountId, params.feed_id);
        call.subject.feedId = feed.feedId;
        const limited = store.findLimited(feed.feedId);
        if (limited !== undefined) throw rateLimited(limited, Date.now());
        const { signal } = call.request;
        const isDryRun = query.dry_run ?? false;
        const arrival = { call, principal, keyId, feed, isDryRun, startedMs, signal };
        const answer = await bodies.whileHeld(accountId, (hold) =>
          answerPush(services, pushes, { ...arrival, hold }),
        );
        return respond(answer);
      },
      { parse: "none", params: OWN_FEED_PARAMS, query: PUSH_QUERY, body: PUSH_BODY, ...PUSH_FEED },
    );
}

/** A push that was let in, and its request. */
interface PushCall extends Arrival {
  readonly call: Call;
  readonly principal: Principal;
  readonly hold: HoldBytes;
}

/** @throws {Problem} 403 for a feed that is not the account's, or is suspended */
async function findUsable(feeds: Feeds, accountId: string, reference: string): Promise<Feed> {
  const known = await findOwned(feeds, accountId, reference);
  // What memory says is suspended may have been resumed.
  const isSuspended = known !== undefined && known.suspensionReason !== null;
  const feed = isSuspended ? await feeds.findFresh(accountId, known.feedId) : known;
  if (feed === undefined) throw feedForbidden();
  if (feed.suspensionReason !== null) throw feedSuspended(feed.suspensionReason);
  return feed;
}

/** @throws {Problem} every refusal */
async function answerPush(
  services: Services,
  pushes: PushServices,
  push: PushCall,
): Promise<Answer> {
  const { metrics } = services.http;
  const { call, isDryRun, feed } = push;
  const body = await receive(push, pushes.limits);
  const outcome =
    "problem" in body
      ? await refuseUnchecked(pushes, push, { kind: "unreadable", problem: body.problem })
      : await pushToFeed(pushes, push, body).catch((error) =>
          refuseFailed(services, pushes, { push, error }),
        );
  const isCounted = outcome.kind === "stored" || outcome.kind === "refused";
  const decided = isCounted ? "granted" : outcome.kind;
  metrics.decided({ operation: "push", outcome: decided, isLogged: false, credits: 0 });
  if (!isCounted) throw await problemOfUncounted(services, push, outcome);
  const headers = rateHeaders(outcome.window, Date.now());
  if (outcome.kind === "refused") {
    const { refusal, feedType, rowsReceived } = outcome;
    const problem = problemOfRefusal(refusal, call.request);
    if (!isDryRun) {
      metrics.pushed({ feedType: feedType ?? "undecided", outcome: "refused", rows: rowsReceived });
      const refused = { problem, bodyBytes: body.bytes, rowsReceived };
      if (refusal.kind !== "failed") await record(services, push, refused);
    }
    const { code, options, status } = problem;
    throw new Problem(code, { ...options, status, headers: { ...headers, ...options.headers } });
  }
  const { feedType, rows } = outcome.push;
  if (!isDryRun) metrics.pushed({ feedType, outcome: "stored", rows: rows.length });
  return {
    headers: { ...privateJson(), ...headers },
    body: JSON.stringify(receiptOf(feed.feedId, outcome, isDryRun)),
  };
}

interface Unreadable {
  readonly problem: Problem;
  /** 0 if the body did not come in whole. */
  readonly bytes: number;
}

/** Media type and body. @throws {Problem} 503 if there is no room for bodies: not counted */
async function receive(
  { call: { request }, feed: { feedType }, hold }: PushCall,
  limits: Limits,
): Promise<PushBody | Unreadable> {
  let bytes = 0;
  try {
    // A singleton takes JSON only, because lines of rows are not a document.
    const form = mediaTypeOf(request, { ndjson: feedType !== "singleton" });
    if (form instanceof Problem) throw form;
    const limit = bodyLimitOf(form === "ndjson" ? "collection" : feedType, limits);
    const tooLarge = () => payloadTooLarge(limit);
    const received = await receiveBody(request, { bytesMax: limit.most, tooLarge, hold });
    bytes = received.length;
    return { form, text: bodyTextOf(received), bytes };
  } catch (error) {
    if (!(error instanceof Problem) || error.code === "UNAVAILABLE") throw error;
    return { problem: error, bytes };
  }
}

/** Counts a push that failed by a fault of ours, since its own count was rolled back. */
async function refuseFailed(
  { log }: Services,
  pushes: PushServices,
  { push, error }: { push: PushCall; error: unknown },
): Promise<PushOutcome> {
  if (error instanceof DatabaseUnavailableError) throw error;
  let outcome: PushOutcome | undefined;
  try {
    outcome = await refuseUnchecked(pushes, push, { kind: "failed", problem: problemOf(error) });
    return outcome;
  } finally {
    // Otherwise it is logged as the answer's cause.
    if (outcome?.kind !== "refused") {
      log.error("push failed", { request_id: push.call.requestId, error });
    }
  }
}

/** The problem of a push that was not counted. If the key is no longer usable, that problem comes first. */
async function problemOfUncounted(
  { keys }: Services,
  { principal }: PushCall,
  outcome: Exclude<PushOutcome, { kind: "stored" | "refused" }>,
): Promise<Problem> {
  switch (outcome.kind) {
    case "limited":
      return rateLimited(outcome, Date.now());
    case "key_refused":
      await keys.prove(principal);
      // The key is usable again.
      return unavailable("The key was refused a moment ago and holds now. Try again in a second.");
    case "feed_deleted":
      return feedForbidden();
    case "feed_suspended":
      return feedSuspended(outcome.reason);
    case "feed_keeps_changing":
      return keepsChanging("The feed");
    default:
      return unreachable(outcome);
  }
}

/** Writes a refusal into the feed's history. If that fails, the refusal is answered all the same. */
async function record(
  { database, log }: Services,
  { call, startedMs, feed: { feedId } }: PushCall,
  refused: { problem: Problem; bodyBytes: number; rowsReceived: number },
): Promise<void> {
  const { problem, bodyBytes, rowsReceived } = refused;
  const { code, options } = problem;
  const elapsedMs = Math.round(performance.now() - startedMs);
  try {
    await database.row("record_push", {
      feed_id: feedId,
      code,
      detail: options.detail,
      rows_received: rowsReceived,
      body_bytes: BigInt(bodyBytes),
      duration_ms: elapsedMs,
    });
  } catch (error) {
    log.warn("refused push not recorded", { request_id: call.requestId, feed: feedId, error });
  }
}

/** Decisions 5. */
function receiptOf(
  feedId: string,
  { push, stored }: Extract<PushOutcome, { kind: "stored" }>,
  isDryRun: boolean,
): Static<typeof PushResultShape> {
  const outcomes = Array.from(stored.rowOutcomes, (letter) => present(ROW_OUTCOMES.get(letter)));
  const unseen = whyUnseen(push, stored);
  const count = (outcome: string) => outcomes.filter((each) => each === outcome).length;
  return {
    feed_id: feedId,
    feed_type: push.feedType,
    status: stored.status,
    rows_received: push.rows.length,
    rows_inserted: count("inserted"),
    rows_updated: count("updated"),
    rows_duplicate: count("duplicate"),
    row_outcomes: outcomes,
    batch_id: push.batchId,
    batch_complete: push.isComplete,
    is_visible: unseen.length === 0,
    ...(unseen.length > 0 && { detail: unseen.join(" ") }),
    last_sync_at: stored.lastSyncAt,
    data_version: Number(stored.dataVersion),
    ...(isDryRun && { dry_run: true }),
  };
}

/** Why readers don't see the rows now, and what to do about it: a sentence for each reason. Beyond 11. */
function whyUnseen({ batchId }: Push, { status, isStaged }: StoredPush): readonly string[] {
  const reasons: string[] = [];
  if (isStaged) {
    const batch = JSON.stringify(batchId);
    reasons.push(
      `Readers see these rows once the batch is complete: send batch_complete true with the last push of batch_id ${batch}.`,
    );
  }
  if (status !== "active") {
    reasons.push(
      `Readers see nothing of this feed while its status is ${status}: set it to active.`,
    );
  }
  return reasons;
}
