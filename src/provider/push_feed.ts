/**
 * `POST /provider/feed/{feed_id}/push`: rows or a document into a feed. Interface 4.6, decisions 5.
 *
 * The checks come in the order of decisions 2. A push is planned by the feed as it is known, and admitted
 * and stored by one statement that names the planned definition; where the feed has changed since, that
 * statement stores nothing and the push is planned again. Every push that is let in counts in the feed's
 * window and, but for dry runs, leaves a row in its history, also where it is refused for what it holds. One
 * that is over the limit does neither.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import {
  type AdmittingRow,
  createPushAdmission,
  type PushAdmission,
  type PushClaim,
} from "../admission/push_admission.ts";
import { feedKeepsChanging, refusalOf } from "../admission/refusal.ts";
import type { Feed, FeedType } from "../feed_row/feeds.ts";
import { type Answer, privateJson } from "../http/answer.ts";
import type { HoldBytes } from "../http/body_budget.ts";
import { bodyNotJson, bodyTextOf, receiveBody } from "../http/body_text.ts";
import type { Call, Handler } from "../http/endpoint.ts";
import { Problem, problemOf, unavailable } from "../http/errors.ts";
import { readParameters } from "../http/parameters.ts";
import { rateHeaders, type WindowState } from "../http/rate_headers.ts";
import { mediaTypeOf } from "../http/read_body.ts";
import { assert, unreachable } from "../lib/assert.ts";
import { PLANS_MAX, WINDOW_US } from "../limits.ts";
import { DatabaseUnavailableError, type Row } from "../postgres/client/query.ts";
import { retryRolledBack } from "../postgres/client/retry.ts";
import type { Services } from "../services.ts";
import { findOwned } from "./owned_feed.ts";
import { bodyLimitOf, type Push, type PushBody, parsePush } from "./push_body.ts";
import { batchClosed, payloadTooLarge, validationFailed, withHeaders } from "./push_problems.ts";
import { createPushTurns, type PushTurns } from "./push_turns.ts";

export const PUSH_PARAMETERS = Type.Object({
  dry_run: Type.Optional(
    Type.Boolean({ description: "Run every check, store nothing, and answer as the push would." }),
  ),
});

/** What happened to a row; `duplicate`: a stream had it already, or its batch came once more. */
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

/** One push on its way; what is to be told of it becomes known step by step. */
interface Passage {
  readonly call: Call;
  readonly startedMs: number;
  readonly claim: PushClaim;
  feed: Feed;
  /** The feed's window with this push in it; undefined until it is admitted. */
  window: WindowState | undefined;
  isDryRun: boolean;
  bodyBytes: number;
  rowsReceived: number;
}

/** What a push is worked on with. */
interface PushServices extends Services {
  readonly pushAdmission: PushAdmission;
  readonly turns: PushTurns;
}

/** The handler of the route; its parameter is the feed's id. */
export function createPushFeed(services: Services): Handler {
  const pushes: PushServices = {
    ...services,
    pushAdmission: createPushAdmission(services.http.metrics),
    turns: createPushTurns(),
  };
  const { limits } = services.config;
  return async (call, reference) => {
    const startedMs = performance.now();
    const principal = await services.keys.authenticate(call, "write");
    const feed = await findOwned(services, principal, reference);
    const { feedId } = feed;
    call.subject.feedId = feedId;
    const { keyId, accountId } = principal;
    const passage: Passage = {
      call,
      startedMs,
      claim: { keyId, accountId, feedId, limit: limits.pushes },
      feed,
      window: undefined,
      isDryRun: false,
      bodyBytes: 0,
      rowsReceived: 0,
    };
    return services.bodies.whileHeld(accountId, (hold) => receivePush(pushes, passage, hold));
  };
}

async function receivePush(
  pushes: PushServices,
  passage: Passage,
  hold: HoldBytes,
): Promise<Answer> {
  refuseKnown(pushes, passage);
  try {
    const answer = await receiveAndStore(pushes, passage, hold);
    countPush(pushes, passage, { outcome: "stored", feedType: answer.feed_type });
    return {
      headers: { ...privateJson(), ...headersOf(passage) },
      body: JSON.stringify(answer),
    };
  } catch (error) {
    if (passage.window === undefined) {
      if (error instanceof Problem || error instanceof DatabaseUnavailableError) throw error;
      // A fault of ours: its count was rolled back with all else.
      await admit(pushes, passage).catch((refusal) => {
        pushes.log.error("push failed", { request_id: passage.call.requestId, error });
        throw refusal;
      });
    }
    countPush(pushes, passage, { outcome: "refused", feedType: passage.feed.feedType });
    await record(pushes, passage, error);
    throw withHeaders(problemOf(error), headersOf(passage));
  }
}

