/**
 * Pages of lists: `--limit`, and `--after` with the cursor that the page before wrote to standard error.
 *
 * @module
 */
import type { CursorForm } from "../operator/keyset_cursor.ts";
import { PAGE_ROWS, PAGE_ROWS_MAX, type Page } from "../operator/keyset_page.ts";
import { type Answer, type Option, UsageError } from "./command.ts";
import { integer, text } from "./options.ts";
import { type Columns, table } from "./output.ts";

/** `--limit` of every list. */
export const LIMIT_OPTION = integer(`maximum number of rows; default ${PAGE_ROWS}`, {
  least: 1,
  most: PAGE_ROWS_MAX,
});

/** `--after` of a list whose cursor is a reference: an id, a name, a slug. */
export const AFTER_OPTION = text("start after this row; the previous page prints the value", {
  placeholder: "ID",
});

/** `--after` of a list whose cursor is a number. */
export function afterNumber(row: string): Option<string> {
  const about = `start after ${row}; the previous page prints the value`;
  const number = integer(about, { least: 1, most: Number.MAX_SAFE_INTEGER });
  return { ...number, read: (given, name) => String(number.read(given, name)) };
}

/** `--after` of a list whose rows move while it is walked. */
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

/** A page of a list as a command prints it. `textOf` writes an entry as JSON. */
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
