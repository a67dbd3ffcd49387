/**
 * Pages by `limit` and `offset`.
 *
 * @module
 */

/** Whether there is more after a page. An offset beyond the end shows nothing, and nothing follows it. */
export function hasMoreAfter(page: { offset: number; shown: number; total: number }): boolean {
  return page.shown > 0 && page.offset + page.shown < page.total;
}

/** A page from a statement whose rows contain the total. An empty page has a single row with nothing else. */
export function listedPage<Listed extends { feed_id: string | null; total: bigint }>(
  rows: readonly Listed[],
  offset: number,
) {
  const total = Number(rows[0]?.total ?? 0n);
  const feeds = rows.filter((row) => row.feed_id !== null);
  return { total, feeds, hasMore: hasMoreAfter({ offset, shown: feeds.length, total }) };
}
