/**
 * Routes for a provider's own feeds: create, edit, and list. See `src/spec/interface.md`, sections 4.7 and 4.8.
 *
 * @module
 */

import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { authenticated } from "../../api/callers/auth.ts";
import type { Principal } from "../../api/callers/callers.ts";
import { actorOf } from "../../api/callers/faces.ts";
import { admitHousekeeping } from "../../api/callers/unlogged_calls.ts";
import { idsParameter, readIds } from "../../api/input/ids.ts";
import { receiveJsonObject } from "../../api/input/json_body.ts";
import { PAGE_PARAMETERS, pageOf } from "../../api/input/paging.ts";
import { NO_PARAMETERS, parameters, queryFlag } from "../../api/input/parameters.ts";
import { findUsable } from "../../api/input/usable_feed.ts";
import { saveTooLarge } from "../../api/problems/feed_problems.ts";
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
import {
  CreateFeedShape,
  DeletedRowsShape,
  EditFeedShape,
  EditJudgementShape,
  OwnFeedsShape,
  WrittenFeedShape,
} from "../../feeds/feed_shapes.ts";
import { FEED_STATUSES } from "../../feeds/find.ts";
import { privateJson } from "../../http/answer.ts";
import type { Call } from "../../http/call.ts";
import type { HoldBytes } from "../../http/load/body_budget.ts";
import { uploads } from "../../http/load/uploads.ts";
import { respond, respondEmpty } from "../../http/respond.ts";
import type { JsonText } from "../../lib/json_text.ts";
import { oneOf } from "../../lib/typebox.ts";
import { IDS_MAX } from "../../limits.ts";
import { deleteOwnFeed, deleteOwnRows } from "../../provider/delete_own.ts";
import { listOwnFeeds } from "../../provider/list_own_feeds.ts";
import {
  judgementOf,
  type SaveOrder,
  saveOwnFeed,
  targetOfCreate,
} from "../../provider/save_own_feed.ts";
import type { Services } from "../../services.ts";

