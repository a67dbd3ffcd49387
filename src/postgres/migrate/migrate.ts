/**
 * Brings a database to this program's schema: migrations by number, then its set of functions.
 *
 * Any number of processes may start at once. An advisory lock makes them take turns, one migration each. The
 * version row is written first, so that two processes that get past the lock collide on its key.
 *
 * @module
 */
import { messageOf } from "../../lib/error_fields.ts";
import { typedCommand } from "../../lib/own_process.ts";
import { USAGE_MONTHS_AHEAD } from "../../limits.ts";
import type { Connections } from "../client/connect.ts";
import { isForbidden, isLocked, isRolledBack } from "../client/failures.ts";
import { retryMisdirected, retryRolledBack } from "../client/retry_statement.ts";
import { MIGRATIONS } from "../generated/statements.ts";
import { FUNCTION_SCHEMA, inFunctionSet, keepFunctionSet } from "./function_set.ts";
import { recordSchema, SchemaMismatchError, verifySchema } from "./schema_check.ts";

/** A numbered step of the schema: its name, and its SQL text. */
type Migration = (typeof MIGRATIONS)[number];

/** Any number, as long as it never changes. */
export const MIGRATION_LOCK = 7_306_927;
/** In the format of `server_version_num`. */
export const VERSION_MIN = 150_000;
/** JSON is Unicode. */
const ENCODING = "UTF8";
/**
 * How long a migration waits for a lock, longer with each try. The statements that queued after it run in the pause
 * between tries.
 */
const LOCK_WAIT_MS_MIN = 250;
/** Less than PostgreSQL's `deadlock_timeout` of a second, so that in a deadlock, the migration gives way, not a read. */
const LOCK_WAIT_MS_MAX = 500;
const LOCK_PAUSE_MS = 1_000;

/**
 * Returns the names of the migrations that were missing, and the properties of the database.
 * @throws {SchemaMismatchError} if the database's schema differs from what its migrations create
 * @throws if a newer program created the database, or if PostgreSQL is older than 15.
 */
export async function migrate(connections: Connections, onLocked?: () => void) {
  await requireVersion(connections);
  try {
    const migrations = await applyMigrations(connections, MIGRATIONS, onLocked);
    const ready = await inTransactions(connections, makeReady);
    return { migrations, ...ready };
  } catch (error) {
    if (!isForbidden(error)) throw error;
    throw new Error(
      `the role in DATABASE_URL can't change the schema (${messageOf(error)}): make it the database's owner, or grant it CREATE on the database and on the tables' schema`,
      { cause: error },
    );
  }
}

/**
 * Like `migrate`, for a role that can't change the schema: refuses if anything is missing that a migration creates.
 * Partitions of the usage log are created by a function with the rights of its owner.
 * @throws {SchemaMismatchError} if the database's schema differs from what its migrations create
 * @throws an error that says what the owner of the tables has to run.
 */
export async function requireMigrated(connections: Connections): ReturnType<typeof migrate> {
  await requireVersion(connections);
  return inTransactions(connections, async (connection) => {
    const lack = (await findLack(connection)) ?? (await findMissingFunctions(connection));
    if (lack !== undefined) {
      throw new Error(
        `${lack}: as the owner of the tables, run ${typedCommand()} migrate and the SQL that ${typedCommand()} grants prints`,
      );
    }
    await keepPartitions(connection);
    return {
      migrations: [],
      functions: false,
      hasTrigrams: await hasSimilarity(connection),
    };
  });
}

/** A table that is not ours, in a database that has none of ours. */
export async function findForeignTable(connections: Connections): Promise<string | undefined> {
  const [found] = await connections`
    select relname as table
    from pg_class
    where relnamespace = current_schema()::regnamespace
      and relkind in ('r', 'p', 'v', 'm', 'f')
      and to_regclass('usage_events') is null
      and not exists (
        select
        from pg_depend
        where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e'
      )
    order by relname
    limit 1`;
  return found?.table;
}

/** Refuses a database that belongs to something else. @throws an error that says how to share it. */
export async function refuseForeign(connections: Connections): Promise<void> {
  const table = await retryMisdirected(() => findForeignTable(connections));
  if (table === undefined) return;
  throw new Error(
    `the database contains tables of another application (${table}) and none of Feedgate: use another database, or add Feedgate's tables with ${typedCommand()} migrate`,
  );
}

