#!/usr/bin/env bun
/**
 * The `feedgate` command. Decisions 8.
 *
 * @module
 */
import { keepFreedMemory } from "./lib/kept_memory.ts";

const SERVING_WORDS = ["serve", "demo"];

if (SERVING_WORDS.some((word) => process.argv.includes(word))) keepFreedMemory();
// Loaded only now: a process that starts over would have loaded it for nothing.
const { runProgram } = await import("./program.ts");
process.exit(await runProgram(process.argv));
