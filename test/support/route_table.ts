/**
 * The registered routes of the app, so that a test of all routes can't omit any.
 *
 * @module
 */
import { createApp } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/lib/log.ts";
import { openDatabases } from "../../src/postgres/open_database.ts";
import { createServices } from "../../src/services.ts";

export interface RouteOfApp {
  readonly method: string;
  /** The path with its parameters: `/v1/feed/:id`. */
  readonly path: string;
}

/** The routes of a gateway with this database and environment. */
export async function readRouteTable(
  environment: Readonly<Record<string, string>>,
): Promise<readonly RouteOfApp[]> {
  const log = createLog({ level: "silent" });
  const config = readConfig(environment);
  const databases = await openDatabases(config, log);
  const services = await createServices({ config, databases, log });
  try {
    return createApp(services).app.routes.map(({ method, path }) => ({ method, path }));
  } finally {
    services.reader.close();
    services.rowSchemas.close();
    await databases.close();
  }
}
