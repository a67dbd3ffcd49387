/**
 * Create and edit: `POST /provider/feed/create`, `PATCH /provider/feed/{feed_id}/edit`. Interface 3, 4.7
 * and 4.8, decisions 4 and 10.
 *
 * The checks come in the order of decisions 2. What depends on the body alone is decided here; what
 * depends on the stored feed is decided, and written, by one statement (`save_feed.sql`). A create that
 * names a feed of the account is exactly an edit with that body.
 *
 * @module
 */
import { admitHousekeeping } from "../admission/housekeeping.ts";
import { feedRowText } from "../feed_row/feed_row.ts";
import { feedForbidden, findOwned } from "../feed_row/owned_feed.ts";
import { type Answer, privateJson } from "../http/answer.ts";
import type { HoldBytes } from "../http/body_budget.ts";
import { bodyNotJson, bodyTextOf, receiveBody } from "../http/body_text.ts";
import type { Call } from "../http/call.ts";
import { type FieldError, Problem, type ProblemCode, unavailable } from "../http/errors.ts";
import { mediaTypeOf } from "../http/read_body.ts";
import type { Principal } from "../key/keys.ts";
import { assert, unreachable } from "../lib/assert.ts";
import type { Row } from "../postgres/client/query.ts";
import { retryRolledBack } from "../postgres/client/retry.ts";
import type { Caller } from "../push/schema/worker_queue.ts";
import type { Services } from "../services.ts";
import {
  type FeedChanges,
  parseBody,
  readChanges,
  type SaveBody,
  upsertIdOf,
} from "./save_body.ts";
import type { SaveMode } from "./save_fields.ts";

/** The feed that is meant, and whether it may be made. */
interface Target {
  /** Undefined for a new feed with an id of our making. */
  readonly feedId: string | undefined;
  readonly mode: SaveMode;
}

/** @throws {Problem} every refusal of a create */
export async function createFeed(
  services: Services,
  call: Call,
  principal: Principal,
): Promise<Answer> {
  await admitHousekeeping(services, { call, principal, operation: "save" });
  return services.bodies.whileHeld(principal.accountId, async (hold) => {
    const body = await receiveSave(services, call, hold);
    // Only the body says whose feed is meant, so ownership comes as soon as it can be read.
    const target = await targetOfCreate(services, principal, upsertIdOf(body));
    return save(services, principal, { ...target, body, call });
  });
}

/** `reference` is the feed's id. @throws {Problem} every refusal of an edit */
export async function editFeed(
  services: Services,
  call: Call,
  { principal, reference }: { readonly principal: Principal; readonly reference: string },
): Promise<Answer> {
  await admitHousekeeping(services, { call, principal, operation: "save" });
  const { feedId } = await findOwned(services, principal, reference);
  call.subject.feedId = feedId;
  return services.bodies.whileHeld(principal.accountId, async (hold) => {
    const body = await receiveSave(services, call, hold);
    return save(services, principal, { feedId, mode: "edit", body, call });
  });
}

async function targetOfCreate(
  services: Services,
  principal: Principal,
  feedId: string | undefined,
): Promise<Target> {
  const { storedFeeds } = services;
  const feed =
    feedId === undefined ? undefined : await storedFeeds.find(principal.accountId, feedId);
  if (feed === undefined) return { feedId, mode: "create" };
  if (feed.accountId !== principal.accountId) throw feedForbidden();
  return { feedId, mode: "edit" };
}

/** From the admitted request to a JSON object. @throws {Problem} 400, 415, 413, 422, 503 */
async function receiveSave(
  services: Services,
  { request }: Call,
  hold: HoldBytes,
): Promise<SaveBody> {
  const mediaType = mediaTypeOf(request);
  if (mediaType.kind === "unsupported") {
    throw new Problem("UNSUPPORTED_MEDIA_TYPE", { detail: `${mediaType.message}.` });
  }
  const bytesMax = services.config.limits.requestBodyBytes;
  const tooLarge = () => saveTooLarge(bytesMax);
  const text = bodyTextOf(await receiveBody(request, { bytesMax, tooLarge, hold }));
  const outcome = parseBody(text);
  switch (outcome.kind) {
    case "body":
      return outcome.body;
    case "not_json":
      throw bodyNotJson(outcome.message);
    case "invalid":
      throw invalid("VALIDATION_FAILED", outcome);
    default:
      return unreachable(outcome);
  }
}

/** Sent at once: the rest of the body is not read, so the connection can't be used again. */
function saveTooLarge(bytesMax: number): Problem {
  return new Problem("PAYLOAD_TOO_LARGE", {
    detail: `The body is larger than the ${bytesMax} bytes of a create or edit; shorten it.`,
    extras: { limit: "request_body", max_bytes: bytesMax },
    headers: { Connection: "close" },
  });
}

