/**
 * The keeper: a small shell script that starts PostgreSQL and runs until PostgreSQL ends. It runs under PostgreSQL's
 * account.
 *
 * Each user of the server keeps the data directory's pipe open, and the keeper waits at the other end. When the last
 * user has ended for any reason, the kernel closes the pipe, and the keeper stops PostgreSQL. The keeper also repairs
 * the cluster's files, because root must not touch them.
 *
 * @module
 */
import { spawn, spawnSync } from "node:child_process";
import { closeSync, constants, lstatSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buffersMib } from "./buffers.ts";
import { openOwn } from "./own_files.ts";
import type { SystemUser } from "./owner.ts";
import { makePrivateDir, type Programs, type Site } from "./site.ts";
import { archiveOf, archiveSettings } from "./wal_archive.ts";

/** A fast shutdown writes a checkpoint. If that takes longer than this, a recovery at the next start costs less. */
export const STOP_FAST_SECONDS = 8;
/** The keeper's name in a process list. */
const KEEPER_NAME = "feedgate-keeper";
/** Only a part of the socket's name. */
const SOCKET_PORT = 5432;
/** Exit code if a server of the cluster is already running. */
const RUNS_ALREADY = 75;

/** A PostgreSQL that is starting or running. */
export type Keeper = ReturnType<typeof startKeeper>;

/** Opens the pipe, which makes this process a user of the server. Returns a function that closes it. */
export function enterUsers(site: Site): () => void {
  const path = join(site.dataDir, "users");
  if (lstatSync(path, { throwIfNoEntry: false })?.isFIFO() !== true) {
    rmSync(path, { recursive: true, force: true });
    const { status, stderr } = spawnSync("mkfifo", ["-m", "600", path], { encoding: "utf8" });
    if (status !== 0) throw new Error(`the pipe ${path} could not be created: ${stderr}`);
  }
  const pipe = openOwn(path, constants.O_RDWR);
  return () => closeSync(pipe);
}

interface KeeperOptions {
  /** What the keeper and PostgreSQL write to. */
  readonly log: string;
  /** Of which PostgreSQL takes a share. */
  readonly memoryBytes: number;
}

/** Starts PostgreSQL. The caller is already one of its users. */
export function startKeeper(site: Site, programs: Programs, { log, memoryBytes }: KeeperOptions) {
  const { account, cluster, dataDir, socketDir, isSocketDirTemporary } = site;
  makePrivateDir(socketDir, account);
  const server = [join(programs.folder, "bin", "postgres"), "-D", cluster, ...addressArgs(site)];
  const settings = [...serverSettings(memoryBytes), ...archiveSettings(archiveOf(dataDir))];
  server.push(...settingArgs(settings));
  // Opening the pipe for reading does not block, because we have it open for writing.
  const users = openSync(join(dataDir, "users"), constants.O_RDONLY | constants.O_NOFOLLOW);
  // Opened here, because the account may have no access to the log's directory.
  const output = openOwn(log, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT);
  const names = [KEEPER_NAME, cluster, socketDir, `${isSocketDirTemporary}`];
  const child = spawn("/bin/sh", ["-c", SCRIPT, ...names, ...server], {
    ...spawnOptions(account, programs),
    // In its own session, so that Ctrl-C reaches only the gateway, which drains before it stops the server.
    detached: true,
    stdio: [users, output, output],
  });
  let failure = "";
  child.on("error", ({ message }) => {
    failure = message;
  });
  child.unref();
  closeSync(users);
  closeSync(output);
  return {
    get hasEnded() {
      return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
    },
    /** Why no process could be started, or "". */
    get failure() {
      return failure;
    },
    /** Whether it ended because another server of the cluster is running. */
    get hasFoundServer() {
      return child.exitCode === RUNS_ALREADY;
    },
  };
}

/** Options for running a PostgreSQL program. */
export function spawnOptions(account: SystemUser | undefined, { libraries }: Programs) {
  const { PATH } = process.env;
  // No other variables: PGDATA and the like would change its behavior, and it must not see our secrets.
  return {
    ...account,
    // The account may not be able to read our own working directory.
    cwd: "/",
    env: { PATH: PATH ?? "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC", ...libraries },
  };
}

/** Without a TCP port, so that no port conflicts and no one else connects. */
function addressArgs({ socketDir }: Site): string[] {
  const socket = ["-c", "listen_addresses=", "-c", "unix_socket_permissions=0700"];
  return ["-k", socketDir, "-p", `${SOCKET_PORT}`, ...socket];
}

const SETTINGS = [
  // Money and usage must survive a crash: a commit that was acknowledged is on disk, and its pages are complete.
  "fsync=on",
  "synchronous_commit=on",
  "full_page_writes=on",
  // Fewer checkpoints, because after each one, the first change of a page writes the whole page again.
  "max_wal_size=4GB",
  "checkpoint_timeout=15min",
  // Several gateways and operator commands share the server, each with its own pool.
  "max_connections=200",
  // The driver's types expect times printed in UTC.
  "timezone=UTC",
];

/** PostgreSQL's settings on a machine with this much memory. */
export function serverSettings(memoryBytes: number): readonly string[] {
  return [...SETTINGS, `shared_buffers=${buffersMib(memoryBytes)}MB`];
}

export function settingArgs(settings: readonly string[]): readonly string[] {
  return settings.flatMap((setting) => ["-c", setting]);
}

/**
 * POSIX sh, for dash, busybox and macOS. Its arguments are the cluster, the socket's folder, whether that folder is
 * temporary, and then PostgreSQL with its arguments.
 *
 * After a kill -9, `postmaster.pid` names a dead server, or another process that has its pid now. PostgreSQL then
 * refuses to start, unless the file contains the pid of PostgreSQL's parent. So the script writes its own pid there. It
 * does not delete the file, because PostgreSQL must still check that no process of the dead server uses the shared
 * memory that is named in it. The socket's lock file also names the dead server.
 */
const SCRIPT = `
cluster=$1 sockets=$2 is_temporary=$3
shift 3
pid=
{ read -r pid < "$cluster/postmaster.pid"; } 2>/dev/null
if [ -n "$pid" ]; then
  command=$({ tr '\\0' ' ' < "/proc/$pid/cmdline" || ps -ww -o command= -p "$pid"; } 2>/dev/null)
  case $command in *"postgres -D $cluster "*) exit ${RUNS_ALREADY} ;; esac
  rest=$(sed 1d "$cluster/postmaster.pid")
  printf '%s\\n' $$ "$rest" > "$cluster/postmaster.pid"
  rm -f "$sockets/.s.PGSQL.${SOCKET_PORT}.lock"
fi
exec 3<&0 </dev/null
"$@" 3<&- &
server=$!
{
  read -r _ <&3
  # Only while the server runs. After its end, the folder may already be the next server's.
  pid=
  read -r pid < "$cluster/postmaster.pid"
  [ "$is_temporary" = true ] && [ "$pid" = $server ] && rm -rf "$sockets"
  kill -INT $server
  waited=0
  while [ $waited -lt ${STOP_FAST_SECONDS} ]; do
    sleep 1
    waited=$((waited + 1))
  done
  kill -QUIT $server
} 2>/dev/null &
wait $server
status=$?
kill $! 2>/dev/null
exit $status
`;
