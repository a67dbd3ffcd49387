/**
 * The folder of a run of many tests, in which its processes keep their temporary files.
 *
 * @module
 */
import { chmodSync, mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** In memory, a database for each test file costs a twentieth of what it does on a disk. */
const MEMORY_DIR = "/dev/shm";
/** Several times what a run takes. */
const MEMORY_BYTES_MIN = 3 * 1_024 ** 3;

/**
 * Makes the folder and names it in `TMPDIR`, for this process and those that it starts. The caller removes it.
 *
 * @returns its path
 */
export function makeRunFolder(): string {
  const folder = mkdtempSync(join(parentDir(), "feedgate-run-"));
  // Reachable for the account that PostgreSQL runs as where the tests run as root.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  return folder;
}

/** In memory where there is such a place, with room. */
function parentDir(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_DIR);
    return bavail * bsize >= MEMORY_BYTES_MIN ? MEMORY_DIR : tmpdir();
  } catch {
    return tmpdir();
  }
}
