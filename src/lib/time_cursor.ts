/**
 * Cursors of lists in the order of time: the time and the id of a page's last row, sealed, so that a cursor is valid only
 * for the list that it was issued for.
 *
 * @module
 */
import { openToken, sealToken, type TokenOptions } from "./sealed_token.ts";

/** Where a page begins: behind this row. Both are null on the first page. */
export interface PagePlace {
  readonly before_time: string | null;
  readonly before_id: string | null;
}

export interface TimePage<Row> {
  readonly rows: readonly Row[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

interface TimeList<Row> {
  readonly limit: number;
  /** `nextCursor` of the page before. */
  readonly cursor: string | undefined;
  readonly scope: TokenOptions;
  /** It is asked for one row more than the page has, which tells whether there is a next page. */
  readonly read: (place: PagePlace, rowsMax: number) => Promise<readonly Row[]>;
  readonly placeOf: (row: Row) => { readonly time: string; readonly id: string };
}

/** Undefined if the cursor was not issued for this list. */
export async function readTimePage<Row>({
  limit,
  cursor,
  scope,
  read,
  placeOf,
}: TimeList<Row>): Promise<TimePage<Row> | undefined> {
  const opened = cursor === undefined ? undefined : openToken(cursor, scope);
  if (cursor !== undefined && opened === undefined) return undefined;
  const [time = null, id = null] = opened?.toString("utf8").split(" ") ?? [];
  const found = await read({ before_time: time, before_id: id }, limit + 1);
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  if (last === undefined) return { rows, nextCursor: null };
  const place = placeOf(last);
  return { rows, nextCursor: sealToken(Buffer.from(`${place.time} ${place.id}`, "utf8"), scope) };
}
