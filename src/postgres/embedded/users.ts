/**
 * Who uses the embedded PostgreSQL: the lock that one start or stop at a time holds, the registry
 * of users, and the watchdog that stops a server whose users are all gone.
 *
 * A process is known by its pid and, where the system tells it (Linux), by its start time as well:
 * after a restart of the machine or of a container the same pid is soon another process.
 *
 * @module
 */

import { Database, constants as sqlite } from "bun:sqlite";
import { spawn } from "node:child_process";
import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** A start holds the lock through crash recovery (5 min in `server.ts`), a stop for 15 s. */
const LOCK_WAIT_MS = 330_000;
const LOCK_POLL_MS = 10;
/** How often the watchdog looks. With the two stop bounds below it stays under 15 s. */
const WATCH_INTERVAL_SECONDS = 2;
/** A fast shutdown writes a checkpoint; past this, recovery at the next start is the cheaper way. */
export const STOP_FAST_MS = 8_000;
/** The watchdog's name in a process list. */
const WATCHDOG_NAME = "feedgate-watchdog";

/** A process; `startedAt` is "" where the system does not tell it. */
export interface ProcessId {
  readonly pid: number;
  readonly startedAt: string;
}

/**
 * Waits until no other process, nor another task of this one, holds the lock, and takes it. Returns what
 * lets it go.
 *
 * The lock is SQLite's lock on an empty file, because the kernel frees it when its holder dies. A
 * file that holds a pid needs a take-over, and two that take over at once can both believe they won.
 */
export async function takeLock(path: string): Promise<() => void> {
  const { SQLITE_OPEN_CREATE, SQLITE_OPEN_NOFOLLOW, SQLITE_OPEN_READWRITE } = sqlite;
  const lock = new Database(
    path,
    SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_READWRITE,
  );
  try {
    await acquireLock(lock, path);
  } catch (error) {
    lock.close();
    throw error;
  }
  return () => lock.close();
}

/** The identity of a living process, or `undefined` for one that is gone or a zombie. */
export function findProcess(pid: number): ProcessId | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives, but belongs to another account.
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return undefined;
  }
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === "") return { pid, startedAt: "" };
  // The name before the last ")" may hold spaces; state is the first field behind it, and the start
  // time is field 22 of proc(5), the twentieth behind it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" ? undefined : { pid, startedAt: fields[19] ?? "" };
}

/** Whether this very process still runs, not another one that got its pid. */
export function isAlive(id: ProcessId): boolean {
  const found = findProcess(id.pid);
  if (found === undefined) return false;
  return id.startedAt === "" || found.startedAt === "" || id.startedAt === found.startedAt;
}

/** Enters this process as a user; returns the file to remove when it leaves. */
export function registerUser(usersDir: string): string {
  mkdirSync(usersDir, { recursive: true });
  // One process may use the server several times: the pid alone would not tell the uses apart.
  const file = join(usersDir, `${process.pid}-${Bun.randomUUIDv7()}`);
  writeOwn(file, `${findProcess(process.pid)?.startedAt ?? ""}\n`);
  return file;
}

/** Removes the entries of dead users and tells whether a living one is left. */
export function hasUsers(usersDir: string): boolean {
  let found = false;
  for (const name of readNames(usersDir)) {
    const file = join(usersDir, name);
    if (isAlive({ pid: Number.parseInt(name, 10), startedAt: readText(file).trim() })) found = true;
    else rmSync(file, { force: true });
  }
  return found;
}

/**
 * Starts the watchdog of a server and notes it in a file. The caller holds the lock and has stopped
 * the one before. Windows has no `sh`: there the next start takes an abandoned server over.
 */
