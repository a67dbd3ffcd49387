/**
 * The archive of an embedded database: a folder with base backups (`base_backup.ts`) and all WAL since the oldest.
 *
 * Which folder it is says a file in the data directory, because PostgreSQL is started by whichever process needs it
 * first, and WAL that one of them does not archive is a gap that no restore crosses. PostgreSQL itself copies each
 * segment of its WAL there when the segment is full, or a minute old.
 *
 * @module
 */
import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { shellWord } from "../../lib/own_process.ts";
import { readOwn, writeOwn } from "./own_files.ts";

/** Bytes of a segment, as `initdb` sets them by default. */
const SEGMENT_BYTES = 16 * 1_024 ** 2;
const SEGMENTS_OF_LOG = 2 ** 32 / SEGMENT_BYTES;
const LOG_DIGITS = 8;
/** Timeline, log and segment, in hexadecimal. */
const SEGMENT_NAME = /^[0-9A-F]{24}\.gz$/;
/** A commit is archived at the latest this long after it, unless a full segment is archived before. */
const ARCHIVE_TIMEOUT_SECONDS = 60;

/**
 * POSIX sh. Its arguments are the segment's path and name, and the folder. A segment that is there already is not
 * written again, and one that differs is an error. It gets its name once it is on disk.
 */
const COPY = [
  "to=$2/$1.gz part=$2/$1.part",
  'keep() { { sync "$1" && sync "$2"; } || sync; }',
  '[ -f "$to" ] && { gzip -dc "$to" | cmp -s - "$0" && keep "$to" "$2"; exit; }',
  "umask 077",
  'gzip -1 < "$0" > "$part" && keep "$part" "$2" && mv "$part" "$to" && keep "$to" "$2"',
].join("; ");

function markOf(dataDir: string): string {
  return join(dataDir, "archive");
}

/** The folder to which the database's WAL is copied. Undefined if it is not archived. */
export function archiveOf(dataDir: string): string | undefined {
  return readOwn(markOf(dataDir)).replace(/\n$/, "") || undefined;
}

/** Takes effect when PostgreSQL starts. The caller must hold the data directory's lock. */
export function setArchive(dataDir: string, folder: string | undefined): void {
  if (folder === undefined) {
    rmSync(markOf(dataDir), { force: true });
    return;
  }
  const draft = `${markOf(dataDir)}.part`;
  writeOwn(draft, `${folder}\n`);
  renameSync(draft, markOf(dataDir));
}

export function walFolder(archive: string): string {
  return join(archive, "wal");
}

/** PostgreSQL's settings that have it copy its WAL. */
export function archiveSettings(archive: string | undefined): readonly string[] {
  if (archive === undefined) return [];
  const command = `/bin/sh -c ${shellWord(COPY)} %p %f ${placed(walFolder(archive))}`;
  return [
    "archive_mode=on",
    `archive_command=${command}`,
    `archive_timeout=${ARCHIVE_TIMEOUT_SECONDS}s`,
  ];
}

/**
 * A command for PostgreSQL's `restore_command`. PostgreSQL takes 1 for the end of the WAL, and gives up at 127, so that
 * no damaged segment passes for the end.
 */
export function fetchCommand(archive: string): string {
  const file = `${placed(walFolder(archive))}/%f.gz`;
  return `[ -f ${file} ] || exit 1; gzip -dc ${file} > "%p" || exit 127`;
}

/** A path as a word of a shell command in which PostgreSQL replaces `%` and a letter. */
function placed(path: string): string {
  return shellWord(path).replaceAll("%", "%%");
}

/** The segments of the archive, in the order in which they were written, without `.gz`. */
function listSegments(archive: string): readonly string[] {
  return readdirSync(walFolder(archive))
    .filter((name) => SEGMENT_NAME.test(name))
    .map((name) => name.slice(0, -".gz".length))
    .toSorted();
}

export function hasSegment(archive: string, segment: string): boolean {
  return existsSync(join(walFolder(archive), `${segment}.gz`));
}

/** The first segment from `from` on that the archive lacks although it has a later one, or `from` itself. */
export function findGap(archive: string, from: string): string | undefined {
  let expected = from;
  for (const name of listSegments(archive)) {
    if (name < from) continue;
    if (name !== expected) return expected;
    expected = nextSegment(expected);
  }
  return expected === from ? from : undefined;
}

function nextSegment(name: string): string {
  const timeline = name.slice(0, LOG_DIGITS);
  const log = Number.parseInt(name.slice(LOG_DIGITS, 2 * LOG_DIGITS), 16);
  const segment = Number.parseInt(name.slice(2 * LOG_DIGITS), 16) + 1;
  const digits = (number: number) => number.toString(16).toUpperCase().padStart(LOG_DIGITS, "0");
  return segment < SEGMENTS_OF_LOG
    ? `${timeline}${digits(log)}${digits(segment)}`
    : `${timeline}${digits(log + 1)}${digits(0)}`;
}

/** Removes what was written before a segment, with what PostgreSQL notes of base backups. */
export function removeSegmentsBefore(archive: string, segment: string): void {
  const folder = walFolder(archive);
  for (const name of readdirSync(folder)) {
    if (/^[0-9A-F]{24}\./.test(name) && name < segment) rmSync(join(folder, name));
  }
}
