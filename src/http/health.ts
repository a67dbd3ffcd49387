/**
 * `/healthz`: this process lives. `/readyz`: it can serve, so its database answers and no drain has
 * begun. `/metrics`: Prometheus' text.
 *
 * None needs a key, and none names an account or feed. Decisions 10.
 *
 * @module
 */
import { Elysia } from "elysia";
import type { Database } from "../postgres/client/query.ts";
import { createEndpoint, type HttpContext, handlerOf } from "./endpoint.ts";
import { unavailable } from "./errors.ts";
import { NO_PARAMETERS, readParameters } from "./parameters.ts";

const NO_STORE = { "Cache-Control": "no-store" };

function noStoreJson(): Record<string, string> {
  return { "Content-Type": "application/json", ...NO_STORE };
}

export function healthRoutes(http: HttpContext, database: Database) {
  const healthz = createEndpoint(http, { route: "/healthz", isKeyed: false }, ({ search }) => {
    readParameters(NO_PARAMETERS, search);
    return { headers: noStoreJson(), body: `{"status":"ok"}` };
  });
  let pinging: Promise<unknown> | undefined;
  // No key is asked for, and nothing bounds it but this: all who ask meanwhile share one.
  const ping = () => {
    pinging ??= database.row("ping", []).finally(() => {
      pinging = undefined;
    });
    return pinging;
  };
  const readyz = createEndpoint(http, { route: "/readyz", isKeyed: false }, async ({ search }) => {
    readParameters(NO_PARAMETERS, search);
    if (http.isDraining()) {
      throw unavailable("The gateway is draining; send this to another instance.");
    }
    await ping();
    return { headers: noStoreJson(), body: `{"status":"ready"}` };
  });
  const metrics = createEndpoint(
    http,
    { route: "/metrics", isKeyed: false },
    async ({ search }) => {
      readParameters(NO_PARAMETERS, search);
      const headers = { "Content-Type": http.metrics.contentType, ...NO_STORE };
      return { headers, body: await http.metrics.text() };
    },
  );
  return new Elysia({ name: "health" })
    .get("/healthz", handlerOf(healthz))
    .get("/readyz", handlerOf(readyz))
    .get("/metrics", handlerOf(metrics));
}
