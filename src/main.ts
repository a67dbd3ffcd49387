#!/usr/bin/env bun
/**
 * The `feedgate` command. Decisions 8.
 *
 * @module
 */
import { DEMO_COMMANDS } from "./demo/demo.ts";
import { OPERATOR_COMMANDS, SERVE_COMMANDS } from "./operator/commands.ts";
import { runCommand } from "./operator/run.ts";
import { isWorker, runWorker } from "./workers/worker.ts";

const COMMANDS = [...SERVE_COMMANDS, ...DEMO_COMMANDS, ...OPERATOR_COMMANDS];

process.exit(
  isWorker(process.argv)
    ? await runWorker()
    : await runCommand(process.argv.slice(2), COMMANDS, { environment: process.env }),
);
