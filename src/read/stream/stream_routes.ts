/**
 * `GET /feed/{id}/stream`: a stream in arrival order.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { Elysia } from "elysia";
import { authenticated } from "../../api/callers/auth.ts";
import { cappedLimit, limitParameter } from "../../api/input/paging.ts";
import { parameters } from "../../api/input/parameters.ts";
import { respondOutcome } from "../../api/problems/problems.ts";
import { checkHeaders } from "../../api/problems/validation.ts";
import { COUNTED, described, documented, FEED_PARAMS } from "../../api/reference/described.ts";
import { ORIGIN, ROWS } from "../../api/reference/examples.ts";
import { RATE_HEADERS } from "../../api/reference/header_docs.ts";
import { preferredWaitSeconds } from "../../http/prefer.ts";
import { eventText, KEEP_ALIVE, offsetText } from "../../http/sse_body.ts";
import { weightOf } from "../../http/weight.ts";
import { nullable, oneOf } from "../../lib/typebox.ts";
import { IDLE_SECONDS_MAX, LONG_POLL_SECONDS } from "../../limits.ts";
import type { Services } from "../../services.ts";
import { OriginShape } from "../../shapes.ts";
import { CLAIM_HEADERS } from "../pipeline/claim_headers.ts";
import type { ReadPipeline } from "../pipeline/pipeline.ts";
import { createFollow } from "./follow_stream.ts";

const STREAM_QUERY = parameters({
  offset: Type.Optional(
    Type.String({
      description:
        "`next_offset` of the previous page, `start` (the oldest event) or `now`. Default `start`.",
    }),
  ),
  limit: limitParameter("Events"),
  live: Type.Optional(
    oneOf(["long-poll", "sse"], {
      description:
        "`long-poll` waits for an event, at most 20 seconds; `sse` sends events as they arrive.",
    }),
  ),
});

const STREAM_HEADERS = Type.Object({
  ...CLAIM_HEADERS,
  "last-event-id": Type.Optional(
    Type.String({
      description: "The offset of the last received event; takes precedence over `offset`.",
    }),
  ),
  prefer: Type.Optional(
    Type.String({ description: "`wait=N`: a long poll waits N seconds (1 to 20)." }),
  ),
});
const STREAM_HEADERS_CHECK = TypeCompiler.Compile(STREAM_HEADERS);

const TailShape = Type.Object(
  {
    data: Type.Array(Type.Unknown(), { description: "Events in order of arrival." }),
    next_offset: Type.String({ description: "Pass it as `offset`." }),
    up_to_date: Type.Boolean({ description: "Whether these are the newest events." }),
    _origin: {
      ...nullable(OriginShape),
      description: "The receipt. Null if there are no events, which is neither charged nor logged.",
    },
  },
  { $id: "StreamPage", description: "Events in order of arrival." },
);

const PAGE = {
  data: ROWS,
  next_offset: "AW9mZnNldA",
  up_to_date: true,
  _origin: ORIGIN,
};

/** A problem document, in this example for a drain. */
const END = {
  type: "https://feeds.example.com/docs#errors-unavailable",
  title: "Temporarily unavailable",
  status: 503,
  detail: "The gateway is shutting down. Reconnect in a second with Last-Event-ID.",
  code: "UNAVAILABLE",
  request_id: "0193a7e4-52d1-7b6e-8c55-6a1f0f7e9d21",
  retry_after_ms: 1_000,
};

