/**
 * Writes files as a tar archive whose bytes depend only on their paths, contents, and modes, and on the given time.
 * Bun's own writer stores the current time. The format is ustar (POSIX.1-1988).
 *
 * @module
 */
import { assert } from "../lib/assert.ts";

const BLOCK_BYTES = 512;
const NAME_BYTES_MAX = 100;
const CHECKSUM_AT = 148;
const CHECKSUM_BYTES = 8;
const MODE = 0o644;
const FOLDER_MODE = 0o755;

/** A file with its own mode, such as a program or a private file. */
export interface TarFile {
  readonly content: Uint8Array;
  /** Permission bits. @default 0o644 */
  readonly mode?: number;
}

/**
 * Returns an archive of these files, by path, in this order. A path that ends with a slash is a folder, whose content
 * must be empty.
 *
 * @param modifiedSeconds modification time of all files, in Unix epoch seconds
 */
export function writeTar(
  files: Readonly<Record<string, Uint8Array | TarFile>>,
  modifiedSeconds = 0,
): Buffer {
  const blocks: Uint8Array[] = [];
  for (const [path, file] of Object.entries(files)) {
    const { content, mode } =
      file instanceof Uint8Array ? { content: file, mode: undefined } : file;
    const padding = (BLOCK_BYTES - (content.length % BLOCK_BYTES)) % BLOCK_BYTES;
    const isFolder = path.endsWith("/");
    const permissions = mode ?? (isFolder ? FOLDER_MODE : MODE);
    const block = header(path, { bytes: content.length, permissions, modifiedSeconds });
    blocks.push(block, content, Buffer.alloc(padding));
  }
  blocks.push(Buffer.alloc(2 * BLOCK_BYTES));
  return Buffer.concat(blocks);
}

function header(
  path: string,
  {
    bytes,
    permissions,
    modifiedSeconds,
  }: { bytes: number; permissions: number; modifiedSeconds: number },
): Buffer {
  assert(Buffer.byteLength(path) <= NAME_BYTES_MAX, `the path fits the header: ${path}`);
  const block = Buffer.alloc(BLOCK_BYTES);
  block.write(path);
  block.write(octal(permissions, 8), 100);
  // Owner and group.
  block.write(octal(0, 8) + octal(0, 8), 108);
  block.write(octal(bytes, 12), 124);
  block.write(octal(modifiedSeconds, 12), 136);
  block.write(" ".repeat(CHECKSUM_BYTES), CHECKSUM_AT);
  block.write(`${path.endsWith("/") ? "5" : "0"}ustar\x0000`, 156, "latin1");
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, CHECKSUM_BYTES - 1)} `, CHECKSUM_AT, "latin1");
  return block;
}

/** Octal digits and a NUL, with this total length. */
function octal(value: number, bytes: number): string {
  return `${value.toString(8).padStart(bytes - 1, "0")}\0`;
}
