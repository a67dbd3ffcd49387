/**
 * Checks the lines of a file by the rules of a pushed row, and keeps the first bad lines.
 *
 * @module
 */
import type { FeedType } from "../../feeds/find.ts";
import { Problem } from "../../http/problem_details.ts";
import type { FieldError } from "../../lib/field_error.ts";
import { JsonSyntaxError, type KnownKeys } from "../../lib/json_text.ts";
import { ERRORS_LISTED_MAX, IMPORT_EMPTY_PIECES_MAX, IMPORT_PIECE_BYTES } from "../../limits.ts";
import { checkRow, isRowTooLarge, type PushedRow, scanRow } from "./check_row.ts";
import type { SourceLine } from "./source_line.ts";

interface LineRules {
  readonly feedType: FeedType;
  readonly rowBytesMax: number;
  /** Keys of the previous line. The rows of a file mostly have the same keys. */
  readonly keys: KnownKeys;
  /** What a line is called. A JSON array has rows. @default "line" */
  readonly noun?: "line" | "row";
}

/** The row of a line, with the line number as its `index`, or the first mistake in the line. */
export function checkLine(
  { line, text, mistake }: SourceLine,
  { feedType, rowBytesMax, keys, noun = "line" }: LineRules,
): PushedRow | FieldError {
  if (mistake !== undefined) return badLine(line, { path: "", message: mistake });
  try {
    const json = scanRow(text, { path: "", firstLine: line, refusalsMax: 1, keys });
    const found = { json, span: json.root, pointer: "", index: line };
    if (isRowTooLarge(found, rowBytesMax)) {
      const message = `the row is larger than the limit of ${rowBytesMax} bytes`;
      return badLine(line, { path: "", message });
    }
    const [refusal] = json.refusals;
    if (refusal !== undefined) return badLine(line, refusal);
    const { row, mistakes } = checkRow(found, { feedType, isList: true, noun });
    const [first] = mistakes;
    return first === undefined ? row : badLine(line, first);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return badLine(line, { path: "", message: error.message });
  }
}

/**
 * Passes on the lines of a file, and refuses a file with too long a stretch without any. A gigabyte of line ends
 * compresses to a megabyte, so it costs the sender nothing.
 *
 * @param lineBytesMax length of the longest line, within which no row ends
 * @throws {Problem} 422 after too many pieces without a line
 */
export async function* boundEmptyPieces(
  pieces: AsyncIterable<readonly SourceLine[]>,
  lineBytesMax: number,
): AsyncGenerator<readonly SourceLine[], void, void> {
  const emptyMax = IMPORT_EMPTY_PIECES_MAX + Math.ceil(lineBytesMax / IMPORT_PIECE_BYTES);
  let empty = 0;
  for await (const lines of pieces) {
    empty = lines.length === 0 ? empty + 1 : 0;
    if (empty > emptyMax) throw onlyEmptyLines(emptyMax);
    yield lines;
  }
}

function onlyEmptyLines(emptyMax: number): Problem {
  const message = `the file has more than ${emptyMax} consecutive pieces of 16 KB in which no row ends; remove empty lines`;
  return new Problem("VALIDATION_FAILED", {
    detail: `The import was stopped: ${message}. Correct the file and import it again.`,
    errors: [{ path: "", message }],
  });
}

/** A line's mistake, as it appears in the answer. */
export function badLine(
  line: number,
  { path, message, row_id: rowId }: Pick<FieldError, "path" | "message" | "row_id">,
): FieldError {
  return { line, path, message, ...(rowId !== undefined && { row_id: rowId }) };
}

/** The bad lines of a file. All are counted, and the first ones are kept. Each has one mistake. */
export class BadLines {
  readonly #errors = new Map<number, FieldError>();
  /** Mistakes in addition to those that are kept. */
  #further = 0;

  get count(): number {
    return this.#errors.size + this.#further;
  }

  add(error: FieldError): void {
    const { line = 0 } = error;
    if (this.#errors.has(line)) return;
    if (this.#errors.size < ERRORS_LISTED_MAX) this.#errors.set(line, error);
    else this.#further += 1;
  }

  /** Counts mistakes of which only the number is known. */
  countFurther(mistakes: number): void {
    this.#further += mistakes;
  }

  /** In file order. */
  get errors(): readonly FieldError[] {
    return [...this.#errors.values()].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  }
}
