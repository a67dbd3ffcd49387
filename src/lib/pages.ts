/**
 * Pages by `limit` and `offset`.
 *
 * @module
 */

/** Whether there is more behind a page. An offset beyond the end shows nothing, and nothing is behind it. */
export function hasMoreAfter(page: { offset: number; shown: number; total: number }): boolean {
  return page.shown > 0 && page.offset + page.shown < page.total;
}
