/**
 * Checks whether a database has the schema that this program's migrations create.
 *
 * The number of a migration is not enough. An edited migration keeps its number, an operator may drop an index, and a
 * dump may be read back in part. So the catalog itself is compared: tables with their columns, constraints, indexes,
 * triggers, and functions. Other objects in the database, such as an operator's own indexes and tables, are ignored.
 *
 * PostgreSQL itself determines what is expected: the migrations run once more in a separate schema, which is rolled
 * back. That takes about 50 ms, so the parts are recorded with the digest of the migrations, and a start compares the
 * catalog with this record. If they differ, the full comparison runs and decides, because another version of PostgreSQL
 * may print definitions differently.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { present } from "../../lib/assert.ts";
import type { Connections } from "../client/connect.ts";
import type { Queries } from "../client/database.ts";
import { type MIGRATIONS, STATEMENTS } from "../generated/statements.ts";

type Migrations = typeof MIGRATIONS;

/** The migrator's own table, in the same schema as all others. */
const OWN_TABLE = "schema_migrations";
/** Exists only within a transaction that is rolled back. */
const EXPECTED_SCHEMA = "feedgate_expected";
const PARTS_NAMED_MAX = 3;

/** The database's schema is not the one that this program's migrations create. */
export class SchemaMismatchError extends Error {
  override readonly name = "SchemaMismatchError";

  /** @param parts that are missing or different, at least one. */
  constructor(parts: readonly string[]) {
    // Without the digest.
    const names = parts.map((part) => part.slice(0, part.lastIndexOf(" ")));
    const named = names.slice(0, PARTS_NAMED_MAX).join(", ");
    const more = parts.length - PARTS_NAMED_MAX;
    super(
      `the database's schema differs from this feedgate's (${named}${more > 0 ? ` and ${more} more` : ""}), and was left as it is: run the feedgate that made it, put back what was changed by hand, or start with an empty database`,
    );
  }
}

/** Identifies the schema that these migrations create. Ignores comments and white space. */
export function digestOf(migrations: Migrations): string {
  const digest = createHash("sha256");
  for (const { text } of migrations) {
    digest.update(text.replace(/--.*$/gm, "").replace(/\s+/g, " ").trim()).update("\0");
  }
  return digest.digest("hex");
}

/**
 * Compares the database with what its applied migrations create, and updates the record if it is missing or out of
 * date. Runs in the migrator's transaction. Returns the parts that don't belong to this schema.
 * @throws {SchemaMismatchError}
 */
export async function verifySchema(
  connection: Connections,
  applied: Migrations,
): Promise<ReadonlySet<string>> {
  const parts = await listParts(connection);
  if (applied.length === 0) return parts;
  const record = (await connection.unsafe(STATEMENTS.list_migrations)).at(-1);
  const recorded = partsOf(record?.parts);
  if (record?.digest === digestOf(applied) && recorded?.isSubsetOf(parts)) {
    return parts.difference(recorded);
  }
  const expected = await makeParts(connection, applied);
  const missing = expected.difference(parts);
  if (missing.size > 0) throw new SchemaMismatchError([...missing]);
  await writeRecord(connection, applied, expected);
  return parts.difference(expected);
}

/** Records what a migration has just created. `others` are the parts that no migration created. */
export async function recordSchema(
  connection: Connections,
  applied: Migrations,
  others: ReadonlySet<string>,
): Promise<void> {
  const parts = await listParts(connection);
  await writeRecord(connection, applied, parts.difference(others));
}

/** Whether the database has everything that was recorded of its schema, by this program or by a newer one. */
export async function isSchemaWhole(database: Queries): Promise<boolean> {
  const record = (await database.rows("list_migrations", {})).at(-1);
  const parts = await database.rows("list_schema_parts", { table_name: OWN_TABLE });
  return partsOf(record?.parts)?.isSubsetOf(new Set(parts.map(({ part }) => part))) === true;
}

/** The tables that the migrations have created, without an operator's own tables. */
export async function listTables(connection: Connections): Promise<readonly string[]> {
  const record = (await connection.unsafe(STATEMENTS.list_migrations)).at(-1);
  const parts = [...present(partsOf(record?.parts))];
  const names = parts.map((part) => /^column ([^.]+)\./.exec(part)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** Lists the parts of the schema that contains a table. @param table by default the migrator's own */
async function listParts(connection: Connections, table = OWN_TABLE): Promise<ReadonlySet<string>> {
  const rows = await connection.unsafe(STATEMENTS.list_schema_parts, [table]);
  return new Set(rows.map(({ part }) => String(part)));
}

/** The parts that these migrations create here. */
async function makeParts(
  connection: Connections,
  migrations: Migrations,
): Promise<ReadonlySet<string>> {
  await connection`savepoint expected`;
  try {
    await connection.unsafe(`create schema ${EXPECTED_SCHEMA}`);
    // Objects in other schemas, such as pg_trgm, stay visible.
    await connection`
      select set_config('search_path', ${`${EXPECTED_SCHEMA}, `} || current_setting('search_path'), true)`;
    for (const { text } of migrations) await connection.unsafe(text);
    return await listParts(connection, `${EXPECTED_SCHEMA}.settings`);
  } finally {
    await connection`rollback to savepoint expected`;
  }
}

/** The record is stored in the row of the newest migration. */
async function writeRecord(
  connection: Connections,
  applied: Migrations,
  parts: ReadonlySet<string>,
): Promise<void> {
  await connection.unsafe(
    `alter table ${OWN_TABLE} add column if not exists digest text, add column if not exists parts text`,
  );
  await connection`
    update schema_migrations
    set
      digest = case when version = ${applied.length} then ${digestOf(applied)} end,
      parts = case when version = ${applied.length} then ${[...parts].join("\n")} end`;
}

function partsOf(text: string | null | undefined): ReadonlySet<string> | undefined {
  return text == null ? undefined : new Set(text.split("\n"));
}
