/**
 * A provider's own feeds: create, edit and list. Interface 4.7 and 4.8, decisions 10.
 *
 * @module
 */

import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { keyActor } from "../../accounts/actor.ts";
import { authenticated } from "../../api/callers/auth.ts";
import type { Principal } from "../../api/callers/callers.ts";
import { faceOf } from "../../api/callers/faces.ts";
import { admitHousekeeping } from "../../api/callers/unlogged_calls.ts";
import { idsParameter, readIds } from "../../api/input/ids.ts";
import { receiveJsonObject } from "../../api/input/json_body.ts";
import { PAGE_PARAMETERS, pageOf } from "../../api/input/paging.ts";
import {
  invalidParameter,
  NO_PARAMETERS,
  parameters,
  queryFlag,
} from "../../api/input/parameters.ts";
import { findUsable } from "../../api/input/usable_feed.ts";
import {
  feedForbidden,
  feedSuspended,
  problemOfSave,
  saveTooLarge,
  tooManyDeletions,
} from "../../api/problems/feed_problems.ts";
import {
  BODY_PROBLEMS,
  COUNTED,
  described,
  documented,
  OWN_FEED_PARAMS,
} from "../../api/reference/described.ts";
import {
  CREATED_FEED,
  EDIT_JUDGEMENT,
  OWN_FEED,
  ROWS,
  SCHEMA_DEFINITION,
  WRITTEN_FEED,
} from "../../api/reference/examples.ts";
import { upsertIdOf } from "../../feeds/feed_body.ts";
import { type FeedContent, listFeedContents, openBatchesOf } from "../../feeds/feed_contents.ts";
import {
  CreateFeedShape,
  DeletedRowsShape,
  EditFeedShape,
  EditJudgementShape,
  OwnFeedsShape,
  WrittenFeedShape,
} from "../../feeds/feed_shapes.ts";
import { type FeedRow, feedRowText } from "../../feeds/feed_text.ts";
import {
  FEED_STATUSES,
  type FeedStatus,
  type Feeds,
  findOwned,
  referenceParameters,
} from "../../feeds/find.ts";
import { type SavedDefinition, type SaveTarget, saveFeed } from "../../feeds/save.ts";
import { CACHE_PRIVATE, privateJson } from "../../http/answer.ts";
import type { Call } from "../../http/call.ts";
import type { HoldBytes } from "../../http/load/body_budget.ts";
import { uploads } from "../../http/load/uploads.ts";
import { respond } from "../../http/respond.ts";
import { present } from "../../lib/assert.ts";
import type { JsonText } from "../../lib/json_text.ts";
import { hasMoreAfter } from "../../lib/offset_page.ts";
import { oneOf } from "../../lib/typebox.ts";
import { DELETIONS_PER_FEED_ALLOWED, IDS_MAX } from "../../limits.ts";
import { usdText } from "../../money/money.ts";
import type { Queries } from "../../postgres/client/database.ts";
import type { Services } from "../../services.ts";

const FEEDS_QUERY = parameters({
  ...PAGE_PARAMETERS,
  feed_id: Type.Optional(Type.String({ description: "This own feed only, by its UUID or slug." })),
  status: Type.Optional(oneOf(FEED_STATUSES, { description: "Feeds of this status only." })),
  full: Type.Optional(
    queryFlag({ description: "With `schema_definition`, `readme_md` and `sample_response`, too." }),
  ),
});
const EDIT_QUERY = parameters({
  dry_run: Type.Optional(
    queryFlag({
      description:
        "Save nothing, and answer what the edit changes for readers. Whatever else the edit would refuse is refused.",
    }),
  ),
});

const DEFINITION_PROBLEMS = [
  ...BODY_PROBLEMS,
  "SCHEMA_REQUIRED",
  "SCHEMA_INVALID",
  "PRICING_INVALID",
  "FEED_FORBIDDEN",
  "FEED_SUSPENDED",
  "ENDPOINT_PATH_TAKEN",
  "FEED_NEVER_PUSHED",
  "FEED_TYPE_LOCKED",
  ...COUNTED,
] as const;
const EDITED = {
  headers: ["Cache-Control"],
  examples: { "The feed": WRITTEN_FEED },
} as const;

