/**
 * Metrics and one log line for each answer, or for each refusal. Lines contain only ids, never a key, a query, or a
 * payload.
 *
 * @module
 */
import { Elysia } from "elysia";
import { callPlugin, type HttpContext, type RoutedCall } from "../../http/call.ts";
import { declaredBytes } from "../../http/read_body.ts";
import { assert } from "../../lib/assert.ts";
import type { Log } from "../../lib/log.ts";
import { MS_PER_SECOND } from "../../lib/time_units.ts";
import { creditsText } from "../../money/money.ts";

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}((?:-.*)?)$/;
const NO_ID = /^0+$/;

/** By route path, of which there are few. */
const labels = new Map<string, string>();

/** Counts and logs every answer. */
export function observed({ log, loggedStatusMin, metrics }: HttpContext) {
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

function logAnswer(
  log: Log,
  answer: { call: RoutedCall; route: string; status: number; ms: number },
): void {
  const { call, route, status, ms } = answer;
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

/**
 * The trace and the caller's span in a W3C `traceparent`, with OpenTelemetry's names. Empty if the header is invalid. A
 * future version may have more after its flags. https://www.w3.org/TR/trace-context/
 */
function traceOf(traceparent: string | null): {
  readonly trace_id?: string;
  readonly parent_span_id?: string;
} {
  if (traceparent === null) return {};
  const [, version, traceId = "", spanId = "", rest] = TRACEPARENT.exec(traceparent) ?? [];
  const isNone = version === undefined || version === "ff" || (version === "00" && rest !== "");
  if (isNone || NO_ID.test(traceId) || NO_ID.test(spanId)) return {};
  return { trace_id: traceId, parent_span_id: spanId };
}
