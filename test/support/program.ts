/**
 * The program as tests start it in a separate process: from its sources, or the built executable that `FEEDGATE_BINARY`
 * names. `bun run test:system` builds it and sets that variable.
 *
 * @module
 */
import { resolve } from "node:path";
import { shellWord, typedCommand } from "../../src/lib/own_process.ts";

const { FEEDGATE_BINARY: BINARY } = process.env;

/** From its sources, like `bun feedgate`. */
export const SOURCES: readonly string[] = [
  process.execPath,
  Bun.fileURLToPath(new URL("../../src/main.ts", import.meta.url)),
];

export const PROGRAM = BINARY === undefined ? SOURCES : [resolve(BINARY)];

/** The command that its hints name. In the test's own process, hints use `typedCommand()`. */
export const TYPED = BINARY === undefined ? typedCommand() : shellWord(resolve(BINARY));
