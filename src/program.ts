/**
 * Every command of `feedgate`, and the one that the arguments name. Decisions 8.
 *
 * @module
 */
import { DEMO_COMMANDS } from "./demo/demo.ts";
import { OPERATOR_COMMANDS, SERVE_COMMANDS } from "./operator/commands.ts";
import { runCommand } from "./operator/run.ts";
import { isWorker, runWorker } from "./workers/worker.ts";

const COMMANDS = [...SERVE_COMMANDS, ...DEMO_COMMANDS, ...OPERATOR_COMMANDS];

/** Runs this process's command to its end; resolves with the exit code. */
export function runProgram(argv: readonly string[]): Promise<number> {
  return isWorker(argv)
    ? runWorker()
    : runCommand(argv.slice(2), COMMANDS, { environment: process.env });
}
