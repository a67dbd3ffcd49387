/**
 * Metrics and one log line for each answer, or for each refusal. Lines contain only ids, never a key, a query, or a
 * payload.
 *
 * @module
 */
import { Elysia } from "elysia";
import { type AnsweredCall, callPlugin, type HttpContext } from "../../http/call.ts";
import { declaredBytes } from "../../http/read_body.ts";
import { parseTraceParent } from "../../http/traceparent.ts";
import { assert } from "../../lib/assert.ts";
import type { Log } from "../../lib/log.ts";
import { MS_PER_SECOND } from "../../lib/time_units.ts";
import { creditsText } from "../../money/money.ts";

/** By route path, of which there are few. */
const labels = new Map<string, string>();

/** Counts and logs every answer. */
export function observed({ log, loggedStatusMin, metrics, trace }: HttpContext) {
  return new Elysia({ name: "observed" })
    .use(callPlugin())
    .mapResponse({ as: "global" }, ({ call, responseValue }) => {
      assert(responseValue instanceof Response, "every route answers with a Response");
      const { status } = responseValue;
      const ms = performance.now() - call.startedMs;
      const route = routeLabel(call.route);
      // The time that a client asked to wait for a change says nothing about the gateway's speed.
      const workMs = ms - (call.subject.waitedMs ?? 0);
      metrics.answered({ route, status, seconds: workMs / MS_PER_SECOND });
      const isLogged = status >= loggedStatusMin && log.isEnabled("info");
      if (isLogged) logAnswer(log, { call, route, status, ms });
      trace?.({ call, route, status, ms });
    });
}

/** `/v1/feed/{id}` for `/api/v1/feed/:id`, because both forms are one route. `(none)` if no route matches. */
export function routeLabel(path: string): string {
  const known = labels.get(path);
  if (known !== undefined) return known;
  const label =
    path === "/*" ? "(none)" : path.replace(/^\/api\//, "/").replace(/:([^/]+)/g, "{$1}");
  labels.set(path, label);
  return label;
}

function logAnswer(log: Log, { call, route, status, ms }: AnsweredCall): void {
  const { headers, method } = call.request;
  const { chargedNanos } = call.subject;
  log.info("request", {
    request_id: call.requestId,
    ...traceOf(headers.get("traceparent")),
    method,
    route,
    status,
    code: call.subject.code,
    ms: Math.round(ms * MS_PER_SECOND) / MS_PER_SECOND,
    account: call.subject.accountId,
    key: call.subject.keyId,
    feed: call.subject.feedId,
    credits: chargedNanos === undefined ? undefined : Number(creditsText(chargedNanos)),
    request_bytes: declaredBytes(call.request) || undefined,
  });
}

/** The caller's trace and span, with OpenTelemetry's names. */
function traceOf(header: string | null) {
  const parent = parseTraceParent(header);
  return parent && { trace_id: parent.traceId, parent_span_id: parent.spanId };
}
