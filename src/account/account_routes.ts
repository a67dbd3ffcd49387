/**
 * `GET /v1/account` and `GET /v1/usage`: a consumer's own balance, limits and usage log. Neither is
 * charged, logged or given an `_origin`. Decisions 7 and 10.
 *
 * @module
 */
import { Elysia } from "elysia";
import { admitHousekeeping } from "../admission/housekeeping.ts";
import { type Answer, privateJson } from "../http/answer.ts";
import { createEndpoint, handlerOf } from "../http/endpoint.ts";
import { nextLink, walkSearchOf } from "../http/next_link.ts";
import { documentedParameters, NO_PARAMETERS, readParameters } from "../http/parameters.ts";
import { assert } from "../lib/assert.ts";
import type { Services } from "../services.ts";
import { accountText, usageText } from "./answers.ts";
import { pageUsage } from "./page_usage.ts";
import { readUsageQuery, USAGE_PARAMETERS } from "./usage_query.ts";

/** Without a prefix: mounted at `/v1` and `/api/v1`. */
export function accountRoutes(services: Services) {
  const { http, keys, database, config, cursorSecret } = services;

  const account = createEndpoint(http, { route: "/v1/account", isKeyed: true }, async (call) => {
    const principal = await keys.authenticate(call, "read");
    await keys.provenOnRefusal(principal, () => readParameters(NO_PARAMETERS, call.search));
    await admitHousekeeping(services, { call, principal, operation: "account" });
    const row = await database.row("find_account", [principal.accountId]);
    assert(row !== undefined, "an admitted key has an account");
    return jsonAnswer(accountText(row, config.limits));
  });

  const usage = createEndpoint(http, { route: "/v1/usage", isKeyed: true }, async (call) => {
    const principal = await keys.authenticate(call, "read");
    const { accountId } = principal;
    const query = await keys.provenOnRefusal(principal, () =>
      readUsageQuery(call.search, { accountId, cursorSecret }),
    );
    await admitHousekeeping(services, { call, principal, operation: "usage" });
    const page = await pageUsage(database, accountId, query);
    const walkSearch = walkSearchOf(call.search);
    const link = { requestUrl: call.request.url, baseUrl: http.baseUrl(), walkSearch };
    return jsonAnswer(usageText(page, query.limit), {
      ...(page.nextCursor !== null && { Link: nextLink(link, page.nextCursor) }),
    });
  });

  return new Elysia({ name: "account" })
    .get("/account", handlerOf(account))
    .get("/usage", handlerOf(usage), {
      detail: {
        parameters: documentedParameters(USAGE_PARAMETERS),
      },
    });
}

function jsonAnswer(body: string, headers: Record<string, string> = {}): Answer {
  return { headers: { ...privateJson(), ...headers }, body };
}
