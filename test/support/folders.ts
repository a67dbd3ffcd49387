/**
 * Temporary folders for tests, removed when their file ends, and data directories with a migrated database. `initdb`
 * and the migrations take most of the time of a first start.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { startEmbedded } from "../../src/postgres/embedded/start.ts";
import { migrateDatabase } from "./migrate_database.ts";

/** The variable that names the data directory to copy. The processes of a run share that directory. */
export const USED_DATA_DIR_VARIABLE = "FEEDGATE_TEST_DATA_DIR";

let folders: string[] = [];
let ownUsed: Promise<string> | undefined;

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "feedgate-test-"));
  // Accessible to the account that PostgreSQL runs as if the tests run as root.
  chmodSync(folder, 0o755);
  folders.push(folder);
  return folder;
}

/** Creates a data directory with an empty, migrated database. */
export async function usedDataDir(path = join(temporaryFolder(), "data")): Promise<string> {
  ownUsed ??= process.env[USED_DATA_DIR_VARIABLE] === undefined ? makeUsedDataDir() : undefined;
  const used = process.env[USED_DATA_DIR_VARIABLE] ?? (await ownUsed) ?? "";
  // If the cluster was placed elsewhere, it can't be copied, so the directory starts empty.
  if (lstatSync(join(used, "pg18")).isSymbolicLink()) return path;
  mkdirSync(dirname(path), { recursive: true });
  const { status, stderr } = spawnSync("cp", ["-a", used, path]);
  if (status !== 0) throw new Error(`the data directory was not copied: ${stderr}`);
  return path;
}

/** Creates the directory that is copied. */
export async function makeUsedDataDir(): Promise<string> {
  const dataDir = temporaryFolder();
  const { url, stop } = await startEmbedded({ dataDir });
  await migrateDatabase(url);
  await stop();
  return dataDir;
}

/** Called when a test file ends (`preload.ts`). */
export function removeFolders(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  folders = [];
  ownUsed = undefined;
}
