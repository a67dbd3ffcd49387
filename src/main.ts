#!/usr/bin/env bun
/**
 * The `feedgate` command: runs the command that the arguments name. Decisions 8.
 *
 * @module
 */
import { runCommand } from "./cli/run.ts";
import { isWorker, runWorker } from "./cli/workers/worker.ts";

const { argv, env: environment } = process;

process.exit(await (isWorker(argv) ? runWorker() : runCommand(argv.slice(2), { environment })));
