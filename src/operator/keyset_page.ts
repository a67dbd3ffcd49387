/**
 * Pages of an operator's lists.
 *
 * A list has a stable order, and the next page begins after the row that the cursor identifies. So no row is repeated
 * or skipped if rows are added in the meantime. A cursor is the row's own id, so nothing is stored for it.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { text } from "../lib/typebox.ts";
import { NAME_LENGTH_MAX } from "../limits.ts";

/** Rows of a page if no number is asked for, and at most. */
export const PAGE_ROWS = 100;
export const PAGE_ROWS_MAX = 1_000;
/** Characters. The longest names an account, or a place in the revenue by two times, an amount and an id. */
const CURSOR_LENGTH_MAX = NAME_LENGTH_MAX;

/** What every list takes. */
export const PAGE_INPUT = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PAGE_ROWS_MAX,
      description: `Maximum number of rows; default ${PAGE_ROWS}.`,
    }),
  ),
  cursor: Type.Optional(
    text({
      minLength: 1,
      maxLength: CURSOR_LENGTH_MAX,
      description: "The `next_cursor` of the previous page.",
    }),
  ),
};

export interface Page<Entry> {
  readonly entries: readonly Entry[];
  /** Entries that it may have. */
  readonly limit: number;
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

interface PageSource<Row, Entry> {
  /** Reads rows after the cursor, in the list's order. It is asked for one more row than the page shows. */
  read(rowsMax: number): Promise<readonly Row[]>;
  cursorOf(row: Row): string | bigint;
  entryOf(row: Row): Entry;
}

export async function readPage<Row, Entry>(
  limit = PAGE_ROWS,
  { read, cursorOf, entryOf }: PageSource<Row, Entry>,
): Promise<Page<Entry>> {
  const found = await read(limit + 1);
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const isLast = last === undefined || found.length === rows.length;
  const nextCursor = isLast ? null : String(cursorOf(last));
  return { entries: rows.map(entryOf), limit, nextCursor };
}
