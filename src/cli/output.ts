/**
 * Writes the output of commands to standard output: readable text or, with `--json`, one JSON value.
 *
 * @module
 */

import { codeOf } from "../lib/error_fields.ts";
import { escapeInvisible } from "../lib/invisible_text.ts";
import { parseUuid } from "../lib/uuid.ts";

export interface Output {
  /** Whether `--json` was given. */
  readonly isJson: boolean;
  /** Resolves when the text has been written, so that a slow reader slows the command down. */
  write(text: string): Promise<void>;
  /** Writes to standard error, for readers. Does nothing with `--json`. */
  note(text: string): void;
  /** Asks the user to confirm. Absent without a terminal, and with `--json`. */
  readonly confirm?: ((question: string) => boolean) | undefined;
  /** Width of the terminal. Absent if standard output is not a terminal. */
  readonly columns?: number | undefined;
  /** Width of tables: that of the terminal, or else `COLUMNS`. Absent if tables are not limited. */
  readonly textColumns?: number | undefined;
  /** Width of the terminal on standard error. Absent if standard error is not a terminal. */
  readonly statusColumns?: number | undefined;
  /** Writes to that terminal, without escaping. */
  readonly status?: ((text: string) => void) | undefined;
}

/** The reader has closed the pipe, as in `… | head`. The command stops without an error. */
export class OutputClosedError extends Error {
  override readonly name = "OutputClosedError";
}

/** Streams for a command's output. */
export interface Streams {
  /** Writes to standard output, and resolves when the text has been written. @throws {OutputClosedError} */
  write(text: string): Promise<void>;
  /** Writes to standard error. */
  complain(text: string): void;
  /** Asks the user to confirm. Absent without a terminal. */
  readonly confirm?: ((question: string) => boolean) | undefined;
  /** Width of the terminal. Absent if standard output is not a terminal. */
  readonly columns?: number | undefined;
  /** Width of the terminal. Absent if standard error is not a terminal. */
  readonly statusColumns?: number | undefined;
}

/** The streams of this process. */
export function processStreams(): Streams {
  const sink = Bun.stdout.writer();
  return {
    async write(text) {
      try {
        // Either call may fail if the pipe is closed.
        await Promise.all([sink.write(text), sink.flush()]);
      } catch (error) {
        if (codeOf(error) === "EPIPE") throw new OutputClosedError();
        throw error;
      }
    },
    complain: (text) => process.stderr.write(text),
    confirm:
      process.stdin.isTTY && process.stdout.isTTY ? (question) => confirm(question) : undefined,
    // A terminal of unknown width reports 0. Its output is not limited.
    columns: process.stdout.isTTY ? process.stdout.columns || Number.POSITIVE_INFINITY : undefined,
    statusColumns: (process.stderr.isTTY && process.stderr.columns) || undefined,
  };
}

/** Formats a text for a terminal of this width. Undefined means no limit. */
export type Fitted = (columns?: number) => string;

/**
 * Minimum widths, in the order in which kinds of columns shrink. A truncated id can't be copied, but rows also show
 * slugs or names. Numbers and values to copy are never truncated.
 */
const LEAST = { id: 9, text: 12 } as const;
const GIVING = ["id", "text"] as const;
const TIME_FORM = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const FRACTION = /\.\d+(?=Z$)/;
const NUMBER_FORM = /^-?[\d.]+$/;
const GAP = "  ";

/** Returns the value of a column for a row. */
export type Cell<Row> = (row: Row) => unknown;

/**
 * Columns by title, most important first: the last ones are omitted if there is no room. Columns with values to copy,
 * such as slugs, are `whole`: they are neither truncated nor omitted, even if lines become too wide.
 */
export type Columns<Row> = Readonly<Record<string, Cell<Row> | { readonly whole: Cell<Row> }>>;

interface Column {
  readonly title: string;
  readonly cells: readonly string[];
  readonly kind: keyof typeof LEAST | "whole";
  /** Whether the column is shown even if there is no room. */
  readonly isCopied: boolean;
  /** Width of the widest cell on the screen. */
  readonly width: number;
  readonly leastWidth: number;
}

/**
 * Formats rows under a header. Each column is as wide as its widest value, if there is room. Titles that a provider
 * chose come as a map: objects put names such as `2024` first.
 */
export function table<Row>(
  rows: readonly Row[],
  values: Columns<Row> | Map<string, Columns<Row>[string]>,
): Fitted {
  const titled = values instanceof Map ? [...values] : Object.entries(values);
  return (columns = Number.POSITIVE_INFINITY) => {
    const all = titled.map(([name, value]) => {
      // A field's name may contain anything, like its values.
      const title = shown(name);
      const isCopied = typeof value !== "function";
      const cell = isCopied ? value.whole : value;
      const cells = rows.map((row) => shown(cell(row)));
      return columnOf(
        title,
        columns === Number.POSITIVE_INFINITY ? cells : toTheSecond(cells),
        isCopied,
      );
    });
    const kept = keep(all, columns);
    const widths = fit(kept, columns);
    const lines = [
      kept.map(({ title }, place) => cut(title, widths[place] ?? 0)),
      ...rows.map((_, row) =>
        kept.map(({ cells }, place) => cut(cells[row] ?? "", widths[place] ?? 0)),
      ),
    ].map((cells) => padded(cells, widths));
    const leftOut = all.filter((column) => !kept.includes(column)).map(({ title }) => title);
    if (leftOut.length > 0) lines.push(`Columns omitted: ${leftOut.join(", ")}; see --json`);
    const width = Math.max(columns, widthOf(kept.filter(({ isCopied }) => isCopied)));
    return lines.map((line) => cut(line, width)).join("\n");
  };
}

