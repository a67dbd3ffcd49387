/**
 * The minimal privileges for serving: rows, and this program's functions. The role can't change the schema.
 *
 * Records of money can't be removed: the role can append to the credit ledger and the audit trail, and can't delete a
 * charge, purchase, or payout. Functions with the rights of their owner remove what has expired.
 *
 * Functions with the rights of their owner create and drop the partitions of the usage log, so the role needs no
 * privileges on partitions.
 *
 * @module
 */
import { MIGRATIONS } from "../generated/statements.ts";
import { FUNCTION_SCHEMA } from "./function_set.ts";

export interface Home {
  /** Both are quoted as in a statement. */
  readonly database: string;
  readonly schema: string;
}

/** Append-only tables. */
const APPENDED: readonly string[] = ["audit_events", "credit_ledger"];
/** Tables whose rows change but are never deleted. */
const KEPT: readonly string[] = ["payouts", "purchases", "usage_events"];

/** The statements that the owner of the tables must run, again for each version, because each has its own functions. */
export function grantsFor(role: string, { database, schema }: Home): readonly string[] {
  const quoted = `"${role.replaceAll('"', '""')}"`;
  const to = `to ${quoted}`;
  const named = (tables: readonly string[]) =>
    tables.map((table) => `${schema}.${table}`).join(", ");
  const others = MIGRATIONS.flatMap(({ text }) => [...text.matchAll(/^create table (\w+)/gm)])
    .map(([, table = ""]) => table)
    .filter((table) => !APPENDED.includes(table) && !KEPT.includes(table));
  return [
    `grant connect on database ${database} ${to};`,
    `grant usage on schema ${schema}, ${FUNCTION_SCHEMA} ${to};`,
    `grant select on ${schema}.schema_migrations ${to};`,
    `grant select, insert, update, delete on ${named(others)} ${to};`,
    `grant select, insert, update on ${named(KEPT)} ${to};`,
    `grant select, insert on ${named(APPENDED)} ${to};`,
    // A previous version granted them.
    `revoke delete on ${named([...KEPT, ...APPENDED])} from ${quoted};`,
    `revoke update on ${named(APPENDED)} from ${quoted};`,
    `grant execute on all functions in schema ${FUNCTION_SCHEMA} ${to};`,
  ];
}
