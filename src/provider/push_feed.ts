/**
 * `POST /provider/feed/{feed_id}/push`: rows or a document into a feed. Interface 4.6, decisions 5.
 *
 * The checks come in the order of decisions 2. A push is planned by the feed as it is known, and stored
 * by one statement that names the planned definition; where the feed has changed since, that statement
 * stores nothing and the push is planned again. Every push that passes the ownership check counts in
 * the feed's window and, but for dry runs, leaves a row in its history, refused ones too.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import type { Grant } from "../admission/admission.ts";
import { refusalOf } from "../admission/refusal.ts";
import type { Row } from "../database/query.ts";
import { retryRolledBack } from "../database/retry_rolled_back.ts";
import type { Feed, FeedType } from "../feed_row/feeds.ts";
import { type Answer, PRIVATE_JSON } from "../http/answer.ts";
import { bodyNotJson, bodyTextOf, receiveBody } from "../http/body_text.ts";
import type { Call, Handler } from "../http/endpoint.ts";
import { type FieldError, Problem, problemOf } from "../http/errors.ts";
import { readParameters } from "../http/parameters.ts";
import { rateHeaders } from "../http/rate_headers.ts";
import { mediaTypeOf } from "../http/read_body.ts";
import type { Principal } from "../key/keys.ts";
import { assert, unreachable } from "../lib/assert.ts";
import { parseUuid } from "../lib/uuid.ts";
import type { Services } from "../services.ts";
import { bodyLimitOf, type Push, type PushBody, parsePush, type TooLarge } from "./push_body.ts";

export const PUSH_PARAMETERS = Type.Object({
  dry_run: Type.Optional(
    Type.Boolean({ description: "Run every check, store nothing, and answer as the push would." }),
  ),
});

/** What happened to a row; `duplicate`: it was there already, and was left. */
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

/** By the letter that `push_to_feed` has for it. */
const ROW_OUTCOMES: Readonly<Record<string, RowOutcome>> = {
  i: "inserted",
  u: "updated",
  d: "duplicate",
};

/** Plans of one push: each further one means that the feed was changed in the meantime. */
const PLANS_MAX = 5;
const RETRY_AFTER_SECONDS = 1;
const MS_PER_SECOND = 1_000;

/** One push on its way; what the history is to say of it becomes known step by step. */
interface Passage {
  readonly call: Call;
  readonly startedMs: number;
  feed: Feed;
  isDryRun: boolean;
  bodyBytes: number;
  rowsReceived: number;
}

/** The handler of the route; its parameter is the feed's id. */
export function createPushFeed(services: Services): Handler {
  const { keys } = services;
  return async (call, feedId) => {
    const startedMs = performance.now();
    const principal = await keys.authenticate(call, "write");
    const owned = await findOwned(services, principal, feedId);
    call.subject.feedId = owned.feedId;
    const passage: Passage = {
      call,
      startedMs,
      feed: owned,
      isDryRun: false,
      bodyBytes: 0,
      rowsReceived: 0,
    };
    const bytesMax = bodyLimitOf(owned.feedType, services.config.limits).most;
    return services.bodies.whileHeld({ request: call.request, bytesMax }, () =>
      receivePush(services, principal, passage),
    );
  };
}

async function receivePush(
  services: Services,
  principal: Principal,
  passage: Passage,
): Promise<Answer> {
  // The body comes in and is read while the window is asked; what is wrong with it is told after.
  const [grant, prepared] = await Promise.all([
    admit(services, principal, passage.feed),
    settled(() => prepare(services, passage)),
  ]);
  const headers = rateHeaders(grant.window, Date.now());
  try {
    const answer = await pass(services, passage, { grant, prepared });
    countPush(services, passage, "stored");
    return { headers: { ...PRIVATE_JSON, ...headers }, body: JSON.stringify(answer) };
  } catch (error) {
    countPush(services, passage, "refused");
    await record(services, passage, error);
    throw withHeaders(problemOf(error), headers);
  }
}

