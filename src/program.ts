/**
 * Every command of `feedgate`, and the one that the arguments name. Decisions 8.
 *
 * @module
 */

import { OPERATOR_COMMANDS, SERVE_COMMANDS } from "./cli/commands.ts";
import { DEMO_COMMANDS } from "./cli/demo/demo.ts";
import { runCommand } from "./cli/run.ts";
import { isWorker, runWorker } from "./cli/workers/worker.ts";

const COMMANDS = [...SERVE_COMMANDS, ...DEMO_COMMANDS, ...OPERATOR_COMMANDS];

/** Runs this process's command to its end; resolves with the exit code. */
export function runProgram(argv: readonly string[]): Promise<number> {
  return isWorker(argv)
    ? runWorker()
    : runCommand(argv.slice(2), COMMANDS, { environment: process.env });
}
