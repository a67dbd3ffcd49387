/**
 * `GET /provider/feed/{feed_id}/pushes`: the history of a feed's pushes.
 *
 * See `src/spec/beyond.md`, section 11.
 *
 * @module
 */
import { Elysia } from "elysia";
import { authenticated } from "../../api/callers/auth.ts";
import { admitHousekeeping } from "../../api/callers/unlogged_calls.ts";
import { cappedLimit, cursorParameters } from "../../api/input/paging.ts";
import { parameters } from "../../api/input/parameters.ts";
import { COUNTED, described, documented, OWN_FEED_PARAMS } from "../../api/reference/described.ts";
import { LIMITED_PUSH, STORED_PUSH } from "../../api/reference/examples.ts";
import { respondPage } from "../../http/respond.ts";
import { listPushes, PushesShape } from "../../provider/push_history.ts";
import type { Services } from "../../services.ts";

const PUSHES_QUERY = parameters(cursorParameters("Pushes"));

const LIST_PUSHES = described({
  access: "provider",
  window: "housekeeping",
  operationId: "listPushes",
  tag: "provider",
  summary: "List the pushes of a feed, including refused ones",
  description:
    "Pushes of the last 90 days, newest first, without dry runs. Pushes refused by the rate limit within one minute are a single entry, so they don't hide other pushes.",
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
      return respondPage({ http, call }, page.body);
    },
    { params: OWN_FEED_PARAMS, query: PUSHES_QUERY, ...LIST_PUSHES },
  );
}
