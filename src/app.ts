/**
 * The Elysia app: every feature's routes at `/v1`, and with the same handlers at `/api/v1`.
 *
 * @module
 */
import { Elysia } from "elysia";
import { basePlugins } from "./api/base_plugins.ts";
import type { Peer } from "./api/callers/operators_listener.ts";
import { healthRoutes } from "./api/operations/health.ts";
import { hiddenRoutes, unroutedRequests } from "./api/problems/unrouted.ts";
import { canJoin } from "./config.ts";
import { createBuying } from "./consumer/buy_feed.ts";
import { refuseCrowd } from "./http/load/crowded.ts";
import { mcpRoutes } from "./mcp/mcp_routes.ts";
import { connectRoutes } from "./oauth/oauth_routes.ts";
import { billingPart } from "./pages/console/billing_part.tsx";
import { consoleRoutes, OPERATOR_PAGE_ROUTES } from "./pages/console/console_routes.ts";
import { consoleVisitors } from "./pages/console/visitors.ts";
import { discoveryRoutes } from "./pages/docs/discovery_routes.ts";
import { docsRoutes } from "./pages/docs/docs_routes.ts";
import { assetRoutes } from "./pages/layout/asset_routes.ts";
import { pageFrame } from "./pages/layout/page.tsx";
import { billingRoutes } from "./pages/public/billing_page.tsx";
import { siteRoutes } from "./pages/public/site_routes.ts";
import { unsubscribeRoutes } from "./pages/public/unsubscribe_page.tsx";
import { pushRoutes } from "./push/push_route.ts";
import { catalogRoutes } from "./read/catalog/catalog_routes.ts";
import { dataRoutes } from "./read/data/data_routes.ts";
import { exportRoutes } from "./read/export/export_routes.ts";
import { metadataRoutes } from "./read/metadata/metadata_routes.ts";
import { createReadPipeline } from "./read/pipeline/pipeline.ts";
import { streamRoutes } from "./read/stream/stream_routes.ts";
import { accessRoutes } from "./routes/consumer/access_routes.ts";
import { accountRoutes } from "./routes/consumer/account_routes.ts";
import { agentRoutes } from "./routes/consumer/agent_routes.ts";
import { purchaseRoutes } from "./routes/consumer/purchase_routes.ts";
import { operatorRoutes } from "./routes/operator/operator_routes.ts";
import { earningsRoutes } from "./routes/provider/earnings_routes.ts";
import { feedsRoutes } from "./routes/provider/feeds_routes.ts";
import { pushesRoutes } from "./routes/provider/pushes_routes.ts";
import { readerRoutes } from "./routes/provider/reader_routes.ts";
import { webhookRoutes } from "./routes/webhook_routes.ts";
import type { Services } from "./services.ts";
import { skillRoutes } from "./skill/skill_routes.ts";
import { openWays } from "./topups/open_ways.ts";
import { createCardTopups } from "./topups/pay_by_link.ts";
import { stripeWebhook } from "./topups/stripe/webhook_route.ts";
import { topupRoutes } from "./topups/topup_routes.ts";

/** The type for typed clients in TypeScript. */
export type App = ReturnType<typeof createApp>["app"];

/**
 * Operator routes other than their pages. If they have a listener of their own (`FEEDGATE_ADMIN_PORT`), no other
 * listener serves them. Each is a route, or stands for all routes below it, in the form with `/v1`.
 */
const OPERATOR_PREFIXES: readonly string[] = ["/v1/operator", "/metrics"];

/** Both listeners share one app, and so its caches. */
export function createApp(services: Services) {
  const { http, database, diskRoom, config, operatorsListener } = services;
  const hidden = operatorsListener.isSeparate
    ? {
        prefixes: OPERATOR_PREFIXES,
        routes: OPERATOR_PAGE_ROUTES,
        isShownTo: (request: Request) => operatorsListener.serves(request),
      }
    : undefined;
  const reads = createReadPipeline(services);
  const buyFeed = createBuying(services, reads);
  const ways = openWays(services);
  const features = new Elysia()
    .use(catalogRoutes(services, reads))
    .use(dataRoutes(services, reads))
    .use(metadataRoutes(services, reads))
    .use(streamRoutes(services, reads))
    .use(exportRoutes(services, reads))
    .use(pushRoutes(services))
    .use(feedsRoutes(services))
    .use(pushesRoutes(services))
    .use(earningsRoutes(services))
    .use(accountRoutes(services))
    .use(accessRoutes(services))
    .use(agentRoutes(services))
    .use(readerRoutes(services))
    .use(purchaseRoutes(services, buyFeed))
    .use(topupRoutes(services, ways))
    .use(webhookRoutes(services))
    .use(operatorRoutes(services));
  const routes = new Elysia({
    strictPath: true,
    // Members that a schema does not name are refused, not dropped.
    normalize: false,
    // With its standard-hostname shortcut, Elysia misroutes requests whose Host has three characters or fewer.
    handler: { standardHostname: false },
  })
    .use(basePlugins(http))
    .use(hiddenRoutes(http, hidden))
    // Probes are answered regardless of the number of connections.
    .use(
      healthRoutes(http, {
        database,
        diskRoom,
        operatorsListener,
        metricsToken: config.metricsToken,
      }),
    )
    .use(refuseCrowd(http))
    .group("/v1", (group) => group.use(features))
    .group("/api/v1", (group) => group.use(features))
    .use(skillRoutes(services));
  // Calls of the console, with the key of a user who has signed in at the right listener.
  const handle = (request: Request) => {
    operatorsListener.note(request);
    return routes.handle(request);
  };
  const { hasConsole } = config;
  if (hasConsole) {
    const topUpByCard = ways.card && createCardTopups(services, ways.card);
    routes.use(consoleRoutes(services, { handle, buyFeed, topUpByCard }));
  }
  if (ways.stripe !== undefined) routes.use(stripeWebhook(services, ways.stripe));
  const frame = pageFrame({ hasConsole, canJoin: canJoin(config) });
  const app = routes
    .use(assetRoutes())
    .use(siteRoutes(services, frame))
    .use(unsubscribeRoutes(services, frame))
    .use(discoveryRoutes(services))
    .use(
      billingRoutes(services, {
        frame,
        ...(hasConsole && { findSignedIn: billingPart(services) }),
      }),
    )
    .use(connectRoutes(services, consoleVisitors(services)))
    .use(mcpRoutes(services, (request) => routes.handle(request)))
    .use(docsRoutes(services, routes, frame));
  const unrouted = unroutedRequests(app, http, { keyedPrefixes: ["/v1", "/api/v1"], hidden });
  app.config.serve = { routes: unrouted.routes };
  return {
    app,
    /** Payment methods for credits. */
    ways,
    /** Answers requests of the operators' listener. */
    fetchForOperators(request: Request, server: Peer): Promise<Response> {
      operatorsListener.note(request, server);
      return unrouted.fetch(request);
    },
  };
}
