/**
 * The operations of a read key. Interface 4.1 to 4.4, decisions 6 and 7.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import {
  ACCOUNT,
  CATALOG_ENTRY,
  FEED_METADATA,
  ORIGIN,
  ORIGIN_FREE,
  ROWS,
  SEARCH_HIT,
  USAGE_EVENT,
} from "./examples.ts";
import { RATE_HEADERS } from "./headers.ts";
import {
  type AnswerDoc,
  KEY_PROBLEMS,
  type OperationDoc,
  type ParameterDoc,
  SERVER_PROBLEMS,
} from "./operation.ts";

const FEED_REFERENCE: ParameterDoc = {
  name: "id",
  in: "path",
  description: "The feed's UUID or its `endpoint_path`.",
  schema: Type.String({ minLength: 1 }),
};

export const IF_NONE_MATCH: ParameterDoc = {
  name: "If-None-Match",
  in: "header",
  description:
    "An earlier answer's `ETag`: 304 where nothing has changed, free, and counted in a limit of its own.",
  schema: Type.String(),
};

const UNCHANGED: AnswerDoc = {
  description:
    "Nothing has changed since the ETag was sent. Not charged, and counted in a limit of its own.",
  headers: ["ETag", "Cache-Control"],
};

const TAGGED = ["ETag", "Cache-Control", ...RATE_HEADERS] as const;

export const CONSUMER_OPERATIONS: readonly OperationDoc[] = [
  {
    operationId: "listCatalog",
    method: "get",
    path: "/v1/catalog",
    access: "consumer",
    tag: "discovery",
    summary: "List the active public feeds",
    description: "The newest published come first. Free, and counted in a limit of its own.",
    parameters: [IF_NONE_MATCH],
    answers: {
      200: {
        description: "A page of the catalog.",
        headers: TAGGED,
        content: {
          "application/json": {
            schema: "Catalog",
            example: {
              message: "1 feed is listed; this page shows 1.",
              total: 1,
              total_feeds: 1,
              limit: 20,
              offset: 0,
              has_more: false,
              feeds: [CATALOG_ENTRY],
              instructions: "Read a feed with GET https://feeds.example.org/v1/feed/{id}.",
              _origin: ORIGIN_FREE,
            },
          },
        },
      },
      304: UNCHANGED,
    },
    problems: ["INVALID_PARAMETER", ...KEY_PROBLEMS, ...SERVER_PROBLEMS],
    window: "discovery",
  },
  {
    operationId: "searchFeeds",
    method: "get",
    path: "/v1/search",
    access: "consumer",
    tag: "discovery",
    summary: "Search the active public feeds",
    description:
      "Finds feeds by name, description, category, field names and readme; the best match comes first. Free, and counted in a limit of its own.",
    parameters: [IF_NONE_MATCH],
    answers: {
      200: {
        description: "A page of what was found.",
        headers: TAGGED,
        content: {
          "application/json": {
            schema: "SearchResults",
            example: {
              query: "earthquakes",
              total: 1,
              limit: 20,
              offset: 0,
              has_more: false,
              results: [SEARCH_HIT],
              _origin: ORIGIN_FREE,
            },
          },
        },
      },
      304: UNCHANGED,
    },
    problems: ["QUERY_REQUIRED", "INVALID_PARAMETER", ...KEY_PROBLEMS, ...SERVER_PROBLEMS],
    window: "discovery",
  },
  {
    operationId: "readFeedMetadata",
    method: "get",
    path: "/v1/feed/{id}/metadata",
    access: "consumer",
    tag: "discovery",
    summary: "Read all about a feed, and none of its rows",
    description:
      "Schema, sample, price and limits: what to look at before the first read. Free, and counted in a limit of its own. Unlisted feeds are found too.",
    parameters: [FEED_REFERENCE, IF_NONE_MATCH],
    answers: {
      200: {
        description: "The feed.",
        headers: TAGGED,
        content: {
          "application/json": {
            schema: "FeedMetadata",
            example: { ...FEED_METADATA, _origin: { ...ORIGIN, credits_charged: 0 } },
          },
        },
      },
      304: UNCHANGED,
    },
    problems: ["INVALID_PARAMETER", ...KEY_PROBLEMS, "FEED_NOT_FOUND", ...SERVER_PROBLEMS],
    window: "discovery",
  },
  {
    operationId: "readFeed",
    method: "get",
    path: "/v1/feed/{id}",
    access: "consumer",
    tag: "data",
    summary: "Read a feed's data",
    description: [
      "A singleton gives its document; a collection its current batch in order of arrival; a stream its events, newest first.",
      "Follow `next_cursor` to the end and each row comes exactly once, even while the provider pushes.",
      "Rows are filtered by equality of top-level fields, `<field>=eq.<value>`, several of them ANDed, at most 10; write `payload.<field>` for a field that is named like a parameter or holds a dot.",
      "A metered feed charges each 200; whatever else happens costs nothing.",
    ].join("\n\n"),
    parameters: [
      FEED_REFERENCE,
      {
        name: "filters",
        in: "query",
        description:
          'Filters by the feed\'s own fields: `{"place": "eq.Chile"}` is sent as `place=eq.Chile`.',
        style: "form",
        explode: true,
        schema: Type.Unsafe({
          type: "object",
          additionalProperties: { type: "string", pattern: "^eq\\." },
        }),
        example: {},
      },
      IF_NONE_MATCH,
      {
        name: "Idempotency-Key",
        in: "header",
        description:
          "Repeats of the same read within 24 hours are charged once and share one `_origin`.",
        schema: Type.String({ pattern: "^[\\x21-\\x7e]{1,255}$" }),
      },
    ],
    answers: {
      200: {
        description: "The document, or a page of rows.",
        headers: [...TAGGED, "Vary"],
        headersOptional: ["Link"],
        content: {
          "application/json": {
            schema: "ReadResult",
            examples: {
              "A page of rows": {
                data: ROWS,
                limit: 2,
                offset: 0,
                has_more: true,
                next_cursor: "AbsGkz4Z2mVq0yRkPzq8H3oW5nD1cXb7LtJfS9uE6aKvQwTgYiOeMhUrBxCd",
                _origin: ORIGIN,
              },
              "A singleton": { data: { temperature: 21.5 }, _origin: ORIGIN },
            },
          },
        },
      },
      304: UNCHANGED,
    },
    problems: [
      "INVALID_PARAMETER",
      "OPERATOR_DISABLED",
      "JSONPATH_INVALID",
      "JSONPATH_FILTER_DISABLED",
      "CURSOR_INVALID",
      "KEY_REQUIRED",
      "INSUFFICIENT_CREDITS",
      "PURCHASE_REQUIRED",
      "KEY_INVALID",
      "KEY_PERMISSION",
      "FEED_NOT_FOUND",
      "FEED_NOT_SYNCED",
      "IDEMPOTENCY_KEY_REUSED",
      "CURSOR_EXPIRED",
      ...SERVER_PROBLEMS,
    ],
    window: "data",
  },
  {
    operationId: "getAccount",
    method: "get",
    path: "/v1/account",
    access: "consumer",
    tag: "account",
    summary: "Show the balance and the limits of your account",
    description: "Neither charged nor logged.",
    answers: {
      200: {
        description: "The account that owns the key.",
        headers: ["Cache-Control"],
        content: { "application/json": { schema: "Account", example: ACCOUNT } },
      },
    },
    problems: ["INVALID_PARAMETER", ...KEY_PROBLEMS, ...SERVER_PROBLEMS],
    window: "housekeeping",
  },
  {
    operationId: "listUsage",
    method: "get",
    path: "/v1/usage",
    access: "consumer",
    tag: "account",
    summary: "List your logged calls, newest first",
    description:
      "Each answer's `_origin.usage_id` is here, with what it cost. Neither charged nor logged.",
    answers: {
      200: {
        description: "A page of the usage log.",
        headers: ["Cache-Control"],
        headersOptional: ["Link"],
        content: {
          "application/json": {
            schema: "Usage",
            example: { usage: [USAGE_EVENT], limit: 20, has_more: false, next_cursor: null },
          },
        },
      },
    },
    problems: ["INVALID_PARAMETER", "CURSOR_INVALID", ...KEY_PROBLEMS, ...SERVER_PROBLEMS],
    window: "housekeeping",
  },
];
