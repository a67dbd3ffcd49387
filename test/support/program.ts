/**
 * The program as tests start it in a process of its own: from its sources, or, if `FEEDGATE_BINARY` names one, as the
 * built executable. `bun run test:system` builds that and names it.
 *
 * @module
 */
import { resolve } from "node:path";
import { shellWord, typedCommand } from "../../src/lib/own_process.ts";

const { FEEDGATE_BINARY: BINARY } = process.env;

/** From its sources, as `bun feedgate` starts it. */
export const SOURCES: readonly string[] = [
  process.execPath,
  Bun.fileURLToPath(new URL("../../src/main.ts", import.meta.url)),
];

export const PROGRAM = BINARY === undefined ? SOURCES : [resolve(BINARY)];

/** What its hints say to type for it. Those of a command in the test's own process say `typedCommand()`. */
export const TYPED = BINARY === undefined ? typedCommand() : shellWord(resolve(BINARY));