/** A dry run stores nothing and counts as none. */
function countPush(services: Services, passage: Passage, outcome: "stored" | "refused"): void {
  const { isDryRun, feed, rowsReceived: rows } = passage;
  if (isDryRun) return;
  services.http.metrics.pushed({ feedType: feed.feedType ?? "undecided", outcome, rows });
}

/** The feed, if it is the caller's: one and the same refusal for every other id. Decisions 2. */
async function findOwned(
  services: Services,
  principal: Principal,
  reference: string,
): Promise<Feed> {
  const feedId = parseUuid(reference);
  const feed = feedId === undefined ? undefined : await services.feeds.find(feedId);
  if (feed?.accountId === principal.accountId) return feed;
  await services.keys.prove(principal);
  throw new Problem("FEED_FORBIDDEN", {
    detail:
      "This key's account owns no feed with this id; check the id, or push with the key of its owner.",
  });
}

async function admit(services: Services, principal: Principal, feed: Feed): Promise<Grant> {
  const decision = await services.admission.admit({
    keyId: principal.keyId,
    accountId: principal.accountId,
    operation: "push",
    feedId: feed.feedId,
    limit: services.config.limits.pushes,
  });
  if (decision.kind === "granted") return decision;
  assert(decision.kind !== "stale", "a claim that names no definition is never stale");
  throw refusalOf(decision, {
    permission: "write",
    billingUrl: services.billingUrl(),
    nowMs: Date.now(),
  });
}

/** From the admitted request to the answer. @throws {Problem} in the order of decisions 2. */
async function pass(
  services: Services,
  passage: Passage,
  { grant, prepared }: { grant: Grant; prepared: () => Prepared },
): Promise<PushAnswer> {
  const { request, search } = passage.call;
  passage.isDryRun = readParameters(PUSH_PARAMETERS, search).dry_run ?? false;
  const { body, plan } = await preparedFor(services, passage, { grant, prepared });
  for (let plans = 1; plans <= PLANS_MAX; plans++) {
    const { feed } = passage;
    const push =
      plans === 1 ? plan() : planOf({ ...body, form: formOf(request, feed) }, feed, services);
    passage.rowsReceived = push.rows.length;
    await checkSchema(services, feed, push);
    const row = await store(services, passage, push);
    if (row.outcome === "stored") return answerOf(passage, push, row);
    if (row.outcome === "batch_closed") throw batchClosed(push);
    assert(row.outcome === "stale", `push_to_feed returned the unknown outcome "${row.outcome}"`);
    await refresh(services, passage);
  }
  throw unavailable("The feed is being edited all the time; push again in a second.");
}

async function refresh(services: Services, passage: Passage): Promise<void> {
  const fresh = await services.feeds.findFresh(passage.feed.feedId);
  assert(fresh !== undefined, "a feed is never deleted");
  passage.feed = fresh;
}

/** 415. Lines of rows are no document, so a singleton takes JSON only. */
function formOf(request: Request, feed: Feed): PushBody["form"] {
  const mediaType = mediaTypeOf(request, { ndjson: feed.feedType !== "singleton" });
  if (mediaType.kind !== "unsupported") return mediaType.kind;
  throw new Problem("UNSUPPORTED_MEDIA_TYPE", { detail: `${mediaType.message}.` });
}

/** A body that has come in, and what it means for the feed as it was known. */
interface Prepared {
  readonly body: ReceivedBody;
  /** @throws {Problem} as `planOf` */
  readonly plan: () => Push;
}

async function prepare(services: Services, passage: Passage): Promise<Prepared> {
  const { feed, call } = passage;
  const body = await receive(services, passage);
  const form = formOf(call.request, feed);
  return { body, plan: await settled(async () => planOf({ ...body, form }, feed, services)) };
}

