/**
 * Loaded before the tests (`bunfig.toml`): ends what they share when the run ends.
 *
 * @module
 */
import { afterAll } from "bun:test";
import { endTestDatabases } from "./database.ts";
import { removeFolders } from "./folders.ts";
import { closeKeptDatabases } from "./kept_databases.ts";

afterAll(async () => {
  await closeKeptDatabases();
  await endTestDatabases();
  removeFolders();
});
