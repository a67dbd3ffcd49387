/**
 * The number of reads that it takes to read a whole feed.
 *
 * @module
 */
import { PAGE_LIMIT_MAX } from "../limits.ts";

/** Reads of every row once, in pages of the maximum size. An empty page is also a read. */
export function readsOfAll(rowCount: bigint): bigint {
  const pageRows = BigInt(PAGE_LIMIT_MAX);
  return rowCount === 0n ? 1n : (rowCount + pageRows - 1n) / pageRows;
}
