/**
 * Whose a data directory is, and how root becomes that account before it touches anything in it.
 *
 * Whoever owns the directory can put a link in the place of any file there, and configures the PostgreSQL
 * that runs there. So root gives up its privileges for good (`becomeOwner`) at the start of every command
 * that uses a data directory. In a directory of its own root stays root, if nobody else can replace the
 * directory or what is on the way to it (`requireRootsOwn`).
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
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** Whether root began this process, which may be somebody else by now. */
export const IS_STARTED_BY_ROOT = isRoot();

const WRITABLE_BY_GROUP = 0o020;
const WRITABLE_BY_OTHERS = 0o002;
const STICKY = 0o1000;

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * Makes a process of root a process of the data directory's owner, with all of its threads and for good.
 * Changes nothing for other accounts and in a directory of root's.
 */
export function becomeOwner(dataDir: string): void {
  if (!isRoot()) return;
  const { uid } = statSync(nearestExisting(resolve(dataDir)));
  if (uid === 0) return;
  const gid = findAccount((entry) => entry.uid === uid)?.gid ?? uid;
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}

/**
 * Refuses to let root use a directory in which another account could lead it astray.
 * @throws if the directory, or anything on the way to it, is not root's alone.
 */
export function requireRootsOwn(folder: string): void {
  const foreign = isRoot() ? findForeign(resolve(folder)) : undefined;
  if (foreign === undefined) return;
  throw new Error(
    `root can't use ${folder}, since another account could replace what is in ${foreign}: run feedgate as that account, or name a directory that only root may write to, on the whole way to it`,
  );
}

/** Whether a directory is root's alone, so far as it and the way to it are there. */
export function isRootsOwn(folder: string): boolean {
  return findForeign(resolve(folder)) === undefined;
}

/** The first account of `/etc/passwd` that fits. */
export function findAccount(
  fits: (entry: Account & { readonly name: string }) => boolean,
): Account | undefined {
  for (const line of readPasswd().split("\n")) {
    const [name = "", , uid, gid] = line.split(":");
    if (uid === undefined || gid === undefined) continue;
    // macOS writes nobody's ids as -2, which the kernel reads as an unsigned number.
    const entry = { name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 };
    if (fits(entry)) return { uid: entry.uid, gid: entry.gid };
  }
  return undefined;
}

function readPasswd(): string {
  // A container may have none.
  return existsSync("/etc/passwd") ? readFileSync("/etc/passwd", "utf8") : "";
}

/** The path itself, or the nearest directory above it that is there. */
function nearestExisting(path: string): string {
  let at = path;
  while (lstatSync(at, { throwIfNoEntry: false }) === undefined) at = dirname(at);
  return at;
}

/** The first directory or link on the way to a path that another account could lead elsewhere. */
function findForeign(path: string): string | undefined {
  let at = parse(path).root;
  const names = path.slice(at.length).split(sep);
  for (const [index, name] of names.entries()) {
    const next = join(at, name);
    const found = lstatSync(next, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    // Only the owner of an entry may replace it in a sticky directory; but anybody may add one.
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

/** Whether others than its owner, and than root's group, may change what is in a directory. */
function isWritable(found: Stats): boolean {
  if (found.isSymbolicLink()) return false;
  const mask = found.gid === 0 ? WRITABLE_BY_OTHERS : WRITABLE_BY_OTHERS | WRITABLE_BY_GROUP;
  return (found.mode & mask) !== 0;
}
