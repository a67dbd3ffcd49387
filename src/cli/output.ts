/**
 * Writes what a command says: to standard output, as text for a reader or, with `--json`, as one JSON value.
 *
 * @module
 */

import { codeOf } from "../lib/error_fields.ts";
import { escapeInvisible } from "../lib/invisible_text.ts";
import { parseUuid } from "../lib/uuid.ts";

export interface Output {
  /** Whether `--json` was given. */
  readonly isJson: boolean;
  /** Resolves when the text has left, so that a slow reader slows the command down. */
  write(text: string): Promise<void>;
  /** To standard error, for a reader; nothing with `--json`. */
  note(text: string): void;
}

/** The reader has closed the pipe (`… | head`): there is nothing more to write, and nothing is wrong. */
export class OutputClosedError extends Error {
  override readonly name = "OutputClosedError";
}

/** The streams that a command writes to. */
export interface Streams {
  /** To standard output; resolves when the text has left. @throws {OutputClosedError} */
  write(text: string): Promise<void>;
  /** To standard error. */
  complain(text: string): void;
  /** Width of the terminal; absent if standard output is none. */
  readonly columns?: number | undefined;
}

/** The streams of this process. */
export function processStreams(): Streams {
  const sink = Bun.stdout.writer();
  return {
    async write(text) {
      try {
        // Either may be the one that meets a closed pipe.
        await Promise.all([sink.write(text), sink.flush()]);
      } catch (error) {
        if (codeOf(error) === "EPIPE") throw new OutputClosedError();
        throw error;
      }
    },
    complain: (text) => process.stderr.write(text),
    // A terminal that does not know its width says 0.
    columns: (process.stdout.isTTY && process.stdout.columns) || undefined,
  };
}

/** A text that fits a terminal of so many columns; undefined: nothing is cut. */
export type Fitted = (columns?: number) => string;

/**
 * How narrow a column may become, in the order in which columns give room: first texts, then times down to
 * their date, then ids down to what tells them apart at a glance. Numbers stay whole.
 */
const CUTS = [
  ["text", 12],
  ["time", 11],
  ["id", 9],
  ["text", 4],
] as const;
const TIME_FORM = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const NUMBER_FORM = /^-?[\d.]+$/;
const GAP = "  ";

/** The columns of a table: each one's value in a row, by its title. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => unknown>>;

/** Rows under a header, each column as wide as its widest value if there is room. */
export function table<Row>(rows: readonly Row[], values: Columns<Row>): Fitted {
  const header = Object.keys(values);
  const cells = rows.map((row) => Object.values(values).map((value) => shown(value(row))));
  const lines = [header, ...cells];
  const widths = header.map((_, column) =>
    Math.max(...lines.map((line) => Bun.stringWidth(line[column] ?? ""))),
  );
  return (columns = Number.POSITIVE_INFINITY) => {
    const kinds = header.map((_, column) => kindOf(cells.map((line) => line[column] ?? "")));
    const fitted = fit(widths, { kinds, columns });
    return lines
      .map((line) => line.map((cell, column) => cut(cell, fitted[column] ?? 0)))
      .map((line) => cut(padded(line, fitted), columns))
      .join("\n");
  };
}

type Kind = "text" | "time" | "id" | "number";

/** What a column holds; `-` stands for nothing. */
function kindOf(cells: readonly string[]): Kind {
  const values = cells.filter((cell) => cell !== "-" && cell !== "");
  if (values.every((value) => NUMBER_FORM.test(value))) return "number";
  if (values.every((value) => TIME_FORM.test(value))) return "time";
  return values.every((value) => parseUuid(value) !== undefined) ? "id" : "text";
}

interface Room {
  readonly kinds: readonly Kind[];
  readonly columns: number;
}

/** Narrower widths for a table that is too wide; of the columns of a kind, the widest gives first. */
function fit(widths: readonly number[], { kinds, columns }: Room): readonly number[] {
  const fitted = [...widths];
  let excess = widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length) - columns;
  for (const [kind, least] of CUTS) {
    for (; excess > 0; excess--) {
      const giving = fitted.map((width, column) => (kinds[column] === kind ? width : 0));
      const widest = Math.max(...giving);
      if (widest <= least) break;
      fitted[giving.indexOf(widest)] = widest - 1;
    }
  }
  return fitted;
}

/** At most as wide as there is room, with … in place of what is left out. */
function cut(text: string, width: number): string {
  if (Bun.stringWidth(text) <= width) return text;
  let kept = "";
  for (const character of text) {
    if (Bun.stringWidth(kept + character) >= width) break;
    kept += character;
  }
  return `${kept}…`;
}

/** One name and value a line, the values below each other; what is undefined has no line. */
export function fields(pairs: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(pairs).filter(([, value]) => value !== undefined);
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => padded([name, shown(value)], [width, 0])).join("\n");
}

function padded(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) => {
      const missing = (widths[column] ?? 0) - Bun.stringWidth(cell);
      return cell + " ".repeat(Math.max(0, missing));
    })
    .join(GAP)
    .trimEnd();
}

/** A value on one line; `-` stands for null. */
export function shown(value: unknown): string {
  return value === null ? "-" : escapeInvisible(String(value).replace(/\s+/g, " "));
}
