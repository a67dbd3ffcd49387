/**
 * `backup FILE` writes the whole embedded database to a file while the gateway serves. `restore FILE` loads it into an
 * empty database, embedded or not.
 *
 * @module
 */
import {
  accessSync,
  constants,
  createReadStream,
  createWriteStream,
  existsSync,
  linkSync,
  type ReadStream,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import type { Config } from "../../config.ts";
import { present } from "../../lib/assert.ts";
import { codeOf } from "../../lib/error_fields.ts";
import {
  BackupRefusedError,
  type BackupReport,
  openBackup,
  readBackup,
  refuseUsed,
  renewIncarnation,
  writeBackup,
} from "../../postgres/backup.ts";
import { withConnection } from "../../postgres/client/connect.ts";
import { isArchive, recoverEmbedded } from "../../postgres/embedded/base_backup.ts";
import { IS_STARTED_BY_ROOT, isRoot } from "../../postgres/embedded/owner.ts";
import { startEmbedded, withEmbedded } from "../../postgres/embedded/start.ts";
import { MIGRATIONS } from "../../postgres/generated/statements.ts";
import { applyMigrations, migrate } from "../../postgres/migrate/migrate.ts";
import { Status } from "../client/status.ts";
import { type Answer, defineCommand, RefusedError, UsageError } from "../command.ts";
import { databaseCommand } from "../database_command.ts";
import { time } from "../options.ts";
import { refusable, refuseExternal } from "./archive_command.ts";

/** Owner only, because the backup contains everything except keys. */
const OWNER_ONLY = 0o600;
/** Takes a third less CPU time from the gateway than the default of 6, for about the same file size. */
const GZIP_LEVEL = 3;

/** Signals that end a command. The draft must not be left behind, because it contains everything. */
const INTERRUPTS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const backup = databaseCommand({
  words: "backup",
  argument: "FILE",
  about: "write a consistent backup of the embedded database to a file while it serves",
  options: {},
  check: ({ config, argument: file }) => {
    refuseExternal(config);
    if (file === "") throw new UsageError("FILE must not be empty");
    if (existsSync(file)) throw existsAlready(file);
    requireWritable(dirname(resolve(file)));
  },
  run: async ({ address, argument: file, output }) => {
    const status = new Status(output).alone;
    const report = await withConnection(address, async (connections) => {
      // The file gets its name only when complete. Each of two simultaneous backups has its own draft.
      const draft = `${file}.${Bun.randomUUIDv7()}.part`;
      const dropDraft = () => rmSync(draft, { force: true });
      const abandon = (signal: NodeJS.Signals) => {
        dropDraft();
        // Ends the process as if there were no listener.
        process.kill(process.pid, signal);
      };
      for (const signal of INTERRUPTS) process.once(signal, abandon);
      const gzip = createGzip({ level: GZIP_LEVEL });
      const written = pipeline(gzip, createWriteStream(draft, { mode: OWNER_ONLY, flags: "wx" }));
      try {
        const done = await Promise.race([
          writeBackup(connections, gzip, {
            onRows: (rows, estimated) =>
              status.show({ rows, share: estimated > 0 ? rows / estimated : undefined }),
          }),
          // Settles first only if the file can't be written.
          written.then(() =>
            Promise.reject(new Error("the file was closed before the backup was complete")),
          ),
        ]);
        gzip.end();
        await written;
        giveName(draft, file);
        return done;
      } finally {
        status.clear();
        gzip.destroy();
        dropDraft();
        for (const signal of INTERRUPTS) process.off(signal, abandon);
      }
    });
    return answerOf(file, report, "backed up");
  },
});

const restore = defineCommand({
  words: "restore",
  argument: "FILE",
  about: "restore a backup into an empty database, embedded or in DATABASE_URL",
  makesDatabase: true,
  options: {
    until: time("for an archive: the point in time to restore; default its end"),
  },
  run: async ({ config, argument: file, values: { until }, output }) => {
    if (config.isDatabasePooled) {
      throw new RefusedError(
        "a restore needs a direct connection to PostgreSQL: set DATABASE_URL to it, and unset DATABASE_POOLED",
      );
    }
    if (file === "") throw new UsageError("FILE must not be empty");
    if (isArchive(file)) return restoreArchive(file, config, until);
    if (until !== undefined) {
      throw new UsageError("--until requires an archive folder, and FILE is not one");
    }
    requireReadable(file);
    const status = new Status(output).alone;
    const restored = restoreFrom(file, config, status).finally(() => status.clear());
    const report = await restored.catch((error: Error & { code?: string }) => {
      const isDamaged = error instanceof BackupRefusedError || /^(Z|ERR)_/.test(error.code ?? "");
      const reason = /^Z_/.test(error.code ?? "")
        ? `not a backup, or incomplete (${error.message})`
        : error.message;
      throw isDamaged ? new RefusedError(`${file}: ${reason}`) : error;
    });
    return answerOf(file, report, "restored");
  },
});

/** @throws {RefusedError} */
async function restoreArchive(
  folder: string,
  config: Config,
  until: string | undefined,
): Promise<Answer> {
  refuseExternal(config);
  const { dataDir } = config;
  const base = await refusable(recoverEmbedded(dataDir, folder, { until }));
  await withEmbedded({ dataDir, isAlone: true }, (embedded) =>
    withConnection(embedded, async (session) => {
      await migrate(session);
      await renewIncarnation(session);
    }),
  );
  const to = until ?? "the end of the archive";
  return {
    json: JSON.stringify({ folder, base: base.name, until: until ?? null }),
    text: `restored ${folder} to ${to}`,
  };
}

/** @throws {RefusedError} */
function requireWritable(folder: string): void {
  if (!statOf(folder)?.isDirectory()) throw new RefusedError(`folder not found: ${folder}`);
  refuseClosed(folder, constants.W_OK | constants.X_OK, "write to");
}

/** @throws {RefusedError} */
function requireReadable(file: string): void {
  if (!statOf(file)?.isFile()) throw new RefusedError(`file not found: ${file}`);
  refuseClosed(file, constants.R_OK, "read");
}

/** @throws {RefusedError} if the path is inaccessible to this user, even if nothing exists there */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw codeOf(error) === "EACCES" ? closed(path, "access") : error;
  }
}

