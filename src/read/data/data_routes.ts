/**
 * `GET /feed/{id}`.
 *
 * @module
 */

import { Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { Elysia } from "elysia";
import { authenticated } from "../../api/callers/auth.ts";
import { respondOutcome } from "../../api/problems/problems.ts";
import { checkHeaders } from "../../api/problems/validation.ts";
import {
  CONDITIONAL,
  COUNTED,
  described,
  documented,
  FEED_PARAMS,
  TAGGED,
  UNCHANGED,
} from "../../api/reference/described.ts";
import { ORIGIN, ROWS } from "../../api/reference/examples.ts";
import { Expected } from "../../lib/typebox.ts";
import { CONDITIONAL_WAIT_SECONDS_MAX, IDLE_SECONDS_MAX } from "../../limits.ts";
import type { Services } from "../../services.ts";
import { count, nextCursor, OriginShape, page } from "../../shapes.ts";
import { CLAIM_HEADERS } from "../pipeline/claim_headers.ts";
import type { ReadPipeline } from "../pipeline/pipeline.ts";
import { createFeedReads } from "./read_feed.ts";
import { READ_QUERY } from "./read_plan.ts";

const ReadResultShape = Type.Object(
  {
    data: Type.Unknown({
      description:
        "Singleton: the document. Collection, stream: an array of rows. With `jsonpath`: what it selects.",
    }),
    limit: Type.Optional(page.limit),
    offset: Type.Optional(count("Rows skipped; 0 with `cursor` or `ids`.")),
    has_more: Type.Optional(page.has_more),
    next_cursor: Type.Optional(nextCursor),
    _origin: OriginShape,
  },
  { $id: "ReadResult", description: "For a singleton, only `data` and `_origin`." },
);

const READ_HEADERS = Type.Object({
  ...CONDITIONAL.properties,
  ...CLAIM_HEADERS,
  prefer: Type.Optional(
    Type.String({
      description:
        "`wait=N` with `If-None-Match`: responds as soon as the page has changed, or after N seconds (1 to 30).",
    }),
  ),
  "feedgate-max-chars": Type.Optional(
    Type.String({
      pattern: "^[1-9]\\d{0,8}$",
      [Expected]: "an integer of at least 1 and at most 9 digits",
      description:
        "Maximum characters of `data`: a longer page ends at an earlier row, and its cursor continues there. At least one row is returned. A longer document returns 400. Responses to `ids` are not shortened.",
    }),
  ),
});
const READ_HEADERS_CHECK = TypeCompiler.Compile(READ_HEADERS);
const READ_FEED = described({
  access: "consumer",
  window: "data",
  operationId: "readFeed",
  tag: "data",
  summary: "Read a feed's data",
  description: [
    "A singleton returns its document, a collection its current batch in order of arrival, a stream its events, newest first.",
    "If you follow `next_cursor` to the end, each row is returned exactly once, even while the provider pushes.",
    "Rows are filtered by equality of top-level fields, `<field>=eq.<value>`, up to 10, combined with AND; write `payload.<field>` for a field that has the name of a parameter or contains a dot.",
    "A metered feed charges each 200 response; all other responses are free.",
  ].join("\n\n"),
  answers: {
    200: documented(ReadResultShape, {
      description: "The document, or a page of rows.",
      headers: [...TAGGED, "Vary"],
      headersOptional: ["Link", "Preference-Applied"],
      examples: {
        "A page of rows": {
          data: ROWS,
          limit: 2,
          offset: 0,
          has_more: true,
          next_cursor: "eyJ2IjoxfQ.c2lnbmVk",
          _origin: ORIGIN,
        },
        "A singleton": { data: { temperature: 21.5 }, _origin: ORIGIN },
      },
    }),
    304: UNCHANGED,
  },
  headers: READ_HEADERS,
  problems: [
    "OPERATOR_DISABLED",
    "JSONPATH_INVALID",
    "JSONPATH_FILTER_DISABLED",
    "CURSOR_INVALID",
    "INSUFFICIENT_CREDITS",
    "PURCHASE_REQUIRED",
    "PRICE_ABOVE_MAX",
    "KEY_BUDGET_SPENT",
    "KEY_SCOPE",
    "ACCESS_REQUIRED",
    "FEED_NOT_FOUND",
    "FEED_NOT_SYNCED",
    "IDEMPOTENCY_KEY_REUSED",
    "IDEMPOTENCY_KEY_STALE",
    "CURSOR_EXPIRED",
    ...COUNTED,
  ],
});
export function dataRoutes(services: Services, reads: ReadPipeline) {
  const { feeds, http, keys } = services;
  const readFeed = createFeedReads(services, reads);
  return new Elysia({ name: "data" })
    .use(authenticated(keys, "read", (id) => feeds.foresee(id)))
    .get(
      "/feed/:id",
      async ({ call, principal, params, query, server }) => {
        checkHeaders(READ_HEADERS_CHECK, call.request);
        if (call.request.headers.has("prefer")) {
          server?.timeout(call.request, CONDITIONAL_WAIT_SECONDS_MAX + IDLE_SECONDS_MAX);
        }
        const read = { reference: params.id, query };
        return respondOutcome(http, call, await readFeed({ call, principal }, read));
      },
      { params: FEED_PARAMS, query: READ_QUERY, ...READ_FEED },
    );
}
