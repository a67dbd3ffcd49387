/**
 * Start and stop, in order: database, schema, services, listener; and back.
 *
 * @module
 */
import { lookup } from "node:dns/promises";
import { createSecureContext } from "node:tls";
import { createApp } from "./app.ts";
import { type Config, ConfigError, listenerUrl, type TlsFiles } from "./config.ts";
import { type ConnectOptions, connect, type DatabaseAddress } from "./database/connect.ts";
import { startEmbedded } from "./database/embedded.ts";
import { type MigrationReport, migrate } from "./database/migrate.ts";
import { createDatabase, type Database } from "./database/query.ts";
import { REPLICA_WAIT_MS_MAX } from "./database/reader.ts";
import { superviseEmbedded } from "./database/supervise.ts";
import { assert } from "./lib/assert.ts";
import type { Log } from "./lib/log.ts";
import { MS_PER_SECOND } from "./lib/time_units.ts";
import {
  DATABASE_CONNECTIONS_MAX,
  DATABASE_CONNECTIONS_SPARED,
  DRAIN_WORKER_MS,
  IDLE_SECONDS_MAX,
  SERVER_BODY_BYTES_MAX,
} from "./limits.ts";
import { createJobs } from "./maintenance/jobs.ts";
import { type Maintenance, startMaintenance } from "./maintenance/maintenance.ts";
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

/** PEM texts. */
interface Tls {
  readonly cert: string;
  readonly key: string;
}

type Server = NonNullable<ReturnType<typeof createApp>["server"]>;

