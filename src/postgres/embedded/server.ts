/**
 * The server process of the embedded PostgreSQL: `initdb`, start, crash recovery, stop.
 *
 * Callers hold the lock of the data directory (`users.ts`), so nothing here is done twice
 * at once. What comes back is read from `postmaster.pid`, whoever started the server.
 *
 * @module
 */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { makePrivateDir, type Site } from "./files.ts";
import type { Account } from "./owner.ts";
import {
  commandLine,
  findProcess,
  isAlive,
  openOwn,
  type ProcessId,
  readNames,
  readText,
  STOP_FAST_MS,
  writeOwn,
} from "./users.ts";

/** Replaying the 4 GB of WAL that `max_wal_size` allows takes a slow disk minutes. */
const START_WAIT_MS = 300_000;
/** An immediate shutdown: PostgreSQL itself kills what is left of it after 5 s. */
const STOP_IMMEDIATE_MS = 6_000;
const POLL_MS = 3;
/** Between two attempts while the orphans of a killed server still hold its shared memory. */
const RETRY_MS = 100;
/** Between a cluster's name and what makes the name of its draft unique. */
const DRAFT_MARK = ".new-";
const LOG_TAIL_CHARS = 2_000;
/** A longer log starts anew at the next start; one older log is kept. */
const LOG_BYTES_MAX = 16 * 1024 * 1024;
/** The only superuser, and on unix only who may open the socket's directory gets to it. */
export const SUPERUSER = "postgres";
/** On unix it only names the socket's file. */
const SOCKET_PORT = 5432;
const SOCKET_LOCK = `.s.PGSQL.${SOCKET_PORT}.lock`;

/** A server found through its `postmaster.pid`. */
export interface Server extends ProcessId {
  readonly host: string;
  readonly port: number;
  /** "starting", "ready", "stopping" or "standby". */
  readonly status: string;
}

/** Makes the cluster under another name and renames it: a killed `initdb` leaves no half of one. */
export async function createCluster(site: Site): Promise<void> {
  if (existsSync(join(site.cluster, "PG_VERSION"))) return;
  removeDrafts(site.cluster);
  const draft = `${site.cluster}${DRAFT_MARK}${Bun.randomUUIDv7()}`;
  makePrivateDir(draft, site.account);
  const result = await initialize(site, draft);
  if (result !== "") {
    rmSync(draft, { recursive: true, force: true });
    throw new Error(
      `initdb could not make the database in ${site.cluster}: set DATABASE_URL to a PostgreSQL of your own, or mend what it says:\n${result.slice(-LOG_TAIL_CHARS)}`,
    );
  }
  renameSync(draft, site.cluster);
}

/** Waits for the server that runs, and starts one where none does. */
export async function bringUp(
  site: Site,
  watch: (server: ProcessId) => void,
): Promise<{ server: Server; joined: boolean }> {
  const log = join(site.dataDir, "postgres.log");
  const until = Date.now() + START_WAIT_MS;
  let child: ChildProcess | undefined;
  let logStart = 0;
  while (Date.now() < until) {
    const server = findServer(site.cluster);
    const joined = child?.pid !== server?.pid;
    if (server?.status === "ready") {
      if (joined) watch(server);
      return { server, joined };
    }
    if (server === undefined && (child === undefined || hasExited(child))) {
      if (child !== undefined && !/still in use/.test(readText(log).slice(logStart))) break;
      if (child !== undefined) await Bun.sleep(RETRY_MS);
      rotate(log);
      logStart = readText(log).length;
      child = launch(site, log);
      const started = findProcess(child.pid ?? 0);
      if (started !== undefined) watch(started);
    }
    await Bun.sleep(POLL_MS);
  }
  if (child !== undefined && !hasExited(child)) child.kill("SIGQUIT");
  throw new Error(
    `PostgreSQL did not start in ${site.cluster}: mend what its log says, or set DATABASE_URL to a PostgreSQL of your own. ${log} ends:\n${readText(log).slice(logStart).slice(-LOG_TAIL_CHARS)}`,
  );
}

