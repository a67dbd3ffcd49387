/**
 * `archive start|base|stop`: keeps a base backup of the embedded database and all later WAL in a folder. From it,
 * `restore` can recover the database as of any point in time.
 *
 * @module
 */
import type { Config } from "../../config.ts";
import {
  ArchiveRefusedError,
  type Base,
  startArchive,
  stopArchive,
  takeBase,
} from "../../postgres/embedded/base_backup.ts";
import { type Answer, defineCommand, RefusedError, UsageError } from "../command.ts";
import { integer } from "../options.ts";

const BASES_KEPT = 2;
const BASES_KEPT_MAX = 1_000;

const start = defineCommand({
  words: "archive start",
  argument: "FOLDER",
  about: "archive the embedded database to an empty folder: a base backup, then every change",
  options: {},
  run: async ({ config, argument: folder }) => {
    refuseExternal(config);
    if (folder === "") throw new UsageError("FOLDER must not be empty");
    return answerOf(await refusable(startArchive(config.dataDir, folder)));
  },
});

const base = defineCommand({
  words: "archive base",
  about: "take a new base backup of an archived database while it serves, and remove old ones",
  options: {
    keep: integer(`base backups to keep; default ${BASES_KEPT}`, {
      least: 1,
      most: BASES_KEPT_MAX,
    }),
  },
  run: async ({ config, values: { keep = BASES_KEPT } }) => {
    refuseExternal(config);
    return answerOf(await refusable(takeBase(config.dataDir, { keep })));
  },
});

const stop = defineCommand({
  words: "archive stop",
  about: "stop archiving the embedded database; the folder is left unchanged",
  options: {},
  run: async ({ config }) => {
    refuseExternal(config);
    const folder = await refusable(stopArchive(config.dataDir));
    return {
      json: JSON.stringify({ folder }),
      text: `archiving stopped; the archive is still in ${folder}`,
    };
  },
});

export const ARCHIVE_COMMANDS = [start, base, stop];

function answerOf({ name, ended_at }: Base): Answer {
  return {
    json: JSON.stringify({ base: name, from: ended_at }),
    text: `archived; restorable to any point since ${ended_at}`,
  };
}

/** The same promise, with failures reworded as refusals of the command. */
export function refusable<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((error) => {
    throw error instanceof ArchiveRefusedError ? new RefusedError(error.message) : error;
  });
}

/** @throws {RefusedError} */
export function refuseExternal({ databaseUrl }: Config): void {
  if (databaseUrl === undefined) return;
  throw new RefusedError(
    `this command is only for the embedded database; for the one in DATABASE_URL, use "pg_dump --format=custom --file=FILE"`,
  );
}
