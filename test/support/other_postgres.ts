/**
 * A PostgreSQL server other than the embedded one: the oldest supported version from Debian's package, or one of the
 * packages in `test/versions`.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { findSystemUser } from "../../src/postgres/embedded/owner.ts";
import { linkLibraries } from "../../src/postgres/embedded/site.ts";
import { temporaryFolder } from "./folders.ts";

/** The path of Debian's package `postgresql-15`. */
const OLD_PROGRAMS = "/usr/lib/postgresql/15/bin";
const SETTINGS = ["listen_addresses = ''", "fsync = off", "max_connections = 200"];

/** Whether the oldest version is installed. Tests that need it are skipped otherwise. */
export const HAS_OLD_POSTGRES = existsSync(join(OLD_PROGRAMS, "postgres"));
if (!HAS_OLD_POSTGRES) console.log("skipped: a PostgreSQL 15 needs postgresql-15");

/** Starts the oldest version. `url` is its superuser's. */
export function startOldPostgres() {
  return startPostgres(OLD_PROGRAMS);
}

/** Starts one from a package with the same layout as those of the embedded PostgreSQL. */
export function startPackagedPostgres(folder: string) {
  // A folder that its account can access.
  const copy = join(temporaryFolder(), "native");
  cpSync(join(folder, "native"), copy, { recursive: true });
  linkLibraries(copy, join(copy, "lib"));
  return startPostgres(join(copy, "bin"));
}

function startPostgres(programs: string) {
  // PostgreSQL does not run as root.
  const isRoot = process.getuid?.() === 0;
  const account = isRoot ? findSystemUser(({ name }) => name === "postgres") : undefined;
  const folder = temporaryFolder();
  if (account !== undefined) spawnSync("chown", [`${account.uid}:${account.gid}`, folder]);
  const run = (program: string, ...args: readonly string[]) => {
    const options = { ...account, cwd: folder, env: { PATH: "/usr/bin:/bin", LC_ALL: "C" } };
    const { status, stderr } = spawnSync(join(programs, program), args, {
      ...options,
      stdio: ["ignore", "ignore", "pipe"],
    });
    if (status !== 0) throw new Error(`${program}: ${stderr}`);
  };
  const data = ["-D", join(folder, "data")];
  run("initdb", ...data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8");
  const settings = [...SETTINGS, `unix_socket_directories = '${folder}'`];
  appendFileSync(join(folder, "data", "postgresql.conf"), `${settings.join("\n")}\n`);
  // With a separate log, so that it does not keep our pipe open.
  run("pg_ctl", ...data, "-l", join(folder, "log"), "-w", "start");
  return {
    url: `postgres://postgres@localhost:5432/postgres?host=${encodeURIComponent(folder)}`,
    /** A folder that it may write to. */
    folder,
    /** In `folder`. */
    dataDir: join(folder, "data"),
    /** Runs a `bash` script as its account, with its programs on the path. Returns the output. */
    runScript(script: string): string {
      const { status, stdout, stderr } = spawnSync("bash", ["-euo", "pipefail", "-c", script], {
        ...account,
        cwd: folder,
        env: { PATH: `${programs}:/usr/bin:/bin`, LC_ALL: "C", PGHOST: folder, PGUSER: "postgres" },
      });
      if (status !== 0) throw new Error(`${stdout}${stderr}`);
      return stdout.toString();
    },
    stop: () => run("pg_ctl", ...data, "-m", "immediate", "stop"),
  };
}
