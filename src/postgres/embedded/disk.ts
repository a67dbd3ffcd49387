/**
 * The free space on the disk of the embedded PostgreSQL.
 *
 * @module
 */
import { statfsSync } from "node:fs";
import { codeOf } from "../../lib/error_fields.ts";

/** Of the file system with the data directory. */
export interface DiskRoom {
  /** What PostgreSQL may still write. */
  readonly freeBytes: number;
  readonly usedBytes: number;
}

/** Undefined while the folder does not exist. */
export function readDiskRoom(folder: string): DiskRoom | undefined {
  try {
    const { bavail, bfree, blocks, bsize } = statfsSync(folder);
    return { freeBytes: bavail * bsize, usedBytes: (blocks - bfree) * bsize };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
