/**
 * Loaded before the tests (`bunfig.toml`). Closes shared resources at the end of the run.
 *
 * @module
 */
import { afterAll } from "bun:test";
import { endTestDatabases, isOwnServer } from "./database.ts";
import { removeFolders } from "./folders.ts";
import { stopSharedGateways } from "./gateway.ts";
import { closeKeptDatabases } from "./kept_databases.ts";

afterAll(async () => {
  await closeKeptDatabases();
  if (isOwnServer()) await stopSharedGateways();
  await endTestDatabases();
  removeFolders();
});
