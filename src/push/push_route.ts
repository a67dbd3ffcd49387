/**
 * `POST /provider/feed/{feed_id}/push`: rows or a document into a feed. Interface 4.6, decisions 2 and 5.
 *
 * This file is the HTTP side of a push: it receives the body, hands it to `pushToFeed`, and answers. Every
 * push that is counted tells of the feed's window in its headers. A refused one leaves a row in the feed's
 * history, unless it is a dry run; `pushToFeed` does the same for one that is stored.
 *
 * @module
 */

import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { type Feed, type Feeds, type FeedType, findOwned } from "../feeds/find.ts";
import { type Answer, privateJson } from "../http/answer.ts";
import { authenticated } from "../http/auth.ts";
import type { HoldBytes } from "../http/body_budget.ts";
import type { Call } from "../http/call.ts";
import {
  BODY_PROBLEMS,
  COUNTED,
  described,
  documented,
  OWN_FEED_PARAMS,
} from "../http/described.ts";
import { Problem, problemOf, unavailable } from "../http/errors.ts";
import { PUSH_RESULT, ROWS } from "../http/examples.ts";
import { feedForbidden, feedSuspended } from "../http/feed_problems.ts";
import { RATE_HEADERS } from "../http/header_docs.ts";
import type { Principal } from "../http/keys.ts";
import { parameters, queryFlag } from "../http/parameters.ts";
import { rateHeaders } from "../http/rate_headers.ts";
import { bodyTextOf, mediaTypeOf, receiveBody } from "../http/read_body.ts";
import { respond } from "../http/respond.ts";
import { uploads } from "../http/uploads.ts";
import { assert } from "../lib/assert.ts";
import type { Limits } from "../limits.ts";
import { DatabaseUnavailableError } from "../postgres/client/query.ts";
import type { Services } from "../services.ts";
import { bodyLimitOf, type Push, type PushBody } from "./parse_push.ts";
import { type PushOutcome, type PushServices, pushToFeed } from "./push_feed.ts";
import {
  payloadTooLarge,
  problemOfRefusal,
  problemOfUncounted,
  unsupportedMediaType,
  withHeaders,
} from "./push_problems.ts";
import { PushBodyShape, PushResultShape } from "./push_shapes.ts";
import { createPushStore, type PushClaim, type PushWindow, type StoredPush } from "./store_push.ts";

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

/** What happened to a row; `duplicate`: the stream had it, or its batch was pushed before. */
type RowOutcome = "inserted" | "updated" | "duplicate";

/** The receipt, 200; documented as `PushResult`. Decisions 5. */
interface PushAnswer {
  readonly feed_id: string;
  readonly feed_type: FeedType;
  readonly status: string;
  readonly rows_received: number;
  readonly rows_inserted: number;
  readonly rows_updated: number;
  readonly rows_duplicate: number;
  /** One a row, in the order of the push: no more than a push may have rows. */
  readonly row_outcomes: readonly RowOutcome[];
  readonly batch_id: string | null;
  readonly batch_complete: boolean;
  readonly last_sync_at: string;
  readonly data_version: number;
  readonly dry_run?: true;
}

/** By the letter of `push_to_feed`. */
const ROW_OUTCOMES: Readonly<Record<string, RowOutcome>> = {
  i: "inserted",
  u: "updated",
  d: "duplicate",
};

export function pushRoutes(services: Services) {
  const pushFeed = createPushFeed(services);
  return new Elysia({ name: "push" })
    .use(authenticated(services.keys, "write"))
    .use(uploads())
    .post(
      "/provider/feed/:feed_id/push",
      async ({ call, principal, params, query }) => {
        const reference = params.feed_id;
        const isDryRun = query.dry_run ?? false;
        return respond(await pushFeed(call, { principal, reference, isDryRun }));
      },
      { parse: "none", params: OWN_FEED_PARAMS, query: PUSH_QUERY, body: PUSH_BODY, ...PUSH_FEED },
    );
}

/** A push that was let in, before its body is read. */
interface Arrival {
  readonly call: Call;
  /** On the process's monotonic clock. */
  readonly startedMs: number;
  readonly principal: Principal;
  readonly claim: PushClaim;
  /** As this process knows it. */
  readonly feed: Feed;
  readonly isDryRun: boolean;
}

/** One push by a known key into the feed of this id. */
interface Pushing {
  readonly principal: Principal;
  readonly reference: string;
  readonly isDryRun: boolean;
}

