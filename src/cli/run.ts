/**
 * Runs a command and returns its exit code: 0 for success, 1 for a refusal or failure, 2 for a usage error, and 3 if it
 * was interrupted, or could not reach the gateway, and can be resumed. Errors are written to standard error.
 *
 * See `src/spec/decisions.md`, section 8.
 * @module
 */
import { resolve } from "node:path";
import { KEY_PATTERN, startOf } from "../accounts/key_format.ts";
import { FeedgateError } from "../client/mod.ts";
import { type Config, ConfigError, readConfig } from "../config.ts";
import { codeOf } from "../lib/error_fields.ts";
import { escapeInvisible } from "../lib/invisible_text.ts";
import { fullVersion } from "../lib/program_version.ts";
import { becomeOwner } from "../postgres/embedded/owner.ts";
import { isDataDir } from "../postgres/embedded/site.ts";
import type { openDatabase } from "../postgres/open_database.ts";
import { CLIENT_COMMANDS } from "./client/client_table.ts";
import { refusalLines } from "./client/refusal_lines.ts";
import {
  type Answer,
  type Command,
  InterruptedError,
  RefusedError,
  UsageError,
} from "./command.ts";
import { namesOneOf, parseCommandLine } from "./command_line.ts";
import { typed } from "./hints.ts";
import { type Output, OutputClosedError, processStreams, type Streams, wrapped } from "./output.ts";
import { withSecretFiles } from "./secret_files.ts";

export type ExitCode = 0 | 1 | 2 | 3;

type Environment = Readonly<Record<string, string | undefined>>;

export interface RunOptions {
  readonly environment: Environment;
  /** @default the process's streams */
  readonly streams?: Streams;
  /** Maximum pause of a client between retries, in milliseconds. Operator commands ignore it. */
  readonly pauseMsMax?: number;
  /** Replaced in tests that run many commands on one database. @default openDatabase */
  readonly open?: typeof openDatabase;
}

export async function runCommand(
  argv: readonly string[],
  { environment, streams = processStreams(), pauseMsMax, open }: RunOptions,
): Promise<ExitCode> {
  const textColumns = streams.columns ?? columnsOf(environment);
  try {
    const request = parseCommandLine(argv, await commandsFor(argv));
    if (request.kind === "help") {
      await streams.write(`${wrapped(request.text, textColumns)}\n`);
      return 0;
    }
    if (request.kind === "version") {
      // Distinguishes builds between releases. Imported here, because client commands don't need the migrations.
      const { MIGRATIONS } = await import("../postgres/generated/statements.ts");
      await streams.write(`feedgate ${fullVersion()}, schema ${MIGRATIONS.length}\n`);
      return 0;
    }
    const { command, values, argument, arguments: words } = request;
    const isJson = values.json === true;
    const note = (text: string) => {
      if (!isJson) streams.complain(escapeInvisible(text));
    };
    const ask = streams.confirm;
    const confirm =
      ask === undefined || isJson ? undefined : (text: string) => ask(escapeInvisible(text));
    const { write, columns, statusColumns } = streams;
    const status = (text: string) => streams.complain(text);
    const output: Output = {
      ...{ isJson, write, note, confirm, columns, textColumns, statusColumns, status },
    };
    const config = configOf(values["data-dir"], environment);
    if (config.databaseUrl === undefined && !needsNoDatabase(command)) {
      becomeOwner(config.dataDir);
      requireDatabase(command, config.dataDir);
    }
    const given = { values, argument, arguments: words, pauseMsMax, open };
    const input = { ...given, config, output, environment, argv };
    const answer = await command.run(input);
    if (answer === undefined) return 0;
    await printAnswer(streams, command, isJson ? answer.json : textOf(answer, textColumns));
    const { more, refusal } = answer;
    for (const line of [more, refusal]) {
      if (line !== undefined) streams.complain(`feedgate: ${plain(line)}\n`);
    }
    return refusal === undefined ? 0 : 1;
  } catch (error) {
    if (error instanceof OutputClosedError) return 0;
    for (const line of await messagesOf(error)) streams.complain(`feedgate: ${plain(line)}\n`);
    if (environment.LOG_LEVEL === "debug")
      streams.complain(`${error instanceof Error ? error.stack : error}\n`);
    if (error instanceof InterruptedError) return 3;
    return error instanceof UsageError || error instanceof ConfigError ? 2 : 1;
  }
}

/** The table with the command. Operator commands are loaded only if needed, because they include the server. */
async function commandsFor(argv: readonly string[]): Promise<readonly Command[]> {
  if (namesOneOf(CLIENT_COMMANDS, argv)) return CLIENT_COMMANDS;
  const { COMMANDS } = await import("./command_table.ts");
  return COMMANDS;
}

/** One or more lines. */
async function messagesOf(error: unknown): Promise<readonly string[]> {
  if (error instanceof FeedgateError) return refusalLines(error);
  const isOwn = [InterruptedError, RefusedError, UsageError].some((each) => error instanceof each);
  if (isOwn) return [(error as Error).message];
  const { failureLines } = await import("./failure_lines.ts");
  return failureLines(error);
}

function needsNoDatabase({ needsNoDatabase: isSo = false, isClient = false }: Command): boolean {
  return isSo || isClient;
}

/** A command succeeds even if its output can't be written. The error says so if the output can't be retrieved later. */
async function printAnswer(
  { write }: Streams,
  { words, isPrintedOnce }: Command,
  answer: string,
): Promise<void> {
  try {
    await write(`${escapeInvisible(answer)}\n`);
  } catch (error) {
    if (error instanceof OutputClosedError && isPrintedOnce !== true) throw error;
    const code = codeOf(error) ?? "closed";
    throw new Error(`${words} succeeded, but its output could not be written (${code})`, {
      cause: error,
    });
  }
}

function textOf({ text }: Answer, columns: number | undefined): string {
  return typeof text === "string" ? text : text(columns);
}

/** The width that `COLUMNS` requests for piped output. Undefined if it is not a number. */
function columnsOf({ COLUMNS = "" }: Environment): number | undefined {
  return /^[1-9]\d{0,5}$/.test(COLUMNS) ? Number(COLUMNS) : undefined;
}

/** One line that is safe for a terminal: keys are truncated, and control characters escaped. */
function plain(message: string): string {
  const line = message.trim().replace(/\s*\n\s*/g, "; ");
  return escapeInvisible(line).replace(KEY_PATTERN, (key) => `${startOf(key)}…`);
}

/** The command line takes precedence over the environment: with `--data-dir`, database addresses are ignored. */
function configOf(dataDir: string | undefined, environment: Environment): Config {
  if (dataDir === undefined) return readConfig(withSecretFiles(environment));
  const named = {
    ...environment,
    FEEDGATE_DATA_DIR: dataDir,
    DATABASE_URL: undefined,
    DATABASE_URL_FILE: undefined,
    DATABASE_READ_URL: undefined,
    DATABASE_READ_URL_FILE: undefined,
  };
  return readConfig(withSecretFiles(named));
}

/** Prevents a mistyped folder from becoming an empty database. @throws {RefusedError} */
function requireDatabase({ makesDatabase = false }: Command, dataDir: string): void {
  if (makesDatabase || isDataDir(dataDir)) return;
  throw new RefusedError(
    `no database found in ${resolve(dataDir)}: specify its folder with --data-dir, or create one with ${typed("serve")}`,
  );
}
