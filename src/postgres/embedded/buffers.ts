/**
 * How much memory the embedded PostgreSQL keeps pages in.
 *
 * @module
 */
import { totalmem } from "node:os";

const BYTES_PER_MIB = 1_024 * 1_024;
/** Enough for the most used pages of a small gateway. */
const BUFFERS_MIB_MIN = 128;
/** The system's cache has the rest. Above that, the list of buffers alone takes hundreds of MB. */
const BUFFERS_MIB_MAX = 4_096;
/** PostgreSQL's advice for a machine that does little else. */
const SHARE = 1 / 4;

/** `shared_buffers` in MiB, for a machine with this much memory. */
export function buffersMib(memoryBytes: number): number {
  const share = Math.floor((memoryBytes * SHARE) / BYTES_PER_MIB);
  return Math.min(BUFFERS_MIB_MAX, Math.max(BUFFERS_MIB_MIN, share));
}

/** Of the machine, or of the container if it has less. */
export function findMemoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
