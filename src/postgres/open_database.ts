/**
 * Opens and migrates the database that the configuration names, embedded or not, and its pools.
 *
 * @module
 */
import type { Config } from "../config.ts";
import { present } from "../lib/assert.ts";
import type { Log } from "../lib/log.ts";
import { MS_PER_SECOND } from "../lib/time_units.ts";
import {
  DATABASE_CONNECTIONS_MAX,
  DATABASE_CONNECTIONS_SPARED,
  IMPORT_CONNECTIONS_MAX,
  OPERATOR_CONNECTIONS_MAX,
} from "../limits.ts";
import {
  type ConnectOptions,
  connect,
  type DatabaseAddress,
  surveyHosts,
  withConnection,
} from "./client/connect.ts";
import { createDatabase, type Database } from "./client/database.ts";
import { openSnapshotAt } from "./client/snapshot.ts";
import { findDurabilityFault } from "./durability.ts";
import { readDiskRoom } from "./embedded/disk.ts";
import { reviveEmbedded } from "./embedded/revive.ts";
import { startEmbedded } from "./embedded/start.ts";
import { migrate, refuseForeign, requireMigrated } from "./migrate/migrate.ts";
import { requireNewestPrimary } from "./newest_primary.ts";
import { REPLICA_WAIT_MS_MAX } from "./replica/reader.ts";

/** Milliseconds that running statements get to finish when a pool is closed. */
export const POOL_CLOSE_MS_MAX = 500;
/** Limit of a step of background work, which processes a part of a large table. */
const BACKGROUND_STATEMENT_MS_MAX = 30_000;

export interface OpenOptions extends ConnectOptions {
  /** See `createDatabase`. */
  readonly runningMax?: number;
  /** See `createDatabase`. */
  readonly waitMsMax?: number | undefined;
  /** If given, an embedded PostgreSQL that dies is restarted, and this is logged. */
  readonly log?: Log;
}

export interface OpenDatabaseOptions extends OpenOptions {
  /** Whether to refuse, and leave unchanged, a database that contains only tables of something else. @default false */
  readonly refusesForeign?: boolean;
}

/** An open database, embedded or not. */
export type OpenedDatabase = Awaited<ReturnType<typeof openDatabase>>;

/** Opens the configured or embedded database without migrating it, so its schema may be missing. */
export async function openServer(
  config: Config,
  { log, runningMax, waitMsMax, ...options }: OpenOptions,
) {
  const { dataDir, databaseUrl: url } = config;
  const embedded = url === undefined ? await startEmbedded({ dataDir }) : undefined;
  const address: DatabaseAddress = embedded ?? {
    url: present(url),
    isPooled: config.isDatabasePooled,
  };
  const leave = embedded && log ? reviveEmbedded(embedded, { dataDir, log }) : embedded?.stop;
  const survey = surveyHosts(address, ({ host, timeline, newestTimeline, error }) =>
    log?.warn("an old primary accepts connections: stop it, and make it a standby", {
      host: `${host.host}:${host.port}`,
      timeline,
      newest_timeline: newestTimeline,
      error,
    }),
  );
  const connections = connect(address, { ...options, survey });
  const close = async () => {
    await connections.end({ timeout: POOL_CLOSE_MS_MAX / MS_PER_SECOND });
    await leave?.();
  };
  // If statements have no time limit, they also wait without one.
  const isBounded = options.statementTimeoutMs !== 0;
  const database = createDatabase(
    connections,
    isBounded
      ? {
          accountMsMax: config.limits.databaseMs,
          ...(runningMax !== undefined && { runningMax }),
          waitMsMax,
        }
      : { runningMax: Number.POSITIVE_INFINITY },
  );
  /** The free space on the disk, which is known only for the embedded server. */
  const diskRoom = embedded && (() => readDiskRoom(embedded.cluster));
  return { database, address, diskRoom, survey, close };
}

