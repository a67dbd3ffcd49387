/**
 * The folder of a test run, in which its processes keep their temporary files.
 *
 * @module
 */
import { chmodSync, mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** In memory, a database for each test file costs a twentieth of the time on a disk. */
const MEMORY_DIR = "/dev/shm";
/** Several times what a run needs. */
const MEMORY_BYTES_MIN = 3 * 1_024 ** 3;

/**
 * Creates the folder and sets `TMPDIR`, for this process and its children. The caller must remove it.
 *
 * @returns its path
 */
export function makeRunFolder(): string {
  const folder = mkdtempSync(join(parentDir(), "feedgate-run-"));
  // Accessible to the account that PostgreSQL runs as if the tests run as root.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  return folder;
}

/** In memory, if there is such a place with enough room. */
function parentDir(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_DIR);
    return bavail * bsize >= MEMORY_BYTES_MIN ? MEMORY_DIR : tmpdir();
  } catch {
    return tmpdir();
  }
}
