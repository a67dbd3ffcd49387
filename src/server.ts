/**
 * Start and stop, in order: database, schema, services, listener; and back.
 *
 * @module
 */
import { createApp } from "./app.ts";
import type { Config } from "./config.ts";
import { type ConnectOptions, connect, type DatabaseAddress } from "./database/connect.ts";
import { startEmbedded } from "./database/embedded.ts";
import { type MigrationReport, migrate } from "./database/migrate.ts";
import { createDatabase, type Database } from "./database/query.ts";
import { superviseEmbedded } from "./database/supervise.ts";
import type { Log } from "./lib/log.ts";
import { SERVER_BODY_BYTES_MAX } from "./limits.ts";
import { createServices, type Services } from "./services.ts";

/** A gateway that serves. */
export interface Gateway {
  /** What clients see, without a trailing slash. */
  readonly baseUrl: string;
  readonly port: number;
  readonly services: Services;
  /** Drains: answers what is in flight, then closes listener, database and embedded PostgreSQL. */
  stop(): Promise<void>;
}

/** An open database, embedded or not. */
export interface OpenDatabase {
  readonly database: Database;
  readonly address: DatabaseAddress;
  /** What was missing from its schema. */
  readonly migrated: MigrationReport;
  close(): Promise<void>;
}

/** While draining, answers carry `Connection: close` this long before the listener stops, in ms. */
const CLOSING_NOTICE_MS = 300;
const STOP_WAIT_MS = 5_000;
const USES_FLUSHED_EVERY_MS = 60_000;

export interface OpenOptions extends ConnectOptions {
  /** Where it is given, an embedded PostgreSQL that dies is started again, and this is told. */
  readonly log?: Log;
}

/** Opens and migrates the database that the configuration names, or the embedded one. */
export async function openDatabase(
  config: Config,
  { log, ...options }: OpenOptions = {},
): Promise<OpenDatabase> {
  const embedded =
    config.databaseUrl === undefined ? await startEmbedded({ dataDir: config.dataDir }) : undefined;
  const address: DatabaseAddress = embedded ?? { url: config.databaseUrl as string };
  const { dataDir } = config;
  const server = embedded && log ? superviseEmbedded(embedded, { dataDir, log }) : embedded;
  const connections = connect(address, options);
  const close = async () => {
    await connections.end({ timeout: STOP_WAIT_MS / 1_000 });
    await server?.stop();
  };
  try {
    const migrated = await migrate(connections);
    return { database: createDatabase(connections), address, migrated, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Serves until `stop`. @throws where the database can't be reached or the port is taken. */
export async function startGateway(config: Config, log: Log): Promise<Gateway> {
  const { database, close } = await openDatabase(config, { log });
  try {
    const services = await createServices({ config, database, log });
    const app = createApp(services).listen({
      port: config.port,
      hostname: config.host,
      // Elysia shares the port by default: two gateways would silently split the requests.
      reusePort: false,
      maxRequestBodySize: SERVER_BODY_BYTES_MAX,
    });
    const server = app.server;
    if (server === null) throw new Error("the listener did not start");
    const port = server.port as number;
    services.state.baseUrl = config.baseUrl ?? `http://${config.host}:${port}`;
    const flushing = setInterval(() => {
      services.keys.flushUses().catch((error) => log.warn("key uses not written", { error }));
    }, USES_FLUSHED_EVERY_MS);
    let stopping: Promise<void> | undefined;
    const stop = async () => {
      services.state.isDraining = true;
      await Bun.sleep(CLOSING_NOTICE_MS);
      await Promise.race([server.stop(), Bun.sleep(STOP_WAIT_MS)]);
      await Promise.race([services.admission.idle(), Bun.sleep(STOP_WAIT_MS)]);
      clearInterval(flushing);
      await services.keys.flushUses().catch((error) => log.warn("key uses not written", { error }));
      await close();
    };
    return {
      baseUrl: services.state.baseUrl,
      port,
      services,
      stop: () => {
        stopping ??= stop();
        return stopping;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