/** While draining, answers carry `Connection: close` this long before the listener stops, in ms. */
const CLOSING_NOTICE_MS = 300;
/** How long requests in flight may still take: longer than a statement may. */
const ANSWER_WAIT_MS = 6_000;
/** How long, behind them, each step to the end may take. */
const CLOSE_WAIT_MS = 500;
/** Uploads that drip, admission and maintenance, the last writes, the pool. */
const CLOSE_STEPS = 4;
const NO_ADDRESS_OF_OURS: ReadonlySet<string> = new Set([
  "EADDRNOTAVAIL",
  "EAFNOSUPPORT",
  "EINVAL",
]);
/** Of a step of background work, in a piece of a large table. */
const BACKGROUND_STATEMENT_MS_MAX = 30_000;

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
  const address: DatabaseAddress = embedded ?? {
    url: config.databaseUrl as string,
    isPooled: config.isDatabasePooled,
  };
  const { dataDir } = config;
  const server = embedded && log ? superviseEmbedded(embedded, { dataDir, log }) : embedded;
  const connections = connect(address, options);
  const close = async () => {
    await connections.end({ timeout: CLOSE_WAIT_MS / MS_PER_SECOND });
    await server?.stop();
  };
  try {
    const migrated = await migrateAlone(address, log);
    // Who sets no bound on a statement sets none on its wait.
    const isBounded = options.statementTimeoutMs !== 0;
    const database = createDatabase(
      connections,
      isBounded ? {} : { runningMax: Number.POSITIVE_INFINITY },
    );
    return { database, address, migrated, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** On a connection of its own, which no statement timeout and no silence ends. */
async function migrateAlone(address: DatabaseAddress, log?: Log): Promise<MigrationReport> {
  const connections = connect(address, { connectionsMax: 1, statementTimeoutMs: 0 });
  try {
    return await migrate(connections, {
      onLocked: () => log?.warn("a migration waits for a lock that somebody holds, a dump say"),
    });
  } finally {
    await connections.end({ timeout: CLOSE_WAIT_MS / MS_PER_SECOND });
  }
}

/** Opens a pool; whether a replica is there, and what it is good for, the reader finds out. */
function openReplica({ databaseReadUrl }: Config): Database | undefined {
  if (databaseReadUrl === undefined) return undefined;
  const connectionsMax = DATABASE_CONNECTIONS_MAX - DATABASE_CONNECTIONS_SPARED;
  const connections = connect(
    { url: databaseReadUrl, isReplica: true },
    {
      connectionsMax,
      statementTimeoutMs: REPLICA_WAIT_MS_MAX,
      connectTimeoutMs: REPLICA_WAIT_MS_MAX,
    },
  );
  return createDatabase(connections, { runningMax: connectionsMax });
}

export interface GatewayOptions {
  /** Whether other processes listen on the same port (`workers/`). @default false */
  readonly isPortShared?: boolean;
  /** How long a drain announces itself before the listener stops, in ms. @default CLOSING_NOTICE_MS */
  readonly closingNoticeMs?: number;
}

/** For a name that means nothing, a listener's error would have whatever code came last. @throws {ConfigError} */
export async function requireHost({ host }: Config): Promise<void> {
  await lookup(host.replace(/^\[(.*)\]$/, "$1")).catch(({ code }: { code?: string }) => {
    throw foreignHost(host, code);
  });
}

/** Listens by `listen`. @throws where the port is taken; {ConfigError} where the host is not ours. */
export function listenOn<Listener>({ host, port }: Config, listen: () => Listener): Listener {
  try {
    return listen();
  } catch (error) {
    const { code = "" } = error as { code?: string };
    if (code === "EADDRINUSE") {
      throw new Error(
        `port ${port} on ${host} is in use: stop what listens there, or choose another with PORT or --port`,
      );
    }
    throw NO_ADDRESS_OF_OURS.has(code) ? foreignHost(host, code) : error;
  }
}

function foreignHost(host: string, code = "unknown"): ConfigError {
  return new ConfigError([`HOST must be an address of this machine, got "${host}" (${code})`]);
}

/** Serves until `stop`. @throws where the database can't be reached or the port is taken. */
export async function startGateway(
  config: Config,
  log: Log,
  options: GatewayOptions = {},
): Promise<Gateway> {
  // Before the database is opened: a host or a file that can't be used is the start's first mistake.
  await requireHost(config);
  const tls = config.tls && (await readTls(config.tls));
  const databases = await openDatabases(config, log);
  try {
    const { database, replica, isDistributed } = databases;
    const services = await createServices({ config, database, replica, isDistributed, log });
    return serve(services, { ...options, databases, tls });
  } catch (error) {
    await databases.close();
    throw error;
  }
}

interface ServeOptions extends GatewayOptions {
  readonly databases: Databases;
  readonly tls: Tls | undefined;
}

function serve(services: Services, options: ServeOptions): Gateway {
  const { databases, isPortShared = false, closingNoticeMs = CLOSING_NOTICE_MS, tls } = options;
  const { config, http, keys, log, state } = services;
  let server: Server;
  try {
    server = listen(services, { tls, isPortShared });
  } catch (error) {
    release(services);
    throw error;
  }
  const port = server.port as number;
  state.baseUrl = config.baseUrl ?? listenerUrl({ ...config, port });
  const maintenance = startMaintenance({
    database: databases.background,
    log,
    metrics: http.metrics,
    jobs: createJobs({
      usageRetentionDays: config.usageRetentionDays,
      auditRetentionDays: config.auditRetentionDays,
      flushKeyUses: () => keys.flushUses(),
    }),
  });
  let stopping: Promise<void> | undefined;
  return {
    baseUrl: state.baseUrl,
    port,
    services,
    stop: () => {
      stopping ??= drain(services, { server, maintenance, closingNoticeMs }).finally(() => {
        release(services);
        return databases.close();
      });
      return stopping;
    },
  };
}

type Databases = Awaited<ReturnType<typeof openDatabases>>;

/** All pools of a gateway. @throws where the configuration and the database don't go together. */
async function openDatabases(config: Config, log: Log) {
  const { database, address, migrated, close: closeDatabase } = await openDatabase(config, { log });
  const { hasTrigrams, isDistributed } = migrated;
  try {
    if (isDistributed && config.databaseReadUrl !== undefined) {
      throw new Error("DATABASE_READ_URL can't be used where rows are distributed: leave it out");
    }
    if (!hasTrigrams) {
      log.warn(
        'search finds no misspelled names: have pg_trgm installed in the database with "create extension pg_trgm", then start again',
      );
    }
    const replica = openReplica(config);
    // A connection of its own: no answer waits behind a step of background work.
    const background = createDatabase(
      connect(address, { connectionsMax: 1, statementTimeoutMs: BACKGROUND_STATEMENT_MS_MAX }),
    );
    const close = async () => {
      // Whoever read has been answered by now: nothing is waited for.
      await replica?.connections.end({ timeout: 0 });
      await background.connections.end({ timeout: 0 });
      await closeDatabase();
    };
    return { database, background, replica, isDistributed, close };
  } catch (error) {
    await closeDatabase();
    throw error;
  }
}

interface ListenOptions {
  readonly tls: Tls | undefined;
  readonly isPortShared: boolean;
}

function listen(services: Services, { tls, isPortShared }: ListenOptions): Server {
  const { config } = services;
  const app = listenOn(config, () =>
    createApp(services).listen({
      port: config.port,
      hostname: config.host,
      // Elysia shares the port by default: two gateways would silently split the requests.
      reusePort: isPortShared,
      maxRequestBodySize: SERVER_BODY_BYTES_MAX,
      ...(tls !== undefined && { tls }),
      // Of a request as a whole, however steadily it comes; routes with bodies ask for more.
      idleTimeout: IDLE_SECONDS_MAX,
    }),
  );
  if (app.server === null) throw new Error("the listener did not start");
  return app.server;
}

interface Draining {
  readonly server: Server;
  readonly maintenance: Maintenance;
  readonly closingNoticeMs: number;
}

/** Answers what is in flight, writes what is left to write; each step has its time. */
async function drain(
  services: Services,
  { server, maintenance, closingNoticeMs }: Draining,
): Promise<void> {
  const { admission, keys, log, state } = services;
  state.isDraining = true;
  const maintenanceStopped = maintenance.stop();
  await Bun.sleep(closingNoticeMs);
  await within(ANSWER_WAIT_MS, server.stop());
  // What has not been answered by now never will be: an upload that drips, say.
  await within(CLOSE_WAIT_MS, server.stop(true));
  await within(CLOSE_WAIT_MS, Promise.all([admission.idle(), maintenanceStopped]));
  await within(CLOSE_WAIT_MS, keys.flushUses()).catch((error) =>
    log.warn("key uses not written", { error }),
  );
}

/** Ends what works in the background. */
function release({ reader, rowSchemas, state }: Services): void {
  state.isDraining = true;
  rowSchemas.close();
  reader.close();
}

/** @throws {ConfigError} where a file can't be read, or holds what can't be used. */
async function readTls({ certFile, keyFile }: TlsFiles): Promise<Tls> {
  const [cert, key] = await Promise.all([
    readPem("TLS_CERT_FILE", certFile),
    readPem("TLS_KEY_FILE", keyFile),
  ]);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    const reason = (error as Error).message;
    throw new ConfigError([
      `TLS_CERT_FILE and TLS_KEY_FILE can't be used (${reason}): both are PEM files`,
    ]);
  }
  return { cert, key };
}

async function readPem(variable: string, path: string): Promise<string> {
  try {
    return await Bun.file(path).text();
  } catch (error) {
    const { code } = error as { code?: string };
    throw new ConfigError([`${variable}: ${path} can't be read (${code}): check path and mode`]);
  }
}

/** Resolves with the work, or when its time is up. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

assert(
  CLOSING_NOTICE_MS + ANSWER_WAIT_MS + CLOSE_STEPS * CLOSE_WAIT_MS < DRAIN_WORKER_MS,
  "a drain leaves time to stop the database",
);
