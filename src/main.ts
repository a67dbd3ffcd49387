#!/usr/bin/env bun
/**
 * The `feedgate` command: runs the command that the arguments name. Decisions 8.
 *
 * @module
 */
import { OPERATOR_COMMANDS, SERVE_COMMANDS } from "./cli/commands.ts";
import { DEMO_COMMANDS } from "./cli/demo/demo.ts";
import { runCommand } from "./cli/run.ts";
import { isWorker, runWorker } from "./cli/workers/worker.ts";

const { argv, env: environment } = process;
const commands = [...SERVE_COMMANDS, ...DEMO_COMMANDS, ...OPERATOR_COMMANDS];

process.exit(
  await (isWorker(argv) ? runWorker() : runCommand(argv.slice(2), commands, { environment })),
);