const LIST_FEEDS = described({
  access: "provider",
  window: "housekeeping",
  operationId: "listProviderFeeds",
  tag: "provider",
  summary: "List your own feeds, drafts included",
  description:
    "The newest come first, each with what it holds, its open batches and its newest refused push.",
  answers: {
    200: documented(OwnFeedsShape, {
      description: "A page of your feeds.",
      headers: ["Cache-Control"],
      examples: {
        "One feed": { feeds: [OWN_FEED], total: 1, limit: 20, offset: 0, has_more: false },
      },
    }),
  },
  problems: ["FEED_FORBIDDEN", ...COUNTED],
});
const CREATE_FEED = described({
  access: "provider",
  window: "housekeeping",
  operationId: "createFeed",
  tag: "provider",
  summary: "Create a feed",
  description: [
    "The new feed is unlisted; the operator lists it after review. Its first successful push activates it.",
    "With the `id` of an own feed, the body is an edit of that feed and takes no slot of the quota.",
  ].join("\n\n"),
  answers: {
    200: documented(WrittenFeedShape, {
      description: "The body's `id` is an own feed's, which was edited.",
      ...EDITED,
    }),
    201: documented(WrittenFeedShape, {
      description: "The whole new feed.",
      headers: ["Cache-Control"],
      examples: { "The feed": CREATED_FEED },
    }),
  },
  problems: [...DEFINITION_PROBLEMS, "SCHEMA_BREAKING", "FEED_QUOTA_EXCEEDED"],
});
const CREATE_BODY = documented(CreateFeedShape, {
  description: "The feed; at most 2 MB.",
  examples: {
    "A metered stream": {
      name: "Earthquakes",
      endpoint_path: "quakes",
      description: "Earthquakes of magnitude 4.5 and above, worldwide.",
      readme_md: "# Earthquakes\n\nUpdated every hour.",
      category: "science",
      feed_type: "stream",
      schema_definition: SCHEMA_DEFINITION,
      schema_locked: true,
      sample_response: ROWS[0],
      sync_interval_mins: 60,
      update_frequency_text: "hourly",
      price_type: "metered",
      price_per_1k: 0.001,
    },
    "The least": { name: "Earthquakes", endpoint_path: "quakes" },
  },
});
const EDIT_FEED = described({
  access: "provider",
  window: "housekeeping",
  operationId: "editFeed",
  tag: "provider",
  summary: "Edit a feed",
  description:
    "What the body leaves out stays as it is. A status other than draft needs a schema, and `active` a successful push before it. A new schema that may surprise readers of an active feed with `schema_locked` needs a higher `schema_version`; `dry_run` says whether it may.",
  answers: {
    200: documented(Type.Union([WrittenFeedShape, EditJudgementShape]), {
      description: "The whole feed after the edit; in a dry run, what it would change for readers.",
      headers: ["Cache-Control"],
      examples: { "The feed": WRITTEN_FEED, "Dry run": EDIT_JUDGEMENT },
    }),
  },
  problems: [...DEFINITION_PROBLEMS, "SCHEMA_BREAKING"],
});
const EDIT_BODY = documented(EditFeedShape, {
  description: "What is to change; at most 2 MB.",
  examples: {
    "A new price": { price_type: "metered", price_per_1k: 0.002 },
    "Taken from service": { status: "inactive" },
    "Asked to be listed": { request_review: true },
  },
});