/** The state of this program's schema in a database. */
export type SchemaState =
  /** Complete. `hasTrigrams`: whether the extension that finds misspelled names is installed. */
  | { readonly state: "whole"; readonly hasTrigrams: boolean }
  /** Migrations or functions are missing. The next start of a gateway creates them. */
  | { readonly state: "behind"; readonly pending: readonly string[] }
  /** It can't be used, or not by this program. */
  | { readonly state: "wrong"; readonly reason: string };

/** Inspects the schema, and changes nothing. */
export async function inspectSchema(connections: Connections): Promise<SchemaState> {
  const connection = await connections.reserve();
  try {
    // The comparison may create a schema and update its record.
    await connection`begin isolation level read committed`;
    return await findState(connection);
  } catch (error) {
    if (!(error instanceof SchemaMismatchError || error instanceof NewerSchemaError)) throw error;
    return { state: "wrong", reason: error.message };
  } finally {
    await connection`rollback`;
    connection.release();
  }
}

async function findState(connection: Connections): Promise<SchemaState> {
  const newest = (await isMigrated(connection)) ? await readNewest(connection) : 0;
  if (newest < MIGRATIONS.length) {
    if (newest > 0) await verifySchema(connection, MIGRATIONS.slice(0, newest));
    return { state: "behind", pending: MIGRATIONS.slice(newest).map(({ name }) => name) };
  }
  const lack = await findLack(connection);
  if (lack !== undefined) return { state: "wrong", reason: lack };
  const missing = await findMissingFunctions(connection);
  if (missing !== undefined) return { state: "behind", pending: ["this version's functions"] };
  return { state: "whole", hasTrigrams: await hasSimilarity(connection) };
}

async function hasSimilarity(connection: Connections): Promise<boolean> {
  const [found] = await connection`select to_regproc('similarity') is not null as is_there`;
  return found?.is_there === true;
}

/** If the address names several hosts, this also finds the writable one. */
async function requireVersion(connections: Connections): Promise<void> {
  const rows = await retryMisdirected(
    async () => connections`
      select
        current_setting('server_version_num')::int as version,
        current_setting('server_encoding') as encoding`,
  );
  if (Number(rows[0]?.version) < VERSION_MIN) {
    throw new Error("PostgreSQL 15 or newer is required; set DATABASE_URL to one");
  }
  const encoding = String(rows[0]?.encoding);
  if (encoding !== ENCODING) {
    throw new Error(
      `the database's encoding is ${encoding}, which can't store all JSON: create a database with "createdb --encoding=UTF8 --template=template0"`,
    );
  }
}

/**
 * What this program's schema lacks in the database, as the beginning of a sentence. Undefined if nothing is missing.
 */
async function findLack(connection: Connections): Promise<string | undefined> {
  const [found] = await connection`
    select has_table_privilege(to_regclass('schema_migrations'), 'select') as is_readable`;
  if (found?.is_readable === null) return "the database has no schema yet";
  if (found?.is_readable === false) return "the role in DATABASE_URL can't read the tables";
  const newest = await readNewest(connection);
  requireKnown(newest, MIGRATIONS.length);
  if (newest < MIGRATIONS.length) {
    return `the database has schema ${newest}, and this feedgate needs ${MIGRATIONS.length}`;
  }
  try {
    await verifySchema(connection, MIGRATIONS);
    return undefined;
  } catch (error) {
    // To find out what is expected, it would have to create a schema.
    if (!isForbidden(error)) throw error;
    return "the database's schema does not match its recorded migrations";
  }
}

async function findMissingFunctions(connection: Connections): Promise<string | undefined> {
  const [found] = await connection`
    select has_schema_privilege(oid, 'usage') as is_usable
    from pg_namespace
    where nspname = ${FUNCTION_SCHEMA}`;
  if (found?.is_usable === true) return undefined;
  return found === undefined
    ? "the database does not have this version's functions yet"
    : "the role in DATABASE_URL can't use this version's functions";
}

/**
 * Applies those of these migrations that are missing, each in its own transaction. One that waits for a lock for too
 * long, or that would be part of a deadlock, is applied again later. Returns their names.
 *
 * For the data of an older backup, they are only the first ones, and `migrate` applies the rest. `onLocked` is called
 * once for each migration that waits for a lock.
 */
