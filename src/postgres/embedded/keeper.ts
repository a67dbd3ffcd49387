/**
 * The process that starts a PostgreSQL and stays beside it until it ends: a small shell script, under the
 * account that PostgreSQL runs as.
 *
 * Each user of the server holds the data directory's pipe open, and the keeper waits at the other end: when
 * the last user has died, however it died, the kernel closes the pipe and the keeper stops PostgreSQL.
 * Whatever must be done to files of the cluster is done here too, since root must not touch them.
 *
 * Windows has neither `sh` nor such pipes: there PostgreSQL is started alone, and the next start takes over
 * one that is left behind.
 *
 * @module
 */
import { spawn, spawnSync } from "node:child_process";
import { closeSync, constants, lstatSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openOwn } from "./own_files.ts";
import type { Account } from "./owner.ts";
import { makePrivateDir, type Programs, type Site } from "./site.ts";

/** A fast shutdown writes a checkpoint; past this, recovery at the next start is the cheaper way. */
export const STOP_FAST_SECONDS = 8;
/** The keeper's name in a process list. */
const KEEPER_NAME = "feedgate-keeper";
/** On unix it only names the socket's file. */
const SOCKET_PORT = 5432;
/** Exit code where a server of the cluster runs already. */
const RUNS_ALREADY = 75;
const ON_WINDOWS = process.platform === "win32";

/** A PostgreSQL that is being started, or runs. */
export interface Keeper {
  readonly hasEnded: boolean;
  /** Why no process could be started; else "". */
  readonly failure: string;
  /** It ended because another server of the cluster was there. */
  readonly hasFoundServer: boolean;
}

/** Opens the pipe that says that this process uses the server. Returns what closes it. */
export function enterUsers(site: Site): () => void {
  if (ON_WINDOWS) return () => {};
  const path = join(site.dataDir, "users");
  if (lstatSync(path, { throwIfNoEntry: false })?.isFIFO() !== true) {
    rmSync(path, { recursive: true, force: true });
    const { status, stderr } = spawnSync("mkfifo", ["-m", "600", path], { encoding: "utf8" });
    if (status !== 0) throw new Error(`the pipe ${path} could not be made: ${stderr}`);
  }
  const pipe = openOwn(path, constants.O_RDWR);
  return () => closeSync(pipe);
}

/** Starts PostgreSQL; the caller is one of its users already. Both write to the log. */
export function startKeeper(site: Site, programs: Programs, log: string): Keeper {
  const { account, cluster, dataDir, socketDir, isSocketDirTemporary } = site;
  if (socketDir !== undefined) makePrivateDir(socketDir, account);
  const server = [join(programs.folder, "bin", "postgres"), "-D", cluster, ...serverArgs(site)];
  // With a writer, which is us, opening the pipe waits for nobody.
  const users = ON_WINDOWS
    ? "ignore"
    : openSync(join(dataDir, "users"), constants.O_RDONLY | constants.O_NOFOLLOW);
  // Opened here, so that root may write a log that lies where the account cannot reach.
  const output = openOwn(log, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT);
  const [program = "", ...args] = ON_WINDOWS
    ? server
    : [
        "/bin/sh",
        "-c",
        SCRIPT,
        KEEPER_NAME,
        cluster,
        `${socketDir}`,
        `${isSocketDirTemporary}`,
        ...server,
      ];
  const child = spawn(program, args, {
    ...spawnOptions(account, programs),
    // A session of its own: Ctrl-C reaches only the gateway, which drains before it stops the server.
    detached: true,
    stdio: [users, output, output],
  });
  let failure = "";
  child.on("error", ({ message }) => {
    failure = message;
  });
  child.unref();
  if (users !== "ignore") closeSync(users);
  closeSync(output);
  return {
    get hasEnded() {
      return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
    },
    get failure() {
      return failure;
    },
    get hasFoundServer() {
      return child.exitCode === RUNS_ALREADY;
    },
  };
}

/** How a program of PostgreSQL is run. */
export function spawnOptions(account: Account | undefined, { folder, libraries }: Programs) {
  const { PATH } = process.env;
  // Only what it needs: PGDATA and its kind would change what it does, and secrets are not its.
  const base = ON_WINDOWS ? process.env : { PATH: PATH ?? "/usr/bin:/bin" };
  return {
    ...account,
    // The directory we are in may be one that the account cannot read.
    cwd: ON_WINDOWS ? folder : "/",
    env: { ...base, LC_ALL: "C", TZ: "UTC", ...libraries },
  };
}

function serverArgs(site: Site): string[] {
  return [...addressArgs(site), ...SETTINGS.flatMap((setting) => ["-c", setting])];
}

function addressArgs({ socketDir }: Site): string[] {
  if (socketDir !== undefined) {
    // No port is open: no conflict, and nobody else's connection.
    const socket = ["-c", "listen_addresses=", "-c", "unix_socket_permissions=0700"];
    return ["-k", socketDir, "-p", `${SOCKET_PORT}`, ...socket];
  }
  const probe = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const port = probe.port;
  probe.stop(true);
  return ["-p", `${port}`, "-c", "listen_addresses=127.0.0.1"];
}

const SETTINGS = [
  // Money and usage are promises: an acknowledged commit is on the disk, and its pages are whole.
  "fsync=on",
  "synchronous_commit=on",
  "full_page_writes=on",
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

/**
 * POSIX sh, for dash, busybox and macOS. Arguments: the cluster, the socket's folder, whether that is a
 * temporary one, then PostgreSQL with its own.
 *
 * After a kill -9 `postmaster.pid` names a dead server, or whoever got its pid since, and then PostgreSQL
 * refuses to start. With its parent's pid in the file it starts; and unlike after a deletion, it still
 * checks that no orphan of the dead server has the shared memory named there. The socket's lock names the
 * dead server, too.
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
  [ "$is_temporary" = true ] && rm -rf "$sockets"
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
