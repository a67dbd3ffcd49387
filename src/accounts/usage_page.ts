/**
 * Pages of an account's usage log, newest first.
 *
 * A cursor is bound to the account and to the filters. `limit` may change from page to page.
 *
 * @module
 */
import { openToken, sealToken, type TokenOptions } from "../lib/sealed_token.ts";
import { USAGE_WALK_MAX } from "../limits.ts";
import type { Queries } from "../postgres/client/database.ts";
import type { UsageRow } from "./usage_event.ts";

/** A caller's request. The route has validated each member. */
export interface UsageFilter {
  readonly accountId: string;
  readonly feedId: string | null;
  readonly keyId: string | null;
  /** If the caller is an agent, the first of its own keys: it does not see calls of other keys. */
  readonly chainId: string | null;
  /** UTC, both inclusive. */
  readonly since: string | null;
  readonly until: string | null;
}

export interface UsageQuery extends UsageFilter {
  /** The last usage id of the previous page. */
  readonly beforeUsageId: string | null;
  /** Seals the next page's cursor. */
  readonly scope: TokenOptions;
}

export interface UsagePage {
  readonly rows: readonly UsageRow[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** Undefined if the cursor was not issued for this account and these filters. */
export function readUsageQuery(
  filter: UsageFilter,
  { cursor, cursorSecret }: { readonly cursor: string | undefined; readonly cursorSecret: string },
): UsageQuery | undefined {
  const { accountId, feedId, keyId, chainId, since, until } = filter;
  const binding = [chainId ?? accountId, feedId, keyId, since, until].join(" ");
  const scope = { secret: cursorSecret, purpose: "usage cursor", binding };
  if (cursor === undefined) return { ...filter, beforeUsageId: null, scope };
  const opened = openToken(cursor, scope);
  return opened && { ...filter, beforeUsageId: opened.toString("utf8"), scope };
}

interface UsagePageQuery {
  readonly query: UsageQuery;
  readonly limit: number;
  /** Leaves out calls of catalog, search and metadata that cost nothing. @default false */
  readonly isDiscoveryHidden?: boolean;
}

export async function pageUsage(
  database: Queries,
  { query, limit, isDiscoveryHidden = false }: UsagePageQuery,
): Promise<UsagePage> {
  const { rows, last } = await walkUsage(database, { ...query, limit, isDiscoveryHidden });
  const nextCursor = last === null ? null : sealToken(Buffer.from(last, "utf8"), query.scope);
  return { rows, nextCursor };
}

interface UsageWalk extends UsageFilter {
  readonly beforeUsageId: string | null;
  readonly limit: number;
  readonly isDiscoveryHidden: boolean;
}

/**
 * A step through the log, and the event that the next step continues after; null if there is none. A step that is
 * filtered examines a limited number of events. So it may find fewer than requested, or none, even if there is a next
 * one.
 */
export async function walkUsage(
  database: Queries,
  { accountId, feedId, keyId, chainId, since, until, ...walk }: UsageWalk,
): Promise<{ readonly rows: readonly UsageRow[]; readonly last: string | null }> {
  const { beforeUsageId, limit, isDiscoveryHidden } = walk;
  const range = { account_id: accountId, since, until, before_usage_id: beforeUsageId };
  const walkEnd =
    feedId === null && keyId === null && chainId === null && !isDiscoveryHidden
      ? undefined
      : await database.row("find_usage_walk_end", { ...range, events: USAGE_WALK_MAX });
  const end = walkEnd?.usage_id ?? null;
  // One row more than the page shows whether there is a next page.
  const found = await database.rows("page_usage", {
    ...range,
    feed_id: feedId,
    key_id: keyId,
    chain_id: chainId,
    is_discovery_hidden: isDiscoveryHidden,
    from_usage_id: end,
    limit: limit + 1,
  });
  const rows = found.slice(0, limit);
  return { rows, last: found.length > limit ? (rows.at(-1)?.usage_id ?? null) : end };
}
