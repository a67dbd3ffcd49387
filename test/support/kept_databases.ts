/**
 * Databases that stay open for all commands of a test file. A command opens two pools and verifies the migrations,
 * which costs many times as much as most commands themselves.
 *
 * @module
 */
import { type OpenedDatabase, openDatabase } from "../../src/postgres/open_database.ts";

const kept = new Map<string | undefined, OpenedDatabase>();

/** Like `openDatabase`, but opens each address only once. Call `closeKeptDatabases` to close them. */
export const keptDatabase: typeof openDatabase = async (config, options) => {
  const { databaseUrl } = config;
  const opened = kept.get(databaseUrl) ?? (await openDatabase(config, options));
  kept.set(databaseUrl, opened);
  return { ...opened, close: async () => {} };
};

/** Called after the last test of a file (`preload.ts`). */
export async function closeKeptDatabases(): Promise<void> {
  const opened = [...kept.values()];
  kept.clear();
  for (const { close } of opened) await close();
}