export function startWatchdog(file: string, options: { server: ProcessId; usersDir: string }) {
  if (process.platform === "win32") return;
  const { server, usersDir } = options;
  const args = ["-c", WATCHDOG, WATCHDOG_NAME, `${server.pid}`, server.startedAt, usersDir];
  const child = spawn("/bin/sh", args, {
    cwd: "/",
    detached: true,
    env: { PATH: process.env.PATH ?? "/usr/bin:/bin", LC_ALL: "C" },
    stdio: "ignore",
  });
  // Without a watchdog the server is taken over by the next start: no reason to fail this one.
  child.on("error", () => {});
  child.unref();
  if (child.pid === undefined) return;
  writeOwn(file, `${child.pid}\n`);
}

/** Ends the noted watchdog, with the `sleep` it waits in, so that it cannot stop a joined server. */
export function stopWatchdog(file: string): void {
  const pid = Number(readText(file));
  rmSync(file, { force: true });
  if (findProcess(pid) === undefined || !commandLine(pid).includes(WATCHDOG_NAME)) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It ended in between.
  }
}

/** Program and arguments of a process, joined by spaces; "" where they cannot be read. */
export function commandLine(pid: number): string {
  if (process.platform === "win32") return "";
  const line = readText(`/proc/${pid}/cmdline`);
  if (line !== "" || process.platform === "linux") return line.replaceAll("\0", " ");
  const ps = Bun.spawnSync(["ps", "-ww", "-o", "command=", "-p", `${pid}`]);
  return ps.stdout.toString();
}

/** The names in a directory; none where it is missing. */
export function readNames(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

/** Opens a file of the data directory, never through a link. */
export function openOwn(path: string, flags: number): number {
  // A pipe in its place must not hold the start up.
  return openSync(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600);
}

/** The text of a small file; "" where it is missing or may not be read. */
export function readText(path: string): string {
  let file: number | undefined;
  try {
    file = openOwn(path, constants.O_RDONLY);
    return readFileSync(file, "utf8");
  } catch {
    return "";
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Writes a file of the data directory anew. */
export function writeOwn(path: string, text: string): void {
  const file = openOwn(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC);
  writeFileSync(file, text);
  closeSync(file);
}

async function acquireLock(lock: Database, path: string): Promise<void> {
  // SQLite would wait inside the call and stand the event loop still: we wait outside.
  lock.run("pragma busy_timeout = 0");
  const until = Date.now() + LOCK_WAIT_MS;
  while (true) {
    try {
      lock.run("begin exclusive");
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== "SQLITE_BUSY") throw error;
    }
    if (Date.now() > until) {
      throw new Error(
        `another process has held ${path} for ${LOCK_WAIT_MS / 1000} s: end the feedgate process that hangs, then start again`,
      );
    }
    await Bun.sleep(LOCK_POLL_MS);
  }
}

/**
 * POSIX sh, for dash, busybox and macOS. It ends when the server ends, and it ends the server when
 * no user lives. `kill -0` fails on another account's process, too: the message tells them apart.
 */
const WATCHDOG = `
server=$1 server_start=$2 users=$3
alive() {
  line=
  [ -r "/proc/$1/stat" ] && { read -r line < "/proc/$1/stat"; } 2>/dev/null
  if [ -n "$line" ]; then
    set -f -- "$2" \${line##*) }
    [ "$2" != Z ] && { [ -z "$1" ] || [ "\${21}" = "$1" ]; }
    return
  fi
  message=$(kill -0 "$1" 2>&1) && return 0
  case $message in *permitted*) return 0 ;; esac
  return 1
}
used() {
  for name in $(ls "$users" 2>/dev/null); do
    start=
    { read -r start < "$users/$name"; } 2>/dev/null
    alive "\${name%%-*}" "$start" && return 0
  done
  return 1
}
while alive "$server" "$server_start"; do
  if ! used; then
    kill -INT "$server" 2>/dev/null
    waited=0
    while [ $waited -lt ${STOP_FAST_MS / 1000} ] && alive "$server" "$server_start"; do
      sleep 1
      waited=$((waited + 1))
    done
    alive "$server" "$server_start" && kill -QUIT "$server" 2>/dev/null
    exit 0
  fi
  sleep ${WATCH_INTERVAL_SECONDS}
done
`;
