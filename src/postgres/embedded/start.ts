/**
 * The embedded PostgreSQL: starts the server of a data directory, or joins the one that is running there, and stops it
 * when its last user leaves.
 *
 * Takes a data directory and returns the address of its database. Every start and stop holds a lock (`lock.ts`), so if
 * there are several processes, one starts the server, and the others join it. Each user keeps a session open. The
 * sessions show which users PostgreSQL has, and each user detects immediately when PostgreSQL dies. If a user dies
 * without leaving, the keeper detects that (`keeper.ts`).
 *
 * @module
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { codeOf } from "../../lib/error_fields.ts";
import { isFull, isUnavailable } from "../client/failures.ts";
import { findMemoryBytes } from "./buffers.ts";
import { createCluster, SUPERUSER } from "./cluster.ts";
import { enterUsers, type Keeper, STOP_FAST_SECONDS, startKeeper } from "./keeper.ts";
import { takeLock } from "./lock.ts";
import { readOwn } from "./own_files.ts";
import { boundLog, rotateLog } from "./server_log.ts";
import { dataDirError, findPrograms, makeDataDir, placeSite, type Site } from "./site.ts";

/** Replaying the 4 GB of WAL that `max_wal_size` allows takes minutes on a slow disk. */
const START_WAIT_MS = 300_000;
const STOP_FAST_MS = STOP_FAST_SECONDS * 1_000;
/** For an immediate shutdown. PostgreSQL itself kills the remaining processes after 5 s. */
const STOP_IMMEDIATE_MS = 6_000;
/** How long a leaving user waits for an answer. */
const ANSWER_WAIT_MS = 2_000;
const POLL_MS = 3;
/** Between two attempts while another server, or the remaining processes of a killed one, still use the cluster. */
const RETRY_MS = 100;
const CONNECT_TIMEOUT_SECONDS = 10;
const LOG_TAIL_CHARS = 2_000;
const DATABASE = "feedgate";
/** Application name of the users' sessions. */
const USER_NAME = "feedgate user";

/** A running server, as seen by one of its users. */
export type EmbeddedPostgres = Awaited<ReturnType<typeof startEmbedded>>;

export interface StartOptions {
  /** Created if it is missing. */
  readonly dataDir: string;
  /** Of which the server takes a share to keep pages in. @default the machine's, or the container's */
  readonly memoryBytes?: number;
  /** Refuses a server with other users, and keeps others from joining until `stop`. @default false */
  readonly isAlone?: boolean;
}

/**
 * Starts or joins the PostgreSQL of a data directory.
 * @throws an Error whose message says what to do, with the end of the server's log if the server failed.
 */
export async function startEmbedded(options: StartOptions) {
  // PostgreSQL is kept by `sh`, a named pipe and signals (`keeper.ts`), and Windows has none of them.
  if (process.platform === "win32") {
    throw new Error(
      "on Windows, Feedgate has no embedded PostgreSQL: set DATABASE_URL, or run it in WSL",
    );
  }
  try {
    return await start(makeDataDir(options.dataDir), options);
  } catch (error) {
    throw dataDirError(error, options.dataDir);
  }
}

