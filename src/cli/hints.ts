/**
 * Commands for hints, as the user would type them: with the launcher that started this program, and the data folder.
 *
 * @module
 */
import { join, resolve } from "node:path";
import type { Config } from "../config.ts";
import { IS_COMPILED, shellWord, typedCommand } from "../lib/own_process.ts";

/** In a checkout, commands run at its root, wherever they are typed, and find this folder without an option. */
const CHECKOUT_DATA_DIR = join(import.meta.dir, "../../.feedgate");

type Place = Pick<Config, "databaseUrl" | "dataDir">;

/** A command such as `bun feedgate account list`. With `place`, it works in any directory. */
export function typed(words: string, place?: Place): string {
  return `${typedCommand()} ${words}${place === undefined ? "" : dataDirOption(place)}`;
}

function dataDirOption({ databaseUrl, dataDir }: Place): string {
  const folder = resolve(dataDir);
  const isFound = databaseUrl !== undefined || (!IS_COMPILED && folder === CHECKOUT_DATA_DIR);
  return isFound ? "" : ` --data-dir ${shellWord(folder)}`;
}

/** How to stop a gateway, as the end of a sentence. */
export function howToStop(place: Place): string {
  return place.databaseUrl === undefined
    ? `with Ctrl-C, or in another terminal with: ${typed("stop", place)}`
    : "with Ctrl-C or SIGTERM";
}
