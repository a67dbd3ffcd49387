/**
 * Defines commands: their words, options and function. Parsing, help, and usage errors are derived from the table of
 * commands (`command_table.ts`, `command_line.ts`).
 *
 * @module
 */
import type { Config } from "../config.ts";
import type { openDatabase } from "../postgres/open_database.ts";
import type { Fitted, Output } from "./output.ts";

/** An option of a command, which parses its text into a typed value. */
export interface Option<Value, IsRequired extends boolean = false> {
  /** Placeholder of the value in help texts, such as `N` or `ID`. Empty for a flag. */
  readonly placeholder: string;
  readonly about: string;
  readonly isRequired: IsRequired;
  /** Whether it may be given more than once. @default false */
  readonly isRepeated?: boolean;
  /**
   * @param name the option as typed, such as `--credits`
   * @param before the value so far, if the option is repeated
   * @throws {UsageError} if the text is not a valid value
   */
  read(text: string, name: string, before?: Value): Value;
}

export type Options = Readonly<Record<string, Option<unknown, boolean>>>;

export type Values<Of extends Options> = {
  readonly [Name in keyof Of]: Of[Name] extends Option<infer Value, infer IsRequired>
    ? IsRequired extends true
      ? Value
      : Value | undefined
    : never;
};

/** Input of a command. */
export interface Input<Of extends Options> {
  readonly values: Values<Of>;
  /** The first argument. "" if there is none. */
  readonly argument: string;
  /** All arguments. */
  readonly arguments: readonly string[];
  readonly config: Config;
  readonly output: Output;
  /** The process's environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The command line as typed. */
  readonly argv: readonly string[];
  /** Maximum pause of a client between retries, in milliseconds. */
  readonly pauseMsMax?: number | undefined;
  /** Opens the database, for commands that need it. */
  readonly open?: typeof openDatabase | undefined;
}

/** Output of a command that succeeded. */
export interface Answer {
  /** The text of one JSON value, for `--json`. */
  readonly json: string;
  /** For readers, without a line break at the end. */
  readonly text: string | Fitted;
  /** How to list more rows. Printed to standard error, even with `--json`. */
  readonly more?: string | undefined;
  /** Why the command exits with 1 even though it ran: it found problems. Printed to standard error. */
  readonly refusal?: string | undefined;
}

export interface CommandSpec<Of extends Options> {
  /** Words that name the command, such as `account create`. */
  readonly words: string;
  /** Placeholder of the argument, such as `CODE`. Undefined if the command takes none. */
  readonly argument?: string;
  /** Whether the argument may be repeated. */
  readonly isRepeated?: boolean;
  /** How many arguments `argument` names. @default 1 */
  readonly argumentCount?: number;
  /** Summary on one line, without a period. */
  readonly about: string;
  readonly options: Of;
  /** Whether to create an embedded database if there is none. Otherwise the command is refused. @default false */
  readonly makesDatabase?: boolean;
  /** Whether the command works without a database. @default false */
  readonly needsNoDatabase?: boolean;
  /** Whether the command calls a gateway, with `--url` and `--key`, and needs no database. @default false */
  readonly isClient?: boolean;
  /** Whether the output can't be retrieved later. @default false */
  readonly isPrintedOnce?: boolean;
  /** Returns undefined if the command has already written its output. */
  run(input: Input<Of>): Promise<Answer | undefined>;
}

export type Command = CommandSpec<Options>;

/** Defines a command for the table. Checks that its function matches its options, then erases their types. */
export function defineCommand<Of extends Options>(spec: CommandSpec<Of>): Command {
  return spec as unknown as Command;
}

/** The command line is invalid. Exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The command line is valid, but the command was refused. Exit code 1. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
}

/** The command was interrupted or could not reach the gateway, and can be resumed or repeated. Exit code 3. */
export class InterruptedError extends Error {
  override readonly name = "InterruptedError";
}