function refuseClosed(path: string, mode: number, act: string): void {
  try {
    accessSync(path, mode);
  } catch {
    throw closed(path, act);
  }
}

function closed(path: string, act: string): RefusedError {
  const who =
    IS_STARTED_BY_ROOT && !isRoot()
      ? "the owner of the data folder, as whom root runs commands,"
      : "this account";
  return new RefusedError(`${who} can't ${act} ${path}: choose a location that it can use`);
}

/** Renames the draft. Never overwrites a file that was created since. @throws {RefusedError} */
function giveName(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw existsAlready(file);
    // The file system has no hard links.
    renameSync(draft, file);
  }
}

function existsAlready(file: string): RefusedError {
  return new RefusedError(`${file} already exists; choose another name`);
}

export const BACKUP_COMMANDS = [backup, restore];

/** Restores the backup into a database with the backup's schema, then migrates it to the current one. */
async function restoreFrom(
  file: string,
  { dataDir, databaseUrl }: Config,
  status: Status,
): Promise<BackupReport> {
  const source = createReadStream(file);
  const fileBytes = statSync(file).size;
  const onRows = (rows: number) => status.show({ rows, share: source.bytesRead / fileBytes });
  const backup = await openBackup(unzipped(source));
  // A running gateway would continue with the old secrets and versions.
  const embedded =
    databaseUrl === undefined ? await startEmbedded({ dataDir, isAlone: true }) : undefined;
  try {
    return await withConnection(embedded ?? { url: present(databaseUrl) }, async (connection) => {
      await refuseUsed(connection);
      await applyMigrations(connection, MIGRATIONS.slice(0, backup.header.schema));
      const report = await readBackup(connection, backup, { onRows });
      await migrate(connection);
      return report;
    });
  } finally {
    await embedded?.stop();
  }
}

function unzipped(source: ReadStream): AsyncIterable<Uint8Array> {
  const gunzip = createGunzip();
  // Errors of both streams reach the reader.
  pipeline(source, gunzip).catch(() => {});
  return gunzip;
}

function answerOf(file: string, { tables, rows }: BackupReport, done: string): Answer {
  return {
    json: JSON.stringify({ file, tables, rows }),
    text: `${done} ${rows} rows in ${tables} tables: ${file}`,
  };
}
