/**
 * `GET /feed/{id}/export`: exports every row of one version.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { Elysia } from "elysia";
import { authenticated } from "../../api/callers/auth.ts";
import { invalidParameter, parameters } from "../../api/input/parameters.ts";
import { respondOutcome } from "../../api/problems/problems.ts";
import { checkHeaders } from "../../api/problems/validation.ts";
import { COUNTED, described, documented, FEED_PARAMS } from "../../api/reference/described.ts";
import { ROWS } from "../../api/reference/examples.ts";
import { RATE_HEADERS } from "../../api/reference/header_docs.ts";
import { Expected, oneOf } from "../../lib/typebox.ts";
import { UPLOAD_SECONDS_MAX } from "../../limits.ts";
import type { Services } from "../../services.ts";
import { CLAIM_HEADERS, idempotencyKeyHeader } from "../pipeline/claim_headers.ts";
import type { ReadPipeline } from "../pipeline/pipeline.ts";
import { createExports } from "./export_feed.ts";

const EXPORT_QUERY = parameters({
  format: Type.Optional(
    oneOf(["ndjson", "csv"], {
      description: "`ndjson` (default): one row per line. `csv`: RFC 4180 with a header.",
    }),
  ),
  after: Type.Optional(
    Type.String({
      description: "With `version`: resumes after the row with this id, the last complete row.",
    }),
  ),
  version: Type.Optional(
    Type.String({
      pattern: "^\\d{1,15}$",
      [Expected]: "an integer of 1 to 15 digits",
      description: "`Feedgate-Data-Version` of the export to resume.",
    }),
  ),
});

const EXPORT_HEADERS = Type.Object({
  ...CLAIM_HEADERS,
  "idempotency-key": idempotencyKeyHeader(
    "For 24 hours, resuming the same version with the same key is not charged again and does not count toward the limit of six.",
  ),
});
const EXPORT_HEADERS_CHECK = TypeCompiler.Compile(EXPORT_HEADERS);

const EXPORT_FEED = described({
  access: "consumer",
  window: "data",
  operationId: "exportFeed",
  tag: "data",
  summary: "Export all rows of a feed",
  description: [
    "Every row of one consistent version of a collection or a stream, regardless of pushes during the export, in order of arrival.",
    "Costs one data read per 100 rows, charged at the start. The headers contain the receipt and the number of rows. At most 6 exports per hour, account and feed.",
    "To resume an interrupted export, send `after` (the id of the last complete row), `version` (the value of `Feedgate-Data-Version`) and the same `Idempotency-Key`; it is not charged again. If the version no longer exists, the call returns 410. A collection's version exists until its rows are replaced or deleted, and for 15 minutes after another batch has replaced it; a stream's version exists for 24 hours.",
    "CSV: `id`, `event_timestamp` (streams), the properties of the schema (without one, the fields of the first 1,000 rows), and `_other` with the JSON of all other fields. Objects and arrays are JSON text. Values are exactly as pushed: make sure that a spreadsheet does not interpret one that begins with `=` as a formula.",
  ].join("\n\n"),
  answers: {
    200: documented(Type.String(), {
      description: "The rows.",
      headers: [
        "Cache-Control",
        "Content-Disposition",
        "Feedgate-Data-Version",
        "Feedgate-Row-Count",
        "Feedgate-Usage-Id",
        "Feedgate-Credits-Charged",
        "Vary",
      ],
      headersOptional: RATE_HEADERS,
      mediaTypes: {
        "application/x-ndjson": { example: ROWS.map((row) => JSON.stringify(row)).join("\n") },
        "text/csv": {
          example:
            "id,event_timestamp,magnitude,place,_other\r\nus7000,2026-11-21T08:41:07Z,4.9,Tonga,\r\n",
        },
      },
    }),
  },
  headers: EXPORT_HEADERS,
  problems: [
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

export function exportRoutes(services: Services, reads: ReadPipeline) {
  const { feeds, http, keys } = services;
  const exportFeed = createExports(services, reads);
  return new Elysia({ name: "export" })
    .use(authenticated(keys, "read", (id) => feeds.foresee(id)))
    .get(
      "/feed/:id/export",
      async ({ call, principal, params, query, server }) => {
        const { request } = call;
        checkHeaders(EXPORT_HEADERS_CHECK, request);
        const { format = "ndjson", after, version } = query;
        if (after !== undefined && version === undefined) {
          throw invalidParameter(
            "after requires version, the Feedgate-Data-Version of the interrupted export.",
            "after",
          );
        }
        // The body itself disconnects a client that does not read.
        server?.timeout(request, UPLOAD_SECONDS_MAX);
        const asked = {
          reference: params.id,
          format,
          after,
          version: version === undefined ? undefined : BigInt(version),
        };
        return respondOutcome(http, call, await exportFeed({ call, principal }, asked));
      },
      { params: FEED_PARAMS, query: EXPORT_QUERY, ...EXPORT_FEED },
    );
}