function columnOf(title: string, cells: readonly string[], isCopied: boolean): Column {
  const kind = isCopied ? "whole" : kindOf(cells);
  const width = Math.max(...[title, ...cells].map((text) => Bun.stringWidth(text)));
  const leastWidth =
    kind === "whole" ? width : Math.min(width, Math.max(LEAST[kind], Bun.stringWidth(title)));
  return { title, cells, kind, isCopied, width, leastWidth };
}

/** Removes fractions of seconds from times, to save width. */
function toTheSecond(cells: readonly string[]): readonly string[] {
  return cells.map((cell) => (TIME_FORM.test(cell) ? cell.replace(FRACTION, "") : cell));
}

/** The kind of a column's values, where `-` means none. Numbers and times are never truncated. */
function kindOf(cells: readonly string[]): Column["kind"] {
  const values = cells.filter((cell) => cell !== "-" && cell !== "");
  if (values.every((value) => NUMBER_FORM.test(value))) return "whole";
  if (values.every((value) => TIME_FORM.test(value))) return "whole";
  return values.every((value) => parseUuid(value) !== undefined) ? "id" : "text";
}

/** The columns to show: all that must be shown, and others as long as there is room. Keeps at least one. */
function keep(all: readonly Column[], columns: number): readonly Column[] {
  const copied = all.filter(({ isCopied }) => isCopied);
  let room = columns - (copied.length > 0 ? widthOf(copied) : -GAP.length);
  return all.filter(({ isCopied, leastWidth }, place) => {
    if (isCopied) return true;
    const isKept = (place === 0 && copied.length === 0) || leastWidth + GAP.length <= room;
    if (isKept) room -= leastWidth + GAP.length;
    return isKept;
  });
}

/** Minimum width of a line of these columns. */
function widthOf(columns: readonly Column[]): number {
  return columns.reduce((sum, { leastWidth }) => sum + leastWidth + GAP.length, -GAP.length);
}

/** The columns' widths. Within a kind, the widest column shrinks first. */
function fit(kept: readonly Column[], columns: number): readonly number[] {
  const widths = kept.map(({ width }) => width);
  let excess = widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length) - columns;
  for (const kind of GIVING) {
    while (excess > 0) {
      const room = kept.map((column, place) => {
        const width = widths[place] ?? 0;
        return column.kind === kind && width > column.leastWidth ? width : 0;
      });
      const widest = Math.max(...room);
      if (widest <= 0) break;
      widths[room.indexOf(widest)] = widest - 1;
      excess -= 1;
    }
  }
  return widths;
}

/** Truncates a text to this width, with … at the end. */
function cut(text: string, width: number): string {
  if (Bun.stringWidth(text) <= width) return text;
  let kept = "";
  for (const character of text) {
    if (Bun.stringWidth(kept + character) >= width) break;
    kept += character;
  }
  return `${kept}…`;
}

/**
 * Wraps lines to the terminal's width. Only a longer word exceeds it. Continuation lines are indented to the start of
 * the line's text; in a line of two columns, to the second one.
 */
export function wrapped(text: string, columns = Number.POSITIVE_INFINITY): string {
  return text
    .split("\n")
    .map((line) => wrappedLine(line, columns))
    .join("\n");
}

function wrappedLine(line: string, columns: number): string {
  if (Bun.stringWidth(line) <= columns) return line;
  const [, before = "", rest = ""] = /^( +\S.*? {2,})?(.*)$/.exec(line) ?? [];
  const isUsage = line.startsWith("Usage:");
  const indent = " ".repeat(isUsage ? 2 : Math.min(before.length, Math.floor(columns / 2)));
  const lines: string[] = [];
  let current = before;
  let isEmpty = true;
  // A bracketed option and its value stay together.
  for (const word of rest.split(/ (?![^[]*\])/)) {
    const longer = isEmpty ? current + word : `${current} ${word}`;
    if (!isEmpty && Bun.stringWidth(longer) > columns) {
      lines.push(current);
      current = indent + word;
    } else current = longer;
    isEmpty = false;
  }
  return [...lines, current].join("\n");
}

/** One name and value per line, with values aligned. Undefined values are omitted. */
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

/** A value on one line. `-` means null. */
export function shown(value: unknown): string {
  return value === null ? "-" : escapeInvisible(String(value).replace(/\s+/g, " "));
}
