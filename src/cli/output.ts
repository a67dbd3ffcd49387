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
  /** Asks the person at the terminal; absent if there is none, and with `--json`. */
  readonly confirm?: ((question: string) => boolean) | undefined;
  /** Width of the terminal that it is read on; absent if standard output is none. */
  readonly columns?: number | undefined;
  /** Width of tables: that of the terminal, or without one `COLUMNS`; absent if nothing is to be cut. */
  readonly textColumns?: number | undefined;
  /** Width of the terminal that sees standard error; absent if it is none. */
  readonly statusColumns?: number | undefined;
  /** To that terminal, as it is. */
  readonly status?: ((text: string) => void) | undefined;
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
  /** Asks the person at the terminal; absent if there is none. */
  readonly confirm?: ((question: string) => boolean) | undefined;
  /** Width of the terminal; absent if standard output is none. */
  readonly columns?: number | undefined;
  /** Width of the terminal; absent if standard error is none. */
  readonly statusColumns?: number | undefined;
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
    confirm:
      process.stdin.isTTY && process.stdout.isTTY ? (question) => confirm(question) : undefined,
    // A terminal that does not know its width says 0. Nothing is cut for it.
    columns: process.stdout.isTTY ? process.stdout.columns || Number.POSITIVE_INFINITY : undefined,
    statusColumns: (process.stderr.isTTY && process.stderr.columns) || undefined,
  };
}

/** A text that fits a terminal of so many columns; undefined: nothing is cut. */
export type Fitted = (columns?: number) => string;

/**
 * How narrow a column may become, in the order in which columns give room. An id that is cut can't be copied, but
 * slugs and names stand for it. Numbers stay whole, and so does what is to be copied.
 */
const LEAST = { id: 9, text: 12 } as const;
const GIVING = ["id", "text"] as const;
const TIME_FORM = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const FRACTION = /\.\d+(?=Z$)/;
const NUMBER_FORM = /^-?[\d.]+$/;
const GAP = "  ";

/** What a column shows of a row. */
export type Cell<Row> = (row: Row) => unknown;

/**
 * The columns of a table by their titles, the most important first: the last are left out if there is no room. What
 * is to be copied, such as a slug, is `whole`: it is neither cut nor left out, even if lines become too wide by it.
 */
export type Columns<Row> = Readonly<Record<string, Cell<Row> | { readonly whole: Cell<Row> }>>;

interface Column {
  readonly title: string;
  readonly cells: readonly string[];
  readonly kind: keyof typeof LEAST | "whole";
  /** Whether it is shown whether there is room or not. */
  readonly isCopied: boolean;
  /** That of its widest cell, on the screen. */
  readonly width: number;
  readonly leastWidth: number;
}

/** Rows under a header, each column as wide as its widest value if there is room. */
export function table<Row>(rows: readonly Row[], values: Columns<Row>): Fitted {
  return (columns = Number.POSITIVE_INFINITY) => {
    const all = Object.entries(values).map(([title, value]) => {
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

/** Where the width is limited, times have no fractions. */
function toTheSecond(cells: readonly string[]): readonly string[] {
  return cells.map((cell) => (TIME_FORM.test(cell) ? cell.replace(FRACTION, "") : cell));
}

/** What a column holds; `-` stands for nothing. Numbers and times are whole. */
function kindOf(cells: readonly string[]): Column["kind"] {
  const values = cells.filter((cell) => cell !== "-" && cell !== "");
  if (values.every((value) => NUMBER_FORM.test(value))) return "whole";
  if (values.every((value) => TIME_FORM.test(value))) return "whole";
  return values.every((value) => parseUuid(value) !== undefined) ? "id" : "text";
}

/** Those that are copied, and of the others those that there is room for; one in any case. */
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

/** Of a line of them. */
function widthOf(columns: readonly Column[]): number {
  return columns.reduce((sum, { leastWidth }) => sum + leastWidth + GAP.length, -GAP.length);
}

/** Their widths; of the columns of a kind, the widest gives first. */
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

/**
 * A text whose lines are no wider than the terminal, unless a word is. What goes on in the next line stands below its
 * beginning, which in a line of two columns is that of the second one.
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
  // An option and its value in brackets are one word.
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
