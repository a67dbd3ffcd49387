/**
 * Answers requests that no route matches: 404, 405 with `Allow`, and 400 for a path that is not in normal form.
 *
 * Bun's router matches the path as it was sent. In `request.url`, dot segments are resolved and backslashes converted.
 * If Bun finds no route but `request.url` names one, the client sent another form of the path. That is refused, because
 * a proxy's rules would not have recognized it.
 *
 * @module
 */
import { type AnyElysia, Elysia } from "elysia";
import { CACHE_PRIVATE } from "../../http/answer.ts";
import type { HttpContext } from "../../http/call.ts";
import { Problem } from "../../http/problem_details.ts";
import { pathOf } from "../../http/query_string.ts";
import { respond } from "../../http/respond.ts";
import { EDITS_MAX, wordEdits } from "../../lib/nearest_words.ts";
import { basePlugins } from "../base_plugins.ts";

/** The path under which Bun's router accepts all other requests. */
const CATCH_ALL = "/*";

interface UnroutedOptions {
  /** All routes under them need a key. */
  readonly keyedPrefixes: readonly string[];
  readonly hidden: HiddenRoutes | undefined;
}

/** Routes that only some listeners serve. */
export interface HiddenRoutes {
  /** Each is a route, or stands for all routes below it, in the form with `/v1`. */
  readonly prefixes: readonly string[];
  /** Each is a single route. */
  readonly routes: ReadonlySet<string>;
  /** Whether the request arrived at a listener that serves them. */
  isShownTo(request: Request): boolean;
}

/**
 * Answers requests to hidden routes as if they didn't exist, before anything else is checked. A route is hidden in both
 * forms, `/v1/…` and `/api/v1/…`.
 */
export function hiddenRoutes(http: HttpContext, hidden: HiddenRoutes | undefined) {
  const plugin = new Elysia({ name: "hidden routes" });
  if (hidden === undefined) return plugin;
  return plugin.derive({ as: "global" }, ({ route, request }) => {
    if (isHidden(route, request, hidden)) throw routeNotFound(http, undefined);
    return {};
  });
}

function isHidden(route: string, request: Request, hidden: HiddenRoutes | undefined): boolean {
  if (hidden === undefined) return false;
  const path = route.replace(/^\/api\//, "/");
  const isNamed =
    hidden.routes.has(path) ||
    hidden.prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
  return isNamed && !hidden.isShownTo(request);
}

function routeNotFound(http: HttpContext, nearest: string | undefined): Problem {
  const remedy =
    nearest === undefined
      ? `See all routes at ${http.baseUrl()}/docs.`
      : `Did you mean ${nearest}, or another route in ${http.baseUrl()}/docs?`;
  return new Problem("ROUTE_NOT_FOUND", { detail: `No route has this path. ${remedy}` });
}

/** Answers requests that no route of `app` matches. All routes must be registered already. */
export function unroutedRequests(
  app: AnyElysia,
  http: HttpContext,
  { keyedPrefixes, hidden }: UnroutedOptions,
) {
  const routes = app.routes.map(({ path, method }) => ({
    path,
    pattern: patternOf(path),
    // `HEAD` works wherever `GET` does.
    methods: method === "GET" ? ["GET", "HEAD"] : [method],
  }));
  const unrouted = new Elysia({ handler: { standardHostname: false } })
    .use(basePlugins(http))
    .all(CATCH_ALL, ({ request }) => {
      const pathname = pathOf(request.url);
      const shown = routes.filter(({ path }) => !isHidden(path, request, hidden));
      const found = shown.filter(({ pattern }) => pattern.test(pathname));
      const allowed = [...new Set(found.flatMap(({ methods }) => methods))];
      if (allowed.length === 0) {
        throw routeNotFound(http, nearestRoute(new Set(shown.map(({ path }) => path)), pathname));
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
        detail: `This route does not support ${request.method}. Use ${allowed.join(", ")}.`,
        headers: { Allow: allowed.join(", "), ...headers },
      });
    });
  const answer = (request: Request) => unrouted.handle(request);
  return {
    /** For `Bun.serve`. */
    routes: { [CATCH_ALL]: answer },
    /** For a listener without Bun's router. */
    async fetch(request: Request): Promise<Response> {
      const pathname = pathOf(request.url);
      const isRouted = routes.some(
        ({ pattern, methods }) => methods.includes(request.method) && pattern.test(pathname),
      );
      return isRouted ? app.handle(request) : answer(request);
    },
  };
}

/**
 * The route that a path was probably meant for. At most two letters may be wrong, the version may be missing, and there
 * may be a trailing slash.
 */
function nearestRoute(paths: ReadonlySet<string>, pathname: string): string | undefined {
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

/** Letters to change in a route's fixed segments. Infinite if the paths have different forms. */
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
