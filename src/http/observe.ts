/**
 * Metrics and one log line for each answer: ids only, never a key, a query or a payload.
 *
 * @module
 */
import { Elysia } from "elysia";
import { creditsText } from "../accounts/money.ts";
import { assert } from "../lib/assert.ts";
import type { Log } from "../lib/log.ts";
import { MS_PER_SECOND } from "../lib/time_units.ts";
import { callPlugin, type HttpContext, type RoutedCall } from "./call.ts";
import type { Metrics } from "./metrics.ts";
import { declaredBytes } from "./read_body.ts";

/** Counts and logs every answer. */
export function observed({ log, metrics }: HttpContext) {
  const routes = new Map<string, ObservedRoute>();
  return new Elysia({ name: "observed" })
    .use(callPlugin())
    .mapResponse({ as: "global" }, ({ call, responseValue }) => {
      assert(responseValue instanceof Response, "every route answers with a Response");
      const { status } = responseValue;
      const ms = performance.now() - call.startedMs;
      const route = observedRoute(routes, metrics, call.route);
      route.answered(status, ms / MS_PER_SECOND);
      if (log.isEnabled("info")) logAnswer(log, { call, label: route.label, status, ms });
    });
}

interface ObservedRoute {
  readonly label: string;
  readonly answered: ReturnType<Metrics["answersOf"]>;
}

/** `/api/v1` and `/v1` are one route. */
function observedRoute(
  routes: Map<string, ObservedRoute>,
  metrics: Metrics,
  path: string,
): ObservedRoute {
  const known = routes.get(path);
  if (known !== undefined) return known;
  const label = routeLabel(path);
  const same = [...routes.values()].find((route) => route.label === label);
  const route = same ?? { label, answered: metrics.answersOf(label) };
  routes.set(path, route);
  return route;
}

/** `/api/v1/feed/:id` is `/v1/feed/{id}`; what no route takes is `(none)`. */
export function routeLabel(path: string): string {
  if (path === "/*") return "(none)";
  return path.replace(/^\/api\//, "/").replace(/:([^/]+)/g, "{$1}");
}

function logAnswer(
  log: Log,
  answer: { call: RoutedCall; label: string; status: number; ms: number },
): void {
  const { call, label, status, ms } = answer;
  const { headers, method } = call.request;
  const { chargedNanos } = call.subject;
  log.info("request", {
    request_id: call.requestId,
    trace_id: traceIdOf(headers.get("traceparent")),
    method,
    route: label,
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

/** The trace id of a W3C `traceparent`. */
function traceIdOf(traceparent: string | null): string | undefined {
  return traceparent === null
    ? undefined
    : /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/.exec(traceparent)?.[1];
}
