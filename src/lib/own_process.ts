/**
 * How to start this program again: as a file that Bun runs, or as the executable that `bun run build` makes.
 *
 * @module
 */

/** Whether this is the executable, which holds its modules in a file system of its own. */
export const IS_COMPILED = /\/(?:\$bunfs|~BUN)\//.test(import.meta.url);

/** The command that starts this program, without its arguments. */
export function ownCommand(): string[] {
  return IS_COMPILED ? [process.execPath] : [process.execPath, Bun.main];
}
