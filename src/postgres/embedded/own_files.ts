/**
 * Opens files of the data directory safely, even if a link or a pipe has replaced them.
 *
 * @module
 */
import { closeSync, constants, fsyncSync, openSync, readFileSync, writeFileSync } from "node:fs";

const OWNER_ONLY = 0o600;

/** Opens a file. Does not follow links, and does not wait for the other end of a pipe. */
export function openOwn(path: string, flags: number): number {
  return openSync(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, OWNER_ONLY);
}

/** Replaces the text of a small file. It is on disk when this returns. */
export function writeOwn(path: string, text: string): void {
  const file = openOwn(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The text of a small file, or "" if it is missing or unreadable. */
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
