/**
 * A server of another PostgreSQL than the embedded one: the oldest that is supported, as Debian's package has it, or
 * one of the packages of `test/versions`.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { findSystemUser } from "../../src/postgres/embedded/owner.ts";
import { linkLibraries } from "../../src/postgres/embedded/site.ts";
import { temporaryFolder } from "./folders.ts";

/** Of Debian's package `postgresql-15`. */
const OLD_PROGRAMS = "/usr/lib/postgresql/15/bin";
const SETTINGS = ["listen_addresses = ''", "fsync = off", "max_connections = 200"];

/** Whether the oldest one is installed; a test that needs it is skipped if not. */
export const HAS_OLD_POSTGRES = existsSync(join(OLD_PROGRAMS, "postgres"));
if (!HAS_OLD_POSTGRES) console.log("skipped: a PostgreSQL 15 needs postgresql-15");

/** Starts the oldest one. `url` is its superuser's. */
export function startOldPostgres() {
  return startPostgres(OLD_PROGRAMS);
}

/** Starts one of a package that has its programs as the embedded PostgreSQL's packages do. */
export function startPackagedPostgres(folder: string) {
  // Where the account that it runs as gets to.
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
  // With a log of its own, so that it does not hold our pipe open.
  run("pg_ctl", ...data, "-l", join(folder, "log"), "-w", "start");
  return {
    url: `postgres://postgres@localhost:5432/postgres?host=${encodeURIComponent(folder)}`,
    /** Where it may write. */
    folder,
    /** In `folder`. */
    dataDir: join(folder, "data"),
    /** Runs a script of `bash` as its account, with its programs on the path; what it printed. */
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
