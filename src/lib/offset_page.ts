/**
 * Pages by `limit` and `offset`.
 *
 * @module
 */

/** Whether there is more behind a page. An offset beyond the end shows nothing, and nothing is behind it. */
export function hasMoreAfter(page: { offset: number; shown: number; total: number }): boolean {
  return page.shown > 0 && page.offset + page.shown < page.total;
}

/** A page of a statement whose rows have the total; the only row of an empty page has nothing else. */
export function listedPage<Listed extends { feed_id: string | null; total: bigint }>(
  rows: readonly Listed[],
  offset: number,
) {
  const total = Number(rows[0]?.total ?? 0n);
  const feeds = rows.filter((row) => row.feed_id !== null);
  return { total, feeds, hasMore: hasMoreAfter({ offset, shown: feeds.length, total }) };
}
