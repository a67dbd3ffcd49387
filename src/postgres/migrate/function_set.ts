/**
 * The SQL functions of this program, in a schema of their own: `feedgate_` and the digest of their texts.
 *
 * While a new gateway migrates and begins to serve, gateways of the previous version may continue to serve. Migrations
 * only add to tables, so these gateways still find what they need. But a function must be exactly what its program
 * expects, so each program calls its own set, and functions can change freely. A digest needs no version number that
 * someone must remember to raise. Every call is qualified in the text of its statement or function. A search path would
 * belong to a session, which a pooler does not preserve.
 *
 * Functions that a trigger calls belong to the schema, not to a program, so a migration creates them.
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { Connections } from "../client/connect.ts";
import { FUNCTIONS } from "../generated/statements.ts";

const DIGEST_LENGTH = 12;

/** The schema of this program's functions. */
export const FUNCTION_SCHEMA = `feedgate_${createHash("sha256")
  .update(FUNCTIONS.map(({ text }) => text).join(""))
  .digest("hex")
  .slice(0, DIGEST_LENGTH)}`;

/** How many of the newest sets are kept. No gateway keeps serving while this many newer versions start. */
const SETS_KEPT = 20;
const SET_NAME = "^feedgate_[0-9a-f]{12}$";

/** The name of a function in a call or definition: a parenthesis follows immediately. */
const CALL = new RegExp(
  `(?<![\\w.])(?:${FUNCTIONS.map(({ name }) => name).join("|")})(?=\\()`,
  "g",
);

/** The SQL text with every call and definition of our functions qualified by this program's schema. */
export function inFunctionSet(text: string): string {
  return text.replace(CALL, `${FUNCTION_SCHEMA}.$&`);
}

/**
 * Creates this program's functions if they are missing, and drops the oldest sets. Runs in the caller's transaction,
 * under its lock. Returns whether they were missing.
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
  await connection.unsafe(`create schema ${FUNCTION_SCHEMA}`);
  // A function may call one that is created after it.
  await connection.unsafe("set local check_function_bodies = off");
  // Functions with the rights of their owner use this search path, so that no other role's tables can replace ours.
  const [before] = await connection`show search_path`;
  await connection`
    select set_config('search_path', relnamespace::regnamespace || ', pg_temp', true)
    from pg_class
    where oid = 'usage_events'::regclass`;
  for (const { text } of FUNCTIONS) await connection.unsafe(inFunctionSet(text));
  await connection`select set_config('search_path', ${String(before?.search_path)}, true)`;
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
    // Without cascade, so that it fails if anything else depends on them.
    await connection.unsafe(`drop function ${functions}`);
    await connection.unsafe(`drop schema ${schema}`);
  }
}
