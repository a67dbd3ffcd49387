/**
 * The account's own feeds, drafts included, newest first. Decisions 7 and 10.
 *
 * @module
 */
import { hasMoreAfter } from "../lib/pages.ts";
import type { Limits } from "../limits.ts";
import type { Database } from "../postgres/client/query.ts";
import { feedRowText } from "./feed_text.ts";

export interface FeedsPage {
  readonly accountId: string;
  readonly limit: number;
  readonly offset: number;
}

/** One page as the text of a JSON object. */
export async function listFeeds(
  database: Database,
  limits: Limits,
  { accountId, limit, offset }: FeedsPage,
): Promise<string> {
  const [count, rows] = await Promise.all([
    database.row("count_feeds", [accountId]),
    database.rows("list_feed_rows", [accountId, false, limit, BigInt(offset), null]),
  ]);
  const total = Number(count?.total ?? 0n);
  const hasMore = hasMoreAfter({ offset, shown: rows.length, total });
  const feeds = rows.map((row) => feedRowText(row, limits)).join(",");
  const page = `"total":${total},"limit":${limit},"offset":${offset},"has_more":${hasMore}`;
  return `{"feeds":[${feeds}],${page}}`;
}
