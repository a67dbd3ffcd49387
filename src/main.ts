#!/usr/bin/env bun
/**
 * The `feedgate` command: runs the command that the arguments name.
 *
 * Commands that need a server load its code on demand, so client commands start fast.
 *
 * @module
 */
import { runCommand } from "./cli/run.ts";
import { isWorker } from "./workers/channel_messages.ts";

const { argv, env: environment } = process;

async function runAsWorker(): Promise<number> {
  const { runWorker } = await import("./workers/worker.ts");
  return runWorker();
}

process.exit(await (isWorker(argv) ? runAsWorker() : runCommand(argv.slice(2), { environment })));
