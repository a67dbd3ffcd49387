/**
 * `GET /v1/account` and `GET /v1/usage`: a consumer's own balance, limits and usage log. Neither is
 * charged, logged or given an `_origin`. Decisions 7 and 10.
 *
 * @module
 */

import { Elysia } from "elysia";
import { refusalOf } from "../admission/refusal.ts";
import { type Answer, privateJson } from "../http/answer.ts";
import { type Call, createEndpoint } from "../http/endpoint.ts";
import { documentedParameters, NO_PARAMETERS, readParameters } from "../http/parameters.ts";
import type { Principal } from "../key/keys.ts";
import { assert } from "../lib/assert.ts";
import { HOUSEKEEPING_LIMIT, REVALIDATION_LIMIT } from "../limits.ts";
import type { Services } from "../services.ts";
import { ACCOUNT_ANSWER, accountText, USAGE_ANSWER, usageText } from "./answers.ts";
import { readUsageQuery, USAGE_PARAMETERS } from "./usage_query.ts";

/** Without a prefix: mounted at `/v1` and `/api/v1`. */
export function accountRoutes(services: Services) {
  const { http, keys, database, config, cursorSecret } = services;

  const account = createEndpoint(http, { route: "/v1/account", isKeyed: true }, async (call) => {
    const principal = await keys.authenticate(call, "read");
    await keys.provenOnRefusal(principal, () => readParameters(NO_PARAMETERS, call.search));
    await admitCall(services, { call, principal, operation: "account" });
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
    await admitCall(services, { call, principal, operation: "usage" });
    const rows = await database.rows("page_usage", [
      accountId,
      query.feedId ?? null,
      query.since ?? null,
      query.until ?? null,
      query.beforeUsageId ?? null,
      // One more than the page tells whether there is a next one.
      query.limit + 1,
    ]);
    return jsonAnswer(usageText(rows, query));
  });

  const tags = ["consumer"];
  return new Elysia({ name: "account" })
    .get("/account", ({ request }) => account(request), {
      response: { 200: ACCOUNT_ANSWER },
      detail: { operationId: "getAccount", summary: "Your balance and limits", tags },
    })
    .get("/usage", ({ request }) => usage(request), {
      response: { 200: USAGE_ANSWER },
      detail: {
        operationId: "listUsage",
        summary: "Your usage log, newest first",
        tags,
        parameters: documentedParameters(USAGE_PARAMETERS),
      },
    });
}

interface HousekeepingCall {
  readonly call: Call;
  readonly principal: Principal;
  readonly operation: "account" | "usage";
}

/** Proves the key and counts the call. HEAD has a window of its own. @throws {Problem} 403, 429, 503 */
async function admitCall(services: Services, { call, principal, operation }: HousekeepingCall) {
  const decision = await services.admission.admit({
    keyId: principal.keyId,
    accountId: principal.accountId,
    operation: call.isHead ? "revalidate" : operation,
    limit: call.isHead ? REVALIDATION_LIMIT : HOUSEKEEPING_LIMIT,
    signal: call.request.signal,
  });
  if (decision.kind === "granted") return;
  assert(decision.kind !== "stale", "a claim that names no feed is never stale");
  const billingUrl = services.billingUrl();
  throw refusalOf(decision, { permission: "read", billingUrl, nowMs: Date.now() });
}

function jsonAnswer(body: string): Answer {
  return { headers: privateJson(), body };
}
