/**
 * Where a command writes: standard output, as text for a reader or, with `--json`, as one JSON value.
 *
 * @module
 */
import { escapeInvisible } from "../lib/invisible_text.ts";

export interface Output {
  /** Whether `--json` was given. */
  readonly isJson: boolean;
  /** Resolves when the text has left: what is written slowly is read slowly, too. */
  write(text: string): Promise<void>;
  /** To standard error, for a reader; nothing with `--json`. */
  note(text: string): void;
}

/** Who reads has closed the pipe (`… | head`): nothing more is to be written, and nothing is wrong. */
export class OutputClosedError extends Error {
  override readonly name = "OutputClosedError";
}

/** The streams that a command writes to. */
export interface Streams {
  /** To standard output; resolves when the text has left. @throws {OutputClosedError} */
  write(text: string): Promise<void>;
  /** To standard error. */
  complain(text: string): void;
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
        if ((error as { code?: string }).code === "EPIPE") throw new OutputClosedError();
        throw error;
      }
    },
    complain: (text) => process.stderr.write(text),
  };
}

/** Rows under a header, each column as wide as its widest value. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows];
  const widths = header.map((_, column) =>
    Math.max(...lines.map((line) => Bun.stringWidth(line[column] ?? ""))),
  );
  return lines.map((line) => padded(line, widths)).join("\n");
}

/** One name and value a line, the values below each other. */
export function fields(pairs: Readonly<Record<string, string>>): string {
  const entries = Object.entries(pairs);
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map((entry) => padded(entry, [width, 0])).join("\n");
}

function padded(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map(
      (cell, column) =>
        cell +
        " ".repeat((widths[column] ?? 0) - Math.min(widths[column] ?? 0, Bun.stringWidth(cell))),
    )
    .join("  ")
    .trimEnd();
}

/** A stored value on one line; what a table shows for null. */
export function shown(value: unknown): string {
  return value === null || value === undefined
    ? "-"
    : escapeInvisible(String(value).replace(/\s+/g, " "));
}
