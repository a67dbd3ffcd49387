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
import type { HttpContext } from "./call.ts";
import { unavailable } from "./errors.ts";
import { exactQuery, NO_PARAMETERS } from "./parameters.ts";
import { respond } from "./respond.ts";

function noStore(contentType = "application/json"): Record<string, string> {
  return { "Content-Type": contentType, "Cache-Control": "no-store" };
}

export function healthRoutes(http: HttpContext, database: Database) {
  let pinging: Promise<unknown> | undefined;
  // No key is asked for, and nothing bounds it but this: all who ask meanwhile share one.
  const ping = () => {
    pinging ??= database.row("ping", []).finally(() => {
      pinging = undefined;
    });
    return pinging;
  };
  return new Elysia({ name: "health" })
    .use(exactQuery())
    .get("/healthz", () => respond({ headers: noStore(), body: `{"status":"ok"}` }), {
      query: NO_PARAMETERS,
    })
    .get(
      "/readyz",
      async () => {
        if (http.isDraining()) {
          throw unavailable("The gateway is draining; send this to another instance.");
        }
        await ping();
        return respond({ headers: noStore(), body: `{"status":"ready"}` });
      },
      { query: NO_PARAMETERS },
    )
    .get(
      "/metrics",
      async () => {
        const headers = noStore(http.metrics.contentType);
        return respond({ headers, body: await http.metrics.text() });
      },
      { query: NO_PARAMETERS },
    );
}
