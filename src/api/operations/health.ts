/**
 * `/healthz` reports that the process is alive. `/readyz` reports that it can serve: its database answers and has the
 * right schema, and the process is not stopping. `/metrics` returns metrics in Prometheus' text format.
 *
 * None needs a key, and none names an account or feed. `/metrics` requires the token `FEEDGATE_METRICS_TOKEN`. If there
 * is no token, only callers on the operators' listener or on this machine may read it.
 *
 * @module
 */
import { timingSafeEqual } from "node:crypto";
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { callPlugin, type HttpContext } from "../../http/call.ts";
import { Problem, unavailable } from "../../http/problem_details.ts";
import { respond } from "../../http/respond.ts";
import { present } from "../../lib/assert.ts";
import { JoinedRuns } from "../../lib/joined_runs.ts";
import { sha256 } from "../../lib/token.ts";
import { oneOf } from "../../lib/typebox.ts";
import { DISK_FREE_BYTES_MIN } from "../../limits.ts";
import { findDurabilityFault } from "../../postgres/durability.ts";
import { isSchemaWhole } from "../../postgres/migrate/schema_check.ts";
import type { Databases } from "../../postgres/open_database.ts";
import { bearerOf } from "../callers/callers.ts";
import {
  type Arrival,
  isOwnMachine,
  type OperatorsListener,
} from "../callers/operators_listener.ts";
import { exactQuery, NO_PARAMETERS } from "../input/parameters.ts";
import { described, documented } from "../reference/described.ts";

/** How long a disk counts as full after a statement has failed because of it, in milliseconds. */
const DISK_FULL_MS = 10_000;
/** How long a successful check of the database's schema and settings is valid, in milliseconds. */
const CATALOG_CHECK_MS = 10_000;

const HealthShape = Type.Object(
  { status: oneOf(["ok", "ready"], { description: "The state." }) },
  { $id: "Health", description: "The health of the process." },
);
const HEALTHZ = described({
  access: "public",
  operationId: "healthz",
  tag: "operations",
  summary: "Check liveness",
  description: "For a supervisor. Does not query the database.",
  answers: {
    200: documented(HealthShape, {
      description: "The process is alive.",
      headers: ["Cache-Control"],
      examples: { Lives: { status: "ok" } },
    }),
  },
  problems: [],
});
const READYZ = described({
  access: "public",
  operationId: "readyz",
  tag: "operations",
  summary: "Check readiness",
  description:
    "For a load balancer. Returns 503 if the database is unavailable, lacks a part of the schema, has run out of disk space or does not flush commits to disk, and while the gateway drains.",
  answers: {
    200: documented(HealthShape, {
      description: "The gateway can serve requests.",
      headers: ["Cache-Control"],
      examples: { Ready: { status: "ready" } },
    }),
  },
  problems: ["UNAVAILABLE"],
});
const METRICS = described({
  access: "public",
  operationId: "metrics",
  tag: "operations",
  summary: "Get metrics in the Prometheus text format",
  description:
    "Contains no accounts and no feeds. Requires `Authorization: Bearer` with the operator's `FEEDGATE_METRICS_TOKEN`. If that is not set, the metrics are available only on the gateway's own machine and on the operators' listener. They are refreshed at most once per second.",
  answers: {
    200: documented(Type.String(), {
      description: "The metrics of this process.",
      headers: ["Cache-Control"],
      mediaTypes: {
        "text/plain": {
          example: [
            "# HELP feedgate_waits Readers waiting for a change",
            "# TYPE feedgate_waits gauge",
            "feedgate_waits 0",
          ].join("\n"),
        },
      },
    }),
  },
  problems: ["KEY_REQUIRED", "KEY_INVALID", "ROUTE_NOT_FOUND"],
});

/**
 * Whether the database has no room to write. The free space is known only for the embedded database. Another database
 * reports it when a statement fails, and is checked again shortly afterwards.
 */
function isDiskFull(diskFullMs: number | undefined, freeBytes: number | undefined): boolean {
  if (freeBytes !== undefined && freeBytes < DISK_FREE_BYTES_MIN) return true;
  return diskFullMs !== undefined && performance.now() - diskFullMs < DISK_FULL_MS;
}

