/**
 * The routes of the app, as it has them, so that a test of all routes can leave none out.
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
  /** With its parameters: `/v1/feed/:id`. */
  readonly path: string;
}

/** Of a gateway on this database with this environment. */
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