/** The living server of a cluster: its pid file counts only while its pid is that very server. */
export function findServer(cluster: string): Server | undefined {
  const lines = readText(join(cluster, "postmaster.pid")).split("\n");
  // Lines by miscadmin.h: pid, data directory, start, port, socket, listen address, memory, status.
  const found = findProcess(Number(lines[0]));
  const [, , , port, socketDir, address, , status] = lines;
  if (found === undefined || !isServerOf(found.pid, cluster)) return undefined;
  const host = process.platform === "win32" ? (address ?? "") : (socketDir ?? "");
  return { ...found, host, port: Number(port), status: status?.trim() ?? "" };
}

/** Stops the server: cleanly where it can in time, else so that the next start recovers. */
export async function stopServer(server: Server, site: Site): Promise<void> {
  if (process.platform === "win32") {
    // Windows has no signals: `pg_ctl` asks the server over its own pipe.
    const args = ["stop", "-D", site.cluster, "-m", "fast", "-t", `${STOP_FAST_MS / 1000}`];
    spawnSync(join(site.runtime, "bin", "pg_ctl"), args, { stdio: "ignore" });
  } else {
    process.kill(server.pid, "SIGINT");
  }
  if (await hasEnded(server, STOP_FAST_MS)) return;
  process.kill(server.pid, "SIGQUIT");
  if (await hasEnded(server, STOP_IMMEDIATE_MS)) return;
  throw new Error(
    `PostgreSQL (pid ${server.pid}) did not stop within ${(STOP_FAST_MS + STOP_IMMEDIATE_MS) / 1000} s: end it with kill -QUIT ${server.pid}; the next start recovers its data`,
  );
}

async function hasEnded(server: ProcessId, waitMs: number): Promise<boolean> {
  const until = Date.now() + waitMs;
  while (isAlive(server)) {
    if (Date.now() > until) return false;
    await Bun.sleep(POLL_MS);
  }
  return true;
}

/** What killed starts left; an `initdb` that outlived its gateway may still be writing to it. */
function removeDrafts(cluster: string): void {
  const home = dirname(cluster);
  for (const name of readNames(home)) {
    if (!name.startsWith(`${basename(cluster)}${DRAFT_MARK}`)) continue;
    try {
      rmSync(join(home, name), { recursive: true, force: true });
    } catch {
      // The next first start tries again.
    }
  }
}

/** Runs `initdb`; returns "" or what it said when it failed. */
async function initialize(site: Site, cluster: string): Promise<string> {
  const args = ["-D", cluster, "-U", SUPERUSER, "-A", "trust", "-E", "UTF8", "--no-instructions"];
  // The builtin provider sorts alike on every machine, whatever its C library.
  args.push("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--lc-messages=C");
  const initdb = [join(site.runtime, "bin", "initdb"), ...args];
  const said = await run(initdb, site);
  if (!said.includes("could not look up effective user ID")) return said;
  // A container's uid without a passwd entry: `initdb` wants a name. In a user namespace of its own
  // it is nobody, and what it writes still belongs to our uid.
  const nobody = ["unshare", "--user", "--map-user=65534", "--map-group=65534"];
  const mapped = await run([...nobody, ...initdb], site);
  return mapped === "" ? "" : `${said}${mapped}add the uid to /etc/passwd\n`;
}

/** Runs a program to its end; returns "" or what it said when it failed. */
async function run(command: readonly string[], site: Site): Promise<string> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, {
    ...spawnOptions(site),
    // A session of its own: Ctrl-C reaches only us.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stdout.on("data", (chunk) => {
    said += chunk;
  });
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  return await new Promise((done) => {
    child.on("error", (error) => done(`${program}: ${error.message}\n`));
    child.on("close", (code) => done(code === 0 ? "" : `${said}exit code ${code}\n`));
  });
}

