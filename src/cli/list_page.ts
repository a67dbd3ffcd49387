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
export const LIMIT_OPTION = integer(`rows at most; default ${PAGE_ROWS}`, {
  least: 1,
  most: PAGE_ROWS_MAX,
});

/** `--after` of a list whose cursor is a reference: an id, a name, a slug. */
export const AFTER_OPTION = text(
  "go on behind this one; a page that is not the last one names it",
  { placeholder: "ID" },
);

/** `--after` of a list whose cursor is a number. */
export function afterNumber(row: string): Option<string> {
  const about = `go on behind ${row}; a page that is not the last one names it`;
  const number = integer(about, { least: 1, most: Number.MAX_SAFE_INTEGER });
  return { ...number, read: (given, name) => String(number.read(given, name)) };
}

/** `--after` of a list whose rows move while it is walked. */
export function afterCursor({ isCursor }: Pick<CursorForm, "isCursor">): Option<string> {
  const plain = text("go on behind this; a page that is not the last one names it", {
    placeholder: "CURSOR",
  });
  return {
    ...plain,
    read(given, name) {
      if (isCursor(given)) return given;
      throw new UsageError(`${name} must be what the page before gave, got "${given}"`);
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
      nextCursor === null
        ? undefined
        : `there are more: the same command with --after ${nextCursor} goes on`,
  };
}
