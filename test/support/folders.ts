/**
 * Folders for tests, removed when their file ends, and data directories with a migrated database: `initdb` and the
 * migrations take most of a first start's time.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { startEmbedded } from "../../src/postgres/embedded/start.ts";
import { migrateDatabase } from "./migrate_database.ts";

/** Names the data directory that is copied; the processes of a run share it. */
export const USED_DATA_DIR_VARIABLE = "FEEDGATE_TEST_DATA_DIR";

let folders: string[] = [];
let ownUsed: Promise<string> | undefined;

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "feedgate-test-"));
  // Reachable for the account that PostgreSQL runs as where the tests run as root.
  chmodSync(folder, 0o755);
  folders.push(folder);
  return folder;
}

/** A data directory with a database that was migrated and is empty. */
export async function usedDataDir(path = join(temporaryFolder(), "data")): Promise<string> {
  ownUsed ??= process.env[USED_DATA_DIR_VARIABLE] === undefined ? makeUsedDataDir() : undefined;
  const used = process.env[USED_DATA_DIR_VARIABLE] ?? (await ownUsed) ?? "";
  // A cluster that was placed elsewhere can't be had twice: then the directory starts empty.
  if (lstatSync(join(used, "pg18")).isSymbolicLink()) return path;
  mkdirSync(dirname(path), { recursive: true });
  const { status, stderr } = spawnSync("cp", ["-a", used, path]);
  if (status !== 0) throw new Error(`the data directory was not copied: ${stderr}`);
  return path;
}

/** Makes the one that is copied. */
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
