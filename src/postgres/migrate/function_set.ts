/**
 * The SQL functions of this program, in a schema of their own: `feedgate_` and the digest of their texts.
 *
 * While a new gateway migrates and begins to serve, gateways of the version before may serve on. Tables only
 * ever grow, since migrations add and never remove. But a function must be exactly what its program expects.
 * So each program calls its own set, and functions may change freely. Calls are qualified in the text of
 * every statement and function: a search path belongs to a session, and behind a pooler there is none.
 *
 * If the rows are distributed, Citus plans a statement only for values that it knows. So functions that
 * reach rows are then planned at each call, not once for all values.
 *
 * Functions that a trigger calls belong to the schema, not to a program, and so to a migration.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { arrayLiteral } from "../client/array_literal.ts";
import type { Connections } from "../client/connect.ts";
import { isForbidden } from "../client/failures.ts";
import { FUNCTIONS } from "../client/statements.ts";

const DIGEST_LENGTH = 12;

/** Where this program's functions are. */
export const FUNCTION_SCHEMA = `feedgate_${digestOf(FUNCTIONS).slice(0, DIGEST_LENGTH)}`;

/** Sets that stay, those that were made last: no gateway serves on while so many newer ones start. */
const SETS_KEPT = 20;
const SET_NAME = "^feedgate_[0-9a-f]{12}$";

/** A call or a definition: the name, and the parenthesis right behind it. */
const CALL = new RegExp(
  `(?<![\\w.])(?:${FUNCTIONS.map(({ name }) => name).join("|")})(?=\\()`,
  "g",
);

/** Tables of rows: what is distributed where anything is. Every key of theirs begins with feed_id. */
export const ROW_TABLES = [
  "documents",
  "collection_rows",
  "stream_events",
  "feed_versions",
] as const;

/** Functions that read or write rows, themselves or by others. */
export const ROW_FUNCTIONS: readonly string[] = rowFunctions();

/** SQL in which every call of our functions, and their own definition, names this program's schema. */
export function inFunctionSet(text: string): string {
  return text.replace(CALL, `${FUNCTION_SCHEMA}.$&`);
}

function rowFunctions(): string[] {
  let reached: string[] = [...ROW_TABLES];
  for (;;) {
    const pattern = new RegExp(`\\b(?:${reached.join("|")})\\b`);
    const found = FUNCTIONS.filter(({ text }) => pattern.test(text.replace(/--.*/g, ""))).map(
      ({ name }) => name,
    );
    if (found.length + ROW_TABLES.length === reached.length) return found;
    reached = [...ROW_TABLES, ...found];
  }
}

/** True if rows are distributed over the nodes of a Citus cluster (`sql/postgres/functions/distribute_rows.sql`). */
export async function areRowsDistributed(connection: Connections): Promise<boolean> {
  const found = await connection`select from settings where name = 'rows_distributed'`;
  return found.length > 0;
}

/** Lets Citus plan this program's functions that reach rows. */
export async function planForShards(connection: Connections): Promise<void> {
  const functions = await connection`
    select oid::regprocedure::text as signature
    from pg_proc
    where pronamespace = to_regnamespace(${FUNCTION_SCHEMA})
      and proname = any (${arrayLiteral(ROW_FUNCTIONS)}::text[])
    order by signature`;
  for (const { signature } of functions) {
    await connection.unsafe(`alter function ${signature} reset plan_cache_mode`);
  }
}

function digestOf(functions: typeof FUNCTIONS): string {
  const digest = createHash("sha256");
  for (const { text } of functions) digest.update(text);
  return digest.digest("hex");
}

/**
 * Makes this program's functions if they are missing, and drops the oldest sets. Runs in the caller's
 * transaction, under its lock. Returns whether they were missing.
 */
export async function keepFunctionSet(connection: Connections): Promise<boolean> {
  const [found] =
    await connection`select to_regnamespace(${FUNCTION_SCHEMA}) is null as is_missing`;
  if (found?.is_missing !== true) return false;
  await createSet(connection);
  await dropOldSets(connection);
  return true;
}

async function createSet(connection: Connections): Promise<void> {
  try {
    await connection.unsafe(`create schema ${FUNCTION_SCHEMA}`);
  } catch (error) {
    if (!isForbidden(error)) throw error;
    throw new Error(
      "the role of DATABASE_URL may not create a schema, which each version of feedgate has for its functions: make it the database's owner, or grant it create on the database",
      { cause: error },
    );
  }
  // A function may call one that is made after it.
  await connection.unsafe("set local check_function_bodies = off");
  for (const { text } of FUNCTIONS) await connection.unsafe(inFunctionSet(text));
  if (await areRowsDistributed(connection)) await planForShards(connection);
}

async function dropOldSets(connection: Connections): Promise<void> {
  const sets = await connection`
    with old_sets as (
      select oid, nspname
      from pg_namespace
      where nspname ~ ${SET_NAME}
      order by oid desc
      offset ${SETS_KEPT}
    )
    select nspname as schema, string_agg(pg_proc.oid::regprocedure::text, ', ') as functions
    from old_sets
    join pg_proc
      on pg_proc.pronamespace = old_sets.oid
    group by nspname
    order by nspname`;
  for (const { schema, functions } of sets) {
    // Without cascade: if anything else depends on them, they stay and we get an error.
    await connection.unsafe(`drop function ${functions}`);
    await connection.unsafe(`drop schema ${schema}`);
  }
}