function headersOf({ window }: Passage): Record<string, string> {
  assert(window !== undefined, "only an admitted push has a window to tell of");
  return rateHeaders(window, Date.now());
}

/** A dry run stores nothing and counts as none. */
function countPush(
  services: Services,
  passage: Passage,
  {
    outcome,
    feedType,
  }: { readonly outcome: "stored" | "refused"; readonly feedType: FeedType | null },
): void {
  const { isDryRun, rowsReceived: rows } = passage;
  if (isDryRun) return;
  services.http.metrics.pushed({ feedType: feedType ?? "undecided", outcome, rows });
}

/** A window that is full for certain needs no statement to say so. @throws {Problem} 429 */
function refuseKnown(pushes: PushServices, passage: Passage): void {
  const full = pushes.pushAdmission.refuse(passage.claim);
  if (full !== undefined) throw admissionRefusal(pushes, full);
}

/**
 * Sends a statement that also admits the push, unless it was admitted before, when it is its turn.
 * @throws {Problem} 429, 401, 503
 */
function sendAdmitting<Sent extends AdmittingRow>(
  pushes: PushServices,
  passage: Passage,
  send: () => Promise<Sent | undefined>,
): Promise<Sent> {
  const { claim } = passage;
  return pushes.turns.take(claim.feedId, async () => {
    const isAdmitted = passage.window !== undefined;
    if (!isAdmitted) refuseKnown(pushes, passage);
    const sentMs = performance.now();
    const row = await retryRolledBack(send);
    assert(row !== undefined, "a statement that admits returns one row");
    if (isAdmitted) return row;
    const decision = pushes.pushAdmission.settle(claim, row, sentMs);
    if (decision.kind !== "granted") throw admissionRefusal(pushes, decision);
    passage.window = decision.window;
    return row;
  });
}

function admissionRefusal(services: Services, decision: Parameters<typeof refusalOf>[0]): Problem {
  return refusalOf(decision, {
    permission: "write",
    billingUrl: services.billingUrl(),
    nowMs: Date.now(),
  });
}

/** From the request to the receipt. @throws {Problem} in the order of decisions 2. */
async function receiveAndStore(
  pushes: PushServices,
  passage: Passage,
  hold: HoldBytes,
): Promise<PushAnswer> {
  const body = await settled(() => receive(pushes, passage, hold));
  // Where there is no room for bodies, a statement that counts the push would be more work, not less.
  if (body.kind === "failed" && hasNoRoom(body.error)) throw body.error;
  for (let plans = 1; plans <= PLANS_MAX; plans++) {
    const planned = await settled(() => checkedPush(pushes, passage, body));
    if (planned.kind === "failed") {
      // What is wrong is told once the push has counted, and only of a plan by the feed as it is.
      if (passage.window !== undefined || (await admit(pushes, passage))) throw planned.error;
    } else {
      const push = planned.value;
      const row = await store(pushes, passage, push);
      if (row.outcome === "stored") {
        forgetIfChanged(pushes, passage.feed, row);
        return answerOf(passage, push, row);
      }
      if (row.outcome === "batch_closed") throw batchClosed(push);
      assert(row.outcome === "stale", `push_to_feed returned the unknown outcome "${row.outcome}"`);
    }
    await refresh(pushes, passage);
  }
  throw feedKeepsChanging();
}

/** Counts a push that there is nothing to store of; whether its feed is known as it is. */
async function admit(pushes: PushServices, passage: Passage): Promise<boolean> {
  const { feedId, accountId, keyId, limit } = passage.claim;
  const row = await sendAdmitting(pushes, passage, () =>
    pushes.database.row("admit_push", [feedId, accountId, keyId, limit, WINDOW_US]),
  );
  return row.definition_version === passage.feed.definitionVersion;
}

