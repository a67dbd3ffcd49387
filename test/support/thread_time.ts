/**
 * Times of a thread that do not depend on what else the machine is doing.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs";

const MICROS_PER_MS = 1_000;
const NANOS_PER_MS = 1_000_000;
/** Of the main thread: nanoseconds on a processor, nanoseconds of waiting for one, and turns (Linux). */
const SCHEDULER_FILE = "/proc/self/schedstat";
const isTold = existsSync(SCHEDULER_FILE);

/** The processor time of the calling thread so far, in milliseconds. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / MICROS_PER_MS;
}

/**
 * How long the main thread has waited so far for a processor that other threads had, in milliseconds. 0 on systems that
 * don't tell.
 */
export function waitedMs(): number {
  if (!isTold) return 0;
  const [, waitedNanos] = readFileSync(SCHEDULER_FILE, "utf8").split(" ");
  return Number(waitedNanos) / NANOS_PER_MS;
}
