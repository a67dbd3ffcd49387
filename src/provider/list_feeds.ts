/**
 * `GET /provider/feeds`: the account's own feeds, drafts included, newest first. Decisions 7 and 10.
 *
 * @module
 */
import { feedRowText } from "../feed_row/feed_row.ts";
import { hasMoreAfter } from "../http/paging.ts";
import type { Services } from "../services.ts";

/** The answer as JSON text. */
export async function listFeeds(
  { config, database }: Pick<Services, "config" | "database">,
  accountId: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<string> {
  const [count, rows] = await Promise.all([
    database.row("count_feeds", [accountId]),
    database.rows("list_feed_rows", [accountId, false, limit, BigInt(offset)]),
  ]);
  const total = Number(count?.total ?? 0n);
  const hasMore = hasMoreAfter({ offset, shown: rows.length, total });
  const feeds = rows.map((row) => feedRowText(row, config.limits)).join(",");
  const page = `"total":${total},"limit":${limit},"offset":${offset},"has_more":${hasMore}`;
  return `{"feeds":[${feeds}],${page}}`;
}