const FEEDS_QUERY = parameters({
  ...PAGE_PARAMETERS,
  feed_id: Type.Optional(
    Type.String({ description: "Only this feed of yours, by its UUID or slug." }),
  ),
  status: Type.Optional(oneOf(FEED_STATUSES, { description: "Only feeds with this status." })),
  full: Type.Optional(
    queryFlag({ description: "Include `schema_definition`, `readme_md` and `sample_response`." }),
  ),
});
const EDIT_QUERY = parameters({
  dry_run: Type.Optional(
    queryFlag({
      description:
        "Save nothing, and return what the edit would change for readers. All other checks still apply.",
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
  description: "Newest first, each with its size, its open batches and its newest refused push.",
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
    "If the body contains the `id` of one of your feeds, it edits that feed and does not count toward the quota.",
  ].join("\n\n"),
  answers: {
    200: documented(WrittenFeedShape, {
      description: "The feed with the `id` in the body was edited.",
      ...EDITED,
    }),
    201: documented(WrittenFeedShape, {
      description: "The complete new feed.",
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
    Minimal: { name: "Earthquakes", endpoint_path: "quakes" },
  },
});
const EDIT_FEED = described({
  access: "provider",
  window: "housekeeping",
  operationId: "editFeed",
  tag: "provider",
  summary: "Edit a feed",
  description:
    "Fields that the body leaves out stay unchanged. A status other than draft requires a schema, and `active` requires an earlier successful push. For an active feed with `schema_locked`, a new schema that may break readers requires a higher `schema_version`; use `dry_run` to check.",
  answers: {
    200: documented(Type.Union([WrittenFeedShape, EditJudgementShape]), {
      description:
        "The complete feed after the edit; in a dry run, what it would change for readers.",
      headers: ["Cache-Control"],
      examples: { "The feed": WRITTEN_FEED, "Dry run": EDIT_JUDGEMENT },
    }),
  },
  problems: [...DEFINITION_PROBLEMS, "SCHEMA_BREAKING"],
});
const EDIT_BODY = documented(EditFeedShape, {
  description: "The fields to change; at most 2 MB.",
  examples: {
    "A new price": { price_type: "metered", price_per_1k: 0.002 },
    "Take out of service": { status: "inactive" },
    "Request a review": { request_review: true },
  },
});

const DELETE_FEED = described({
  access: "provider",
  window: "housekeeping",
  operationId: "deleteFeed",
  tag: "provider",
  summary: "Delete a feed",
  description: [
    "The feed returns 404 immediately, and its rows are removed in the background. It no longer counts toward the quota, and its slug becomes available after 30 days, or immediately if the feed was never public and never had data.",
    "An account may delete ten times its quota of feeds in 24 hours; beyond that, the call returns 429.",
    "Payments for it stay in the usage log. Repeating the call returns the same response.",
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
  summary: "Delete rows of a feed permanently",
  description:
    "Rows of a collection are deleted from all of its batches, events from their stream. Readers that are paging through the feed skip them. A deleted id may be pushed again.",
  answers: {
    200: documented(DeletedRowsShape, {
      description: "The deleted and the missing ids.",
      headers: ["Cache-Control"],
      examples: { "One of two": { deleted: ["us7000kufc"], missing: ["us7000kuf9"] } },
    }),
  },
  problems: ["FEED_FORBIDDEN", "FEED_SUSPENDED", ...COUNTED],
});
const ROWS_QUERY = parameters({
  ids: idsParameter({
    description: `Up to ${IDS_MAX} record ids, comma-separated, or ids repeated. Encode a comma in an id as %2C.`,
    examples: ["us7000kufc"],
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
        const { feed_id: reference, status, full: isFull } = query;
        const body = await listOwnFeeds(
          { database: services.database, limits: services.config.limits },
          principal.accountId,
          { ...pageOf(query), reference, status, isFull },
        );
        return respond({ headers: privateJson(), body });
      },
      { query: FEEDS_QUERY, ...LIST_FEEDS },
    )
    .delete(
      "/provider/feed/:feed_id",
      async ({ call, principal, params }) => {
        await admitHousekeeping(services, { call, principal, operation: "save" });
        const own = { ...ownerOf(call, principal), reference: params.feed_id };
        call.subject.feedId = await deleteOwnFeed(services, own);
        return respondEmpty();
      },
      { params: OWN_FEED_PARAMS, query: NO_PARAMETERS, ...DELETE_FEED },
    )
    .delete(
      "/provider/feed/:feed_id/rows",
      async ({ call, principal, params }) => {
        const ids = readIds(call.search);
        await admitHousekeeping(services, { call, principal, operation: "save" });
        const own = { ...ownerOf(call, principal), reference: params.feed_id, ids };
        const { feedId, ...body } = await deleteOwnRows(services, own);
        call.subject.feedId = feedId;
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

/** Reads the body of an admitted request as a JSON object. @throws {Problem} 400, 415, 413, 422, 503 */
async function receiveFeed(
  { config }: Services,
  request: Request,
  hold: HoldBytes,
): Promise<JsonText> {
  const bytesMax = config.limits.requestBodyBytes;
  return receiveJsonObject(request, { bytesMax, tooLarge: () => saveTooLarge(bytesMax), hold });
}

/** The account and actor, in the form that provider functions take. */
function ownerOf({ request }: Call, { accountId, keyId }: Principal) {
  return { accountId, actor: actorOf(request, keyId) };
}

interface Answering extends SaveOrder {
  readonly principal: Principal;
}

/** @throws {Problem} if a create or edit whose body was read is refused */
async function answerSave(
  services: Services,
  call: Call,
  { principal, ...order }: Answering,
): Promise<Response> {
  const { request, subject } = call;
  const saver = { ...ownerOf(call, principal), signal: request.signal };
  const saved = await saveOwnFeed(services, saver, order);
  if (saved.kind === "judged") {
    return respond({ headers: privateJson(), body: JSON.stringify(judgementOf(saved)) });
  }
  subject.feedId = saved.feedId;
  const status = saved.isNew ? 201 : 200;
  return respond({ status, headers: privateJson(), body: saved.text });
}