const DELETE_FEED = described({
  access: "provider",
  window: "housekeeping",
  operationId: "deleteFeed",
  tag: "provider",
  summary: "Delete a feed",
  description: [
    "The feed answers 404 at once, and its rows are removed in the background. It no longer counts in the quota, and its slug is free after 30 days, or at once if it was never public and never had data.",
    "An account may delete ten times its quota of feeds in 24 hours; then it is 429.",
    "What was paid for it stays in the usage log. A repeat is answered the same.",
  ].join("\n\n"),
  answers: {
    204: documented(Type.Void(), { description: "Deleted.", headers: ["Cache-Control"] }),
  },
  problems: ["FEED_FORBIDDEN", "FEED_SUSPENDED", ...COUNTED],
});
const DELETE_ROWS = described({
  access: "provider",
  window: "housekeeping",
  operationId: "deleteRows",
  tag: "provider",
  summary: "Remove rows of a feed for good",
  description:
    "Rows of a collection go from all of its batches, and events from their stream. A walk that is under way passes them over, and a removed id may be pushed again.",
  answers: {
    200: documented(DeletedRowsShape, {
      description: "What was removed, and what was not there.",
      headers: ["Cache-Control"],
      examples: { "One of two": { deleted: ["us7000kufc"], missing: ["us7000kuf9"] } },
    }),
  },
  problems: ["FEED_FORBIDDEN", "FEED_SUSPENDED", ...COUNTED],
});
const ROWS_QUERY = parameters({
  ids: idsParameter({
    description: `Up to ${IDS_MAX} record ids, comma-separated, or ids repeated. A comma in an id is sent as %2C.`,
  }),
});

export function feedsRoutes(services: Services) {
  const { bodies, storedFeeds } = services;
  return new Elysia({ name: "feeds" })
    .use(authenticated(services.keys, "write"))
    .get(
      "/provider/feeds",
      async ({ call, principal, query }) => {
        await admitHousekeeping(services, { call, principal, operation: "feeds" });
        const body = await listFeeds(services, principal.accountId, { ...query, ...pageOf(query) });
        return respond({ headers: privateJson(), body });
      },
      { query: FEEDS_QUERY, ...LIST_FEEDS },
    )
    .delete(
      "/provider/feed/:feed_id",
      async ({ call, principal, params }) => {
        await admitHousekeeping(services, { call, principal, operation: "save" });
        await deleteFeed(services, call, { principal, reference: params.feed_id });
        return respond({ status: 204, headers: { "Cache-Control": CACHE_PRIVATE }, body: null });
      },
      { params: OWN_FEED_PARAMS, query: NO_PARAMETERS, ...DELETE_FEED },
    )
    .delete(
      "/provider/feed/:feed_id/rows",
      async ({ call, principal, params }) => {
        const ids = readIds(call.search);
        await admitHousekeeping(services, { call, principal, operation: "save" });
        const own = { principal, reference: params.feed_id };
        const body = await deleteRows(services, call, { ...own, ids });
        return respond({ headers: privateJson(), body: JSON.stringify(body) });
      },
      { params: OWN_FEED_PARAMS, query: ROWS_QUERY, ...DELETE_ROWS },
    )
    .use(uploads())
    .post(
      "/provider/feed/create",
      async ({ call, principal }) => {
        await admitHousekeeping(services, { call, principal, operation: "save" });
        return bodies.whileHeld(principal.accountId, async (hold) => {
          const body = await receiveFeed(services, call.request, hold);
          const target = await targetOfCreate(storedFeeds, principal.accountId, body);
          return answerSave(services, call, { principal, ...target, body, isDryRun: false });
        });
      },
      { parse: "none", query: NO_PARAMETERS, body: CREATE_BODY, ...CREATE_FEED },
    )
    .patch(
      "/provider/feed/:feed_id/edit",
      async ({ call, principal, params, query }) => {
        const isDryRun = query.dry_run ?? false;
        await admitHousekeeping(services, { call, principal, operation: "save" });
        const { accountId } = principal;
        const { feedId } = await findUsable(storedFeeds, accountId, params.feed_id);
        call.subject.feedId = feedId;
        return bodies.whileHeld(accountId, async (hold) => {
          const body = await receiveFeed(services, call.request, hold);
          return answerSave(services, call, { principal, feedId, mode: "edit", body, isDryRun });
        });
      },
      {
        parse: "none",
        params: OWN_FEED_PARAMS,
        query: EDIT_QUERY,
        body: EDIT_BODY,
        ...EDIT_FEED,
      },
    );
}

