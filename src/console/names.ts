/**
 * What people call the feeds, accounts and keys that a page knows by id. The ids are those of an answer that the visitor
 * may see.
 *
 * @module
 */
import type { Visit } from "./visit.ts";

/** The name of an id; undefined if it has none. */
export type NameOf = (id: string | null) => string | undefined;

export async function findNames(
  { operator: { database } }: Visit,
  ids: readonly (string | null)[],
): Promise<NameOf> {
  const asked = [...new Set(ids)].filter((id) => id !== null);
  const rows = asked.length === 0 ? [] : await database.rows("find_names", { ids: asked });
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return (id) => (id === null ? undefined : names.get(id));
}
