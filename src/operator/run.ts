/**
 * Runs one command: arguments in, exit code out. 0 where it is done, 1 where it is refused, 2 for
 * wrong usage; a failure is one line on standard error. Decisions 8 and 10.
 *
 * @module
 */
import { type Config, ConfigError, readConfig } from "../config.ts";
import { SchemaTooNewError } from "../database/migrate.ts";
import { isUnavailable } from "../database/query.ts";
import { type Command, RefusedError, UsageError } from "./command.ts";
import { parseCommandLine, type Request } from "./command_line.ts";
import { OutputClosedError, standardOutput } from "./output.ts";

export type ExitCode = 0 | 1 | 2;

type Environment = Readonly<Record<string, string | undefined>>;

export async function runCommand(
  argv: readonly string[],
  commands: readonly Command[],
  environment: Environment,
): Promise<ExitCode> {
  try {
    const request = parseCommandLine(argv, commands);
    const output = standardOutput(request.kind === "command" && request.isJson);
    if (request.kind === "help") {
      await output.write(`${request.text}\n`);
      return 0;
    }
    const { command, values, arguments: given } = request;
    const config = configOf(request, environment);
    const answer = await command.run({ values, arguments: given, config, output });
    if (answer !== undefined) await output.write(`${output.isJson ? answer.json : answer.text}\n`);
    return 0;
  } catch (error) {
    if (error instanceof OutputClosedError) return 0;
    for (const line of messagesOf(error)) process.stderr.write(`feedgate: ${line}\n`);
    if (environment.LOG_LEVEL === "debug") process.stderr.write(`${(error as Error).stack}\n`);
    return error instanceof UsageError || error instanceof ConfigError ? 2 : 1;
  }
}

/** What the command line says goes before the environment: a folder named there is the database. */
function configOf(
  { dataDir }: Extract<Request, { kind: "command" }>,
  environment: Environment,
): Config {
  if (dataDir === undefined) return readConfig(environment);
  return readConfig({ ...environment, FEEDGATE_DATA_DIR: dataDir, DATABASE_URL: undefined });
}

/** One line; a line for each mistake in the environment. */
function messagesOf(error: unknown): readonly string[] {
  if (error instanceof ConfigError) return error.mistakes;
  const { message, code, cause } = error as Error & { code?: string; cause?: { code?: string } };
  if (error instanceof UsageError || error instanceof RefusedError) return [oneLine(message)];
  if (error instanceof SchemaTooNewError) return [oneLine(message)];
  const state = code ?? cause?.code ?? "";
  if (code === "EADDRINUSE") {
    return ["the port is in use: stop what listens there, or choose another with --port"];
  }
  if (isUnavailable(error) || isUnavailable(cause)) {
    return [`the database can't be reached (${state}): start it, or check DATABASE_URL`];
  }
  return [oneLine(message ?? String(error))];
}

function oneLine(message: string): string {
  return message.trim().replace(/\s*\n\s*/g, "; ");
}
