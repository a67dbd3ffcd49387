/**
 * `GET /v1/account`, `GET /v1/usage` and `GET /v1/purchases`: an account's own balance, limits, usage log, and
 * purchases. These calls are not charged or logged, and their responses have no `_origin`.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { pageUsage } from "../../accounts/usage_page.ts";
import { authenticated } from "../../api/callers/auth.ts";
import { admitHousekeeping } from "../../api/callers/unlogged_calls.ts";
import {
  CURSOR_PARAMETER,
  cappedLimit,
  cursorParameters,
  limitParameter,
} from "../../api/input/paging.ts";
import { NO_PARAMETERS, parameters, queryTime, queryUuid } from "../../api/input/parameters.ts";
import { COUNTED, described, documented } from "../../api/reference/described.ts";
import { ACCOUNT, PURCHASE, USAGE_EVENT } from "../../api/reference/examples.ts";
import { usageText } from "../../consumer/account_answers.ts";
import { AccountShape, UsageShape } from "../../consumer/account_shapes.ts";
import { PurchasesShape } from "../../consumer/purchase_shapes.ts";
import { findUsageQuery, listOwnPurchases, readOwnAccount } from "../../consumer/read_account.ts";
import { privateJson } from "../../http/answer.ts";
import { respond, respondPage } from "../../http/respond.ts";
import type { Services } from "../../services.ts";

const USAGE_QUERY = parameters({
  ...cursorParameters("Events"),
  feed_id: Type.Optional(queryUuid({ description: "Only reads of this feed, by its UUID." })),
  key_id: Type.Optional(queryUuid({ description: "Only reads with this key, by its id." })),
  since: Type.Optional(
    queryTime({ bound: "lower", description: "RFC 3339, inclusive lower bound." }),
  ),
  until: Type.Optional(
    queryTime({ bound: "upper", description: "RFC 3339, inclusive upper bound." }),
  ),
});
const GET_ACCOUNT = described({
  access: "consumer",
  window: "housekeeping",
  operationId: "getAccount",
  tag: "account",
  summary: "Show the balance and the limits of your account",
  description: "A connected agent sees only itself in `agents`. Neither charged nor logged.",
  answers: {
    200: documented(AccountShape, {
      description: "The account that owns the key.",
      headers: ["Cache-Control"],
      examples: { "A reader": ACCOUNT },
    }),
  },
  problems: COUNTED,
});
const LIST_USAGE = described({
  access: "consumer",
  window: "housekeeping",
  operationId: "listUsage",
  tag: "account",
  summary: "List your logged calls, newest first",
  description:
    "Contains the `_origin.usage_id` of each response, with its cost. A connected agent sees only its own calls. Neither charged nor logged.",
  answers: {
    200: documented(UsageShape, {
      description: "A page of the usage log.",
      headers: ["Cache-Control"],
      headersOptional: ["Link"],
      examples: {
        "One call": { usage: [USAGE_EVENT], limit: 20, has_more: false, next_cursor: null },
      },
    }),
  },
  problems: ["CURSOR_INVALID", ...COUNTED],
});

const PURCHASES_QUERY = parameters({
  limit: limitParameter("Purchases"),
  feed_id: Type.Optional(queryUuid({ description: "Only purchases of this feed, by its UUID." })),
  cursor: CURSOR_PARAMETER,
});
const LIST_PURCHASES = described({
  access: "consumer",
  window: "housekeeping",
  operationId: "listPurchases",
  tag: "account",
  summary: "List the feeds that your account has bought, newest first",
  description:
    "A connected agent sees the purchases of the whole account, because it can read all of these feeds. Purchases that were undone are omitted. Neither charged nor logged.",
  answers: {
    200: documented(PurchasesShape, {
      description: "A page of purchases.",
      headers: ["Cache-Control"],
      headersOptional: ["Link"],
      examples: {
        "One purchase": { purchases: [PURCHASE], limit: 20, has_more: false, next_cursor: null },
      },
    }),
  },
  problems: ["CURSOR_INVALID", ...COUNTED],
});

/** Without a prefix: mounted at `/v1` and `/api/v1`. */
export function accountRoutes(services: Services) {
  const { http, keys, database } = services;
  return new Elysia({ name: "account" })
    .use(authenticated(keys, "read"))
    .get(
      "/account",
      async ({ call, principal }) => {
        await admitHousekeeping(services, { call, principal, operation: "account" });
        const account = await readOwnAccount(services, principal);
        return respond({ headers: privateJson(), body: JSON.stringify(account) });
      },
      { query: NO_PARAMETERS, ...GET_ACCOUNT },
    )
    .get(
      "/usage",
      async ({ call, principal, query }) => {
        const { cursor, feed_id: feedId, key_id: keyId, since, until } = query;
        const limit = cappedLimit(query.limit);
        const asked = findUsageQuery(services, principal, { cursor, feedId, keyId, since, until });
        await admitHousekeeping(services, { call, principal, operation: "usage" });
        const { accountId } = principal;
        const page = await pageUsage(database.onBehalfOf(accountId), { query: asked, limit });
        const next = { next_cursor: page.nextCursor };
        return respondPage({ http, call }, next, usageText(page, limit));
      },
      { query: USAGE_QUERY, ...LIST_USAGE },
    )
    .get(
      "/purchases",
      async ({ call, principal, query }) => {
        await admitHousekeeping(services, { call, principal, operation: "purchases" });
        const { cursor, feed_id: feedId } = query;
        const limit = cappedLimit(query.limit);
        const page = await listOwnPurchases(services, principal, { cursor, feedId, limit });
        return respondPage({ http, call }, page);
      },
      { query: PURCHASES_QUERY, ...LIST_PURCHASES },
    );
}
