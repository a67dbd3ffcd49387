/**
 * The Elysia app: every feature's routes at `/v1` and, the same handlers, at `/api/v1`.
 *
 * @module
 */
import { Elysia } from "elysia";
import { accountRoutes } from "./account/account_routes.ts";
import { catalogRoutes } from "./catalog/catalog_routes.ts";
import { docsRoutes } from "./docs/docs_routes.ts";
import { feedRoutes } from "./feed/feed_routes.ts";
import { CACHE_PRIVATE } from "./http/answer.ts";
import { createEndpoint, type RouteHandler } from "./http/endpoint.ts";
import { Problem } from "./http/errors.ts";
import { healthRoutes } from "./http/health.ts";
import { pathOf } from "./http/query_string.ts";
import { pushRoutes } from "./provider/push_routes.ts";
import { saveRoutes } from "./provider/save_routes.ts";
import type { Services } from "./services.ts";
import { skillRoutes } from "./skill/skill_routes.ts";

/** Prefixes under which the same routes answer. Decisions 1. */
const PREFIXES = ["/v1", "/api/v1"] as const;

export function createApp(services: Services) {
  // With its standard-hostname shortcut on, Elysia misroutes where Host has three characters or fewer.
  const app = new Elysia({ strictPath: true, handler: { standardHostname: false } });
  const features = new Elysia()
    .use(catalogRoutes(services))
    .use(feedRoutes(services))
    .use(pushRoutes(services))
    .use(saveRoutes(services))
    .use(accountRoutes(services));
  for (const prefix of PREFIXES) app.group(prefix, (group) => group.use(features));
  app.use(healthRoutes(services.http, services.database));
  app.use(skillRoutes(services));
  app.use(docsRoutes(services, app));
  app.config.serve = { routes: directRoutes(app) };
  return withFallback(app, services);
}

/**
 * Endpoints that Bun's router calls itself: with a context and a promise of Elysia's for each request, a
 * refused read would cost a tenth more.
 */
function directRoutes(app: Elysia) {
  const routes: Record<string, { GET: RouteHandler["direct"] }> = {};
  for (const { path, method, handler } of app.routes) {
    const { direct } = handler as Partial<RouteHandler>;
    if (method === "GET" && direct !== undefined) routes[path] = { GET: direct };
  }
  return routes;
}

/** 404 and 405 for what no route takes. Decisions 1. */
function withFallback(app: Elysia, services: Services) {
  const routes = app.routes.map(({ path, method }) => ({
    pattern: new RegExp(`^${path.replaceAll(".", "\\.").replace(/:[^/]+/g, "[^/]+")}$`),
    method,
  }));
  const fallback = createEndpoint(
    services.http,
    { route: "(none)", isKeyed: false },
    ({ request }) => {
      const pathname = pathOf(request.url);
      const methods = routes
        .filter((each) => each.pattern.test(pathname))
        .map((each) => each.method);
      if (methods.length === 0) {
        throw new Problem("ROUTE_NOT_FOUND", {
          detail: `No route has this path; see ${services.http.baseUrl()}/docs.`,
        });
      }
      const allowed = [
        ...new Set(methods.flatMap((each) => (each === "GET" ? ["GET", "HEAD"] : each))),
      ];
      const preflight = services.http.cors?.preflight(request, allowed);
      if (preflight !== undefined) return preflight;
      throw new Problem("METHOD_NOT_ALLOWED", {
        detail: `This route takes ${allowed.join(", ")}, not ${request.method}.`,
        headers: {
          Allow: allowed.join(", "),
          // Every route under a prefix needs a key. Decisions 10.
          ...(PREFIXES.some((prefix) => pathname.startsWith(`${prefix}/`)) && {
            "Cache-Control": CACHE_PRIVATE,
          }),
        },
      });
    },
  );
  return app.onError(({ request }) => fallback(request));
}
