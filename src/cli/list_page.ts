/**
 * Pages of lists: `--limit`, and `--after` with the cursor that the previous page wrote to standard error.
 *
 * @module
 */
import type { CursorForm } from "../operator/keyset_cursor.ts";
import { PAGE_ROWS, PAGE_ROWS_MAX, type Page } from "../operator/keyset_page.ts";
import { type Answer, type Option, UsageError } from "./command.ts";
import { integer, text } from "./options.ts";
import { type Columns, table } from "./output.ts";

/** The `--limit` option of lists. */
export const LIMIT_OPTION = integer(`maximum number of rows; default ${PAGE_ROWS}`, {
  least: 1,
  most: PAGE_ROWS_MAX,
});

/** The `--after` option of lists whose cursor is an id, name, or slug. */
export const AFTER_OPTION = text("start after this row; the previous page prints the value", {
  placeholder: "ID",
});

/** The `--after` option of lists whose cursor is a number. */
export function afterNumber(row: string): Option<string> {
  const about = `start after ${row}; the previous page prints the value`;
  const number = integer(about, { least: 1, most: Number.MAX_SAFE_INTEGER });
  return { ...number, read: (given, name) => String(number.read(given, name)) };
}

/** The `--after` option of lists whose rows may move between pages. */
export function afterCursor({ isCursor }: Pick<CursorForm, "isCursor">): Option<string> {
  const plain = text("start after this cursor; the previous page prints it", {
    placeholder: "CURSOR",
  });
  return {
    ...plain,
    read(given, name) {
      if (isCursor(given)) return given;
      throw new UsageError(
        `${name} must be the value that the previous page printed, got "${given}"`,
      );
    },
  };
}

/** Formats a page of a list. `textOf` writes an entry as JSON. */
export function listAnswer<Entry>(
  { entries, nextCursor }: Page<Entry>,
  columns: Columns<Entry>,
  textOf: (entry: Entry) => string = JSON.stringify,
): Answer {
  return {
    json: `[${entries.map((entry) => textOf(entry)).join(",")}]`,
    text: table(entries, columns),
    more:
      nextCursor === null ? undefined : `for more, run the same command with --after ${nextCursor}`,
  };
}
