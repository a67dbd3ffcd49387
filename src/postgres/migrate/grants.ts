/**
 * What a role needs to serve with, and no more: rows, and this program's functions. It can't change the schema.
 *
 * Partitions of the usage log come and go. Functions with the rights of their owner see to them, so the role needs
 * nothing on partitions.
 *
 * @module
 */
import { MIGRATIONS } from "../client/statements.ts";
import { FUNCTION_SCHEMA } from "./function_set.ts";

export interface Home {
  /** Both as they stand in a statement. */
  readonly database: string;
  readonly schema: string;
}

/** The statements that the owner of the tables runs, again for each version, since each has functions of its own. */
export function grantsFor(role: string, { database, schema }: Home): readonly string[] {
  const to = `to "${role.replaceAll('"', '""')}"`;
  const tables = MIGRATIONS.flatMap(({ text }) => [...text.matchAll(/^create table (\w+)/gm)]).map(
    ([, table]) => `${schema}.${table}`,
  );
  return [
    `grant connect on database ${database} ${to};`,
    `grant usage on schema ${schema}, ${FUNCTION_SCHEMA} ${to};`,
    `grant select on ${schema}.schema_migrations ${to};`,
    `grant select, insert, update, delete on ${tables.join(", ")} ${to};`,
    `grant execute on all functions in schema ${FUNCTION_SCHEMA} ${to};`,
  ];
}
