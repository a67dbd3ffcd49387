/**
 * A PostgreSQL server on a test's own files, in addition to the one that `startEmbedded` would start.
 *
 * @module
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findPrograms, type Site } from "../../src/postgres/embedded/site.ts";

export interface ClusterOptions {
  /** PostgreSQL's data directory. */
  readonly cluster: string;
  readonly socketDir: string;
  /** @default 5432 */
  readonly port?: number;
  /** Settings as `name=value`. Without any, the server listens only on a socket. */
  readonly settings?: readonly string[];
}

const SETTINGS = ["listen_addresses=", "timezone=UTC", "max_connections=200", "fsync=off"];
const POLL_MS = 10;
const START_MS_MAX = 20_000;

/** If the tests run as root, gives a path and its contents to the account that PostgreSQL runs as. */
export function giveToPostgres({ account }: Site, path: string): void {
  if (account !== undefined) spawnSync("chown", ["-R", `${account.uid}:${account.gid}`, path]);
}

/** Starts a server with the programs and the account of a site. Resolves when it accepts connections. */
export async function startCluster(site: Site, options: ClusterOptions): Promise<ChildProcess> {
  const { cluster, socketDir, port = 5432, settings = [] } = options;
  const { folder, libraries } = await findPrograms(site);
  const child = spawn(
    join(folder, "bin", "postgres"),
    [
      ...["-D", cluster, "-k", socketDir, "-p", String(port)],
      ...[...SETTINGS, ...settings].flatMap((each) => ["-c", each]),
    ],
    {
      ...site.account,
      cwd: "/",
      env: { PATH: process.env.PATH, LC_ALL: "C", ...libraries },
      stdio: "ignore",
    },
  );
  const until = Date.now() + START_MS_MAX;
  while (!/^ready/m.test(readStatus(cluster))) {
    if (Date.now() > until) throw new Error("PostgreSQL did not start");
    await Bun.sleep(POLL_MS);
  }
  return child;
}

function readStatus(cluster: string): string {
  try {
    return readFileSync(join(cluster, "postmaster.pid"), "utf8");
  } catch {
    // Not written yet.
    return "";
  }
}
