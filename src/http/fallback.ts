/**
 * The answers to what no route takes: 404, 405 with `Allow`, 400 for a path that only looks like a
 * route's; and to what a route throws outside its endpoint's care, a 500. Decisions 1.
 *
 * Bun's router takes the path as it was sent. `request.url` has it after the URL parser has resolved dot
 * segments and turned backslashes. So where Bun finds no route and `request.url` names one, the client
 * sent another form of its path, which a proxy's rules would not have recognized.
 *
 * @module
 */
import { type AnyElysia, NotFoundError } from "elysia";
import { CACHE_PRIVATE } from "./answer.ts";
import { createEndpoint, type HttpContext } from "./endpoint.ts";
import { Problem } from "./errors.ts";
import { pathOf } from "./query_string.ts";

/**
 * Adds the fallback to an app that has no routes yet: Elysia's hooks bind to the routes behind them.
 * `keyedPrefixes`: every route under them needs a key.
 */
export function addFallback(
  app: AnyElysia,
  http: HttpContext,
  keyedPrefixes: readonly string[],
): void {
  /** What a handler threw outside an endpoint's care. */
  const faults = new WeakMap<Request, { readonly error: unknown }>();
  const fallback = createEndpoint(http, { route: "(none)", isKeyed: false }, ({ request }) => {
    const fault = faults.get(request);
    if (fault !== undefined) throw fault.error;
    const pathname = pathOf(request.url);
    const allowed = allowedAt(app, pathname);
    if (allowed.length === 0) {
      throw new Problem("ROUTE_NOT_FOUND", {
        detail: `No route has this path; see ${http.baseUrl()}/docs.`,
      });
    }
    const isKeyed = keyedPrefixes.some((prefix) => pathname.startsWith(`${prefix}/`));
    const headers = isKeyed ? { "Cache-Control": CACHE_PRIVATE } : {};
    if (allowed.includes(request.method)) {
      throw new Problem("INVALID_REQUEST", {
        detail: `Send the path in its normal form, ${pathname}, without dot segments or backslashes.`,
        headers,
      });
    }
    const preflight = http.cors?.preflight(request, allowed);
    if (preflight !== undefined) return preflight;
    throw new Problem("METHOD_NOT_ALLOWED", {
      detail: `This route takes ${allowed.join(", ")}, not ${request.method}.`,
      headers: { Allow: allowed.join(", "), ...headers },
    });
  });
  // Else Elysia would route by the path of `request.url`.
  app.config.serve = { ...app.config.serve, routes: { "/*": (request) => fallback(request) } };
  app.onError(({ request, error }) => {
    if (!(error instanceof NotFoundError)) faults.set(request, { error });
    return fallback(request);
  });
}

/** The methods of the routes at this path; none where there is no such path. */
function allowedAt(app: AnyElysia, pathname: string): string[] {
  const methods = app.routes
    .filter(({ path }) => patternOf(path).test(pathname))
    .map(({ method }) => method);
  return [...new Set(methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : method)))];
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(".", "\\.").replace(/:[^/]+/g, "[^/]+")}$`);
}