/** Opens and migrates the configured or embedded database. */
export async function openDatabase(
  config: Config,
  { log, refusesForeign = false, ...options }: OpenDatabaseOptions,
) {
  const opened = await openServer(config, { ...options, ...(log !== undefined && { log }) });
  const { address, close } = opened;
  try {
    /** The missing migrations that were applied. */
    const migrated = await withConnection(address, async (connection) => {
      await requireNewestPrimary(connection);
      if (!config.migrates) return requireMigrated(connection);
      if (refusesForeign) await refuseForeign(connection);
      return migrate(connection, () =>
        log?.warn("a migration is waiting for a lock, for example one held by a dump"),
      );
    });
    return { ...opened, migrated };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Opens a pool, or returns undefined if no replica is configured. The reader finds out whether the replica is up and
 * how current it is.
 */
export function openReplica({ databaseReadUrl, limits }: Config): Database | undefined {
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
  return createDatabase(connections, {
    runningMax: connectionsMax,
    accountMsMax: limits.databaseMs,
  });
}

export type Databases = Awaited<ReturnType<typeof openDatabases>>;

export interface PoolOptions {
  /**
   * The most connections to the primary, besides those of background work, imports, the operator's API and exports.
   * @default DATABASE_CONNECTIONS_MAX
   */
  readonly connectionsMax?: number;
  /** How long a statement may wait for one of them, in ms. @default DATABASE_WAIT_MS_MAX */
  readonly waitMsMax?: number | undefined;
  /** How long a statement of the operator's API may take, in ms. @default the limit of every other statement */
  readonly operatorStatementMsMax?: number | undefined;
  /** Whether the caller has just migrated the database, so that its schema needs no look. @default false */
  readonly isMigrated?: boolean;
}

/** All pools of a gateway. @throws if the configuration and the database are incompatible. */
export async function openDatabases(
  config: Config,
  log: Log,
  {
    connectionsMax = DATABASE_CONNECTIONS_MAX,
    waitMsMax,
    operatorStatementMsMax,
    isMigrated = false,
  }: PoolOptions = {},
) {
  const runningMax = connectionsMax - DATABASE_CONNECTIONS_SPARED;
  const options = { log, connectionsMax, runningMax, waitMsMax };
  const opened = isMigrated
    ? { ...(await openServer(config, options)), migrated: undefined }
    : await openDatabase(config, options);
  const { database, address, migrated, diskRoom, survey, close: closeDatabase } = opened;
  try {
    if (migrated?.hasTrigrams === false) {
      log.warn(
        'search does not tolerate typos: run "create extension pg_trgm" in the database, then restart the gateway',
      );
    }
    const commits = present(await database.row("find_durability", {}));
    const fault = findDurabilityFault(commits, { hasStandbys: survey !== undefined });
    if (fault !== undefined) log.warn(`${fault.found}: ${fault.hint}`);
    const replica = openReplica(config);
    // Its own connection, so that no answer waits for a step of background work.
    const background = createDatabase(
      connect(address, { connectionsMax: 1, statementTimeoutMs: BACKGROUND_STATEMENT_MS_MAX }),
    );
    // Opened by the first call of the operator's API.
    const operatorDatabase = createDatabase(
      connect(address, {
        connectionsMax: OPERATOR_CONNECTIONS_MAX,
        ...(operatorStatementMsMax !== undefined && { statementTimeoutMs: operatorStatementMsMax }),
        survey,
      }),
      { runningMax: OPERATOR_CONNECTIONS_MAX, waitMsMax },
    );
    // Opened by the first import. Its steps write much, so they must not delay answers.
    const importDatabase = createDatabase(
      connect(address, {
        connectionsMax: IMPORT_CONNECTIONS_MAX,
        statementTimeoutMs: BACKGROUND_STATEMENT_MS_MAX,
        survey,
      }),
      { runningMax: IMPORT_CONNECTIONS_MAX, waitMsMax },
    );
    /** A session with one snapshot, without a time limit on its statements. The caller must end it. */
    const openSnapshot = () => openSnapshotAt(address, survey);
    const close = async () => {
      // All reads have been answered by now, so there is nothing to wait for.
      await replica?.connections.end({ timeout: 0 });
      await background.connections.end({ timeout: 0 });
      await operatorDatabase.connections.end({ timeout: 0 });
      await importDatabase.connections.end({ timeout: 0 });
      await closeDatabase();
    };
    return {
      database,
      background,
      operatorDatabase,
      importDatabase,
      openSnapshot,
      replica,
      diskRoom,
      survey,
      close,
    };
  } catch (error) {
    await closeDatabase();
    throw error;
  }
}
