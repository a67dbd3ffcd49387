/**
 * Brings a database to this program's schema: migrations by number, then its set of functions.
 *
 * Any number of processes may start at once: an advisory lock makes them take turns, a migration each, and
 * the version row is written first, so that two that slip past each other collide on its key.
 *
 * @module
 */
import { USAGE_MONTHS_AHEAD } from "../../limits.ts";
import type { Connections } from "../client/connect.ts";
import { isLocked } from "../client/failures.ts";
import { retryMisdirected } from "../client/retry.ts";
import { MIGRATIONS } from "../client/statements.ts";
import { areRowsDistributed, inFunctionSet, keepFunctionSet } from "./function_set.ts";

/** What a run applied; empty where nothing was missing. */
export interface MigrationReport {
  readonly migrations: readonly string[];
  /** Whether the SQL functions of this program were missing. */
  readonly functions: boolean;
  /** Whether the extension pg_trgm is there: without it, search finds no misspelled names. */
  readonly hasTrigrams: boolean;
  /** Whether the rows are distributed over the nodes of a Citus cluster. */
  readonly isDistributed: boolean;
}

export interface MigrateOptions {
  /** Told once for each migration that waits for a lock which somebody else holds. */
  readonly onLocked?: () => void;
}

/** The database was made by a newer program. */
export class SchemaTooNewError extends Error {
  override readonly name = "SchemaTooNewError";
}

// Any constant will do, as long as it is always the same one.
const MIGRATION_LOCK = 7_306_927;
const VERSION_MIN = 150_000;
/**
 * How long a migration waits for a lock that somebody holds, more with each try, and the pause behind each:
 * whoever waited behind the try goes first.
 */
const LOCK_WAIT_MS_MIN = 250;
const LOCK_WAIT_MS_MAX = 1_000;
const LOCK_PAUSE_MS = 1_000;

/** @throws {SchemaTooNewError} @throws where PostgreSQL is older than 15. */
export async function migrate(
  connections: Connections,
  options: MigrateOptions = {},
): Promise<MigrationReport> {
  if ((await readVersion(connections)) < VERSION_MIN) {
    throw new Error("PostgreSQL 15 or newer is needed; point DATABASE_URL at one");
  }
  const reserved = await connections.reserve();
  try {
    const migrations = await applyMissing(reserved, MIGRATIONS.length, options);
    const rest = await inTransaction(reserved, () => makeReady(reserved));
    return { migrations, ...rest };
  } finally {
    reserved.release();
  }
}

/**
 * Brings an empty database to an older schema, for the data of a backup, where it is not beyond that
 * already; `migrate` does the rest.
 */
export async function migrateTo(connections: Connections, schema: number): Promise<void> {
  const reserved = await connections.reserve();
  try {
    await applyMissing(reserved, schema);
  } finally {
    reserved.release();
  }
}

/** Also finds, among several hosts, the one that can be written to. */
async function readVersion(connections: Connections): Promise<number> {
  const rows = await retryMisdirected(
    async () => connections`select current_setting('server_version_num')::int as version`,
  );
  return Number(rows[0]?.version);
}

/** Applies the migrations that are missing up to a schema's number, each in its own transaction. */
async function applyMissing(
  connection: Connections,
  schema: number,
  { onLocked }: MigrateOptions = {},
): Promise<string[]> {
  const applied: string[] = [];
  let tries = 0;
  for (;;) {
    const waitMs = Math.min(LOCK_WAIT_MS_MIN * 2 ** tries, LOCK_WAIT_MS_MAX);
    try {
      const name = await inTransaction(connection, () => applyNext(connection, schema, waitMs));
      if (name === undefined) return applied;
      applied.push(name);
      tries = 0;
    } catch (error) {
      // A pg_dump, say, reads for long: who serves would wait behind a migration that waits.
      if (!isLocked(error)) throw error;
      if (tries === 0) onLocked?.();
      tries += 1;
      await Bun.sleep(LOCK_PAUSE_MS);
    }
  }
}

/** Applies the first migration that is missing. Returns its name; undefined where none is. */
async function applyNext(
  connection: Connections,
  schema: number,
  lockWaitMs: number,
): Promise<string | undefined> {
  await connection`
    create table if not exists schema_migrations (
      version integer primary key,
      name text not null,
      applied_at timestamptz not null default now()
    )`;
  const known = await connection`select max(version) as newest from schema_migrations`;
  const newest = Number(known[0]?.newest ?? 0);
  if (newest > MIGRATIONS.length) {
    throw new SchemaTooNewError(
      `the database has schema ${newest} and this program knows ${MIGRATIONS.length}: run a newer feedgate`,
    );
  }
  const migration = MIGRATIONS.slice(0, schema)[newest];
  if (migration === undefined) return undefined;
  await connection.unsafe(`set local lock_timeout = ${lockWaitMs}`);
  await connection`
    insert into schema_migrations (version, name) values (${newest + 1}, ${migration.name})`;
  await connection.unsafe(migration.text);
  return migration.name;
}

/** What is there at every start, whatever was migrated. */
async function makeReady(connection: Connections): Promise<Omit<MigrationReport, "migrations">> {
  const functions = await keepFunctionSet(connection);
  await keepPartitions(connection);
  const trigrams = await connection`select ensure_trigram() as has_trigrams`;
  const isDistributed = await areRowsDistributed(connection);
  return { functions, hasTrigrams: trigrams[0]?.has_trigrams === true, isDistributed };
}

/**
 * The partitions of the usage log that are missing. Each takes a lock on the log for which all reads would
 * wait behind whoever holds it, a `pg_dump` say: so those of later months, which are made in time by the
 * gateways, too, are left for another time then.
 */
async function keepPartitions(connection: Connections): Promise<void> {
  const create = inFunctionSet("select create_usage_partitions(now(), $1::int)");
  await connection`savepoint partitions`;
  try {
    await connection`set local lock_timeout = '250ms'`;
    await connection.unsafe(create, [USAGE_MONTHS_AHEAD]);
    await connection`set local lock_timeout = 0`;
  } catch (error) {
    if (!isLocked(error)) throw error;
    await connection`rollback to savepoint partitions`;
    // Without this month's there is no read at all.
    await connection.unsafe(create, [0]);
  }
}

/**
 * The lock is the transaction's, as is the setting: behind a PgBouncer in transaction mode the next
 * transaction may run on another connection, and a lock of the session would be left behind.
 */
export async function inTransaction<Result>(
  connection: Connections,
  work: () => Promise<Result>,
): Promise<Result> {
  // Whatever the database's default is: behind the lock, what others did before must be seen.
  await connection`begin isolation level read committed`;
  try {
    await connection`set local statement_timeout = 0`;
    await connection`select pg_advisory_xact_lock(${MIGRATION_LOCK}::int)`;
    const result = await work();
    await connection`commit`;
    return result;
  } catch (error) {
    await connection`rollback`;
    throw error;
  }
}
