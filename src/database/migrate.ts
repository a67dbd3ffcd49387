/**
 * Brings a database to this program's schema: migrations by number, then the functions.
 *
 * Any number of processes may start at once: an advisory lock makes them take turns, a migration each, and
 * the version row is written first, so that two that slip past each other collide on its key.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { USAGE_MONTHS_AHEAD } from "../limits.ts";
import type { Connections } from "./connect.ts";
import { isNotPrimary } from "./query.ts";
import { FUNCTIONS, MIGRATIONS } from "./statements.ts";

/** What a run applied; empty where nothing was missing. */
export interface MigrationReport {
  readonly migrations: readonly string[];
  /** Whether the SQL functions were replaced. */
  readonly functions: boolean;
}

/** The database was made by a newer program. */
export class SchemaTooNewError extends Error {
  override readonly name = "SchemaTooNewError";
}

// Any constant will do, as long as it is always the same one.
const MIGRATION_LOCK = 7_306_927;
const VERSION_MIN = 150_000;
const HOSTS_TRIED_MAX = 5;

/** @throws {SchemaTooNewError} @throws where PostgreSQL is older than 15. */
export async function migrate(connections: Connections): Promise<MigrationReport> {
  if ((await readVersion(connections)) < VERSION_MIN) {
    throw new Error("PostgreSQL 15 or newer is needed; point DATABASE_URL at one");
  }
  const reserved = await connections.reserve();
  const connection = reserved as unknown as Connections;
  try {
    const applied: string[] = [];
    for (;;) {
      const name = await inTransaction(connection, () => applyNext(connection));
      if (name === undefined) break;
      applied.push(name);
    }
    const functions = await inTransaction(connection, () => replaceFunctions(connection));
    return { migrations: applied, functions };
  } finally {
    reserved.release();
  }
}

/** Also finds, among several hosts, the one that can be written to. */
async function readVersion(connections: Connections): Promise<number> {
  for (let tries = 1; ; tries++) {
    try {
      const rows = await connections`select current_setting('server_version_num')::int as version`;
      return Number(rows[0]?.version);
    } catch (error) {
      if (!isNotPrimary(error) || tries >= HOSTS_TRIED_MAX) throw error;
    }
  }
}

/** Applies the first migration that is missing. Returns its name; undefined where none is. */
async function applyNext(connection: Connections): Promise<string | undefined> {
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
  const migration = MIGRATIONS[newest];
  if (migration === undefined) return undefined;
  await connection`
    insert into schema_migrations (version, name) values (${newest + 1}, ${migration.name})`;
  await connection.unsafe(migration.text);
  return migration.name;
}

/** Replaces the functions where their text has changed. True where it did. */
async function replaceFunctions(connection: Connections): Promise<boolean> {
  const digest = createHash("sha256");
  for (const each of FUNCTIONS) digest.update(each.text);
  const wanted = digest.digest("hex");
  const found = await connection`select value from settings where name = 'functions_digest'`;
  const isStale = found[0]?.value !== wanted;
  if (isStale) {
    for (const each of FUNCTIONS) await connection.unsafe(each.text);
    await connection`
      insert into settings (name, value) values ('functions_digest', ${wanted})
      on conflict (name) do update set value = excluded.value`;
  }
  await connection`select create_usage_partitions(now(), ${USAGE_MONTHS_AHEAD}::int)`;
  return isStale;
}

/**
 * The lock is the transaction's, as is the setting: behind a PgBouncer in transaction mode the next
 * transaction may run on another connection, and a lock of the session would be left behind.
 */
async function inTransaction<Result>(
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
