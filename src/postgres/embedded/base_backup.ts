/**
 * Base backups of an embedded database: copies of its files, from which PostgreSQL restores any later moment with the
 * archived WAL (`wal_archive.ts`).
 *
 * A base backup is a folder `bases/TIME` of the archive, with the files in `data` and what is known of it in
 * `base.json`. It gets its name once all of it is on disk and its last WAL is archived.
 *
 * @module
 */
import {
  closeSync,
  constants,
  existsSync,
  fchownSync,
  fsyncSync,
  lchownSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { present } from "../../lib/assert.ts";
import { codeOf } from "../../lib/error_fields.ts";
import { type Connections, withConnection } from "../client/connect.ts";
import { findMemoryBytes } from "./buffers.ts";
import { makeDraft, runProgram } from "./cluster.ts";
import { serverSettings, settingArgs } from "./keeper.ts";
import { takeLock } from "./lock.ts";
import { openOwn, writeOwn } from "./own_files.ts";
import type { SystemUser } from "./owner.ts";
import {
  CLUSTER_NAME,
  findPrograms,
  isDataDir,
  MAJOR_VERSION,
  makeDataDir,
  makePrivateDir,
  placeSite,
  type Site,
} from "./site.ts";
import { type EmbeddedPostgres, withEmbedded } from "./start.ts";
import {
  archiveOf,
  fetchCommand,
  findGap,
  hasSegment,
  removeSegmentsBefore,
  setArchive,
  walFolder,
} from "./wal_archive.ts";

const PART = ".part";
const OWNER_ONLY = 0o700;
const PIECE_BYTES = 1_024 ** 2;
/** How long PostgreSQL may take for the next segment of its WAL before a base backup fails. */
const ARCHIVED_WAIT_MS = 60_000;
const POLL_MS = 100;
const SAID_CHARS_MAX = 2_000;
/** What PostgreSQL's documentation says to leave out. It makes the folders' contents itself. */
const LEFT_EMPTY =
  /^(pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)$/;
const LEFT_OUT =
  /^(postmaster\.(pid|opts)|pg_internal\.init.*|pgsql_tmp.*|backup_label(\.old)?|tablespace_map(\.old)?|current_logfiles)$/;

/** Describes a base backup. Times are UTC. */
export interface Base {
  readonly name: string;
  /** From then on, the database can be restored. */
  readonly ended_at: string;
  /** The first segment of WAL that a restore needs. */
  readonly first_segment: string;
  /** Of PostgreSQL, the major one. */
  readonly postgres: string;
}

/** The archive can't be made, or the database not be restored from it, and nothing was changed. */
export class ArchiveRefusedError extends Error {
  override readonly name = "ArchiveRefusedError";
}

/**
 * Has the database archived from now on, in an empty or new folder, and takes the first base backup. No gateway may
 * serve.
 * @throws {ArchiveRefusedError}
 */
export async function startArchive(dataDir: string, folder: string): Promise<Base> {
  const archive = resolve(folder);
  if (archive.includes("\n"))
    throw new ArchiveRefusedError("the folder's name must not contain a line break");
  await asOnlyUser(dataDir, (site) => {
    if (existsSync(archive) && readdirSync(archive).length > 0) {
      throw new ArchiveRefusedError(`${archive} is not empty: choose a new folder`);
    }
    if (!existsSync(archive)) mkdirSync(archive, { mode: 0o755 });
    makePrivateDir(walFolder(archive), site.account);
    mkdirSync(join(archive, "bases"), { mode: OWNER_ONLY });
    setArchive(site.dataDir, archive);
  });
  try {
    return await takeBase(dataDir, { keep: 1 });
  } catch (error) {
    // Otherwise PostgreSQL would keep all WAL for a folder that it may never be able to write to.
    await stopArchive(dataDir);
    for (const name of ["bases", "wal", "lock"]) {
      rmSync(join(archive, name), { recursive: true, force: true });
    }
    throw error;
  }
}

/** The archive stays as it is. No gateway may serve. */
export async function stopArchive(dataDir: string): Promise<string> {
  return asOnlyUser(dataDir, (site) => {
    const archive = requireArchive(site.dataDir);
    setArchive(site.dataDir, undefined);
    return archive;
  });
}

/** Calls `change` while nobody uses the data directory, and nobody can start to. */
function asOnlyUser<Result>(dataDir: string, change: (site: Site) => Result): Promise<Result> {
  return withEmbedded({ dataDir, isAlone: true }, async () =>
    change(placeSite(makeDataDir(dataDir))),
  );
}

function requireArchive(dataDir: string): string {
  const archive = archiveOf(dataDir);
  if (archive !== undefined) return archive;
  throw new ArchiveRefusedError(
    "the database has no archive: stop its gateways, then run feedgate archive start FOLDER",
  );
}

interface TakeOptions {
  /** Base backups that stay, with this one. Older ones go, and the WAL before the oldest. */
  readonly keep: number;
}

/** Takes a base backup while gateways serve. @throws {ArchiveRefusedError} */
export async function takeBase(dataDir: string, { keep }: TakeOptions): Promise<Base> {
  const archive = requireArchive(makeDataDir(dataDir));
  // Of two at once, the second begins when the first has ended.
  const unlock = await takeLock(join(archive, "lock"));
  try {
    return await withEmbedded({ dataDir }, async (server) => {
      const base = await withConnection(server, (session) => copyBase(session, server, archive));
      const bases = listBases(archive);
      for (const old of bases.slice(0, -keep)) removeBase(join(archive, "bases", old.name));
      removeSegmentsBefore(archive, present(bases.slice(-keep)[0]).first_segment);
      return base;
    });
  } finally {
    unlock();
  }
}

/** So that no part of it passes for a whole one. */
function removeBase(path: string): void {
  const part = `${path}${PART}`;
  renameSync(path, part);
  rmSync(part, { recursive: true });
}

async function copyBase(
  session: Connections,
  { cluster }: EmbeddedPostgres,
  archive: string,
): Promise<Base> {
  const bases = join(archive, "bases");
  for (const name of readdirSync(bases)) {
    if (name.endsWith(PART)) rmSync(join(bases, name), { recursive: true });
  }
  const draft = join(bases, `${Bun.randomUUIDv7()}${PART}`);
  mkdirSync(draft, { mode: OWNER_ONLY });
  try {
    const { failures } = await readArchiver(session);
    // One session: PostgreSQL ends the backup if it ends.
    const [start] = await session`
      select pg_walfile_name(pg_backup_start('feedgate', true)) as first_segment`;
    copyTree(cluster, join(draft, "data"), { isLive: true });
    const [stop] = await session`
      select pg_walfile_name(lsn) as last_segment, labelfile, clock_timestamp()::text as ended_at
      from pg_backup_stop(false)`;
    const { last_segment, labelfile, ended_at } = present(stop);
    writeOwn(join(draft, "data", "backup_label"), labelfile);
    const ended = new Date(ended_at).toISOString();
    const base: Base = {
      name: ended.replaceAll(":", "-"),
      ended_at: ended,
      first_segment: present(start).first_segment,
      postgres: MAJOR_VERSION,
    };
    writeOwn(join(draft, "base.json"), JSON.stringify(base));
    for (const folder of [join(draft, "data"), draft]) syncFolder(folder);
    await waitForSegment(session, { archive, segment: last_segment, failures });
    renameSync(draft, join(bases, base.name));
    syncFolder(bases);
    return base;
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}

interface Awaited {
  readonly archive: string;
  readonly segment: string;
  /** Of the archiver, before the segment was written. */
  readonly failures: number;
}

async function waitForSegment(session: Connections, awaited: Awaited): Promise<void> {
  const { archive, segment, failures } = awaited;
  let until = Date.now() + ARCHIVED_WAIT_MS;
  let newest: string | null = null;
  while (!hasSegment(archive, segment)) {
    const archiver = await readArchiver(session);
    // There may be many before it.
    if (archiver.newest !== newest) until = Date.now() + ARCHIVED_WAIT_MS;
    newest = archiver.newest;
    if (archiver.failures > failures || Date.now() > until) {
      throw new ArchiveRefusedError(
        `PostgreSQL can't copy its WAL to ${walFolder(archive)}: see the end of postgres.log in the data directory`,
      );
    }
    await Bun.sleep(POLL_MS);
  }
}

async function readArchiver(session: Connections) {
  const [row] = await session`
    select last_archived_wal as newest, failed_count::int as failures from pg_stat_archiver`;
  return present(row) as { readonly newest: string | null; readonly failures: number };
}

interface CopyOptions {
  /** To whom the copies belong. @default to us */
  readonly account?: SystemUser | undefined;
  /** Whether the files are those of a running server, which writes and removes some meanwhile. @default false */
  readonly isLive?: boolean;
}

/** Copies a folder to a place where nothing is. All of it is on disk when this returns. */
function copyTree(from: string, to: string, options: CopyOptions): void {
  const { account, isLive = false } = options;
  mkdirSync(to, { mode: OWNER_ONLY });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (isLive && LEFT_OUT.test(entry.name)) continue;
    if (entry.isSymbolicLink()) {
      throw new ArchiveRefusedError(`${source} is a link: archives do not support tablespaces`);
    }
    if (entry.isFile()) copyOne(source, target, options);
    if (!entry.isDirectory()) continue;
    if (isLive && LEFT_EMPTY.test(entry.name)) mkdirSync(target, { mode: OWNER_ONLY });
    else copyTree(source, target, options);
  }
  syncFolder(to);
  if (account !== undefined) lchownSync(to, account.uid, account.gid);
}

function copyOne(from: string, to: string, { account, isLive }: CopyOptions): void {
  let source: number;
  try {
    source = openOwn(from, constants.O_RDONLY);
  } catch (error) {
    // Such as one of a table that was dropped.
    if (isLive && codeOf(error) === "ENOENT") return;
    throw error;
  }
  const target = openOwn(to, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
  try {
    const piece = new Uint8Array(PIECE_BYTES);
    for (;;) {
      const bytes = readSync(source, piece);
      if (bytes === 0) break;
      writeFileSync(target, piece.subarray(0, bytes));
    }
    fsyncSync(target);
    if (account !== undefined) fchownSync(target, account.uid, account.gid);
  } finally {
    closeSync(source);
    closeSync(target);
  }
}

function syncFolder(path: string): void {
  const opened = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** Whole ones, the oldest first. */
export function listBases(archive: string): readonly Base[] {
  const bases = join(archive, "bases");
  return readdirSync(bases)
    .filter((name) => !name.endsWith(PART))
    .toSorted()
    .map((name) => JSON.parse(readFileSync(join(bases, name, "base.json"), "utf8")));
}

export function isArchive(path: string): boolean {
  return existsSync(join(path, "bases")) && existsSync(join(path, "wal"));
}

interface RecoverOptions {
  /** Restores the state of this moment. @default the end of the archive */
  readonly until?: string | undefined;
}

/**
 * Makes the cluster of a data directory that has none from an archive, and leaves the archive as it is.
 * @throws {ArchiveRefusedError}
 */
export async function recoverEmbedded(
  path: string,
  folder: string,
  { until }: RecoverOptions,
): Promise<Base> {
  const archive = resolve(folder);
  const base = chooseBase(archive, until);
  // If only a moment is asked for, the gap may be after it, and PostgreSQL says whether it comes so far.
  const gap = until === undefined ? findGap(archive, base.first_segment) : undefined;
  if (gap !== undefined) {
    throw new ArchiveRefusedError(
      `${gap}.gz, which the restore needs, is missing from ${walFolder(archive)}`,
    );
  }
  const dataDir = makeDataDir(path);
  const unlock = await takeLock(join(dataDir, "lock"));
  try {
    if (isDataDir(dataDir)) {
      throw new ArchiveRefusedError(
        `${dataDir} already contains a database: restore into a new folder, for example with --data-dir NEW_FOLDER`,
      );
    }
    const site = placeSite(dataDir);
    const programs = await findPrograms(site);
    const reach = ["/bin/sh", "-c", 'cd "$0"', walFolder(archive)];
    if ((await runProgram(reach, site, programs)) !== "") {
      throw new ArchiveRefusedError(
        `the account that runs PostgreSQL can't read ${walFolder(archive)}: run this as the owner of that folder`,
      );
    }
    const draft = makeDraft(site);
    const cluster = join(draft, CLUSTER_NAME);
    try {
      copyTree(join(archive, "bases", base.name, "data"), cluster, { account: site.account });
      writeOwn(join(cluster, "recovery.signal"), "");
      // By a single process, which accepts no connections, and ends when all is restored.
      const settings = [
        ...serverSettings(findMemoryBytes()),
        // A process alone is nobody's standby.
        "hot_standby=off",
        `restore_command=${fetchCommand(archive)}`,
        "recovery_target_action=promote",
        // PostgreSQL knows no names of zones while it reads its settings.
        ...(until === undefined ? [] : [`recovery_target_time=${until.replace("Z", "+00")}`]),
      ];
      const postgres = join(programs.folder, "bin", "postgres");
      const command = [postgres, "--single", "-D", cluster, ...settingArgs(settings), "postgres"];
      const said = await runProgram(command, site, programs);
      if (said !== "") {
        throw new ArchiveRefusedError(
          /recovery ended before configured recovery target/.test(said)
            ? `the archive ends before ${until}: omit --until to restore all of it`
            : `PostgreSQL could not restore it:\n${said.slice(-SAID_CHARS_MAX)}`,
        );
      }
      renameSync(cluster, site.cluster);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
    return base;
  } finally {
    unlock();
  }
}

/** The newest base backup, or the newest that had ended by then. */
function chooseBase(archive: string, until: string | undefined): Base {
  const bases = listBases(archive);
  const base = bases.findLast(
    ({ ended_at }) => until === undefined || Date.parse(ended_at) <= Date.parse(until),
  );
  if (base === undefined) {
    const [first] = bases;
    throw new ArchiveRefusedError(
      first === undefined
        ? `${archive} contains no complete base backup`
        : `${archive} starts at ${first.ended_at}: choose a later time`,
    );
  }
  if (base.postgres !== MAJOR_VERSION) {
    throw new ArchiveRefusedError(
      `${archive} was written by PostgreSQL ${base.postgres}, and this feedgate has PostgreSQL ${MAJOR_VERSION}: restore it with the feedgate that wrote it`,
    );
  }
  return base;
}
