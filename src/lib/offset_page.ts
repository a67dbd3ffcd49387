/**
 * Pages by `limit` and `offset`.
 *
 * @module
 */

/** Whether there is more after a page. An offset beyond the end shows nothing, and nothing follows it. */
export function hasMoreAfter(page: { offset: number; shown: number; total: number }): boolean {
  return page.shown > 0 && page.offset + page.shown < page.total;
}

/** A row of a listing. A page without feeds has a single row with the total and nothing else. */
interface ListedRow {
  readonly feed_id: string | null;
  readonly total: bigint;
}

export interface ListedPage<Listed extends ListedRow> {
  /** Feeds on all pages together. */
  readonly total: number;
  readonly feeds: readonly Listed[];
  readonly hasMore: boolean;
}

/** A page from a statement whose rows contain the total. */
export function listedPage<Listed extends ListedRow>(
  rows: readonly Listed[],
  offset: number,
): ListedPage<Listed> {
  const total = Number(rows[0]?.total ?? 0n);
  const feeds = rows.filter((row) => row.feed_id !== null);
  return { total, feeds, hasMore: hasMoreAfter({ offset, shown: feeds.length, total }) };
}

interface Part {
  readonly limit: number;
  readonly offset: number;
}

/** A page of two listings, of which one comes before the other. `rest` is asked for what `first` leaves room for. */
export async function joinedPage<Listed extends ListedRow>(
  { limit, offset }: Part,
  listings: {
    readonly first: () => Promise<readonly Listed[]>;
    readonly rest: (part: Part) => Promise<readonly Listed[]>;
  },
): Promise<ListedPage<Listed>> {
  const first = listedPage(await listings.first(), offset);
  const restOffset = Math.max(0, offset - first.total);
  const room = limit - first.feeds.length;
  const rest = listedPage(await listings.rest({ limit: room, offset: restOffset }), restOffset);
  const feeds = [...first.feeds, ...rest.feeds];
  const total = first.total + rest.total;
  return { total, feeds, hasMore: hasMoreAfter({ offset, shown: feeds.length, total }) };
}
