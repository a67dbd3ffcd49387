/**
 * `POST /provider/feed/{feed_id}/import`: imports a file of rows into a feed.
 *
 * This file is the HTTP side of an import. A refusal before the first row is an ordinary answer. After that, the status
 * is 200 and the body is lines of JSON, of which the last is the receipt or the problem.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { Elysia } from "elysia";
import { authenticated } from "../../api/callers/auth.ts";
import { rateHeaders, rateLimited } from "../../api/callers/rate_headers.ts";
import { parameters } from "../../api/input/parameters.ts";
import { findUsable } from "../../api/input/usable_feed.ts";
import { checkHeaders } from "../../api/problems/validation.ts";
import { COUNTED, described, documented, OWN_FEED_PARAMS } from "../../api/reference/described.ts";
import { PUSH_RESULT, ROWS } from "../../api/reference/examples.ts";
import { RATE_HEADERS } from "../../api/reference/header_docs.ts";
import { type Answer, CACHE_PRIVATE } from "../../http/answer.ts";
import type { HttpContext } from "../../http/call.ts";
import { uploads } from "../../http/load/uploads.ts";
import { Problem, problemAnswer } from "../../http/problem_details.ts";
import { respond } from "../../http/respond.ts";
import { assert } from "../../lib/assert.ts";
import { LoopTurns } from "../../lib/loop_turns.ts";
import { Expected } from "../../lib/typebox.ts";
import type { Services } from "../../services.ts";
import { type PushServices, recordLimited } from "../push_feed.ts";
import { type StartedImport, type StartOutcome, startImport } from "./import_feed.ts";
import { createImportStore } from "./store_import.ts";

const { row_outcomes: _outcomes, ...RECEIPT } = PUSH_RESULT;

const ImportBodyShape = Type.Unsafe<string>(
  Type.String({
    $id: "ImportFile",
    description: "Rows, one per line; or CSV whose first line names the columns.",
  }),
);

const PROGRESS_HEADER = "feedgate-progress";
const IMPORT_HEADERS = Type.Object({
  [PROGRESS_HEADER]: Type.Optional(
    Type.Literal("off", {
      [Expected]: "off",
      description:
        "`off`: the response begins only after the whole file has been received. For proxies, such as nginx, that stop sending the body once the response begins.",
    }),
  ),
});
const IMPORT_HEADERS_CHECK = TypeCompiler.Compile(IMPORT_HEADERS);

const IMPORT_FEED = described({
  access: "provider",
  window: "push",
  operationId: "importFeed",
  tag: "provider",
  summary: "Import a file of rows",
  description: [
    "A file of up to 1 GB into a collection or a stream, as one push: `application/x-ndjson` (one row per line) or `text/csv`, optionally gzip-encoded. Only one import into a feed can run at a time.",
    "Collection: the file replaces the collection. Readers see the old rows until the import finishes, then all new rows at once. Stream: events are appended in file order; events whose id already exists are skipped, so a file can be sent again.",
    "Rows follow the same rules as in a push. CSV: a value gets the type of its property in the schema (without a schema, string); empty values are omitted. `_other` contains further fields as a JSON object, as in an export.",
    "The response is NDJSON, sent during the upload: `{rows, bytes}` every second, and finally `{receipt}` or `{problem}` with the first 20 invalid lines (`line` counts from 1). After a problem, a collection is unchanged; a stream contains the events before the first invalid line, and `rows_inserted` is the number of new ones.",
  ].join("\n\n"),
  answers: {
    200: documented(Type.String(), {
      description: "Lines of JSON; the last one contains the receipt or the problem.",
      headers: ["Cache-Control", ...RATE_HEADERS],
      mediaTypes: {
        "application/x-ndjson": {
          example: [
            { rows: 84_000, bytes: 21_204_300 },
            { rows: 171_500, bytes: 43_290_112 },
            { receipt: { ...RECEIPT, rows_received: 200_000, rows_inserted: 200_000 } },
          ]
            .map((line) => JSON.stringify(line))
            .join("\n"),
        },
      },
    }),
  },
  headers: IMPORT_HEADERS,
  problems: [
    "BODY_NOT_JSON",
    "PAYLOAD_TOO_LARGE",
    "UNSUPPORTED_MEDIA_TYPE",
    "FEED_FORBIDDEN",
    "FEED_SUSPENDED",
    "IMPORT_RUNNING",
    "VALIDATION_FAILED",
    ...COUNTED,
  ],
});

const IMPORT_BODY = documented(ImportBodyShape, {
  description: "At most 1 GB, after gzip decoding.",
  mediaTypes: {
    "application/x-ndjson": { example: ROWS.map((row) => JSON.stringify(row)).join("\n") },
    "text/csv": {
      example: "id,event_timestamp,magnitude,place\nus7000,2026-11-21T08:41:07Z,4.9,Tonga\n",
    },
  },
});

export function importRoutes(services: Services, pushes: PushServices) {
  const { bodies, database, http, importDatabase, intervals, keys, storedFeeds } = services;
  const importStore = createImportStore(importDatabase);
  const imports = {
    ...pushes,
    database,
    importStore,
    isDraining: http.isDraining,
    progressMs: intervals.importProgress,
    turns: new LoopTurns(),
  };
  return new Elysia({ name: "import" })
    .use(authenticated(keys, "write"))
    .use(uploads())
    .post(
      "/provider/feed/:feed_id/import",
      async ({ call, principal, params }) => {
        const startedMs = performance.now();
        const { accountId } = principal;
        checkHeaders(IMPORT_HEADERS_CHECK, call.request);
        const feed = await findUsable(storedFeeds, accountId, params.feed_id);
        call.subject.feedId = feed.feedId;
        const limited = pushes.store.findLimited(feed.feedId);
        if (limited !== undefined) {
          const problem = rateLimited(limited, Date.now());
          await recordLimited(imports, { call, feed, isDryRun: false, startedMs }, problem);
          throw problem;
        }
        const answered = Promise.withResolvers<Answer>();
        // The import outlasts its handler, and counts as a body in use until it ends.
        bodies
          .whileHeld(accountId, async (hold) => {
            const arrival = { call, principal, feed, isDryRun: false, startedMs, hold };
            const started = startedOf(await startImport(imports, arrival));
            const { body, ended } = progressLines(http, call.requestId, started);
            const isQuiet = call.request.headers.has(PROGRESS_HEADER);
            if (isQuiet) await Promise.race([started.received, ended]);
            const headers = {
              "Content-Type": "application/x-ndjson",
              "Cache-Control": CACHE_PRIVATE,
              // Otherwise proxies would hold back lines to fill a buffer.
              "X-Accel-Buffering": "no",
              ...rateHeaders(started.window, Date.now()),
            };
            answered.resolve({ headers, body });
            await ended;
          })
          .catch(answered.reject);
        return respond(await answered.promise);
      },
      {
        parse: "none",
        params: OWN_FEED_PARAMS,
        query: parameters({}),
        body: IMPORT_BODY,
        ...IMPORT_FEED,
      },
    );
}

/** @throws {Problem} every refusal before the first row */
function startedOf(outcome: StartOutcome): StartedImport {
  if (outcome.kind === "started") return outcome;
  const { problem, window } = outcome;
  if (window === undefined) throw problem;
  const { code, options, status } = problem;
  const headers = { ...rateHeaders(window, Date.now()), ...options.headers };
  throw new Problem(code, { ...options, status, headers });
}

