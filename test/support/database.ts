/**
 * A real PostgreSQL for the tests: one embedded server for the whole run, a database of its own for
 * each test file, copied from a template that was migrated once.
 *
 * @module
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type DatabaseAddress } from "../../src/database/connect.ts";
import { type EmbeddedPostgres, startEmbedded } from "../../src/database/embedded.ts";
import { FUNCTION_SCHEMA } from "../../src/database/function_set.ts";
import { migrate } from "../../src/database/migrate.ts";

export interface TestDatabase {
  readonly url: string;
  readonly address: DatabaseAddress;
  /** For the test's own statements, which may call the program's functions by their plain names. */
  readonly ownUrl: string;
}

const TEMPLATE = "template_feedgate";
let server: Promise<EmbeddedPostgres> | undefined;
let dataDir: string | undefined;
let databases = 0;

/** A fresh, migrated database. */
export function createTestDatabase(): Promise<TestDatabase> {
  return createFrom(TEMPLATE);
}

/** A database in which there is nothing. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return createFrom("template1");
}

async function createFrom(template: string): Promise<TestDatabase> {
  server ??= startServer();
  const { host, user, port } = await server;
  databases += 1;
  const name = `test_${databases}`;
  await administer(await server, `create database ${name} template ${template}`);
  const url = `postgres://${user}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`;
  return {
    url,
    ownUrl: `${url}&search_path=${FUNCTION_SCHEMA},public`,
    address: { host, port, user, database: name },
  };
}

async function startServer(): Promise<EmbeddedPostgres> {
  dataDir = mkdtempSync(join(tmpdir(), "feedgate-test-"));
  // Reachable for the account that PostgreSQL runs as where the tests run as root.
  chmodSync(dataDir, 0o755);
  const embedded = await startEmbedded({ dataDir });
  await administer(embedded, `create database ${TEMPLATE}`);
  const { host, port, user } = embedded;
  const connections = connect({ host, port, user, database: TEMPLATE });
  await migrate(connections);
  await connections.end();
  return embedded;
}

async function administer(embedded: EmbeddedPostgres, statement: string): Promise<void> {
  const { host, port, user } = embedded;
  const connections = connect({ host, port, user, database: "postgres" }, { connectionsMax: 1 });
  await connections.unsafe(statement);
  await connections.end();
}

/** Stops the server; called once, after the last test file (`test/support/preload.ts`). */
export async function stopTestServer(): Promise<void> {
  await (await server)?.stop();
  if (dataDir !== undefined) rmSync(dataDir, { recursive: true, force: true });
}
