/**
 * A real PostgreSQL for the tests: one embedded server for the whole run, and a separate database for each test file,
 * copied from a template that was migrated once.
 *
 * The processes of a whole run share the server that `test/run.ts` starts. A plain `bun test` starts one when a test
 * first requests a database. `TEST_DATABASE_URL` selects another server, of any supported version. Its role must need
 * no password, and may create databases.
 *
 * @module
 */
import { rmSync } from "node:fs";
import {
  type Connections,
  connect,
  type DatabaseAddress,
} from "../../src/postgres/client/connect.ts";
import { startEmbedded } from "../../src/postgres/embedded/start.ts";
import { FUNCTION_SCHEMA } from "../../src/postgres/migrate/function_set.ts";
import { usedDataDir } from "./folders.ts";
import { migrateDatabase } from "./migrate_database.ts";

export interface TestDatabase {
  readonly url: string;
  readonly address: DatabaseAddress;
  /** For the test's own statements, which may call the program's functions without a schema name. */
  readonly ownUrl: string;
}

/** A server that contains the template. */
export interface TestServer {
  /** The address of its first database. For other databases, only the name is replaced. */
  readonly url: string;
  /** Stops the server and removes its data. */
  stop(): Promise<void>;
}

/** The variable that contains the address of the server that the processes of a run share. */
export const SERVER_VARIABLE = "FEEDGATE_TEST_SERVER";
const TEMPLATE = "template_feedgate";
/** The maximum of one process, so that pid and counter form one number in a database's name. */
const DATABASES_MAX = 10_000;
/** Small, because PostgreSQL scans all its buffers whenever a database is dropped. */
const SERVER_MEMORY_BYTES = 512 * 1_024 ** 2;
/** Copying or dropping a database takes seconds while other tests keep the machine busy. */
const UNBOUNDED = { connectionsMax: 1, statementTimeoutMs: 0 } as const;
let ownServer: Promise<TestServer> | undefined;
/** Shared by this process. A connection costs as much as the database that it creates or drops. */
let admin: Connections | undefined;
let made: string[] = [];
let databases = 0;

interface DatabaseOptions {
  /** Whether it is kept until the server ends, so that several test files can share it. @default false */
  readonly isShared?: boolean;
}

/** Creates a new, migrated database. */
export function createTestDatabase(options?: DatabaseOptions): Promise<TestDatabase> {
  return createFrom(TEMPLATE, options);
}

/** Creates an empty database. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return createFrom("template1");
}

async function createFrom(
  template: string,
  { isShared = false }: DatabaseOptions = {},
): Promise<TestDatabase> {
  const server = await findServer();
  databases += 1;
  const name = `test_${process.pid * DATABASES_MAX + databases}`;
  // Copies files. The default, copying pages through the WAL, takes five times as long.
  await administer(server, `create database ${name} template ${template} strategy file_copy`);
  if (!isShared) made.push(name);
  const url = siblingUrl(server, name);
  return { url, ownUrl: `${url}&search_path=${FUNCTION_SCHEMA},public`, address: { url } };
}

/** The address of another database on the same server. */
export function siblingUrl(url: string, name: string): string {
  const sibling = new URL(url);
  sibling.pathname = name;
  return sibling.href;
}

async function findServer(): Promise<string> {
  const shared = process.env[SERVER_VARIABLE];
  if (shared !== undefined) return shared;
  ownServer ??= startTestServer();
  return (await ownServer).url;
}

export function startTestServer(): Promise<TestServer> {
  const { TEST_DATABASE_URL } = process.env;
  return TEST_DATABASE_URL === undefined ? startOwnServer() : joinServer(TEST_DATABASE_URL);
}

/** Accepts `postgres://user@host:port` and `postgres://user@localhost:port?host=/folder/of/socket`. */
async function joinServer(text: string): Promise<TestServer> {
  const named = new URL(text);
  // Ensures a query, because tests append further parameters.
  if (!named.searchParams.has("host")) named.searchParams.set("host", named.hostname);
  const url = named.href;
  const dropTemplate = () => administer(url, `drop database if exists ${TEMPLATE} with (force)`);
  await dropTemplate();
  await createTemplate(url);
  return {
    url,
    async stop() {
      await dropTemplate();
      await endAdmin();
    },
  };
}

async function startOwnServer(): Promise<TestServer> {
  const dataDir = await usedDataDir();
  const { url, stop } = await startEmbedded({ dataDir, memoryBytes: SERVER_MEMORY_BYTES });
  const migrated = new URL(url).pathname.slice(1);
  await administer(url, `alter database ${migrated} rename to ${TEMPLATE}`);
  return {
    url,
    async stop() {
      await endAdmin();
      await stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function createTemplate(server: string): Promise<void> {
  await administer(server, `create database ${TEMPLATE}`);
  await migrateDatabase(siblingUrl(server, TEMPLATE));
}

async function administer(server: string, statement: string): Promise<void> {
  admin ??= connect({ url: siblingUrl(server, "postgres") }, UNBOUNDED);
  await admin.unsafe(statement);
}

async function endAdmin(): Promise<void> {
  await admin?.end();
  admin = undefined;
}

/**
 * Called after the last test file of a process, or after each file if several processes share the files (`preload.ts`):
 * removes the databases, or the server if this process started it.
 */
export async function endTestDatabases(): Promise<void> {
  const names = made;
  made = [];
  if (ownServer !== undefined) {
    const { stop } = await ownServer;
    ownServer = undefined;
    await stop();
  } else if (names.length > 0) {
    const server = await findServer();
    for (const name of names) await administer(server, `drop database ${name} with (force)`);
  }
}

/** Whether this process started the server, which then ends with its test files. */
export function isOwnServer(): boolean {
  return ownServer !== undefined;
}
