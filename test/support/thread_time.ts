/**
 * Processor time of one thread: the cost of the code under test, whatever else the machine is doing.
 *
 * @module
 */

const MICROS_PER_MS = 1_000;

/** The processor time of the calling thread so far, in milliseconds. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / MICROS_PER_MS;
}
