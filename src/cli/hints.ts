/**
 * Commands as a person types them here, for hints: as this program was started, and with the folder of its data.
 *
 * @module
 */
import { join, resolve } from "node:path";
import type { Config } from "../config.ts";
import { IS_COMPILED, shellWord, typedCommand } from "../lib/own_process.ts";

/** In a checkout, commands run at its top, wherever they are typed. There they find this folder by themselves. */
const CHECKOUT_DATA_DIR = join(import.meta.dir, "../../.feedgate");

type Place = Pick<Config, "databaseUrl" | "dataDir">;

/** A command to type, such as `bun feedgate account list`. With `place`, one that works in any folder. */
export function typed(words: string, place?: Place): string {
  return `${typedCommand()} ${words}${place === undefined ? "" : dataDirOption(place)}`;
}

function dataDirOption({ databaseUrl, dataDir }: Place): string {
  const folder = resolve(dataDir);
  const isFound = databaseUrl !== undefined || (!IS_COMPILED && folder === CHECKOUT_DATA_DIR);
  return isFound ? "" : ` --data-dir ${shellWord(folder)}`;
}

/** How a gateway is stopped, as the end of a sentence. */
export function howToStop(place: Place): string {
  return place.databaseUrl === undefined
    ? `with Ctrl-C, or in another terminal with: ${typed("stop", place)}`
    : "with Ctrl-C or SIGTERM";
}
