/**
 * Structured logs on stderr: one JSON object per line, or readable text if stderr is a terminal.
 *
 * Callers pass ids, never keys or payloads.
 *
 * @module
 */
import { escapeInvisible } from "./invisible_text.ts";
import { StderrLines } from "./stderr.ts";

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Whether lines of this level are written. On a hot path, check this before building a line. */
  isEnabled(level: Exclude<LogLevel, "silent">): boolean;
}

export interface LogOptions {
  readonly level: LogLevel;
  /** @default whether stderr is a terminal */
  readonly isReadable?: boolean;
  /** @default standard error */
  readonly write?: (line: string) => void;
}

const RANK: Readonly<Record<LogLevel, number>> = {
  debug: 0,
  info: 1,
  warn: 2,
  error: 3,
  silent: 4,
};

export function createLog(options: LogOptions): Log {
  const { level, isReadable = process.stderr.isTTY === true, write = stderrWriter() } = options;

  function at(name: Exclude<LogLevel, "silent">) {
    if (RANK[name] < RANK[level]) return () => {};
    return (message: string, fields: LogFields = {}) => {
      const time = new Date().toISOString();
      const plain = Object.fromEntries(
        Object.entries(fields)
          .filter(([, value]) => value !== undefined)
          .map(([key, value]) => [key, plainOf(value)]),
      );
      const pairs = Object.entries(plain).map(([key, value]) => `${key}=${value}`);
      write(
        isReadable
          ? escapeInvisible([time.slice(11, 23), name.padEnd(5), message, ...pairs].join(" "))
          : JSON.stringify({ time, level: name, message, ...plain }),
      );
    };
  }
  const log: Log = {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    isEnabled: (name) => RANK[name] >= RANK[level],
  };
  return log;

  function stderrWriter(): (line: string) => void {
    const stderr = new StderrLines({
      onDropped: (lineCount) =>
        log.warn("log lines dropped because they were not read", { line_count: lineCount }),
    });
    process.on("exit", () => stderr.end());
    return (line) => stderr.add(line);
  }
}

/** Converts an error to its stack and those of its causes, and a bigint to text. */
function plainOf(value: unknown): unknown {
  if (value instanceof Error) {
    const cause = value.cause === undefined ? "" : `\ncaused by: ${plainOf(value.cause)}`;
    return `${value.stack ?? value.message}${cause}`;
  }
  return typeof value === "bigint" ? String(value) : value;
}