function noStore(contentType = "application/json"): Record<string, string> {
  return { "Content-Type": contentType, "Cache-Control": "no-store" };
}

/** @throws {Problem} 401 */
function requireToken(headers: Headers, token: string): void {
  const given = bearerOf(headers);
  if (given === undefined) {
    throw new Problem("KEY_REQUIRED", {
      detail: "This route needs the operator's metrics token. Send it as Authorization: Bearer.",
    });
  }
  // Digests have the same length, so the time of the comparison reveals nothing about the token.
  if (timingSafeEqual(sha256(given), sha256(token))) return;
  throw new Problem("KEY_INVALID", {
    detail: "This is not the metrics token. Use the value of FEEDGATE_METRICS_TOKEN.",
  });
}

/** What `/readyz` checks. */
export type Checked = Pick<Databases, "database" | "diskRoom">;

interface HealthOptions extends Checked {
  /**
   * The token that a scraper must send. If undefined, none is needed, but only operators' listeners and this machine
   * may call.
   */
  readonly metricsToken: string | undefined;
  readonly operatorsListener: OperatorsListener;
}

/** @throws {Problem} 404 */
function requireOperatorsPlace(listener: OperatorsListener, { request, server }: Arrival): void {
  if (listener.isBy(request)) return;
  if (isOwnMachine(request, listener.addressOf(request, server))) return;
  throw new Problem("ROUTE_NOT_FOUND", {
    detail:
      "Metrics are served only to the gateway's own machine. To open them, the operator sets FEEDGATE_METRICS_TOKEN or FEEDGATE_ADMIN_PORT.",
  });
}

export function healthRoutes(
  http: HttpContext,
  { database, diskRoom, metricsToken, operatorsListener }: HealthOptions,
) {
  const pings = new JoinedRuns<void>();
  let nextCheckMs = 0;
  async function askDatabase(): Promise<void> {
    if (isDiskFull(database.diskFullMs, diskRoom?.()?.freeBytes)) {
      throw unavailable(
        "The database's disk is full, so nothing can be written. Free some space or enlarge the disk.",
      );
    }
    // Checking the catalog takes some milliseconds, and it rarely changes. After a failed check, every call checks
    // again.
    if (performance.now() < nextCheckMs) {
      await database.row("ping", {});
      return;
    }
    if (!(await isSchemaWhole(database))) {
      throw unavailable(
        "Part of the database schema is missing. Restart the gateway to see which part.",
      );
    }
    const commits = present(await database.row("find_durability", {}));
    if (findDurabilityFault(commits, { hasStandbys: false })?.health === "bad") {
      throw unavailable(
        "The database does not flush commits to disk, so a crash would lose confirmed writes. `feedgate doctor` says what to do.",
      );
    }
    nextCheckMs = performance.now() + CATALOG_CHECK_MS;
  }
  return new Elysia({ name: "health" })
    .use(callPlugin())
    .use(metrics(http, { metricsToken, operatorsListener }))
    .use(exactQuery())
    .get("/healthz", () => respond({ headers: noStore(), body: `{"status":"ok"}` }), {
      query: NO_PARAMETERS,
      ...HEALTHZ,
    })
    .get(
      "/readyz",
      async () => {
        if (http.isDraining()) {
          throw unavailable("The gateway is draining. Send the request to another instance.");
        }
        // No key is needed, so the cost must be limited: concurrent callers share one ping.
        await pings.join("", askDatabase);
        return respond({ headers: noStore(), body: `{"status":"ready"}` });
      },
      { query: NO_PARAMETERS, ...READYZ },
    );
}

function metrics(
  http: HttpContext,
  { metricsToken, operatorsListener }: Pick<HealthOptions, "metricsToken" | "operatorsListener">,
) {
  return new Elysia({ name: "metrics" })
    .use(callPlugin())
    .derive(({ request, server }): void => {
      if (metricsToken === undefined) requireOperatorsPlace(operatorsListener, { request, server });
      else requireToken(request.headers, metricsToken);
    })
    .use(exactQuery())
    .get(
      "/metrics",
      async () =>
        respond({ headers: noStore(http.metrics.contentType), body: await http.metrics.text() }),
      { query: NO_PARAMETERS, ...METRICS },
    );
}
