/**
 * The names of the feeds, accounts and keys that a page knows by id, and whether a feed still has a page. The ids come
 * from an answer that the visitor may see.
 *
 * @module
 */
import { findShownFeeds } from "../../access/account_access.ts";
import { present } from "../../lib/assert.ts";
import type { Visit } from "./visit.ts";

/** The name of an id; undefined if it has none. */
export type NameOf = (id: string | null) => string | undefined;

export interface Names {
  readonly nameOf: NameOf;
  /** Whether the visitor may see the feed: an operator any, a provider one that is not deleted, a consumer one to read. */
  hasPage(feedId: string): boolean;
}

export async function findNames(
  { operator: { database }, session: { role, account } }: Visit,
  ids: readonly (string | null | undefined)[],
): Promise<Names> {
  const asked = [...new Set(ids)].filter((id) => id !== null && id !== undefined);
  const rows = asked.length === 0 ? [] : await database.rows("find_names", { ids: asked });
  const found = new Map(rows.map((row) => [row.id, row]));
  // A feed that is for other accounts now keeps its name from those that read it before.
  const seen =
    role === "read" ? await findShownFeeds(database, present(account).id, asked) : undefined;
  return {
    nameOf: (id) => (id === null || seen?.isHidden(id) ? undefined : found.get(id)?.name),
    hasPage(feedId) {
      const row = found.get(feedId);
      if (row === undefined) return false;
      return role === "admin" || (seen === undefined ? !row.is_deleted : seen.isFound(feedId));
    },
  };
}