/** A page of the account's own feeds, newest first, as the text of a JSON object. Decisions 7 and 10. */
async function listFeeds(
  { config, database }: Services,
  accountId: string,
  asked: {
    readonly limit: number;
    readonly offset: number;
    readonly feed_id?: string;
    readonly status?: FeedStatus;
    readonly full?: boolean;
  },
): Promise<string> {
  const { limit, offset, full: isFull = false } = asked;
  const { rows, total } = await findRows(database, accountId, asked);
  const hasMore = hasMoreAfter({ offset, shown: rows.length, total });
  const feedIds = rows.map(({ feed_id: feedId }) => feedId);
  const contents = await listFeedContents(database, feedIds);
  const feeds = rows
    .map((row) =>
      ownFeedText(feedRowText(row, config.limits, !isFull), {
        suspensionReason: row.suspension_reason,
        contents: contents.filter(({ feed_id: feedId }) => feedId === row.feed_id),
      }),
    )
    .join(",");
  const page = `"total":${total},"limit":${limit},"offset":${offset},"has_more":${hasMore}`;
  return `{"feeds":[${feeds}],${page}}`;
}

/** A page of own feeds, and how many there are; or the one that is asked for. @throws {Problem} 403 if it is none */
async function findRows(
  database: Queries,
  accountId: string,
  asked: Parameters<typeof listFeeds>[2],
): Promise<{ readonly rows: readonly FeedRow[]; readonly total: number }> {
  const { limit, offset, feed_id: reference, status = null, full: isFull = false } = asked;
  if (reference !== undefined) {
    const one = { ...referenceParameters(reference), active_only: false };
    const row = await database.row("find_feed_row", one);
    if (row?.account_id !== accountId || row.deleted_at !== null) throw feedForbidden();
    const rows = status === null || row.status === status ? [row] : [];
    return { rows: rows.slice(offset), total: rows.length };
  }
  const [count, rows] = await Promise.all([
    database.row("count_feeds", { account_id: accountId, status }),
    database.rows("list_feed_rows", {
      account_id: accountId,
      is_unlisted_only: false,
      status,
      review: null,
      health: null,
      is_full: isFull,
      limit,
      offset: BigInt(offset),
      after_feed_id: null,
    }),
  ]);
  return { rows, total: Number(count?.total ?? 0n) };
}

interface OwnState {
  readonly suspensionReason: string | null;
  /** A line for each open batch, or one that has none. */
  readonly contents: readonly FeedContent[];
}

/** A feed's row with what it holds, and why it is suspended if it is. */
function ownFeedText(row: string, { suspensionReason, contents }: OwnState): string {
  const rowCount = contents[0]?.row_count ?? 0n;
  const members = [
    `"row_count":${rowCount}`,
    `"open_batches":${JSON.stringify(openBatchesOf(contents))}`,
    `"last_refusal":${contents[0]?.last_refusal ?? null}`,
    `"reads":${contents[0]?.reads ?? 0n}`,
    `"readers":${contents[0]?.readers ?? 0n}`,
    `"net_usd":${usdText(contents[0]?.net_nanos ?? 0n)}`,
    ...(suspensionReason === null
      ? []
      : [`"suspension_reason":${JSON.stringify(suspensionReason)}`]),
  ].join(",");
  return `${row.slice(0, -1)},${members}}`;
}

/**
 * The feed that a create body names. Only the body says whose it is, so a refusal comes as soon as it can be read.
 * @throws {Problem} 403
 */
async function targetOfCreate(
  feeds: Feeds,
  accountId: string,
  body: JsonText,
): Promise<SaveTarget> {
  const feedId = upsertIdOf(body);
  const isNew = feedId === undefined || (await feeds.find(accountId, feedId)) === undefined;
  if (isNew) return { feedId, mode: "create" };
  await findUsable(feeds, accountId, feedId);
  return { feedId, mode: "edit" };
}

/** From the admitted request to a JSON object. @throws {Problem} 400, 415, 413, 422, 503 */
async function receiveFeed(
  { config }: Services,
  request: Request,
  hold: HoldBytes,
): Promise<JsonText> {
  const bytesMax = config.limits.requestBodyBytes;
  return receiveJsonObject(request, { bytesMax, tooLarge: () => saveTooLarge(bytesMax), hold });
}