export async function applyMigrations(
  connections: Connections,
  migrations: readonly Migration[],
  onLocked?: () => void,
): Promise<string[]> {
  const applied: string[] = [];
  let tries = 0;
  for (;;) {
    const waitMs = Math.min(LOCK_WAIT_MS_MIN * 2 ** tries, LOCK_WAIT_MS_MAX);
    try {
      const name = await inTransaction(connections, (connection) =>
        applyNext(connection, migrations, waitMs),
      );
      if (name === undefined) return applied;
      applied.push(name);
      tries = 0;
    } catch (error) {
      // A pg_dump holds its locks for a long time. Reads would queue after a migration that waits for them. PostgreSQL
      // reports a deadlock at once if the migration would be put before a statement that waits for it.
      if (!isLocked(error) && !isRolledBack(error)) throw error;
      if (tries === 0) onLocked?.();
      tries += 1;
      await Bun.sleep(LOCK_PAUSE_MS);
    }
  }
}

/** Checks the schema, then applies the first missing migration. Returns its name, or undefined if none is missing. */
async function applyNext(
  connection: Connections,
  migrations: readonly Migration[],
  lockWaitMs: number,
): Promise<string | undefined> {
  // A role that may not create tables may find that nothing is missing.
  if (!(await isMigrated(connection))) {
    await connection`
      create table schema_migrations (
        version integer primary key,
        name text not null,
        applied_at timestamptz not null default now()
      )`;
  }
  const newest = await readNewest(connection);
  // For an older backup, fewer migrations are requested than this program has.
  const known = migrations.length < MIGRATIONS.length ? MIGRATIONS : migrations;
  requireKnown(newest, known.length);
  await connection.unsafe(`set local lock_timeout = ${lockWaitMs}`);
  // Before anything is changed.
  const others = await verifySchema(connection, known.slice(0, newest));
  const migration = migrations[newest];
  if (migration === undefined) return undefined;
  await connection`
    insert into schema_migrations (version, name) values (${newest + 1}, ${migration.name})`;
  await connection.unsafe(migration.text);
  await recordSchema(connection, known.slice(0, newest + 1), others);
  return migration.name;
}

async function isMigrated(connection: Connections): Promise<boolean> {
  const [found] = await connection`select to_regclass('schema_migrations') is not null as is_there`;
  return found?.is_there === true;
}

/** A newer program created the database. */
class NewerSchemaError extends Error {
  override readonly name = "NewerSchemaError";
}

/** @throws {NewerSchemaError} */
function requireKnown(newest: number, newestKnown: number): void {
  if (newest <= newestKnown) return;
  throw new NewerSchemaError(
    `the database has schema ${newest}, and this feedgate supports up to ${newestKnown}: run a newer feedgate`,
  );
}

/** The number of the newest migration that was applied, or 0 before the first. */
async function readNewest(connection: Connections): Promise<number> {
  const [known] = await connection`select max(version) as newest from schema_migrations`;
  return Number(known?.newest ?? 0);
}

/** Creates what every start needs, whatever was migrated. */
async function makeReady(connection: Connections) {
  /** Whether the SQL functions of this program were missing. */
  const functions = await keepFunctionSet(connection);
  await keepPartitions(connection);
  const trigrams = await connection`select ensure_trigram() as has_trigrams`;
  return {
    functions,
    /** Whether the extension pg_trgm is installed. Without it, search finds no misspelled names. */
    hasTrigrams: trigrams[0]?.has_trigrams === true,
  };
}

/**
 * Creates missing partitions of the usage log. Each takes a lock on the log. If a `pg_dump` holds a conflicting one,
 * all reads would queue after ours. In that case, the partitions of later months are left to the gateways, which also
 * create them in time.
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
    // Without this month's partition, no read is possible.
    await connection.unsafe(create, [0]);
  }
}

/** Like `inTransaction`, and again if the database rolled it back because of concurrent statements. */
function inTransactions<Result>(
  connections: Connections,
  work: (connection: Connections) => Promise<Result>,
): Promise<Result> {
  return retryRolledBack(() => inTransaction(connections, work));
}

/**
 * Runs `work` in a transaction that holds the lock of migrations. The lock and the setting belong to the transaction.
 * Behind a PgBouncer in transaction mode, session-level ones would stay behind on its connection.
 */
export async function inTransaction<Result>(
  connections: Connections,
  work: (connection: Connections) => Promise<Result>,
): Promise<Result> {
  const connection = await connections.reserve();
  try {
    // Whatever the database's default is, we must see what others committed before we got the lock.
    await connection`begin isolation level read committed`;
    await connection`set local statement_timeout = 0`;
    await connection`select pg_advisory_xact_lock(${MIGRATION_LOCK}::int)`;
    const result = await work(connection);
    await connection`commit`;
    return result;
  } catch (error) {
    await connection`rollback`;
    throw error;
  } finally {
    connection.release();
  }
}
