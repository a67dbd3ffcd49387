/**
 * What a role needs to serve with, and no more: rows, and this program's functions. It can't change the schema.
 *
 * What proves where money went can't be taken out again: the role adds to the credit ledger and to the audit trail, and
 * deletes no charge, purchase or payout. Functions with the rights of their owner remove what is past its time.
 *
 * Partitions of the usage log come and go. Functions with the rights of their owner see to them, so the role needs
 * nothing on partitions.
 *
 * @module
 */
import { MIGRATIONS } from "../generated/statements.ts";
import { FUNCTION_SCHEMA } from "./function_set.ts";

export interface Home {
  /** Both as they stand in a statement. */
  readonly database: string;
  readonly schema: string;
}

/** Tables that only grow. */
const APPENDED: readonly string[] = ["audit_events", "credit_ledger"];
/** Tables whose rows change and stay. */
const KEPT: readonly string[] = ["payouts", "purchases", "usage_events"];

/** The statements that the owner of the tables runs, again for each version, since each has functions of its own. */
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
    // A version before granted them.
    `revoke delete on ${named([...KEPT, ...APPENDED])} from ${quoted};`,
    `revoke update on ${named(APPENDED)} from ${quoted};`,
    `grant execute on all functions in schema ${FUNCTION_SCHEMA} ${to};`,
  ];
}
