/**
 * The real command in a process of its own, as an operator runs it.
 *
 * @module
 */
import { resolve } from "node:path";
import { createTestDatabase } from "../support/database.ts";

const MAIN = new URL("../../src/main.ts", import.meta.url).pathname;

/** The built executable in place of the sources: `bun run test:binary`. */
const BINARY = process.env.FEEDGATE_BINARY;
const COMMAND = BINARY === undefined ? [process.execPath, MAIN] : [resolve(BINARY)];

export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Operator {
  readonly databaseUrl: string;
  /** Runs a command to its end. */
  run(argv: readonly string[], environment?: Environment): Promise<Run>;
  /** Runs a command with `--json`, which must do, and gives its value. */
  json(...argv: readonly string[]): Promise<unknown>;
}

/** An operator of a database of the test's own. */
export async function createOperator(): Promise<Operator> {
  const { url } = await createTestDatabase();
  return operatorOf(url);
}

export function operatorOf(databaseUrl: string): Operator {
  const run: Operator["run"] = async (argv, environment = {}) => {
    const child = spawnFeedgate(argv, { DATABASE_URL: databaseUrl, ...environment });
    const [stdout, stderr, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return { code, stdout, stderr };
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

/** The command, running. */
export function spawnFeedgate(argv: readonly string[], environment: Environment) {
  return Bun.spawn([...COMMAND, ...argv], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, LOG_LEVEL: "silent", ...environment },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
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
