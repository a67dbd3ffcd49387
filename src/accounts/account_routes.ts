/**
 * `GET /v1/account` and `GET /v1/usage`: a consumer's own balance, limits and usage log. Neither is
 * charged, logged or given an `_origin`. Decisions 7 and 10.
 *
 * @module
 */
import { Elysia } from "elysia";
import { admitHousekeeping } from "../admission/housekeeping.ts";
import { privateJson } from "../http/answer.ts";
import { authenticated } from "../http/auth.ts";
import { nextLink, walkSearchOf } from "../http/next_link.ts";
import { NO_PARAMETERS } from "../http/parameters.ts";
import { respond } from "../http/respond.ts";
import { assert } from "../lib/assert.ts";
import type { Services } from "../services.ts";
import { accountText, usageText } from "./answers.ts";
import { pageUsage } from "./page_usage.ts";
import { readUsageQuery, USAGE_QUERY } from "./usage_query.ts";

/** Without a prefix: mounted at `/v1` and `/api/v1`. */
export function accountRoutes(services: Services) {
  const { http, keys, database, config, cursorSecret } = services;
  return new Elysia({ name: "account" })
    .use(authenticated(keys, "read"))
    .get(
      "/account",
      async ({ call, principal }) => {
        await admitHousekeeping(services, { call, principal, operation: "account" });
        const row = await database.row("find_account", [principal.accountId]);
        assert(row !== undefined, "an admitted key has an account");
        return respond({ headers: privateJson(), body: accountText(row, config.limits) });
      },
      { query: NO_PARAMETERS },
    )
    .get(
      "/usage",
      async ({ call, principal, query }) => {
        const { accountId } = principal;
        const asked = readUsageQuery(query, { accountId, cursorSecret });
        await admitHousekeeping(services, { call, principal, operation: "usage" });
        const page = await pageUsage(database, accountId, asked);
        const walkSearch = walkSearchOf(call.search);
        const link = { requestUrl: call.request.url, baseUrl: http.baseUrl(), walkSearch };
        const headers = privateJson();
        if (page.nextCursor !== null) headers.Link = nextLink(link, page.nextCursor);
        return respond({ headers, body: usageText(page, asked.limit) });
      },
      { query: USAGE_QUERY },
    );
}
