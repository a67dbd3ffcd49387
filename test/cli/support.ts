/**
 * The operator's commands: in the test's own process, which is quick, or in one of their own, as an
 * operator runs them, where the process itself is what a test looks at.
 *
 * @module
 */
import { afterAll, expect } from "bun:test";
import { type RunOptions, runCommand } from "../../src/cli/run.ts";
import { createTestDatabase } from "../support/database.ts";
import { shareTestGateway, startTestGateway, type TestGateway } from "../support/gateway.ts";
import { keptDatabase } from "../support/kept_databases.ts";
import { PROGRAM } from "../support/program.ts";

/** The id of nothing. */
export const UNKNOWN_ID = "00000000-0000-4000-8000-000000000001";

/** Between two tries of a command that calls a gateway. */
const PAUSE_MS_MAX = 10;

export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Operator {
  readonly databaseUrl: string;
  /** Runs a command to its end: arguments, environment and streams in, exit code out. */
  run(argv: readonly string[], environment?: Environment): Promise<Run>;
  /** Runs a command with `--json`, which must do, and gives its value. */
  json(...argv: readonly string[]): Promise<unknown>;
}

/** An operator of a database of the test's own. */
export async function createOperator(options?: OperatorOptions): Promise<Operator> {
  const { url } = await createTestDatabase();
  return operatorOf(url, options);
}

/** A gateway for the tests of a file, and an operator of its database. */
export function startOperatedGateway(environment?: Record<string, string>) {
  return operated(startTestGateway(environment));
}

/** The same, with a gateway that other test files use as well. */
export function shareOperatedGateway() {
  return operated(shareTestGateway());
}

async function operated(starting: Promise<TestGateway>) {
  const gateway = await starting;
  afterAll(() => gateway.stop());
  return { gateway, operator: operatorOf(gateway.databaseUrl) };
}

interface OperatorOptions {
  /** Whether each command opens the database for itself, for tests that look at what it does then. @default false */
  readonly opensAnew?: boolean;
}

export function operatorOf(
  databaseUrl: string,
  { opensAnew = false }: OperatorOptions = {},
): Operator {
  const run: Operator["run"] = (argv, environment = {}) => {
    const whole = { DATABASE_URL: databaseUrl, ...environment };
    // Other settings may be of the database, and what opens a database to migrate it is looked at when it does.
    const isKept = !opensAnew && Object.keys(environment).length === 0 && argv[0] !== "migrate";
    return runFeedgate(argv, whole, isKept ? { open: keptDatabase } : {});
  };
  return {
    databaseUrl,
    run,
    async json(...argv) {
      const { code, stdout, stderr } = await run([...argv, "--json"]);
      if (code !== 0 || stderr !== "") throw new Error(`${argv.join(" ")}: ${code} ${stderr}`);
      return JSON.parse(stdout);
    },
  };
}

/** An account's balance in credits; its ledger must add up to it. */
export async function balanceOf(operator: Operator, accountId: string): Promise<number> {
  const account = (await operator.json("account", "show", accountId)) as {
    balance_credits: number;
    ledger: { is_balanced: boolean };
  };
  expect(account.ledger.is_balanced).toBe(true);
  return account.balance_credits;
}

/** Runs a command to its end; in a process of its own where it serves. */
export async function runFeedgate(
  argv: readonly string[],
  environment: Environment,
  { open }: Pick<RunOptions, "open"> = {},
): Promise<Run> {
  if (argv[0] === "serve") return runProcess(argv, environment);
  let stdout = "";
  let stderr = "";
  const code = await runCommand(argv, {
    environment: environmentOf(environment),
    pauseMsMax: PAUSE_MS_MAX,
    ...(open !== undefined && { open }),
    streams: {
      async write(text) {
        stdout += text;
      },
      complain(text) {
        stderr += text;
      },
    },
  });
  return { code, stdout, stderr };
}

/** Runs a command to its end in a process of its own. */
export async function runProcess(
  argv: readonly string[],
  environment: Environment,
  program?: readonly string[],
): Promise<Run> {
  const child = spawnFeedgate(argv, environment, program);
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout, stderr };
}

interface Terminal {
  readonly columns: number;
  readonly environment: Environment;
  /** What is typed. @default nothing */
  readonly input?: string;
}

/** Runs a command as on a terminal of so many columns, with a line typed for each question; gives the lines on its screen. */
export async function runInTerminal(
  argv: readonly string[],
  { columns, environment, input = "" }: Terminal,
): Promise<string[]> {
  const typed = linesOf(input).values();
  let screen = "";
  await runCommand(argv, {
    environment: environmentOf(environment),
    streams: {
      async write(text) {
        screen += text;
      },
      complain(text) {
        screen += text;
      },
      confirm(question) {
        screen += `${question} [y/N]\n`;
        return typed.next().value === "y";
      },
      columns,
      statusColumns: columns,
    },
  });
  return linesOf(screen);
}

/** Runs a command in a process of its own, on a terminal of so many columns; gives the lines on its screen. */
export async function runProcessInTerminal(
  argv: readonly string[],
  { columns, environment, input = "" }: Terminal,
): Promise<string[]> {
  const decoder = new TextDecoder();
  let screen = "";
  const child = Bun.spawn([...PROGRAM, ...argv], {
    env: environmentOf(environment),
    terminal: {
      cols: columns,
      rows: 24,
      data(_terminal, bytes) {
        screen += decoder.decode(bytes, { stream: true });
      },
    },
  });
  child.terminal?.write(input);
  await child.exited;
  child.terminal?.close();
  return linesOf(screen.replaceAll("\r", ""));
}

/** The command, running in a process of its own. */
export function spawnFeedgate(
  argv: readonly string[],
  environment: Environment,
  program: readonly string[] = PROGRAM,
) {
  return Bun.spawn([...program, ...argv], {
    env: environmentOf(environment),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
}

function environmentOf(environment: Environment): Environment {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, LOG_LEVEL: "silent", ...environment };
}

/** The lines of standard error. */
export function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}

/** The first line that a running command prints. */
export async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!text.includes("\n")) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  reader.releaseLock();
  return text.split("\n")[0] as string;
}

/** Checks that a command was refused: exit code 1, and one line on standard error that says why. */
export function refused(run: Run, ...messages: readonly string[]): void {
  failed(run, 1, ...messages);
}

/** Checks that a command failed with this exit code, and with one line on standard error that says why. */
export function failed(run: Run, exitCode: 1 | 2, ...messages: readonly string[]): void {
  expect({ ...run, lines: linesOf(run.stderr).length }).toEqual({
    code: exitCode,
    stdout: "",
    stderr: run.stderr,
    lines: 1,
  });
  for (const message of messages) expect(run.stderr).toContain(message);
}
