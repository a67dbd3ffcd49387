/**
 * Opens files of the data directory so that a link or a pipe in their place does no harm.
 *
 * @module
 */
import { closeSync, constants, openSync, readFileSync } from "node:fs";

const OWNER_ONLY = 0o600;

/** Opens a file. Follows no link, and does not wait for the other end of a pipe. */
export function openOwn(path: string, flags: number): number {
  return openSync(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, OWNER_ONLY);
}

/** The text of a small file. "" if it is missing or may not be read. */
export function readOwn(path: string): string {
  let file: number | undefined;
  try {
    file = openOwn(path, constants.O_RDONLY);
    return readFileSync(file, "utf8");
  } catch {
    return "";
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
