/**
 * A lock that one task of one process holds at a time.
 *
 * It is SQLite's lock on an empty file, because the kernel releases it when its holder dies. A pid file would have to
 * be taken over from a dead holder, and two processes that do so at the same time can both believe that they succeeded.
 *
 * @module
 */
import { constants, Database } from "bun:sqlite";
import { accessSync, chmodSync, closeSync, lstatSync, constants as modes, openSync } from "node:fs";
import { codeOf } from "../../lib/error_fields.ts";

/** A start holds the data directory's lock through crash recovery (5 min in `start.ts`), a stop for 15 s. */
const WAIT_MS_MAX = 330_000;
const POLL_MS = 10;
/** A user who can read the file can lock it, and so block every command. */
const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

/** Waits for the lock and takes it. Returns a function that releases it. @throws if it is held for too long. */
export async function takeLock(path: string): Promise<() => void> {
  const until = Date.now() + WAIT_MS_MAX;
  for (;;) {
    // SQLite would block the event loop while it waits, so we wait outside of it.
    const free = tryLock(path);
    if (free !== undefined) return free;
    if (Date.now() > until) break;
    await Bun.sleep(POLL_MS);
  }
  throw new Error(
    `another process has locked ${path} for ${WAIT_MS_MAX / 1000} s: stop the feedgate process that hangs, then start again`,
  );
}

/**
 * Takes the lock and returns a function that releases it. Undefined if another process holds it, or is removing its
 * file.
 */
export function tryLock(path: string): (() => void) | undefined {
  keepFromOthers(path);
  const lock = openLock(path);
  if (lock === undefined) return undefined;
  try {
    lock.run("pragma busy_timeout = 0");
    // Nothing is ever written, so no journal file is needed.
    lock.run("pragma journal_mode = memory");
    lock.run("begin exclusive");
    return () => lock.close();
  } catch (error) {
    lock.close();
    if (codeOf(error) === "SQLITE_BUSY") return undefined;
    throw error;
  }
}

/** Undefined if the file has just been removed. It may be there again. */
function openLock(path: string): Database | undefined {
  const { SQLITE_OPEN_NOFOLLOW, SQLITE_OPEN_READWRITE } = constants;
  try {
    return new Database(path, SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_READWRITE);
  } catch (error) {
    if (codeOf(error) === "SQLITE_CANTOPEN" && !isClosedToUs(path)) return undefined;
    throw error;
  }
}

/** Whether something else is permanently at the path that we can't open as a lock. */
function isClosedToUs(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (!found.isFile()) return true;
  try {
    accessSync(path, modes.R_OK | modes.W_OK);
    return false;
  } catch (error) {
    return codeOf(error) !== "ENOENT";
  }
}

/**
 * Creates the file if it is missing, and makes it inaccessible to other accounts of the machine.
 *
 * An existing file is not opened, because closing it would release a lock that another task of this process holds.
 */
function keepFromOthers(path: string): void {
  try {
    closeSync(openSync(path, "wx", OWNER_ONLY));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isFile() !== true || (found.mode & OTHERS) === 0) return;
    try {
      chmodSync(path, OWNER_ONLY);
    } catch (gone) {
      // Just removed, so there is nothing to lock yet.
      if (codeOf(gone) !== "ENOENT") throw gone;
    }
  }
}
