/**
 * `POST /provider/feed/{feed_id}/push`: pushes rows or a document into a feed.
 *
 * This file is the HTTP side of a push: it finds the feed, calls `pushToFeed`, and answers with a receipt or a problem.
 * If the push counts, the answer's headers describe the feed's window.
 *
 * @module
 */

import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { authenticated } from "../api/callers/auth.ts";
import { rateHeaders, rateLimited } from "../api/callers/rate_headers.ts";
import { parameters, queryFlag } from "../api/input/parameters.ts";
import { findUsable } from "../api/input/usable_feed.ts";
import {
  BODY_PROBLEMS,
  COUNTED,
  described,
  documented,
  OWN_FEED_PARAMS,
} from "../api/reference/described.ts";
import { PUSH_RESULT, ROWS } from "../api/reference/examples.ts";
import { RATE_HEADERS } from "../api/reference/header_docs.ts";
import { type Answer, privateJson } from "../http/answer.ts";
import { uploads } from "../http/load/uploads.ts";
import { Problem } from "../http/problem_details.ts";
import { respond } from "../http/respond.ts";
import { present } from "../lib/assert.ts";
import type { Services } from "../services.ts";
import { importRoutes } from "./import/import_route.ts";
import { createLimitedPushes } from "./limited_pushes.ts";
import { type PushOutcome, pushToFeed, recordLimited } from "./push_feed.ts";
import { newestEventOf, type RowOutcome, receiptOf } from "./push_receipt.ts";
import { PushBodyShape, PushResultShape } from "./push_shapes.ts";
import { createPushStore } from "./store_push.ts";

const PUSH_QUERY = parameters({
  dry_run: Type.Optional(
    queryFlag({ description: "Run all checks, store nothing, and respond as the push would." }),
  ),
});

const PUSH_FEED = described({
  access: "provider",
  window: "push",
  operationId: "pushFeed",
  tag: "provider",
  summary: "Push data to a feed",
  description: [
    "A push is stored completely or not at all. The first successful push activates the feed.",
    "Singleton: one object replaces the document. Collection: rows go into the current batch, or into a separate batch that replaces it with `batch_complete`. Stream: events are appended; row ids that already exist are skipped, so a push can be repeated.",
    "Values are returned exactly as pushed, including long numbers and key order. The body may be gzip-encoded; rows may also be sent as NDJSON (`application/x-ndjson`).",
  ].join("\n\n"),
  answers: {
    200: documented(PushResultShape, {
      description: "Stored; in a dry run, valid.",
      headers: ["Cache-Control", ...RATE_HEADERS],
      examples: { Stored: PUSH_RESULT, "Dry run": { ...PUSH_RESULT, dry_run: true } },
    }),
  },
  problems: [
    ...BODY_PROBLEMS,
    "SCHEMA_INVALID",
    "FEED_FORBIDDEN",
    "FEED_SUSPENDED",
    "BATCH_CLOSED",
    ...COUNTED,
  ],
});
const PUSH_BODY = documented(PushBodyShape, {
  description:
    "By default, at most 4 MB for a singleton, otherwise 2 MB, 500 rows and 50 KB per row.",
  examples: {
    "Events of a stream": { payload: ROWS },
    "Last part of a batch": {
      payload: [{ id: 1, city: "Lima", temperature: 19.4 }],
      batch_id: "2026-11-21",
      batch_complete: true,
    },
    "A singleton's document": { payload: { temperature: 21.5, unit: "C" } },
    "Only the payload": ROWS,
  },
  mediaTypes: {
    "application/json": {},
    "application/x-ndjson": {
      schema: Type.String(),
      example: ROWS.map((row) => JSON.stringify(row)).join("\n"),
    },
  },
});

/** The outcome letters of `write_push`. */
const ROW_OUTCOMES = new Map<string, RowOutcome>([
  ["i", "inserted"],
  ["u", "updated"],
  ["d", "duplicate"],
]);

export function pushRoutes(services: Services) {
  const { storedFeeds: feeds, rowSchemas, database, waits, bodies, keys, log } = services;
  const { metrics } = services.http;
  const { limits } = services.config;
  const store = createPushStore(database, limits.pushes);
  const onMoved = waits.moved.bind(waits);
  const countLimited = createLimitedPushes();
  const shared = { feeds, rowSchemas, limits, keys, database, metrics, log };
  const pushes = { ...shared, store, countLimited, onMoved };
  return new Elysia({ name: "push" })
    .use(authenticated(keys, "write"))
    .use(uploads())
    .post(
      "/provider/feed/:feed_id/push",
      async ({ call, principal, params, query }) => {
        const startedMs = performance.now();
        const { accountId } = principal;
        const feed = await findUsable(feeds, accountId, params.feed_id);
        const { feedId } = feed;
        call.subject.feedId = feedId;
        const limited = store.findLimited(feedId);
        const isDryRun = query.dry_run ?? false;
        if (limited !== undefined) {
          const problem = rateLimited(limited, Date.now());
          await recordLimited(pushes, { call, feed, isDryRun, startedMs }, problem);
          throw problem;
        }
        const outcome = await bodies.whileHeld(accountId, (hold) =>
          pushToFeed(pushes, { call, principal, feed, isDryRun, startedMs, hold }),
        );
        return respond(answerOf(outcome, { feedId, isDryRun }));
      },
      { parse: "none", params: OWN_FEED_PARAMS, query: PUSH_QUERY, body: PUSH_BODY, ...PUSH_FEED },
    )
    .use(importRoutes(services, pushes));
}

/** @throws {Problem} every refusal */
function answerOf(
  outcome: PushOutcome,
  { feedId, isDryRun }: { feedId: string; isDryRun: boolean },
): Answer {
  if (outcome.kind === "refused" && !outcome.isCounted) throw outcome.problem;
  const headers = rateHeaders(outcome.window, Date.now());
  if (outcome.kind === "refused") {
    const { code, options, status } = outcome.problem;
    throw new Problem(code, { ...options, status, headers: { ...headers, ...options.headers } });
  }
  return {
    headers: { ...privateJson(), ...headers },
    body: JSON.stringify(resultOf(feedId, outcome, isDryRun)),
  };
}

/** The body of the answer. */
function resultOf(
  feedId: string,
  { push, stored, retentionDays }: Extract<PushOutcome, { kind: "stored" }>,
  isDryRun: boolean,
): Static<typeof PushResultShape> {
  const outcomes = Array.from(stored.rowOutcomes, (letter) => present(ROW_OUTCOMES.get(letter)));
  const count = (outcome: RowOutcome) => outcomes.filter((each) => each === outcome).length;
  const rows = {
    received: push.rows.length,
    inserted: count("inserted"),
    updated: count("updated"),
    duplicate: count("duplicate"),
  };
  const added = push.rows.filter((_, at) => outcomes[at] === "inserted");
  const newestEvent = newestEventOf(added, { receivedAt: stored.lastSyncAt });
  const kept = { retentionDays, newestEvent };
  const receipt = receiptOf({ ...push, ...kept, feedId, rows, outcomes, stored });
  return { ...receipt, row_outcomes: outcomes, ...(isDryRun && { dry_run: true }) };
}