/** The answer of an import: a progress line every second, and a final line. */
function progressLines(
  http: HttpContext,
  requestId: string,
  started: StartedImport,
): { readonly body: ReadableStream<Uint8Array>; readonly ended: Promise<void> } {
  const { progress } = started;
  const ended = Promise.withResolvers<void>();
  let isGone = false;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (line: string) => {
        if (!isGone) controller.enqueue(Buffer.from(`${line}\n`));
      };
      started.onTick(() => {
        const { rowsReceived: rows, bytes } = progress;
        // A client that does not read misses progress lines.
        if ((controller.desiredSize ?? 0) > 0) send(JSON.stringify({ rows, bytes }));
      });
      started
        .run()
        .then((result) => {
          send(
            result instanceof Problem
              ? `{"problem":${problemText(http, requestId, result)}}`
              : JSON.stringify({ receipt: result }),
          );
          if (!isGone) controller.close();
        })
        .finally(() => ended.resolve());
    },
    cancel() {
      isGone = true;
      started.abort();
    },
  });
  return { body, ended: ended.promise };
}

function problemText(http: HttpContext, requestId: string, problem: Problem): string {
  const { body } = problemAnswer(problem, { requestId, isKeyed: true, baseUrl: http.baseUrl() });
  assert(typeof body === "string", "a problem is a text");
  return body;
}
