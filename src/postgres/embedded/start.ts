/**
 * The embedded PostgreSQL: starts the server in a data directory, or joins the one that runs there,
 * and stops it when its last user leaves.
 *
 * In goes the data directory, out comes where to connect. Every start and stop holds one lock
 * (`users.ts`), so of several processes one starts the server and the others join it. A
 * user that dies without leaving is seen by the watchdog, and a server that is left behind all the
 * same is joined by the next start. The server itself: `server.ts`; accounts, paths and
 * programs: `files.ts`.
 *
 * @module
 */

import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import postgres from "postgres";
import { makeDataDir, prepareSite, type Site } from "./files.ts";
import {
  bringUp,
  createCluster,
  findServer,
  type Server,
  SUPERUSER,
  stopServer,
} from "./server.ts";
import { hasUsers, registerUser, startWatchdog, stopWatchdog, takeLock } from "./users.ts";

const PROBE_TIMEOUT_SECONDS = 10;
const DATABASE = "feedgate";

/** A running server, as its user sees it; the fields fit the `postgres` driver's options. */
export interface EmbeddedPostgres {
  /** The socket's directory; on Windows the loopback address. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** Always "feedgate", made at the first start. */
  readonly database: string;
  /** Of the postmaster. */
  readonly pid: number;
  /** Whether a server that already ran was joined. */
  readonly joined: boolean;
  /** Leaves; the last user out stops PostgreSQL. A second call changes nothing. */
  stop(): Promise<void>;
}

export interface StartOptions {
  /** Made where it is missing. */
  readonly dataDir: string;
  /** Refuses a server that others use, and lets nobody join until `stop`. @default false */
  readonly isAlone?: boolean;
}

/**
 * Starts or joins the PostgreSQL of a data directory. Throws an Error whose message says what to
 * do, with the end of the server's log where it has something to tell.
 */
export async function startEmbedded(options: StartOptions): Promise<EmbeddedPostgres> {
  try {
    return await start(makeDataDir(options.dataDir), options.isAlone === true);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    if (!/^(EACCES|EPERM|EROFS|ENOSPC|ENOTDIR|EEXIST|ELOOP|ENOENT|SQLITE_.*)$/.test(code))
      throw error;
    throw new Error(
      `the data directory ${options.dataDir} cannot be used (${(error as Error).message}): set FEEDGATE_DATA_DIR to one that this account may write to, or DATABASE_URL to a PostgreSQL of your own`,
      { cause: error },
    );
  }
}

async function start(dataDir: string, isAlone: boolean): Promise<EmbeddedPostgres> {
  const lock = join(dataDir, "lock");
  const unlock = await takeLock(lock);
  let isKept = false;
  try {
    const users = join(dataDir, "users");
    if (isAlone && hasUsers(users)) {
      throw new Error(
        `another feedgate uses the data directory ${dataDir}: stop it, then try again`,
      );
    }
    const { site, entry, server, joined } = await enter(dataDir);
    isKept = isAlone;
    const { host, port, pid } = server;
    const stopOnce = async () => {
      const release = isAlone ? unlock : await takeLock(lock);
      await leave(site, entry).finally(release);
    };
    let stopping: Promise<void> | undefined;
    const stop = () => {
      stopping ??= stopOnce();
      return stopping;
    };
    return { host, port, user: SUPERUSER, database: DATABASE, pid, joined, stop };
  } finally {
    if (!isKept) unlock();
  }
}

/** The caller holds the lock. */
async function enter(dataDir: string) {
  const usersDir = join(dataDir, "users");
  const watchdog = join(dataDir, "watchdog");
  // First, so that it cannot stop the server that is joined here.
  stopWatchdog(watchdog);
  const entry = registerUser(usersDir);
  try {
    const site = await prepareSite(dataDir);
    await createCluster(site);
    const { server, joined } = await bringUp(site, (started) =>
      startWatchdog(watchdog, { server: started, usersDir }),
    );
    await ensureDatabase(server);
    return { site, entry, server, joined };
  } catch (error) {
    rmSync(entry, { force: true });
    throw error;
  }
}

/** The caller holds the lock. */
async function leave(site: Site, entry: string): Promise<void> {
  rmSync(entry, { force: true });
  if (hasUsers(dirname(entry))) return;
  const server = findServer(site.cluster);
  if (server !== undefined) await stopServer(server, site);
  stopWatchdog(join(site.dataDir, "watchdog"));
  // In the data directory it may stay; in the shared temp directory nobody would know it.
  const { socketDir } = site;
  if (socketDir !== undefined && dirname(socketDir) !== site.dataDir) {
    rmSync(socketDir, { recursive: true, force: true });
  }
}

/** Makes the database at the first start; at every start it proves that the server answers. */
async function ensureDatabase(server: Server): Promise<void> {
  const sql = postgres({
    host: server.host,
    port: server.port,
    user: SUPERUSER,
    database: "postgres",
    max: 1,
    connect_timeout: PROBE_TIMEOUT_SECONDS,
    fetch_types: false,
  });
  try {
    const found = await sql`select 1 from pg_database where datname = ${DATABASE}`;
    if (found.length === 0) await sql.unsafe(`create database ${DATABASE}`);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
