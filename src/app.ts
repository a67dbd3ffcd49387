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
import type { RouteHandler } from "./http/endpoint.ts";
import { addFallback } from "./http/fallback.ts";
import { healthRoutes } from "./http/health.ts";
import { saveRoutes } from "./provider/save_routes.ts";
import { pushRoutes } from "./push/push_route.ts";
import type { Services } from "./services.ts";
import { skillRoutes } from "./skill/skill_routes.ts";

/** Prefixes under which the same routes answer. Decisions 1. */
const PREFIXES = ["/v1", "/api/v1"] as const;

export function createApp(services: Services) {
  // With its standard-hostname shortcut on, Elysia misroutes where Host has three characters or fewer.
  const app = new Elysia({ strictPath: true, handler: { standardHostname: false } });
  addFallback(app, services.http, PREFIXES);
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
  app.config.serve = { routes: { ...directRoutes(app), ...app.config.serve?.routes } };
  return app;
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
