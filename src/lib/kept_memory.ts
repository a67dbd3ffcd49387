/**
 * Lets a server keep the memory that it has freed for its next requests.
 *
 * Bun's allocator gives what is free back to the system within 100 ms, which suits a program that
 * comes to rest. A server under load takes the same pages again at once, each by a page fault: one or
 * two a read, which were up to a seventh of the gateway's processor time.
 *
 * @module
 */
import { ownCommand } from "./own_process.ts";

/** Of mimalloc, which reads them once, before the program begins. */
const ALLOCATOR_SETTINGS = {
  // In milliseconds. A minute would spare the last faults, and cost 40 MB.
  MIMALLOC_PURGE_DELAY: "1000",
  // Free blocks of pages in use, which would go back whenever the program rests, stay.
  MIMALLOC_PURGE_HOLES: "0",
};

/**
 * Starts the program over in place, by the same process id and with the same arguments and streams,
 * where its environment does not say yet what the allocator keeps. Not where Bun was given options of
 * its own, which it has followed already, nor on Windows, where a process can't be replaced.
 */
export function keepFreedMemory(): void {
  const isSaid = process.env.MIMALLOC_PURGE_DELAY !== undefined;
  if (isSaid || process.execArgv.length > 0 || process.platform === "win32") return;
  const command = [...ownCommand(), ...process.argv.slice(2)];
  try {
    process.execve?.(process.execPath, command, { ...process.env, ...ALLOCATOR_SETTINGS });
  } catch {
    // Where it may not start programs, it serves by Bun's own settings.
  }
}
