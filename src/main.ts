#!/usr/bin/env bun
/**
 * The `feedgate` command. Decisions 8.
 *
 * @module
 */
import { runProgram } from "./program.ts";

process.exit(await runProgram(process.argv));