/** Admission has just seen the feed: what was known of it, and the plan that rests on it, may be old. */
async function preparedFor(
  services: Services,
  passage: Passage,
  { grant, prepared }: { grant: Grant; prepared: () => Prepared },
): Promise<Prepared> {
  if (passage.feed.definitionVersion === grant.definitionVersion) return prepared();
  await refresh(services, passage);
  const form = formOf(passage.call.request, passage.feed);
  const { body } = prepared();
  return { body, plan: () => planOf({ ...body, form }, passage.feed, services) };
}

interface ReceivedBody {
  readonly text: string;
  readonly bytes: number;
}

/** The result or error of work, to be had when its turn comes. */
async function settled<Result>(work: () => Promise<Result>): Promise<() => Result> {
  try {
    const result = await work();
    return () => result;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** The body, bounded while it comes in. @throws {Problem} 415, 413, 400 */
async function receive(services: Services, passage: Passage): Promise<ReceivedBody> {
  const { request } = passage.call;
  const form = formOf(request, passage.feed);
  const limit = bodyLimitOf(
    form === "ndjson" ? "collection" : passage.feed.feedType,
    services.config.limits,
  );
  const bytes = await receiveBody(request, {
    bytesMax: limit.most,
    tooLarge: () => payloadTooLarge(limit),
  });
  passage.bodyBytes = bytes.length;
  return { text: bodyTextOf(bytes), bytes: bytes.length };
}

/** What the body means for the feed as it is known. @throws {Problem} 413, 400, 422 */
function planOf(body: PushBody, feed: Feed, services: Services): Push {
  const { limits } = services.config;
  const outcome = parsePush(body, { feedType: feed.feedType, limits });
  switch (outcome.kind) {
    case "push":
      return outcome.push;
    case "too_large":
      throw payloadTooLarge(outcome);
    case "not_json":
      throw bodyNotJson(outcome.message);
    case "invalid":
      throw validationFailed(outcome.errors, outcome.errors.length);
    default:
      return unreachable(outcome);
  }
}

/** The locked schema, where there is one. @throws {Problem} 422 with paths into the body as sent. */
async function checkSchema(services: Services, feed: Feed, push: Push): Promise<void> {
  if (feed.lockedSchema === null) return;
  const check = await services.rowSchemas.validateRows(
    { key: `${feed.feedId} ${feed.definitionVersion}`, text: feed.lockedSchema },
    push.rows.map(({ text }) => text),
  );
  switch (check.kind) {
    case "valid":
      return;
    case "invalid":
      throw validationFailed(
        check.errors.map(({ row, pointer, message }) => ({
          path: (push.rows[row]?.pointer ?? "") + pointer,
          message,
          ...(push.feedType !== "singleton" && {
            row_index: row,
            row_id: push.rows[row]?.id ?? "",
          }),
        })),
        check.errorCount,
      );
    case "over_budget":
      throw validationFailed([{ path: "", message: check.detail }], 1);
    case "schema_unusable":
      throw new Problem("SCHEMA_INVALID", {
        detail: `The feed's locked schema_definition can't be used (${check.detail}); edit it, then push again.`,
      });
    case "busy":
      throw unavailable("More pushes wait for their schema check than the gateway can serve.");
    default:
      return unreachable(check);
  }
}

/** Stores the push by one statement. */
async function store(
  services: Services,
  passage: Passage,
  push: Push,
): Promise<Row<"push_to_feed">> {
  const { feed } = passage;
  const isStream = push.feedType === "stream";
  const isDocument = push.feedType === "singleton";
  const texts = push.rows.map(({ text, eventTime }) =>
    // Without its closing brace: the time of receipt goes there.
    isStream && eventTime === null ? text.slice(0, -1) : text,
  );
  const row = await retryRolledBack(() =>
    services.database.row("push_to_feed", [
      feed.feedId,
      push.feedType,
      feed.definitionVersion,
      push.rows.length,
      texts.join("\n"),
      isDocument ? [] : push.rows.map(({ id }) => id),
      isStream ? push.rows.map(({ eventTime }) => eventTime) : [],
      push.batchId,
      push.isComplete,
      passage.isDryRun,
      BigInt(passage.bodyBytes),
      elapsedMs(passage),
    ]),
  );
  assert(row !== undefined, "push_to_feed returns one row");
  return row;
}

function answerOf(passage: Passage, push: Push, row: Row<"push_to_feed">): PushAnswer {
  return {
    feed_id: passage.feed.feedId,
    feed_type: push.feedType,
    status: row.status as string,
    rows_received: push.rows.length,
    rows_inserted: row.rows_inserted as number,
    rows_updated: row.rows_updated as number,
    rows_duplicate: row.rows_duplicate as number,
    row_outcomes: Array.from(row.row_outcomes as string, rowOutcomeOf),
    batch_id: push.batchId,
    batch_complete: push.isComplete,
    last_sync_at: row.last_sync_at as string,
    data_version: Number(row.data_version),
    ...(passage.isDryRun && { dry_run: true }),
  };
}

function rowOutcomeOf(letter: string): RowOutcome {
  const outcome = ROW_OUTCOMES[letter];
  assert(outcome !== undefined, "push_to_feed knows three outcomes of a row");
  return outcome;
}

/** Notes a refusal in the feed's history; that this fails must not hide the refusal itself. */
async function record(services: Services, passage: Passage, error: unknown): Promise<void> {
  if (passage.isDryRun || !(error instanceof Problem)) return;
  try {
    await services.database.row("record_push", [
      passage.feed.feedId,
      error.code,
      error.options.detail,
      passage.rowsReceived,
      BigInt(passage.bodyBytes),
      elapsedMs(passage),
    ]);
  } catch (cause) {
    services.log.warn("refused push not recorded", {
      requestId: passage.call.requestId,
      feedId: passage.feed.feedId,
      error: cause,
    });
  }
}

function elapsedMs(passage: Passage): number {
  return Math.round(performance.now() - passage.startedMs);
}

function withHeaders(problem: Problem, headers: Readonly<Record<string, string>>): Problem {
  const { code, options, status } = problem;
  return new Problem(code, {
    ...options,
    status,
    headers: { ...headers, ...options.headers },
  });
}

/** 413, sent at once: the rest of the body is not read, so the connection can't be used again. */
function payloadTooLarge(tooLarge: TooLarge): Problem {
  const { limit, most, rowIndex } = tooLarge;
  const extras = {
    singleton_body: { max_bytes: most },
    request_body: { max_bytes: most },
    row_count: { max_rows: most },
    row_payload: { max_bytes: most, row_index: rowIndex },
  }[limit];
  const detail = {
    singleton_body: `The body is larger than the ${most} bytes of a singleton; trim the document or make the feed a collection.`,
    request_body: `The body is larger than the ${most} bytes of one push; split it over several.`,
    row_count: `The payload has more than the ${most} rows of one push; split it over several.`,
    row_payload: `Row ${rowIndex} is larger than the ${most} bytes of one row; trim it.`,
  }[limit];
  return new Problem("PAYLOAD_TOO_LARGE", {
    detail,
    extras: { limit, ...extras },
    headers: { Connection: "close" },
  });
}

function validationFailed(errors: readonly FieldError[], errorCount: number): Problem {
  const first = errors[0];
  const where = first === undefined ? "" : `: ${first.path || "the body"}: ${first.message}`;
  return new Problem("VALIDATION_FAILED", {
    detail: `Nothing was stored, since the body is not valid${where}; correct what is listed in errors and push again.`,
    errors,
    errorCount,
  });
}

function batchClosed(push: Push): Problem {
  return new Problem("BATCH_CLOSED", {
    detail: `The batch ${JSON.stringify(push.batchId)} is already finalized or retired; push under a new batch_id.`,
  });
}

function unavailable(detail: string): Problem {
  return new Problem("UNAVAILABLE", {
    detail,
    extras: { retry_after_ms: RETRY_AFTER_SECONDS * MS_PER_SECOND },
    headers: { "Retry-After": String(RETRY_AFTER_SECONDS) },
  });
}