/** Starts or joins it for a piece of work, and leaves it afterward. */
export async function withEmbedded<Result>(
  options: StartOptions,
  work: (server: EmbeddedPostgres) => Promise<Result>,
): Promise<Result> {
  const server = await startEmbedded(options);
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

async function start(
  dataDir: string,
  { isAlone = false, memoryBytes = findMemoryBytes() }: StartOptions,
) {
  const lock = join(dataDir, "lock");
  const unlock = await takeLock(lock);
  let isKept = false;
  try {
    const site = placeSite(dataDir);
    const { server, joined, session, leave } = await enter(site, memoryBytes);
    if (isAlone && (await session.hasOthers())) {
      await leave();
      throw new Error(
        `another feedgate is using the data directory ${dataDir}: stop it, then try again`,
      );
    }
    isKept = isAlone;
    const stop = async () => {
      const release = isAlone ? unlock : await takeLock(lock);
      await leave().finally(release);
    };
    let stopping: Promise<void> | undefined;
    const { pid, host, port } = server;
    return {
      /** The address of its database. */
      url: `postgres://${SUPERUSER}@localhost:${port}/${DATABASE}?host=${encodeURIComponent(host)}`,
      /** The socket's directory. */
      host,
      /** PostgreSQL's own data directory. */
      cluster: site.cluster,
      /** The postmaster's. */
      pid,
      /** Whether it joined a server that was already running. */
      joined,
      /** Resolves when the server has ended, or when this user has left it. */
      ended: session.ended,
      /** Leaves the server. If this is its last user, the server stops. A second call has no effect. */
      stop() {
        stopping ??= stop();
        return stopping;
      },
    };
  } finally {
    if (!isKept) unlock();
  }
}

/** The caller must hold the lock, now and when it leaves. */
async function enter(site: Site, memoryBytes: number) {
  const leaveUsers = enterUsers(site);
  try {
    const { server, joined, session } = await bringUp(site, memoryBytes);
    const endBound = boundLog(logOf(site));
    const leave = async () => {
      endBound();
      const isLast = !(await session.hasOthers());
      await session.close();
      if (isLast) {
        await stopServer(site);
        if (site.isSocketDirTemporary) rmSync(site.socketDir, { recursive: true, force: true });
      }
      leaveUsers();
    };
    return { server, joined, session, leave };
  } catch (error) {
    leaveUsers();
    throw error;
  }
}

function logOf({ dataDir }: Site): string {
  return join(dataDir, "postgres.log");
}

/** Joins the running server, or starts one. */
async function bringUp(site: Site, memoryBytes: number) {
  const log = logOf(site);
  const until = Date.now() + START_WAIT_MS;
  let keeper: Keeper | undefined;
  let logStart = 0;
  while (Date.now() < until) {
    const server = readServer(site);
    // The file may belong to a dead server. Only a session proves that a server is running.
    const session = server?.status === "ready" ? await openSession(server) : undefined;
    if (server !== undefined && session !== undefined) {
      return { server, session, joined: keeper?.hasEnded !== false };
    }
    if (keeper === undefined || keeper.hasEnded) {
      const said = readOwn(log).slice(logStart);
      if (keeper !== undefined) {
        if (!keeper.hasFoundServer && !/still in use/.test(said)) break;
        await Bun.sleep(RETRY_MS);
      }
      const programs = await findPrograms(site);
      await createCluster(site, programs);
      rotateLog(log);
      logStart = readOwn(log).length;
      keeper = startKeeper(site, programs, { log, memoryBytes });
    }
    await Bun.sleep(POLL_MS);
  }
  const said = `${keeper?.failure}${readOwn(log).slice(logStart)}`.slice(-LOG_TAIL_CHARS);
  throw new Error(
    `PostgreSQL did not start in ${site.cluster}: fix the error in its log, or set DATABASE_URL to your own PostgreSQL. ${log} ends:\n${said}`,
  );
}

/** What a server has written to `postmaster.pid`. */
interface Server {
  readonly pid: number;
  readonly host: string;
  readonly port: number;
  /** "starting", "ready", "stopping" or "standby". */
  readonly status: string;
}

function readServer({ cluster }: Site): Server | undefined {
  // Lines by miscadmin.h: pid, data directory, start, port, socket's directory, listen address, memory, status.
  const lines = readOwn(join(cluster, "postmaster.pid")).split("\n");
  const [pid, , , port, host = "", , , status] = lines;
  if (status === undefined) return undefined;
  return { pid: Number(pid), host, port: Number(port), status: status.trim() };
}

/**
 * Opens a user's session, which makes the user visible to PostgreSQL and notifies the user when PostgreSQL ends.
 * Creates our database if it is missing. Undefined if no server answers.
 */
async function openSession({ host, port }: Server) {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const sql = postgres({
    host,
    port,
    user: SUPERUSER,
    database: "postgres",
    max: 1,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    idle_timeout: 0,
    max_lifetime: null,
    fetch_types: false,
    onclose: () => end(),
    connection: { application_name: USER_NAME },
  });
  const close = () => sql.end({ timeout: 1 });
  try {
    const found = await sql`select 1 from pg_database where datname = ${DATABASE}`;
    if (found.length === 0) await sql.unsafe(`create database ${DATABASE}`);
  } catch (error) {
    await close();
    if (isUnavailable(error) && !isFull(error)) return undefined;
    throw error;
  }
  /** Whether the server has other users. True if it does not answer. */
  const hasOthers = async () => {
    const counting = sql`
      select count(*)::int as others
      from pg_stat_activity
      where application_name = ${USER_NAME} and pid <> pg_backend_pid()`;
    const timer = setTimeout(() => sql.end({ timeout: 0 }), ANSWER_WAIT_MS);
    try {
      return (await counting)[0]?.others !== 0;
    } catch {
      return true;
    } finally {
      clearTimeout(timer);
    }
  };
  return { ended, hasOthers, close };
}

/** Stops the server: cleanly if there is time, else so that the next start recovers its data. */
async function stopServer(site: Site): Promise<void> {
  const { pid = 0 } = readServer(site) ?? {};
  if (!isRunning(pid)) return;
  process.kill(pid, "SIGINT");
  if (await hasEnded(pid, STOP_FAST_MS)) return;
  process.kill(pid, "SIGQUIT");
  if (await hasEnded(pid, STOP_IMMEDIATE_MS)) return;
  throw new Error(
    `PostgreSQL (pid ${pid}) did not stop within ${(STOP_FAST_MS + STOP_IMMEDIATE_MS) / 1000} s: run kill -QUIT ${pid}; the next start recovers its data`,
  );
}

async function hasEnded(pid: number, waitMs: number): Promise<boolean> {
  const until = Date.now() + waitMs;
  while (isRunning(pid)) {
    if (Date.now() > until) return false;
    await Bun.sleep(POLL_MS);
  }
  return true;
}

function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process is running, but belongs to another account.
    if (codeOf(error) !== "EPERM") return false;
  }
  // A zombie has also ended. Its state follows the name, see proc(5).
  return !/\) Z [^)]*$/.test(readOwn(`/proc/${pid}/stat`));
}
