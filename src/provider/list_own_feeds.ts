/**
 * Lists a provider's own feeds: definition, contents, and usage.
 *
 * @module
 */
import { feedForbidden } from "../api/problems/feed_problems.ts";
import { type FeedContent, listFeedContents, openBatchesOf } from "../feeds/feed_contents.ts";
import { type FeedRow, feedRowText } from "../feeds/feed_text.ts";
import { type FeedStatus, referenceParameters } from "../feeds/find.ts";
import { hasMoreAfter } from "../lib/offset_page.ts";
import type { Limits } from "../limits.ts";
import { usdText } from "../money/money.ts";
import type { Queries } from "../postgres/client/database.ts";

interface FeedsServices {
  readonly database: Queries;
  readonly limits: Limits;
}

export interface FeedsQuery {
  readonly limit: number;
  readonly offset: number;
  /** Id or slug, to list only that feed. */
  readonly reference?: string | undefined;
  readonly status?: FeedStatus | undefined;
  /** Whether to include schema, readme, and sample. @default false */
  readonly isFull?: boolean | undefined;
}

/**
 * A page of an account's own feeds, newest first, as the text of a JSON object (`OwnFeedsShape`).
 *
 * @throws {Problem} 403 if the requested feed is not the account's own
 */
export async function listOwnFeeds(
  { database, limits }: FeedsServices,
  accountId: string,
  asked: FeedsQuery,
): Promise<string> {
  const { limit, offset, isFull = false } = asked;
  const { rows, total } = await findRows(database, accountId, asked);
  const hasMore = hasMoreAfter({ offset, shown: rows.length, total });
  const feedIds = rows.map(({ feed_id: feedId }) => feedId);
  const contents = await listFeedContents(database, feedIds);
  const feeds = rows
    .map((row) =>
      ownFeedText(feedRowText(row, limits, !isFull), {
        suspensionReason: row.suspension_reason,
        contents: contents.filter(({ feed_id: feedId }) => feedId === row.feed_id),
      }),
    )
    .join(",");
  const page = `"total":${total},"limit":${limit},"offset":${offset},"has_more":${hasMore}`;
  return `{"feeds":[${feeds}],${page}}`;
}

interface Found {
  readonly rows: readonly FeedRow[];
  /** Number of feeds across all pages. */
  readonly total: number;
}

/** @throws {Problem} 403 */
async function findRows(
  database: Queries,
  accountId: string,
  { limit, offset, reference, status: wanted, isFull = false }: FeedsQuery,
): Promise<Found> {
  const status = wanted ?? null;
  if (reference !== undefined) {
    const one = { ...referenceParameters(reference), active_only: false, reader_id: null };
    const row = await database.row("find_feed_row", one);
    if (row?.account_id !== accountId || row.deleted_at !== null) throw feedForbidden();
    const rows = status === null || row.status === status ? [row] : [];
    return { rows: rows.slice(offset), total: rows.length };
  }
  const [count, rows] = await Promise.all([
    database.row("count_feeds", { account_id: accountId, status }),
    database.rows("list_feed_rows", {
      account_id: accountId,
      is_unlisted_only: false,
      status,
      review: null,
      health: null,
      is_full: isFull,
      limit,
      offset: BigInt(offset),
      after_feed_id: null,
    }),
  ]);
  return { rows, total: Number(count?.total ?? 0n) };
}

interface OwnState {
  readonly suspensionReason: string | null;
  /** One element per open batch, or a single one without a batch. */
  readonly contents: readonly FeedContent[];
}

/** The feed's row as JSON text, with its contents and, if it is suspended, the reason. */
function ownFeedText(row: string, { suspensionReason, contents }: OwnState): string {
  const rowCount = contents[0]?.row_count ?? 0n;
  const members = [
    `"row_count":${rowCount}`,
    `"open_batches":${JSON.stringify(openBatchesOf(contents))}`,
    `"last_refusal":${contents[0]?.last_refusal ?? null}`,
    `"reads":${contents[0]?.reads ?? 0n}`,
    `"readers":${contents[0]?.readers ?? 0n}`,
    `"net_usd":${usdText(contents[0]?.net_nanos ?? 0n)}`,
    ...(suspensionReason === null
      ? []
      : [`"suspension_reason":${JSON.stringify(suspensionReason)}`]),
  ].join(",");
  return `${row.slice(0, -1)},${members}}`;
}
