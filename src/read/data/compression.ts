/**
 * Compressed answers that share their start and differ in their end.
 *
 * A page is compressed once per data version, flushed to a byte boundary, and cached. Each reader's `_origin` then
 * follows as one stored block. An answer therefore costs a copy of 1 µs, while compressing it would cost 30 to 130.
 * Only gzip is supported, because zstd and Brotli cost as much and save only 3 to 15 %.
 *
 * gzip: RFC 1952 and 1951, 3.2.4.
 *
 * @module
 */
import { promisify } from "node:util";
import { constants, crc32, deflateRaw } from "node:zlib";
import { assert } from "../../lib/assert.ts";

/** The shared start of a compressed answer. */
export interface CompressedStart {
  readonly bytes: Uint8Array;
  /** Length of the text in bytes, which the trailer includes. */
  readonly textBytes: number;
  /** CRC-32 of the text so far. */
  readonly crc: number;
}

const LEVEL = 6;
/** The most bytes of a stored block. */
const END_BYTES_MAX = 0xffff;
/** Magic number, deflate, no flags, no time, no extra flags, unknown system. RFC 1952, 2.3. */
const HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);

/** Compresses the shared start, off the main thread. */
export async function compressStart(text: string): Promise<CompressedStart> {
  const bytes = Buffer.from(text, "utf8");
  const options = { finishFlush: constants.Z_SYNC_FLUSH, level: LEVEL };
  const compressed = await promisify(deflateRaw)(bytes, options);
  return {
    bytes: Buffer.concat([HEADER, compressed]),
    textBytes: bytes.length,
    crc: crc32(bytes),
  };
}

/** The parts of the complete answer: the shared start, and the reader's end, which is ASCII. */
export function completeAnswer(
  start: CompressedStart,
  end: string,
): readonly [Uint8Array, Uint8Array] {
  assert(end.length <= END_BYTES_MAX, "the end fits one stored block");
  const tail = Buffer.from(end, "latin1");
  // The last block, stored: BFINAL = 1, BTYPE = 00, then length and its complement.
  const before = Buffer.alloc(5);
  before.writeUInt8(1, 0);
  before.writeUInt16LE(tail.length, 1);
  before.writeUInt16LE(~tail.length & 0xffff, 3);
  const after = Buffer.alloc(8);
  after.writeUInt32LE(crc32(tail, start.crc), 0);
  after.writeUInt32LE((start.textBytes + tail.length) % 2 ** 32, 4);
  return [start.bytes, Buffer.concat([before, tail, after])];
}
