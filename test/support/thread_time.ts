/**
 * Processor time of one thread: what the code under test costs, whatever else the machine is doing.
 *
 * @module
 */

const MICROS_PER_MS = 1_000;

/** Of the calling thread so far, in milliseconds. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / MICROS_PER_MS;
}
