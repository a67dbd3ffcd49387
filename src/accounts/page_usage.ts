/**
 * One page of an account's usage log, newest first. Decisions 10.
 *
 * @module
 */

import { USAGE_WALK_MAX } from "../limits.ts";
import type { Queries } from "../postgres/client/query.ts";
import type { UsageRow } from "./usage_event.ts";
import { type UsageQuery, writeUsageCursor } from "./usage_query.ts";

export interface UsagePage {
  readonly rows: readonly UsageRow[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/**
 * A page of one feed's or one key's calls may have fewer than asked for, or none, and a next page all the same: it
 * looks at so many events of the log, and the next goes on from there.
 */
export async function pageUsage(database: Queries, query: UsageQuery): Promise<UsagePage> {
  const {
    accountId,
    feedId = null,
    keyId = null,
    since = null,
    until = null,
    beforeUsageId = null,
    limit,
  } = query;
  const bounds = [since, until, beforeUsageId] as const;
  const walkEnd =
    feedId === null && keyId === null
      ? undefined
      : await database.row("find_usage_walk_end", [accountId, ...bounds, USAGE_WALK_MAX]);
  const from = walkEnd?.usage_id ?? null;
  // One more than the page tells whether there is a next one.
  const parameters = [accountId, feedId, keyId, ...bounds, from, limit + 1] as const;
  const found = await database.rows("page_usage", parameters);
  const rows = found.slice(0, limit);
  const last = found.length > limit ? (rows.at(-1)?.usage_id ?? null) : from;
  return { rows, nextCursor: last === null ? null : writeUsageCursor(last, query.scope) };
}
