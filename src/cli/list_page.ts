/**
 * Pages of lists: `--limit`, and `--after` with the cursor that the page before wrote to standard error.
 *
 * A list has a stable order, and the next page begins after the row that the cursor names. So no row is shown
 * twice or left out if rows are added meanwhile. A cursor is the row's own id, so nothing is stored for it. Where rows
 * move, the cursor also has their values and the moment as of which the first page was shown.
 *
 * @module
 */
import { type Answer, type Option, UsageError } from "./command.ts";
import { integer, text } from "./options.ts";
import { type Columns, table } from "./output.ts";

/** Rows of a list without `--limit`, and at most with it. */
export const LIMIT_DEFAULT = 100;
export const LIMIT_MAX = 1_000;

/** `--limit` of every list. */
export const LIMIT_OPTION = integer(`rows at most; default ${LIMIT_DEFAULT}`, {
  least: 1,
  most: LIMIT_MAX,
});

/** `--after` of a list whose cursor is a reference: an id, a name, a slug. */
export const AFTER_OPTION = text(
  "go on behind this one; a page that is not the last one tells it",
  { placeholder: "ID" },
);

/** `--after` of a list whose cursor is a number. */
export function afterNumber(row: string): Option<bigint> {
  const about = `go on behind ${row}; a page that is not the last one tells it`;
  const number = integer(about, { least: 1, most: Number.MAX_SAFE_INTEGER });
  return { ...number, read: (given, name) => BigInt(number.read(given, name)) };
}

/**
 * `--after` of a list whose rows may move while it is walked. The cursor has the values that the next page goes on by,
 * and those as of which the whole list is shown. `checks` are of its parts, which have commas between them.
 */
export function afterValues(checks: readonly Option<unknown>["read"][]): Option<readonly string[]> {
  return {
    ...text("go on behind this; a page that is not the last one tells it", {
      placeholder: "CURSOR",
    }),
    read(given, name) {
      const parts = given.split(",");
      if (parts.length !== checks.length) {
        throw new UsageError(`${name} must be what the page before told, got "${given}"`);
      }
      for (const [place, check] of checks.entries()) check(parts[place] ?? "", name);
      return parts;
    },
  };
}

export interface List<Row> {
  /** Rows in the list's order, after the cursor. It is asked for one more than is shown. */
  read(rowsMax: number): Promise<readonly Row[]>;
  /** The cursor of a row: `--after` goes on after it. */
  cursorOf(row: Row): unknown;
  /** The text of a row as a JSON value. */
  json(row: Row): string;
  readonly columns: Columns<Row>;
}

/** A page of a list, and whether there are more. */
export async function listAnswer<Row>(
  limit: number | undefined,
  { read, cursorOf, json, columns }: List<Row>,
): Promise<Answer> {
  const rowsMax = limit ?? LIMIT_DEFAULT;
  const found = await read(rowsMax + 1);
  const rows = found.slice(0, rowsMax);
  const last = rows.at(-1);
  const isLast = last === undefined || found.length === rows.length;
  return {
    json: `[${rows.map(json).join(",")}]`,
    text: table(rows, columns),
    more: isLast
      ? undefined
      : `there are more: the same command with --after ${cursorOf(last)} goes on`,
  };
}