function launch(site: Site, log: string): ChildProcess {
  disownPidFile(join(site.cluster, "postmaster.pid"));
  // The socket's lock names the dead server, too. Its directory is ours alone: nothing else to guard.
  const { socketDir } = site;
  if (socketDir !== undefined) rmSync(join(socketDir, SOCKET_LOCK), { force: true });
  const args = ["-D", site.cluster, ...addressArgs(site)];
  for (const setting of settings(site)) args.push("-c", setting);
  // Opened here, so that root may write a log that lies where the account cannot reach.
  const output = openLog(log);
  const child = spawn(join(site.runtime, "bin", "postgres"), args, {
    ...spawnOptions(site),
    // A session of its own: Ctrl-C reaches only the gateway, which drains before it stops the server.
    detached: true,
    stdio: ["ignore", output, output],
  });
  child.on("error", (error) => {
    const file = openLog(log);
    writeFileSync(file, `${error.message}\n`);
    closeSync(file);
  });
  child.unref();
  closeSync(output);
  return child;
}

/**
 * After a kill -9 the file names a dead server, or whoever got its pid since, and then PostgreSQL
 * refuses to start. With its parent's pid in the file it starts; and unlike after a deletion, it
 * still checks that no orphan of the dead server has the shared memory named there.
 */
function disownPidFile(path: string): void {
  const text = readText(path);
  if (text === "") return;
  writeOwn(path, [`${process.pid}`, ...text.split("\n").slice(1)].join("\n"));
}

function openLog(path: string): number {
  return openOwn(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT);
}

function addressArgs(site: Site): string[] {
  if (site.socketDir !== undefined) {
    // No port is open: no conflict, and nobody else's connection.
    const socket = ["-c", "listen_addresses=", "-c", "unix_socket_permissions=0700"];
    return ["-k", site.socketDir, "-p", `${SOCKET_PORT}`, ...socket];
  }
  const probe = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const port = probe.port;
  probe.stop(true);
  return ["-p", `${port}`, "-c", "listen_addresses=127.0.0.1"];
}

function settings(site: Site): string[] {
  return [
    // Money and usage are promises: an acknowledged commit is on the disk, and its pages are whole.
    "fsync=on",
    "synchronous_commit=on",
    "full_page_writes=on",
    // Whole pages after a checkpoint are most of the WAL.
    ...(canCompressWal(site) ? ["wal_compression=lz4"] : []),
    // Fewer checkpoints: after each one, every page is written whole once more.
    "max_wal_size=4GB",
    "checkpoint_timeout=15min",
    // Holds the hot pages; the system's cache has the rest, so a small machine is not starved.
    "shared_buffers=256MB",
    // Several gateways and operator commands share the server, each with its own pool.
    "max_connections=200",
    // Our statements take a millisecond: compiling them first costs more than it saves.
    "jit=off",
    // The driver's types expect times printed in UTC.
    "timezone=UTC",
  ];
}

/** Not every build has lz4, and one without it refuses to start with the setting. */
function canCompressWal(site: Site): boolean {
  const args = ["-D", site.cluster, "-C", "wal_compression", "-c", "wal_compression=lz4"];
  const program = join(site.runtime, "bin", "postgres");
  return spawnSync(program, args, { ...spawnOptions(site), stdio: "ignore" }).status === 0;
}

function spawnOptions(site: Site): Partial<Account> & { cwd: string; env: NodeJS.ProcessEnv } {
  const { PATH } = process.env;
  // Only what it needs: PGDATA and its kind would change what it does, and secrets are not its.
  const base = process.platform === "win32" ? process.env : { PATH: PATH ?? "/usr/bin:/bin" };
  // The directory we are in may be one that the account cannot read.
  const cwd = process.platform === "win32" ? site.runtime : "/";
  return { ...site.account, cwd, env: { ...base, LC_ALL: "C", TZ: "UTC", ...site.libraries } };
}

function isServerOf(pid: number, cluster: string): boolean {
  if (process.platform === "win32") return pid !== process.pid;
  const line = commandLine(pid);
  return /(^|\/)postgres /.test(line) && line.includes(` ${cluster} `);
}

function hasExited(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

function rotate(log: string): void {
  const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_BYTES_MAX) renameSync(log, `${log}.1`);
}
