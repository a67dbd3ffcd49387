/**
 * Limits the size of the embedded PostgreSQL's log, which would otherwise fill the data disk.
 *
 * The server keeps its log open and appends to it. So while it runs, the log is copied and then truncated. Lines
 * written between the two steps are lost.
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

/** A longer log is renamed to the name of the previous one, which is removed. */
export const LOG_BYTES_MAX = 16 * 1_024 * 1_024;
const CHECK_MS = 60_000;

/** Rotates a long log before a server opens it. */
export function rotateLog(log: string, bytesMax = LOG_BYTES_MAX): void {
  if (sizeOf(log) > bytesMax) renameSync(log, before(log));
}

/** Rotates it every minute while a server writes. Returns a function that ends that. */
export function boundLog(log: string): () => void {
  const checks = setInterval(() => emptyLog(log), CHECK_MS);
  checks.unref();
  return () => clearInterval(checks);
}

/** Copies and empties a long log while a server writes. */
export function emptyLog(log: string, bytesMax = LOG_BYTES_MAX): void {
  if (sizeOf(log) <= bytesMax) return;
  try {
    rmSync(before(log), { force: true });
    copyFileSync(log, before(log), constants.COPYFILE_EXCL);
  } catch {
    // Another user of the server is doing it, or the disk is full, and then space matters more than old lines.
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
