/**
 * `GET /provider/feed/{feed_id}/pushes`: what became of a feed's pushes. Beyond 11.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { authenticated } from "../../api/callers/auth.ts";
import { admitHousekeeping } from "../../api/callers/unlogged_calls.ts";
import { cappedLimit, limitParameter } from "../../api/input/paging.ts";
import { parameters } from "../../api/input/parameters.ts";
import { COUNTED, described, documented, OWN_FEED_PARAMS } from "../../api/reference/described.ts";
import { LIMITED_PUSH, STORED_PUSH } from "../../api/reference/examples.ts";
import { privateJson } from "../../http/answer.ts";
import { nextLink } from "../../http/next_link.ts";
import { respond } from "../../http/respond.ts";
import { listPushes, PushesShape } from "../../provider/push_history.ts";
import type { Services } from "../../services.ts";

const PUSHES_QUERY = parameters({
  limit: limitParameter("Pushes"),
  cursor: Type.Optional(Type.String({ description: "next_cursor of the page before." })),
});

const LIST_PUSHES = described({
  access: "provider",
  window: "housekeeping",
  operationId: "listPushes",
  tag: "provider",
  summary: "List the pushes of a feed, refused ones too",
  description:
    "The newest come first, of 90 days. Dry runs are not among them. Pushes that were refused by rate within a minute are one entry, so that a flood of them hides nothing.",
  answers: {
    200: documented(PushesShape, {
      description: "A page of the history.",
      headers: ["Cache-Control"],
      headersOptional: ["Link"],
      examples: {
        "One of each": {
          pushes: [LIMITED_PUSH, STORED_PUSH],
          limit: 20,
          has_more: false,
          next_cursor: null,
        },
      },
    }),
  },
  problems: ["CURSOR_INVALID", "FEED_FORBIDDEN", ...COUNTED],
});

export function pushesRoutes(services: Services) {
  const { http, keys } = services;
  return new Elysia({ name: "pushes" }).use(authenticated(keys, "write")).get(
    "/provider/feed/:feed_id/pushes",
    async ({ call, principal, params, query }) => {
      await admitHousekeeping(services, { call, principal, operation: "feeds" });
      const page = await listPushes(services, {
        accountId: principal.accountId,
        reference: params.feed_id,
        limit: cappedLimit(query.limit),
        cursor: query.cursor,
      });
      call.subject.feedId = page.feedId;
      const headers = privateJson();
      const { next_cursor: next } = page.body;
      if (next !== null) {
        headers.Link = nextLink({ requestUrl: call.request.url, baseUrl: http.baseUrl() }, next);
      }
      return respond({ headers, body: JSON.stringify(page.body) });
    },
    { params: OWN_FEED_PARAMS, query: PUSHES_QUERY, ...LIST_PUSHES },
  );
}
