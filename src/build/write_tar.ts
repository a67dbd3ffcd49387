/**
 * Writes files as a tar whose bytes depend on nothing but their paths and contents: neither on the time nor on who
 * builds. Bun's own writer notes the time. The format is ustar of POSIX.1-1988.
 *
 * @module
 */
import { assert } from "../lib/assert.ts";

const BLOCK_BYTES = 512;
const NAME_BYTES_MAX = 100;
const CHECKSUM_AT = 148;
const CHECKSUM_BYTES = 8;

/** The archive of these files, by their paths, in this order. */
export function writeTar(files: Readonly<Record<string, Uint8Array>>): Buffer {
  const blocks: Uint8Array[] = [];
  for (const [path, content] of Object.entries(files)) {
    const padding = (BLOCK_BYTES - (content.length % BLOCK_BYTES)) % BLOCK_BYTES;
    blocks.push(header(path, content.length), content, Buffer.alloc(padding));
  }
  blocks.push(Buffer.alloc(2 * BLOCK_BYTES));
  return Buffer.concat(blocks);
}

function header(path: string, bytes: number): Buffer {
  assert(Buffer.byteLength(path) <= NAME_BYTES_MAX, `the path fits the header: ${path}`);
  const block = Buffer.alloc(BLOCK_BYTES);
  block.write(path);
  block.write(octal(0o644, 8), 100);
  // Owner and group.
  block.write(octal(0, 8) + octal(0, 8), 108);
  block.write(octal(bytes, 12), 124);
  // The beginning of 1970.
  block.write(octal(0, 12), 136);
  block.write(" ".repeat(CHECKSUM_BYTES), CHECKSUM_AT);
  block.write("0ustar\x0000", 156, "latin1");
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, CHECKSUM_BYTES - 1)} `, CHECKSUM_AT, "latin1");
  return block;
}

/** Digits and a zero byte, so many bytes in all. */
function octal(value: number, bytes: number): string {
  return `${value.toString(8).padStart(bytes - 1, "0")}\0`;
}