/** @throws {Problem} every refusal of a create or edit whose body was read */
async function answerSave(
  { config, database, rowSchemas, storedFeeds }: Services,
  call: Call,
  save: SaveTarget & {
    readonly principal: Principal;
    readonly body: JsonText;
    readonly isDryRun: boolean;
  },
): Promise<Response> {
  const { principal, ...given } = save;
  const { accountId } = principal;
  const owner = { accountId, actor: keyActor(principal.keyId, faceOf(call.request)) };
  const caller = { accountId, signal: call.request.signal };
  const saving = {
    database,
    limits: config.limits,
    checkSchema: (schema: string) => rowSchemas.checkSchema(schema, caller),
    compareSchemas: (before: string | null, after: string | null) =>
      rowSchemas.compareSchemas(before, after, caller),
    findWarnings: (definition: SavedDefinition) => rowSchemas.findWarnings(definition, caller),
  };
  const outcome = await saveFeed(saving, owner, given);
  if (outcome.kind === "judged") {
    const { compatibility, changes } = outcome.comparison;
    const refusedWith = outcome.isSchemaRefused ? "SCHEMA_BREAKING" : null;
    const judged = { dry_run: true, compatibility, changes, refused_with: refusedWith };
    return respond({ headers: privateJson(), body: JSON.stringify(judged) });
  }
  if (outcome.kind !== "saved") throw problemOfSave(outcome);
  call.subject.feedId = outcome.feedId;
  storedFeeds.forget(outcome.feedId);
  const status = outcome.isNew ? 201 : 200;
  return respond({ status, headers: privateJson(), body: outcome.text });
}

/** A feed that a key's account says is its own. */
interface OwnFeed {
  readonly principal: Principal;
  readonly reference: string;
}

/** @throws {Problem} 403 */
async function deleteFeed(
  { database, storedFeeds, waits }: Services,
  call: Call,
  { principal, reference }: OwnFeed,
): Promise<void> {
  const { accountId, keyId } = principal;
  const row = await database.row("delete_feed", {
    account_id: accountId,
    ...referenceParameters(reference),
    actor: keyActor(keyId, faceOf(call.request)),
    deletions_per_feed: DELETIONS_PER_FEED_ALLOWED,
  });
  refuseForeign(row);
  if (row?.outcome === "limited") {
    throw tooManyDeletions(Number(row.deletions_max), Number(row.retry_after_ms));
  }
  const feedId = present(row?.feed_id);
  call.subject.feedId = feedId;
  storedFeeds.forget(feedId);
  waits.moved(feedId, undefined);
}

/** @throws {Problem} 400 for a singleton, 403 */
async function deleteRows(
  { database, storedFeeds, waits }: Services,
  call: Call,
  { principal, reference, ids }: OwnFeed & { readonly ids: readonly string[] },
): Promise<{ readonly deleted: readonly string[]; readonly missing: readonly string[] }> {
  const { accountId, keyId } = principal;
  const feed = await findOwned(storedFeeds, accountId, reference);
  if (feed === undefined) throw feedForbidden();
  const { feedId } = feed;
  call.subject.feedId = feedId;
  if (feed.feedType === "singleton") {
    throw invalidParameter(
      "A singleton has no rows to remove. Push another document, or delete the feed.",
    );
  }
  // No id holds a NUL, and PostgreSQL takes none in a parameter.
  const asked = ids.filter((id) => !id.includes("\0"));
  const row = await database.row("delete_rows", {
    account_id: accountId,
    feed_id: feedId,
    row_ids: asked,
    actor: keyActor(keyId, faceOf(call.request)),
  });
  refuseForeign(row);
  const found = new Set<string>(JSON.parse(row?.deleted ?? "[]"));
  if (row !== undefined && row.data_version !== null) waits.moved(feedId, row.data_version);
  return {
    deleted: ids.filter((id) => found.has(id)),
    missing: ids.filter((id) => !found.has(id)),
  };
}

/** @throws {Problem} 403 if the statement refused */
function refuseForeign(
  row: { readonly outcome: string; readonly suspension_reason?: string | null } | undefined,
): void {
  if (row?.outcome === "forbidden") throw feedForbidden();
  if (row?.outcome === "suspended") throw feedSuspended(row.suspension_reason ?? "");
}