async function save(
  services: Services,
  principal: Principal,
  { feedId, mode, body, call }: Target & { readonly body: SaveBody; readonly call: Call },
): Promise<Answer> {
  const changes = changesOf(body, mode);
  const { accountId } = principal;
  await checkSchema(services, changes, { accountId, signal: call.request.signal });
  const saved = await retryRolledBack(() =>
    services.database.row("save_feed", [
      accountId,
      feedId ?? null,
      mode,
      changes.fields,
      changes.pricing?.priceType ?? null,
      changes.pricing?.callPriceNanos ?? null,
      changes.pricing?.oneTimePriceCents ?? null,
      principal.keyId,
    ]),
  );
  assert(saved !== undefined, "save_feed returns one row");
  if (saved.outcome !== "created" && saved.outcome !== "saved") throw refusedSave(saved);
  if (saved.feed_id !== null) call.subject.feedId = saved.feed_id;
  const row = await services.database.row("find_feed_row", [saved.feed_id, null, false]);
  assert(row !== undefined, "a feed is never deleted");
  const feedText = feedRowText(row, services.config.limits);
  const quota = `"max_feeds_allowed":${saved.max_feeds_allowed},"feeds_used":${saved.feeds_used}`;
  return {
    status: saved.outcome === "created" ? 201 : 200,
    headers: privateJson(),
    body: `${feedText.slice(0, -1)},${quota}}`,
  };
}

/** @throws {Problem} 422 `VALIDATION_FAILED`, `PRICING_INVALID` */
function changesOf(body: SaveBody, mode: SaveMode): FeedChanges {
  const outcome = readChanges(body, mode);
  switch (outcome.kind) {
    case "changes":
      return outcome.changes;
    case "invalid":
      throw invalid("VALIDATION_FAILED", outcome);
    case "pricing_invalid":
      throw invalid("PRICING_INVALID", outcome);
    default:
      return unreachable(outcome);
  }
}

/** A schema is compiled before it is stored, so that no push meets a bad one. @throws {Problem} 422, 503 */
async function checkSchema(
  services: Services,
  { schema }: FeedChanges,
  caller: Caller,
): Promise<void> {
  if (schema === undefined) return;
  const check = await services.rowSchemas.checkSchema(schema, caller);
  switch (check.kind) {
    case "valid":
      return;
    case "invalid_schema":
      throw invalid("SCHEMA_INVALID", {
        errors: [{ path: `/schema_definition${check.pointer}`, message: check.detail }],
      });
    case "busy":
      throw unavailable(
        "More schemas wait to be checked than the gateway can serve; try again shortly.",
      );
    default:
      return unreachable(check);
  }
}

/** The problem of an outcome that wrote nothing. Decisions 2 and 4. */
function refusedSave(saved: Row<"save_feed">): Problem {
  switch (saved.outcome) {
    case "forbidden":
      return feedForbidden();
    case "draft_step_null":
      return invalid("VALIDATION_FAILED", {
        errors: [{ path: "/draft_step", message: "draft_step must be a number, got null" }],
      });
    case "schema_required": {
      const message = "schema_definition must not be empty where status is not draft";
      return invalid("SCHEMA_REQUIRED", { errors: [{ path: "/schema_definition", message }] });
    }
    case "never_pushed":
      return new Problem("FEED_NEVER_PUSHED", {
        detail:
          "A feed becomes active by its first successful push; push to it rather than set status to active.",
      });
    case "type_locked":
      return new Problem("FEED_TYPE_LOCKED", {
        detail:
          "The feed holds data, so its feed_type can't change; leave feed_type out, or create another feed.",
      });
    case "endpoint_path_taken":
      return new Problem("ENDPOINT_PATH_TAKEN", {
        detail: "Another feed has this endpoint_path; choose another one.",
      });
    case "quota_exceeded":
      return new Problem("FEED_QUOTA_EXCEEDED", {
        detail: `This account has ${saved.feeds_used} feeds, drafts included, and may have ${saved.max_feeds_allowed}; edit one of them, or ask the operator for more.`,
        extras: {
          max_feeds_allowed: saved.max_feeds_allowed,
          feeds_used: Number(saved.feeds_used),
        },
      });
    default:
      throw new Error(`save_feed returned the unknown outcome "${saved.outcome}"`);
  }
}

/** 422; the first mistake is told in the detail, too. */
function invalid(
  code: ProblemCode,
  mistakes: { readonly errors: readonly FieldError[]; readonly errorCount?: number },
): Problem {
  const { errors, errorCount = errors.length } = mistakes;
  const first = errors[0];
  assert(first !== undefined, "a body that is refused has a mistake");
  return new Problem(code, {
    detail: `Nothing was saved: ${first.message}; correct what is listed in errors and send it again.`,
    errors,
    errorCount,
  });
}
