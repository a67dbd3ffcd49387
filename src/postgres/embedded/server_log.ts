/**
 * Bounds the embedded PostgreSQL's log, which would otherwise fill the disk that its data are on.
 *
 * The server holds its log open and appends to it. So while it runs, the log is copied and then emptied; lines that come
 * between the two are lost.
 *
 * @module
 */
import {
  closeSync,
  constants,
  copyFileSync,
  ftruncateSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { openOwn } from "./own_files.ts";

/** A longer log gets the name of the one before, which is removed. */
export const LOG_BYTES_MAX = 16 * 1_024 * 1_024;
const CHECK_MS = 60_000;

/** Puts a long log aside, before a server opens it. */
export function rotateLog(log: string, bytesMax = LOG_BYTES_MAX): void {
  if (sizeOf(log) > bytesMax) renameSync(log, before(log));
}

/** Does the same each minute while a server writes. Returns how to end that. */
export function boundLog(log: string): () => void {
  const checks = setInterval(() => emptyLog(log), CHECK_MS);
  checks.unref();
  return () => clearInterval(checks);
}

/** Puts what a long log has aside, while a server writes. */
export function emptyLog(log: string, bytesMax = LOG_BYTES_MAX): void {
  if (sizeOf(log) <= bytesMax) return;
  try {
    rmSync(before(log), { force: true });
    copyFileSync(log, before(log), constants.COPYFILE_EXCL);
  } catch {
    // Another user of the server does it, or the disk is full: then room is worth more than old lines.
    rmSync(before(log), { force: true });
  }
  const file = openOwn(log, constants.O_WRONLY);
  ftruncateSync(file);
  closeSync(file);
}

function before(log: string): string {
  return `${log}.1`;
}

function sizeOf(log: string): number {
  return statSync(log, { throwIfNoEntry: false })?.size ?? 0;
}
