/**
 * Answers requests that no route takes: 404, 405 with `Allow`, and 400 for a path that is not in its normal form.
 * Decisions 1.
 *
 * Bun's router takes the path as it was sent. In `request.url` dot segments are resolved and backslashes turned. If
 * Bun finds no route but `request.url` names one, the client sent another form of the path. That is refused, because
 * a proxy's rules would not have recognized it.
 *
 * @module
 */
import { type AnyElysia, Elysia } from "elysia";
import { CACHE_PRIVATE } from "../http/answer.ts";
import type { HttpContext } from "../http/call.ts";
import { Problem } from "../http/errors.ts";
import { pathOf } from "../http/query_string.ts";
import { respond } from "../http/respond.ts";
import { EDITS_MAX, wordEdits } from "../lib/nearest_words.ts";
import { basePlugins } from "./base_plugins.ts";

/** The path under which Bun's router takes all other requests. */
const CATCH_ALL = "/*";

/** The catch-all of `app`, which has all its routes, for `Bun.serve`. `keyedPrefixes`: all under them need a key. */
export function unroutedRequests(
  app: AnyElysia,
  http: HttpContext,
  keyedPrefixes: readonly string[],
) {
  const routes = app.routes.map(({ path, method }) => ({
    pattern: patternOf(path),
    // `HEAD` works wherever `GET` does.
    methods: method === "GET" ? ["GET", "HEAD"] : [method],
  }));
  const paths = [...new Set(app.routes.map(({ path }) => path))];
  const unrouted = new Elysia({ handler: { standardHostname: false } })
    .use(basePlugins(http))
    .all(CATCH_ALL, ({ request }) => {
      const pathname = pathOf(request.url);
      const found = routes.filter(({ pattern }) => pattern.test(pathname));
      const allowed = [...new Set(found.flatMap(({ methods }) => methods))];
      if (allowed.length === 0) {
        const nearest = nearestRoute(paths, pathname);
        const remedy =
          nearest === undefined
            ? `All are at ${http.baseUrl()}/docs.`
            : `Did you mean ${nearest}, or another one of ${http.baseUrl()}/docs?`;
        throw new Problem("ROUTE_NOT_FOUND", { detail: `No route has this path. ${remedy}` });
      }
      const isKeyed = keyedPrefixes.some((prefix) => pathname.startsWith(`${prefix}/`));
      const headers = isKeyed ? { "Cache-Control": CACHE_PRIVATE } : {};
      if (allowed.includes(request.method)) {
        throw new Problem("INVALID_REQUEST", {
          detail: `The path has dot segments or backslashes. Send it as ${pathname}.`,
          headers,
        });
      }
      const preflight = http.cors?.preflight(request, allowed);
      if (preflight !== undefined) return respond(preflight);
      throw new Problem("METHOD_NOT_ALLOWED", {
        detail: `This route does not take ${request.method}. Use ${allowed.join(", ")}.`,
        headers: { Allow: allowed.join(", "), ...headers },
      });
    });
  return { [CATCH_ALL]: (request: Request) => unrouted.handle(request) };
}

/**
 * The route that a path was probably meant for. At most two letters may be wrong, the version may be missing, and
 * there may be a slash at the end.
 */
function nearestRoute(paths: readonly string[], pathname: string): string | undefined {
  const segments = pathname.replace(/\/+$/, "").split("/");
  const wanted = [segments, ["", "v1", ...segments.slice(1)]];
  let nearest: { readonly path: string; readonly edits: number } | undefined;
  for (const path of paths) {
    for (const each of wanted) {
      const edits = pathEdits(path.split("/"), each);
      if (edits < (nearest?.edits ?? EDITS_MAX + 1)) nearest = { path, edits };
    }
  }
  return nearest?.path.replace(/:([^/]+)/g, "{$1}");
}

/** Letters to change in a route's fixed segments; infinite if the paths have different forms. */
function pathEdits(route: readonly string[], segments: readonly string[]): number {
  if (route.length !== segments.length || route.length < 2) return Number.POSITIVE_INFINITY;
  return segments.reduce((edits, segment, index) => {
    const fixed = route[index] ?? "";
    if (fixed.startsWith(":")) return segment === "" ? Number.POSITIVE_INFINITY : edits;
    return edits + wordEdits(segment.toLowerCase(), fixed);
  }, 0);
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(".", "\\.").replace(/:[^/]+/g, "[^/]+")}$`);
}
