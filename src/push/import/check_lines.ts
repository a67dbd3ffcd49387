/**
 * Checks the lines of a file by the rules of a pushed row, and keeps the first bad lines. Beyond 10.
 *
 * @module
 */
import type { FeedType } from "../../feeds/find.ts";
import type { FieldError } from "../../lib/field_error.ts";
import { JsonSyntaxError, type KnownKeys } from "../../lib/json_text.ts";
import { ERRORS_LISTED_MAX } from "../../limits.ts";
import { checkRow, isRowTooLarge, type PushedRow, scanRow } from "../check_row.ts";
import type { SourceLine } from "./source_line.ts";

interface LineRules {
  readonly feedType: FeedType;
  readonly rowBytesMax: number;
  /** Of the line before: the rows of a file mostly share their keys. */
  readonly keys: KnownKeys;
}

/** The row of a line; `index` is the line. Or what is wrong with it: the first mistake of all. */
export function checkLine(
  { line, text, mistake }: SourceLine,
  { feedType, rowBytesMax, keys }: LineRules,
): PushedRow | FieldError {
  if (mistake !== undefined) return badLine(line, { path: "", message: mistake });
  try {
    const json = scanRow(text, { path: "", firstLine: line, refusalsMax: 1, keys });
    const found = { json, span: json.root, pointer: "", index: line };
    if (isRowTooLarge(found, rowBytesMax)) {
      const message = `the row is larger than the ${rowBytesMax} bytes of one row`;
      return badLine(line, { path: "", message });
    }
    const [refusal] = json.refusals;
    if (refusal !== undefined) return badLine(line, refusal);
    const { row, mistakes } = checkRow(found, { feedType, isList: true, noun: "line" });
    const [first] = mistakes;
    return first === undefined ? row : badLine(line, first);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return badLine(line, { path: "", message: error.message });
  }
}

/** A line's mistake, as it is answered. */
export function badLine(
  line: number,
  { path, message, row_id: rowId }: Pick<FieldError, "path" | "message" | "row_id">,
): FieldError {
  return { line, path, message, ...(rowId !== undefined && { row_id: rowId }) };
}

/** The first bad lines of a file. Each has one mistake. */
export class BadLines {
  readonly #errors = new Map<number, FieldError>();

  get count(): number {
    return this.#errors.size;
  }

  /** Whether no more are listed, so that nothing more need be read. */
  get isFull(): boolean {
    return this.#errors.size >= ERRORS_LISTED_MAX;
  }

  add(error: FieldError): void {
    const { line = 0 } = error;
    if (!this.isFull && !this.#errors.has(line)) this.#errors.set(line, error);
  }

  /** In the order of the file. */
  get errors(): readonly FieldError[] {
    return [...this.#errors.values()].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  }
}
