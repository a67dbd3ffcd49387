/**
 * Writes files as a tar whose bytes depend on nothing but their paths, contents and modes, and the time that is given:
 * neither on the clock nor on who builds. Bun's own writer notes the time. The format is ustar of POSIX.1-1988.
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

/** A file that is not plain: a program, or one that only its owner reads. */
export interface TarFile {
  readonly content: Uint8Array;
  /** The bits of its permissions. @default 0o644 */
  readonly mode?: number;
}

/**
 * The archive of these files, by their paths, in this order. A path that ends with a slash is a folder, whose content is
 * empty.
 *
 * @param modifiedSeconds when all of them were changed, in seconds since 1970
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

/** Digits and a zero byte, so many bytes in all. */
function octal(value: number, bytes: number): string {
  return `${value.toString(8).padStart(bytes - 1, "0")}\0`;
}