/** A first push changes the feed: the next one is not to be planned by what it was. */
function forgetIfChanged({ feeds }: Services, feed: Feed, row: Row<"push_to_feed">): void {
  if (feed.feedType === null || feed.status !== row.status) feeds.forget(feed.feedId);
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

/** What the body means for the feed as it is known, all checked. @throws {Problem} 400, 413, 415, 422 */
async function checkedPush(
  pushes: PushServices,
  passage: Passage,
  body: Settled<ReceivedBody>,
): Promise<Push> {
  const { call, feed } = passage;
  passage.isDryRun = readParameters(PUSH_PARAMETERS, call.search).dry_run ?? false;
  if (body.kind === "failed") throw body.error;
  const push = parsedPush({ ...body.value, form: formOf(call.request, feed) }, feed, pushes);
  passage.rowsReceived = push.rows.length;
  await checkSchema(pushes, passage, push);
  return push;
}

interface ReceivedBody {
  readonly text: string;
  readonly bytes: number;
}

type Settled<Result> =
  | { readonly kind: "done"; readonly value: Result }
  | { readonly kind: "failed"; readonly error: unknown };

/** The result or error of work, to be looked at when its turn comes. */
async function settled<Result>(work: () => Promise<Result>): Promise<Settled<Result>> {
  try {
    return { kind: "done", value: await work() };
  } catch (error) {
    return { kind: "failed", error };
  }
}

/** Whether the body was refused by what the process may hold, and not for what it is. */
function hasNoRoom(error: unknown): boolean {
  return error instanceof Problem && error.code === "UNAVAILABLE";
}

/** The body, bounded while it comes in. @throws {Problem} 415, 413, 400, 503 */
async function receive(
  services: Services,
  passage: Passage,
  hold: HoldBytes,
): Promise<ReceivedBody> {
  const { request } = passage.call;
  const form = formOf(request, passage.feed);
  const limit = bodyLimitOf(
    form === "ndjson" ? "collection" : passage.feed.feedType,
    services.config.limits,
  );
  const bytes = await receiveBody(request, {
    bytesMax: limit.most,
    tooLarge: () => payloadTooLarge(limit),
    hold,
  });
  passage.bodyBytes = bytes.length;
  return { text: bodyTextOf(bytes), bytes: bytes.length };
}

/** What the body means for the feed as it is known. @throws {Problem} 413, 400, 422 */
function parsedPush(body: PushBody, feed: Feed, services: Services): Push {
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
      throw validationFailed(outcome.errors, outcome.errorCount);
    default:
      return unreachable(outcome);
  }
}

/** The locked schema, where there is one. @throws {Problem} 422 with paths into the body as sent. */
async function checkSchema(services: Services, passage: Passage, push: Push): Promise<void> {
  const { accountId, lockedSchema } = passage.feed;
  if (lockedSchema === null) return;
  const check = await services.rowSchemas.validateRows(
    { key: schemaKeyOf(accountId, lockedSchema), text: lockedSchema },
    push.rows.map(({ text }) => text),
    { accountId, signal: passage.call.request.signal },
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

/**
 * Under what a compiled schema is kept: to compile takes tens of milliseconds, and a feed's definition
 * also changes with its price. Of the account, so that nobody's rows make another's schema count as slow.
 */
function schemaKeyOf(accountId: string, schema: string): string {
  return `${accountId} ${Bun.SHA256.hash(schema, "base64")}`;
}

/** Admits, where that is still to be done, and stores the push by one statement. @throws {Problem} 429, 401 */
async function store(
  pushes: PushServices,
  passage: Passage,
  push: Push,
): Promise<Row<"push_to_feed">> {
  const { feed, claim } = passage;
  const isStream = push.feedType === "stream";
  const isDocument = push.feedType === "singleton";
  const texts = push.rows.map(({ text, eventTime }) =>
    // Without its closing brace: the time of receipt goes there.
    isStream && eventTime === null ? text.slice(0, -1) : text,
  );
  return sendAdmitting(pushes, passage, () =>
    pushes.database.row("push_to_feed", [
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
      claim.accountId,
      claim.keyId,
      claim.limit,
      WINDOW_US,
      passage.window !== undefined,
    ]),
  );
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
      request_id: passage.call.requestId,
      feed: passage.feed.feedId,
      error: cause,
    });
  }
}

function elapsedMs(passage: Passage): number {
  return Math.round(performance.now() - passage.startedMs);
}