const FOLLOW_STREAM = described({
  access: "consumer",
  window: "data",
  operationId: "followStream",
  tag: "data",
  summary: "Follow a stream",
  description: [
    "Events in the order in which they were pushed, each exactly once, including late ones. Continue from `next_offset`.",
    "A page with events costs the same as a data read and counts toward the same limit. An empty page is free.",
    "`live=sse`, or `Accept: text/event-stream`, sends an event `rows` when events have arrived, at most once per second. Its `id` is the next offset, its `data` a page. A comment is sent every 15 seconds. The event `end` contains a problem document; clients reconnect with `Last-Event-ID`.",
  ].join("\n\n"),
  answers: {
    200: documented(TailShape, {
      description: "The next page, or server-sent events.",
      headers: ["Cache-Control"],
      headersOptional: RATE_HEADERS,
      examples: { "A page of events": PAGE },
      mediaTypes: {
        "application/json": {},
        "text/event-stream": {
          schema: Type.String(),
          examples: {
            "`rows`: new events; resume from `id`": eventText({
              name: "rows",
              id: PAGE.next_offset,
              data: JSON.stringify(PAGE),
            }),
            "`end`: the stream ends; `data` says why and when to reconnect": eventText({
              name: "end",
              data: JSON.stringify(END),
            }),
            "Only an `id`: the starting position of a follower with `offset=now`": offsetText(
              PAGE.next_offset,
            ),
            "A comment every 15 seconds: the connection is alive": KEEP_ALIVE,
          },
        },
      },
    }),
    204: documented(Type.Void(), {
      description: "`live=long-poll`: no event came in time. Not charged.",
      headers: ["Cache-Control", "Feedgate-Next-Offset"],
      headersOptional: ["Retry-After"],
    }),
  },
  headers: STREAM_HEADERS,
  problems: [
    "CURSOR_INVALID",
    "NOT_A_STREAM",
    "INSUFFICIENT_CREDITS",
    "PURCHASE_REQUIRED",
    "PRICE_ABOVE_MAX",
    "KEY_BUDGET_SPENT",
    "KEY_SCOPE",
    "ACCESS_REQUIRED",
    "FEED_NOT_FOUND",
    "IDEMPOTENCY_KEY_REUSED",
    "IDEMPOTENCY_KEY_STALE",
    "TOO_MANY_WAITS",
    ...COUNTED,
  ],
});

export function streamRoutes(services: Services, reads: ReadPipeline) {
  const { feeds, http, keys } = services;
  const follow = createFollow(services, reads);
  return new Elysia({ name: "stream" })
    .use(authenticated(keys, "read", (id) => feeds.foresee(id)))
    .get(
      "/feed/:id/stream",
      async ({ call, principal, params, query, server }) => {
        const { request } = call;
        const { headers } = request;
        checkHeaders(STREAM_HEADERS_CHECK, request);
        const readCall = { call, principal };
        const live = call.isHead ? undefined : (query.live ?? liveBy(headers));
        const offset = headers.get("last-event-id") || (query.offset ?? "start");
        const read = {
          reference: params.id,
          offset,
          sentOffset: offset,
          limit: cappedLimit(query.limit),
          headers: live === "sse" ? withoutIdempotencyKey(headers) : headers,
        };
        if (live === undefined)
          return respondOutcome(http, call, await follow.page(readCall, read));
        if (live === "sse") {
          // Comments are more frequent than any timeout. The stream itself disconnects a client that does not read.
          server?.timeout(request, 0);
          // At the end, the client has this long to read the rest.
          const onEnd = () => server?.timeout(request, IDLE_SECONDS_MAX);
          return respondOutcome(http, call, await follow.events(readCall, read, onEnd));
        }
        const seconds = preferredWaitSeconds(headers, LONG_POLL_SECONDS) ?? LONG_POLL_SECONDS;
        server?.timeout(request, seconds + IDLE_SECONDS_MAX);
        return respondOutcome(http, call, await follow.longPoll(readCall, read, seconds));
      },
      { params: FEED_PARAMS, query: STREAM_QUERY, ...FOLLOW_STREAM },
    );
}

/** A key is for one read, and an event stream makes many. */
function withoutIdempotencyKey(headers: Headers): Headers {
  const kept = new Headers(headers);
  kept.delete("idempotency-key");
  return kept;
}

function liveBy(headers: Headers): "sse" | undefined {
  const parts = headers.get("accept")?.split(",") ?? [];
  const isAccepted = parts.some((part) => EVENT_STREAM.test(part) && weightOf(part) > 0);
  return isAccepted ? "sse" : undefined;
}
const EVENT_STREAM = /^\s*text\/event-stream\s*(;|$)/i;