/** Receives pushes. */
function createPushFeed(services: Services) {
  const { limits } = services.config;
  const { storedFeeds: feeds, rowSchemas } = services;
  const store = createPushStore(services.database, limits.pushes);
  const pushes: PushServices = {
    feeds,
    rowSchemas,
    limits,
    store,
    onMoved: (feedId, version) => services.waits.moved(feedId, version),
  };
  return async (call: Call, { principal, reference, isDryRun }: Pushing): Promise<Answer> => {
    const startedMs = performance.now();
    const feed = await findUsable(services.storedFeeds, principal.accountId, reference);
    const { feedId } = feed;
    const { keyId, accountId } = principal;
    call.subject.feedId = feedId;
    const limited = store.findLimited(feedId);
    if (limited !== undefined) throw problemOfUncounted(limited);
    const claim = { feedId, accountId, keyId };
    const arrival = { call, startedMs, principal, claim, feed, isDryRun };
    return services.bodies.whileHeld(accountId, (hold) =>
      answerPush(services, pushes, { ...arrival, hold }),
    );
  };
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

async function answerPush(
  services: Services,
  pushes: PushServices,
  arrival: Arrival & { readonly hold: HoldBytes },
): Promise<Answer> {
  const { call, claim, feed, isDryRun, startedMs } = arrival;
  const received = await receive(arrival, pushes.limits);
  if (received.kind === "refused") {
    const window = await countRefused(services, pushes, arrival);
    throw await refuse(services, arrival, { ...received, window, feedType: feed.feedType });
  }
  const { body } = received;
  const { signal } = call.request;
  const outcome = await pushToFeed(pushes, {
    claim,
    feed,
    body,
    isDryRun,
    startedMs,
    signal,
  }).catch((error) => failed(services, pushes, { arrival, error }));
  if (outcome.kind !== "stored" && outcome.kind !== "refused") {
    countDecision(services, outcome.kind);
    throw await problemOfNotCounted(services, arrival, outcome);
  }
  countDecision(services, "granted");
  if (outcome.kind === "refused") {
    const problem = problemOfRefusal(outcome.refusal, call.request);
    throw await refuse(services, arrival, {
      ...outcome,
      problem,
      bodyBytes: body.bytes,
    });
  }
  const { push, stored, window } = outcome;
  countPush(services, {
    isDryRun,
    feedType: push.feedType,
    outcome: "stored",
    rows: push.rows.length,
  });
  return {
    headers: { ...privateJson(), ...rateHeaders(window, Date.now()) },
    body: JSON.stringify(answerOf({ feedId: feed.feedId, push, stored, isDryRun })),
  };
}

type Received =
  | { readonly kind: "received"; readonly body: PushBody }
  | {
      readonly kind: "refused";
      readonly problem: Problem;
      /** 0 if the body did not come in whole. */
      readonly bodyBytes: number;
      readonly rowsReceived: 0;
    };

/** Media type and body. @throws {Problem} 503 if there is no room for bodies: not counted */
async function receive(
  { call, feed, hold }: Arrival & { readonly hold: HoldBytes },
  limits: Limits,
): Promise<Received> {
  const { request } = call;
  let bodyBytes = 0;
  try {
    const form = formOf(request, feed.feedType);
    const limit = bodyLimitOf(form === "ndjson" ? "collection" : feed.feedType, limits);
    const tooLarge = () => payloadTooLarge(limit);
    const bytes = await receiveBody(request, { bytesMax: limit.most, tooLarge, hold });
    bodyBytes = bytes.length;
    return {
      kind: "received",
      body: { form, text: bodyTextOf(bytes), bytes: bodyBytes },
    };
  } catch (error) {
    if (!(error instanceof Problem) || error.code === "UNAVAILABLE") throw error;
    return { kind: "refused", problem: error, bodyBytes, rowsReceived: 0 };
  }
}

/** A singleton takes JSON only, because lines of rows are not a document. @throws {Problem} 415 */
function formOf(request: Request, feedType: FeedType | null): PushBody["form"] {
  const options = { ndjson: feedType !== "singleton" };
  const { kind } = mediaTypeOf(request, options);
  if (kind === "unsupported") throw unsupportedMediaType(request, options);
  return kind;
}

/** The problem of a push that was not counted. If the key is no longer usable, that problem comes first. */
async function problemOfNotCounted(
  { keys }: Services,
  { principal }: Arrival,
  outcome: Exclude<PushOutcome, { kind: "stored" | "refused" }>,
): Promise<Problem> {
  if (outcome.kind !== "key_refused") return problemOfUncounted(outcome);
  await keys.prove(principal);
  // The key is usable again.
  return unavailable("The key was refused a moment ago and holds now. Try again in a second.");
}

/** Counts a push that never came to be checked. @throws {Problem} 429, 401, 403 */
async function countRefused(
  services: Services,
  { store }: PushServices,
  arrival: Arrival,
): Promise<PushWindow> {
  const counted = await store.count(arrival.claim, null);
  assert(counted.kind !== "stale", "only a push that was checked can be stale");
  if (counted.kind === "counted") {
    countDecision(services, "granted");
    return counted.window;
  }
  countDecision(services, counted.kind);
  throw await problemOfNotCounted(services, arrival, counted);
}

/** Counts a push that failed by a fault of ours, since its own count was rolled back. @throws always */
async function failed(
  services: Services,
  pushes: PushServices,
  { arrival, error }: { arrival: Arrival; error: unknown },
): Promise<never> {
  if (error instanceof DatabaseUnavailableError) throw error;
  const { call, feed, isDryRun } = arrival;
  const window = await countRefused(services, pushes, arrival).catch((refusal) => {
    services.log.error("push failed", { request_id: call.requestId, error });
    throw refusal;
  });
  countPush(services, { isDryRun, feedType: feed.feedType, outcome: "refused", rows: 0 });
  throw withHeaders(problemOf(error), rateHeaders(window, Date.now()));
}

interface Refusal {
  readonly problem: Problem;
  readonly window: PushWindow;
  readonly feedType: FeedType | null;
  readonly bodyBytes: number;
  readonly rowsReceived: number;
}

/** Notes the refusal of a counted push. Returns the problem with the window's headers. */
async function refuse(
  services: Services,
  arrival: Arrival,
  { problem, window, feedType, bodyBytes, rowsReceived }: Refusal,
): Promise<Problem> {
  const { isDryRun } = arrival;
  countPush(services, { isDryRun, feedType, outcome: "refused", rows: rowsReceived });
  if (!isDryRun) await record(services, arrival, { problem, bodyBytes, rowsReceived });
  return withHeaders(problem, rateHeaders(window, Date.now()));
}

/** Writes a refusal into the feed's history. If that fails, the refusal is answered all the same. */
async function record(
  { database, log }: Services,
  { call, startedMs, feed }: Arrival,
  { problem, bodyBytes, rowsReceived }: Pick<Refusal, "problem" | "bodyBytes" | "rowsReceived">,
): Promise<void> {
  const { code, options } = problem;
  const elapsedMs = Math.round(performance.now() - startedMs);
  const { feedId } = feed;
  try {
    await database.row("record_push", [
      feedId,
      code,
      options.detail,
      rowsReceived,
      BigInt(bodyBytes),
      elapsedMs,
    ]);
  } catch (error) {
    log.warn("refused push not recorded", { request_id: call.requestId, feed: feedId, error });
  }
}

function countDecision({ http }: Services, outcome: string): void {
  http.metrics.decided({ operation: "push", outcome, isLogged: false, credits: 0 });
}

/** A dry run stores nothing and counts as none. */
function countPush(
  { http }: Services,
  {
    isDryRun,
    feedType,
    outcome,
    rows,
  }: {
    readonly isDryRun: boolean;
    readonly feedType: FeedType | null;
    readonly outcome: "stored" | "refused";
    readonly rows: number;
  },
): void {
  if (!isDryRun) http.metrics.pushed({ feedType: feedType ?? "undecided", outcome, rows });
}

function answerOf({
  feedId,
  push,
  stored,
  isDryRun,
}: {
  feedId: string;
  push: Push;
  stored: StoredPush;
  isDryRun: boolean;
}): PushAnswer {
  return {
    feed_id: feedId,
    feed_type: push.feedType,
    status: stored.status,
    rows_received: push.rows.length,
    rows_inserted: stored.rowsInserted,
    rows_updated: stored.rowsUpdated,
    rows_duplicate: stored.rowsDuplicate,
    row_outcomes: Array.from(stored.rowOutcomes, rowOutcomeOf),
    batch_id: push.batchId,
    batch_complete: push.isComplete,
    last_sync_at: stored.lastSyncAt,
    data_version: Number(stored.dataVersion),
    ...(isDryRun && { dry_run: true }),
  };
}

function rowOutcomeOf(letter: string): RowOutcome {
  const outcome = ROW_OUTCOMES[letter];
  assert(outcome !== undefined, "push_to_feed knows three outcomes of a row");
  return outcome;
}
