/**
 * Pages of lists: `--limit`, and `--after` with what the page before has told on standard error.
 *
 * A list has a stable order, and the next page begins behind the row that the cursor names, so nothing is shown
 * twice or left out where rows are added meanwhile. A cursor is the row's own id, so there is nothing to keep.
 *
 * @module
 */
import type { Option } from "./command.ts";
import { count, text } from "./options.ts";

/** Rows of a list without `--limit`, and at most with it. */
export const LIMIT_DEFAULT = 100;
export const LIMIT_MAX = 1_000;
const CURSOR_LENGTH_MAX = 200;

/** `--limit` of every list. */
export const LIMIT_OPTION = count(`rows at most; default ${LIMIT_DEFAULT}`, LIMIT_MAX);

/** `--after` of a list whose cursor is a reference: an id, and whatever else names such a thing. */
export const AFTER_OPTION: Option<string, false> = text({
  placeholder: "ID",
  about: "go on behind this one; a page that is not the last one tells it",
  lengthMax: CURSOR_LENGTH_MAX,
});

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** For the answer: that there are more rows, and how to see them. */
  readonly more: string | undefined;
}

export interface PageSource<Row> {
  /** In the list's order, from behind the cursor; one row more than is shown is asked for. */
  read(rowsMax: number): Promise<readonly Row[]>;
  /** What `--after` takes to go on behind a row. */
  cursorOf(row: Row): unknown;
}

export async function readPage<Row>(
  limit: number | undefined,
  { read, cursorOf }: PageSource<Row>,
): Promise<Page<Row>> {
  const rowsMax = limit ?? LIMIT_DEFAULT;
  const found = await read(rowsMax + 1);
  const rows = found.slice(0, rowsMax);
  const last = rows.at(-1);
  const isLast = last === undefined || found.length === rows.length;
  return {
    rows,
    more: isLast
      ? undefined
      : `there are more: the same command with --after ${cursorOf(last)} goes on`,
  };
}
