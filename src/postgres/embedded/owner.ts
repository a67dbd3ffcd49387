/**
 * Finds the owner of a data directory, and makes root become that account before it touches anything in the directory.
 *
 * The owner can replace any file there by a link, and configures the PostgreSQL that runs there. So root permanently
 * drops its privileges (`becomeOwner`) at the start of every command that uses a data directory. In its own directory,
 * root stays root if no other account can replace the directory or one of its ancestors (`requireRootsOwn`).
 *
 * @module
 */
import {
  existsSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname, join, parse, resolve, sep } from "node:path";

/** An account of the system. */
export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** Whether root started this process. It may run as another account by now. */
export const IS_STARTED_BY_ROOT = isRoot();

const WRITABLE_BY_GROUP = 0o020;
const WRITABLE_BY_OTHERS = 0o002;
const STICKY = 0o1000;

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * Permanently turns a root process, with all of its threads, into one of the data directory's owner. Does nothing for
 * other accounts, or in root's own directory.
 */
export function becomeOwner(dataDir: string): void {
  if (!isRoot()) return;
  const { uid } = statSync(nearestExisting(resolve(dataDir)));
  if (uid === 0) return;
  const gid = findSystemUser((entry) => entry.uid === uid)?.gid ?? uid;
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}

/**
 * Refuses to let root use a directory that another account could replace.
 * @throws if the directory, or any ancestor, does not belong to root alone.
 */
export function requireRootsOwn(folder: string): void {
  const foreign = isRoot() ? findForeign(resolve(folder)) : undefined;
  if (foreign === undefined) return;
  throw new Error(
    `root can't use ${folder}, because another account could replace the contents of ${foreign}: run feedgate as that account, or choose a directory whose entire path only root can write to`,
  );
}

/** Whether a directory and its ancestors, as far as they exist, belong to root alone. */
export function isRootsOwn(folder: string): boolean {
  return findForeign(resolve(folder)) === undefined;
}

/** The first account of `/etc/passwd` that matches. */
export function findSystemUser(
  fits: (entry: SystemUser & { readonly name: string }) => boolean,
): SystemUser | undefined {
  // A container may have none.
  const entries = existsSync("/etc/passwd") ? readFileSync("/etc/passwd", "utf8") : "";
  for (const line of entries.split("\n")) {
    const [name = "", , uid, gid] = line.split(":");
    if (uid === undefined || gid === undefined) continue;
    // macOS writes the ids of `nobody` as -2, which the kernel reads as an unsigned number.
    const entry = { name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 };
    if (fits(entry)) return { uid: entry.uid, gid: entry.gid };
  }
  return undefined;
}

/** The path itself, or the nearest directory above it that exists. */
function nearestExisting(path: string): string {
  let at = path;
  while (lstatSync(at, { throwIfNoEntry: false }) === undefined) at = dirname(at);
  return at;
}

/** The first directory or link on the path that another account could replace. */
function findForeign(path: string): string | undefined {
  let at = parse(path).root;
  const names = path.slice(at.length).split(sep);
  for (const [index, name] of names.entries()) {
    const next = join(at, name);
    const found = lstatSync(next, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    // In a sticky directory, only the owner of an entry may replace it, but anyone may add one.
    const isGuarded = (found.mode & STICKY) !== 0 && index < names.length - 1;
    if (found.uid !== 0 || (isWritable(found) && !isGuarded)) return next;
    if (found.isSymbolicLink()) {
      const foreign = findForeign(resolve(at, readlinkSync(next)));
      if (foreign !== undefined) return foreign;
    }
    at = realpathSync(next);
  }
  return undefined;
}

/** Whether an account other than its owner and root's group may change the contents of a directory. */
function isWritable(found: Stats): boolean {
  if (found.isSymbolicLink()) return false;
  const mask = found.gid === 0 ? WRITABLE_BY_OTHERS : WRITABLE_BY_OTHERS | WRITABLE_BY_GROUP;
  return (found.mode & mask) !== 0;
}
