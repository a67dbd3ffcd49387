/**
 * What a command is: its words, options and work. The table of commands (`command_table.ts`) holds all of
 * them, and parsing, help and messages of wrong usage are made from it (`command_line.ts`).
 *
 * @module
 */
import type { Config } from "../config.ts";
import type { openDatabase } from "../postgres/open_database.ts";
import type { Fitted, Output } from "./output.ts";

/** One option of a command; its text is read once, here, into a typed value. */
export interface Option<Value, IsRequired extends boolean = false> {
  /** Stands for the value in the help: `N`, `ID`. Empty for a flag. */
  readonly placeholder: string;
  readonly about: string;
  readonly isRequired: IsRequired;
  /** Whether it may be given more than once. @default false */
  readonly isRepeated?: boolean;
  /**
   * @param name what the user wrote: `--credits`
   * @param before the value so far, if the option was given before
   * @throws {UsageError} if the text can't be used
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

/** What a command gets. */
export interface Input<Of extends Options> {
  readonly values: Values<Of>;
  /** The command's argument; "" if it takes none. */
  readonly argument: string;
  /** All of them if it may be repeated. */
  readonly arguments: readonly string[];
  readonly config: Config;
  readonly output: Output;
  /** That of the process. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The command line, as it was given. */
  readonly argv: readonly string[];
  /** As of a client. */
  readonly pauseMsMax?: number | undefined;
  /** How commands on the database open it. */
  readonly open?: typeof openDatabase | undefined;
}

/** What a command prints when it is done. */
export interface Answer {
  /** The text of one JSON value, for `--json`. */
  readonly json: string;
  /** For a reader; lines without the last line break. */
  readonly text: string | Fitted;
  /** How to see more of a list. Goes to standard error, also with `--json`. */
  readonly more?: string | undefined;
  /** Why the command ends with 1 although it is done: what it found is not well. Goes to standard error. */
  readonly refusal?: string | undefined;
}

export interface CommandSpec<Of extends Options> {
  /** `account create`. */
  readonly words: string;
  /** Name of the argument that it takes: `CODE`. */
  readonly argument?: string;
  /** Whether the argument may be repeated. */
  readonly isRepeated?: boolean;
  /** How many arguments `argument` names. @default 1 */
  readonly argumentCount?: number;
  /** One line, without a full stop. */
  readonly about: string;
  readonly options: Of;
  /** Whether it makes an embedded database if there is none; other commands refuse. @default false */
  readonly makesDatabase?: boolean;
  /** Whether it works without a database, and is not refused if there is none. @default false */
  readonly needsNoDatabase?: boolean;
  /** Whether it calls a gateway as agents and providers do, by `--url` and `--key`. It needs no database. @default false */
  readonly isClient?: boolean;
  /** Whether its answer can't be looked up later. @default false */
  readonly isPrintedOnce?: boolean;
  /** Undefined if the command has written its answer itself. */
  run(input: Input<Of>): Promise<Answer | undefined>;
}

export type Command = CommandSpec<Options>;

/** A command for the table: checks that its work fits its options, then forgets their types. */
export function defineCommand<Of extends Options>(spec: CommandSpec<Of>): Command {
  return spec as unknown as Command;
}

/** The command was called wrongly: exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The command was right and the answer is no: exit code 1. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
}

/** The command was interrupted, or its connection broke, and it can go on: exit code 3. */
export class InterruptedError extends Error {
  override readonly name = "InterruptedError";
}
