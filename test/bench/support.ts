/**
 * Shared by the benchmarks: a separate database with fsync on, and statistics.
 *
 * @module
 */
import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Connections,
  connect,
  type DatabaseAddress,
} from "../../src/postgres/client/connect.ts";
import { startEmbedded } from "../../src/postgres/embedded/start.ts";
import { migrate } from "../../src/postgres/migrate/migrate.ts";

export interface BenchDatabase {
  readonly address: DatabaseAddress;
  readonly socketDir: string;
  readonly port: number;
  readonly postmasterPid: number;
  /** Without a statement timeout. */
  readonly sql: Connections;
  stop(): Promise<void>;
}

/**
 * An embedded PostgreSQL as users have it: durable and migrated. It is new, unless `keptDir` names a directory whose
 * data is kept for the next run.
 */
export async function startBenchDatabase(keptDir?: string): Promise<BenchDatabase> {
  const dataDir = keptDir ?? mkdtempSync(join(tmpdir(), "feedgate-bench-"));
  if (keptDir === undefined) chmodSync(dataDir, 0o755);
  const embedded = await startEmbedded({ dataDir });
  const { url, host } = embedded;
  const address = { url };
  const sql = connect(address, { connectionsMax: 4, statementTimeoutMs: 0 });
  await migrate(sql);
  const [settings] = await sql`select current_setting('fsync') as fsync`;
  if (settings?.fsync !== "on") throw new Error("the benchmark needs fsync on");
  return {
    address,
    socketDir: host,
    port: Number(new URL(url).port),
    postmasterPid: embedded.pid,
    sql,
    async stop() {
      await sql.end();
      await embedded.stop();
      if (keptDir === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The value below which `share` (0 to 1) of the values lie. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Runs `call` in `waiting` concurrent loops for `ms`. Returns the calls per second. */
export async function callsPerSecond(
  waiting: number,
  ms: number,
  call: () => Promise<unknown>,
): Promise<number> {
  const start = performance.now();
  const end = start + ms;
  let calls = 0;
  const loop = async () => {
    while (performance.now() < end) {
      await call();
      calls += 1;
    }
  };
  await Promise.all(Array.from({ length: waiting }, loop));
  return calls / ((performance.now() - start) / 1_000);
}

/**
 * Imports a peer's package by a name that the type checker does not resolve, because only the benchmarks install it.
 */
export async function peer<Package>(name: string): Promise<Package> {
  const loaded = (await import(name)) as { default?: Package } & Package;
  return loaded.default ?? loaded;
}

/** Installs the peers' packages in this folder, so that only the benchmarks need them. */
export async function installPeers(): Promise<void> {
  const cwd = Bun.fileURLToPath(new URL("./", import.meta.url));
  if (existsSync(join(cwd, "node_modules"))) return;
  const child = Bun.spawn([process.execPath, "install", "--silent"], { cwd });
  if ((await child.exited) !== 0) throw new Error("the benchmarks' peers could not be installed");
}
