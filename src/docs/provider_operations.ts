/**
 * The operations of a write key. Interface 4.6 to 4.8, decisions 4, 5 and 10.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import type { ProblemCode } from "../http/errors.ts";
import {
  CREATED_FEED,
  FEED_ROW,
  PUSH_RESULT,
  ROWS,
  SCHEMA_DEFINITION,
  WRITTEN_FEED,
} from "./examples.ts";
import { RATE_HEADERS } from "./headers.ts";
import {
  type AnswerDoc,
  KEY_PROBLEMS,
  type OperationDoc,
  type ParameterDoc,
  SERVER_PROBLEMS,
} from "./operation.ts";

const OWN_FEED: ParameterDoc = {
  name: "feed_id",
  in: "path",
  description: "UUID of a feed that the key's account owns.",
  schema: Type.String({ format: "uuid" }),
};

const BODY_PROBLEMS = [
  "BODY_NOT_JSON",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
  "VALIDATION_FAILED",
] as const;
const DEFINITION_PROBLEMS: readonly ProblemCode[] = [
  "INVALID_PARAMETER",
  ...BODY_PROBLEMS,
  "SCHEMA_REQUIRED",
  "SCHEMA_INVALID",
  "PRICING_INVALID",
  "FEED_FORBIDDEN",
  "ENDPOINT_PATH_TAKEN",
  "FEED_NEVER_PUSHED",
  "FEED_TYPE_LOCKED",
  ...KEY_PROBLEMS,
  ...SERVER_PROBLEMS,
];

const EDITED: AnswerDoc = {
  description: "The whole feed after the edit.",
  headers: ["Cache-Control"],
  content: { "application/json": { schema: "WrittenFeed", example: WRITTEN_FEED } },
};

export const PROVIDER_OPERATIONS: readonly OperationDoc[] = [
  {
    operationId: "createFeed",
    method: "post",
    path: "/v1/provider/feed/create",
    access: "provider",
    tag: "provider",
    summary: "Create a feed",
    description: [
      "The new feed is unlisted; the operator lists it after review. Its first successful push activates it.",
      "With the `id` of an own feed, the body is an edit of that feed and takes no slot of the quota.",
    ].join("\n\n"),
    body: {
      schema: "CreateFeed",
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
    },
    answers: {
      200: { ...EDITED, description: "The body's `id` is an own feed's, which was edited." },
      201: {
        description: "The whole new feed.",
        headers: ["Cache-Control"],
        content: { "application/json": { schema: "WrittenFeed", example: CREATED_FEED } },
      },
    },
    problems: [...DEFINITION_PROBLEMS, "FEED_QUOTA_EXCEEDED"],
    window: "housekeeping",
  },
  {
    operationId: "editFeed",
    method: "patch",
    path: "/v1/provider/feed/{feed_id}/edit",
    access: "provider",
    tag: "provider",
    summary: "Edit a feed",
    description:
      "What the body leaves out stays as it is. A status other than draft needs a schema, and `active` a successful push before it.",
    parameters: [OWN_FEED],
    body: {
      schema: "EditFeed",
      description: "What is to change; at most 2 MB.",
      examples: {
        "A new price": { price_type: "metered", price_per_1k: 0.002 },
        "Taken from service": { status: "inactive" },
      },
    },
    answers: { 200: EDITED },
    problems: DEFINITION_PROBLEMS,
    window: "housekeeping",
  },
  {
    operationId: "pushFeed",
    method: "post",
    path: "/v1/provider/feed/{feed_id}/push",
    access: "provider",
    tag: "provider",
    summary: "Push data into a feed",
    description: [
      "A push is stored as a whole or not at all, and the first successful one activates the feed.",
      "Singleton: one object replaces the document. Collection: rows go into the current batch, or into a batch of their own that is swapped in by `batch_complete`. Stream: events are appended; a row id that is there already is skipped, so a push can be repeated.",
      "Values come back as they were pushed, long numbers and key order included. The body may be gzip-encoded; rows may also be sent as lines (`application/x-ndjson`).",
    ].join("\n\n"),
    parameters: [OWN_FEED],
    body: {
      schema: "PushBody",
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
      lines: ROWS.map((row) => JSON.stringify(row)).join("\n"),
    },
    answers: {
      200: {
        description: "Stored; or, in a dry run, found fit to be stored.",
        headers: ["Cache-Control", ...RATE_HEADERS],
        content: {
          "application/json": {
            schema: "PushResult",
            examples: {
              Stored: PUSH_RESULT,
              "Dry run": { ...PUSH_RESULT, dry_run: true },
            },
          },
        },
      },
    },
    problems: [
      "INVALID_PARAMETER",
      ...BODY_PROBLEMS,
      "FEED_FORBIDDEN",
      "BATCH_CLOSED",
      ...KEY_PROBLEMS,
      ...SERVER_PROBLEMS,
    ],
    window: "push",
  },
  {
    operationId: "listProviderFeeds",
    method: "get",
    path: "/v1/provider/feeds",
    access: "provider",
    tag: "provider",
    summary: "List your own feeds, drafts included",
    description: "The newest come first.",
    answers: {
      200: {
        description: "A page of your feeds.",
        headers: ["Cache-Control"],
        content: {
          "application/json": {
            schema: "OwnFeeds",
            example: { feeds: [FEED_ROW], total: 1, limit: 20, offset: 0, has_more: false },
          },
        },
      },
    },
    problems: ["INVALID_PARAMETER", ...KEY_PROBLEMS, ...SERVER_PROBLEMS],
    window: "housekeeping",
  },
];
