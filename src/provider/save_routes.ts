/**
 * A provider's own feeds: create, edit and list. Interface 4.7 and 4.8, decisions 10.
 *
 * @module
 */

import { Elysia } from "elysia";
import { admitHousekeeping } from "../admission/housekeeping.ts";
import {
  CreateFeedShape,
  EditFeedShape,
  OwnFeedsShape,
  WrittenFeedShape,
} from "../feed_row/feed_shapes.ts";
import { privateJson } from "../http/answer.ts";
import { authenticated } from "../http/auth.ts";
import {
  BODY_PROBLEMS,
  COUNTED,
  described,
  documented,
  OWN_FEED_PARAMS,
} from "../http/described.ts";
import { CREATED_FEED, FEED_ROW, ROWS, SCHEMA_DEFINITION, WRITTEN_FEED } from "../http/examples.ts";
import { PAGE_PARAMETERS, pageOf } from "../http/paging.ts";
import { NO_PARAMETERS, parameters } from "../http/parameters.ts";
import { respond } from "../http/respond.ts";
import { uploads } from "../http/uploads.ts";
import type { Services } from "../services.ts";
import { listFeeds } from "./list_feeds.ts";
import { createFeed, editFeed } from "./save_feed.ts";

const FEEDS_QUERY = parameters(PAGE_PARAMETERS);

const DEFINITION_PROBLEMS = [
  ...BODY_PROBLEMS,
  "SCHEMA_REQUIRED",
  "SCHEMA_INVALID",
  "PRICING_INVALID",
  "FEED_FORBIDDEN",
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
  description: "The newest come first.",
  answers: {
    200: documented(OwnFeedsShape, {
      description: "A page of your feeds.",
      headers: ["Cache-Control"],
      examples: {
        "One feed": { feeds: [FEED_ROW], total: 1, limit: 20, offset: 0, has_more: false },
      },
    }),
  },
  problems: COUNTED,
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
  problems: [...DEFINITION_PROBLEMS, "FEED_QUOTA_EXCEEDED"],
});
const CREATE_BODY = documented(CreateFeedShape, {
  description: "The feed; at most 2 MB.",
  examples: {
    "A metered stream": {
      name: "Earthquakes",
      endpoint_path: "quakes",
      description: "Earthquakes of magnitude 4.5 and above, worldwide.",
      category: "science",
      feed_type: "stream",
      schema_definition: SCHEMA_DEFINITION,
      schema_locked: true,
      sample_response: ROWS[0],
      sync_interval_mins: 60,
      status: "inactive",
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
    "What the body leaves out stays as it is. A status other than draft needs a schema, and `active` a successful push before it.",
  answers: {
    200: documented(WrittenFeedShape, { description: "The whole feed after the edit.", ...EDITED }),
  },
  problems: DEFINITION_PROBLEMS,
});
const EDIT_BODY = documented(EditFeedShape, {
  description: "What is to change; at most 2 MB.",
  examples: {
    "A new price": { price_type: "metered", price_per_1k: 0.002 },
    "Taken from service": { status: "inactive" },
  },
});

export function saveRoutes(services: Services) {
  return new Elysia({ name: "save" })
    .use(authenticated(services.keys, "write"))
    .get(
      "/provider/feeds",
      async ({ call, principal, query }) => {
        await admitHousekeeping(services, { call, principal, operation: "feeds" });
        const body = await listFeeds(services, principal.accountId, pageOf(query));
        return respond({ headers: privateJson(), body });
      },
      { query: FEEDS_QUERY, ...LIST_FEEDS },
    )
    .use(uploads())
    .post(
      "/provider/feed/create",
      async ({ call, principal }) => respond(await createFeed(services, call, principal)),
      { parse: "none", query: NO_PARAMETERS, body: CREATE_BODY, ...CREATE_FEED },
    )
    .patch(
      "/provider/feed/:feed_id/edit",
      async ({ call, principal, params }) =>
        respond(await editFeed(services, call, { principal, reference: params.feed_id })),
      {
        parse: "none",
        params: OWN_FEED_PARAMS,
        query: NO_PARAMETERS,
        body: EDIT_BODY,
        ...EDIT_FEED,
      },
    );
}
