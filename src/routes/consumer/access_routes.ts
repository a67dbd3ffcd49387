/**
 * The routes through which an account requests access to feeds that are not open, and lists its requests.
 *
 * See `src/spec/beyond.md`, section 18.
 *
 * @module
 */
import { Elysia } from "elysia";
import { AccessRequestsShape, RequestAccessInput } from "../../access/access_shapes.ts";
import { listOwnAccessRequests, requestAccess } from "../../access/ask_for_access.ts";
import { authenticated } from "../../api/callers/auth.ts";
import { admitHousekeeping } from "../../api/callers/unlogged_calls.ts";
import { cappedLimit, cursorParameters } from "../../api/input/paging.ts";
import { NO_PARAMETERS, parameters } from "../../api/input/parameters.ts";
import { receiveInput } from "../../api/input/receive_input.ts";
import {
  BODY_PROBLEMS,
  COUNTED,
  described,
  documented,
  FEED_PARAMS,
} from "../../api/reference/described.ts";
import { ACCESS_REQUEST } from "../../api/reference/examples.ts";
import { AccessRequestShape } from "../../feeds/access_request.ts";
import { privateJson } from "../../http/answer.ts";
import { respond, respondPage } from "../../http/respond.ts";
import type { Services } from "../../services.ts";

const REQUEST_ACCESS = described({
  access: "consumer",
  window: "housekeeping",
  operationId: "requestAccess",
  tag: "account",
  summary: "Ask for access to a feed",
  description:
    "For a feed with `access` `by_request`, whose provider decides which accounts can read its data. An account can have one pending request per feed, and may ask again 7 days after a refusal. Neither charged nor logged.",
  answers: {
    201: documented(AccessRequestShape, {
      description: "The pending request.",
      headers: ["Cache-Control"],
      examples: { "A request": ACCESS_REQUEST },
    }),
  },
  problems: [
    ...BODY_PROBLEMS,
    "FEED_NOT_FOUND",
    "ACCESS_REQUESTED",
    "ACCESS_NOT_NEEDED",
    ...COUNTED,
  ],
});
const REQUEST_BODY = documented(RequestAccessInput, {
  description: "The message to the provider; at most 64 KB.",
  examples: { "With a message": { message: "We show quakes on a map for schools." } },
});

const REQUESTS_QUERY = parameters(cursorParameters("Requests"));
const LIST_REQUESTS = described({
  access: "consumer",
  window: "housekeeping",
  operationId: "listAccessRequests",
  tag: "account",
  summary: "List your account's access requests, newest first",
  description:
    "Each with its state and, if it was declined, the provider's reason. Neither charged nor logged.",
  answers: {
    200: documented(AccessRequestsShape, {
      description: "A page of requests.",
      headers: ["Cache-Control"],
      headersOptional: ["Link"],
      examples: {
        "One request": {
          requests: [ACCESS_REQUEST],
          limit: 20,
          has_more: false,
          next_cursor: null,
        },
      },
    }),
  },
  problems: ["CURSOR_INVALID", ...COUNTED],
});

/** Without a prefix: mounted at `/v1` and `/api/v1`. */
export function accessRoutes(services: Services) {
  return new Elysia({ name: "access" })
    .use(authenticated(services.keys, "read"))
    .post(
      "/feed/:id/access-requests",
      async ({ call, principal, params }) => {
        await admitHousekeeping(services, { call, principal, operation: "account" });
        const { message } = await receiveInput(services, { call, principal }, RequestAccessInput);
        const request = await requestAccess(services, principal, { reference: params.id, message });
        call.subject.feedId = request.feed_id;
        return respond({ status: 201, headers: privateJson(), body: JSON.stringify(request) });
      },
      {
        parse: "none",
        params: FEED_PARAMS,
        query: NO_PARAMETERS,
        body: REQUEST_BODY,
        ...REQUEST_ACCESS,
      },
    )
    .get(
      "/account/access-requests",
      async ({ call, principal, query }) => {
        await admitHousekeeping(services, { call, principal, operation: "account" });
        const asked = { limit: cappedLimit(query.limit), cursor: query.cursor };
        const page = await listOwnAccessRequests(services, principal, asked);
        return respondPage({ http: services.http, call }, page);
      },
      { query: REQUESTS_QUERY, ...LIST_REQUESTS },
    );
}
