/**
 * A PostgreSQL server that a test starts by itself, with settings of its own.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findPrograms, type Site } from "../../src/postgres/embedded/site.ts";

export interface OwnPostgresOptions {
  readonly cluster: string;
  readonly socketDir: string;
  readonly port: number;
  /** As `name=value`. */
  readonly settings: readonly string[];
}

const POLL_MS = 10;
const START_MS_MAX = 20_000;

/** Starts the server under the site's account. Resolves when it takes connections. */
export async function startPostgres(
  site: Site,
  { cluster, socketDir, port, settings }: OwnPostgresOptions,
): Promise<ChildProcess> {
  const programs = await findPrograms(site);
  const args = ["-D", cluster, "-k", socketDir, "-p", String(port), "-c", "timezone=UTC"];
  const child = spawn(
    join(programs.folder, "bin", "postgres"),
    [...args, ...settings.flatMap((setting) => ["-c", setting])],
    {
      ...site.account,
      cwd: "/",
      env: { PATH: process.env.PATH, LC_ALL: "C", ...programs.libraries },
      stdio: "ignore",
    },
  );
  const until = Date.now() + START_MS_MAX;
  while (!/^(ready|standby)/m.test(readStatus(cluster))) {
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
