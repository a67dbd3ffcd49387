/**
 * Compressed answers whose start is shared and whose end is the reader's own.
 *
 * A page is compressed once a data version, up to a point where its bytes are whole (a flush), and kept.
 * Each reader's `_origin` then follows as one uncompressed block, which every one of the three formats
 * has: so an answer costs a copy and no compression. Accept-Encoding: RFC 9110, 12.5.3. gzip: RFC 1952
 * and 1951, 3.2.4; Brotli: RFC 7932, 9.2; zstd: RFC 8878, 3.1.1.2.
 *
 * @module
 */
import { promisify } from "node:util";
import { brotliCompress, constants, crc32, deflateRaw, zstdCompress } from "node:zlib";
import { assert } from "../lib/assert.ts";
import { BoundedMap } from "../lib/bounded_map.ts";

export type Encoding = "zstd" | "br" | "gzip";

/** The shared start of a compressed answer. */
export interface CompressedStart {
  readonly encoding: Encoding;
  readonly bytes: Uint8Array;
  /** Of the text, in bytes: gzip's end repeats it. */
  readonly textBytes: number;
  /** Of the text so far; gzip's end needs it. */
  readonly crc: number;
}

/** Where a reader prefers none: most saved for its time first. */
const PREFERENCE: readonly Encoding[] = ["zstd", "br", "gzip"];
const ALIASES: Readonly<Record<string, string>> = { "x-gzip": "gzip" };
/** A header as a client sends it; each client sends its own again and again. */
const HEADERS_KNOWN_MAX = 256;
const HEADER_LENGTH_MAX = 256;

const ZSTD_LEVEL = 3;
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 6;
/** The largest block that all three formats can hold uncompressed, and zstd in its least window. */
const END_BYTES_MAX = 1_024;

const known = new BoundedMap<string, Encoding | undefined>(HEADERS_KNOWN_MAX);

/** The encoding that `Accept-Encoding` prefers, ours among equals; undefined for none. */
export function chooseEncoding(acceptEncoding: string | null): Encoding | undefined {
  if (acceptEncoding === null || acceptEncoding.length > HEADER_LENGTH_MAX) return undefined;
  if (known.has(acceptEncoding)) return known.get(acceptEncoding);
  const chosen = negotiate(acceptEncoding);
  known.set(acceptEncoding, chosen);
  return chosen;
}

function negotiate(acceptEncoding: string): Encoding | undefined {
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((each) => each.trim());
    const weight = parameters.find((each) => /^q\s*=/.test(each))?.replace(/^q\s*=\s*/, "") ?? "1";
    // A weight that is none counts as a refusal: an uncompressed answer is never wrong.
    const value = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0;
    if (name !== "") weights.set(ALIASES[name] ?? name, value);
  }
  const weightOf = (name: string) => weights.get(name) ?? weights.get("*") ?? 0;
  const best = Math.max(...PREFERENCE.map(weightOf));
  // Not compressed at all is acceptable unless refused, but preferred only where it says so.
  if (best <= 0 || best < (weights.get("identity") ?? 0)) return undefined;
  return PREFERENCE.find((name) => weightOf(name) === best);
}

// The sizes of a frame are left out where they would have to cover the reader's part, too.
const compressors: Readonly<Record<Encoding, (text: Uint8Array) => Promise<Uint8Array>>> = {
  zstd: (text) =>
    promisify(zstdCompress)(text, {
      finishFlush: constants.ZSTD_e_flush,
      params: {
        [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL,
        [constants.ZSTD_c_contentSizeFlag]: 0,
        [constants.ZSTD_c_checksumFlag]: 0,
      },
    }),
  br: (text) =>
    promisify(brotliCompress)(text, {
      finishFlush: constants.BROTLI_OPERATION_FLUSH,
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      },
    }),
  gzip: (text) =>
    promisify(deflateRaw)(text, { finishFlush: constants.Z_SYNC_FLUSH, level: GZIP_LEVEL }),
};

/** Compresses the shared start, off the main thread. */
export async function compressStart(text: string, encoding: Encoding): Promise<CompressedStart> {
  const bytes = Buffer.from(text, "utf8");
  assert(bytes.length > 0, "zstd begins no frame before there is a byte");
  const compressed = await compressors[encoding](bytes);
  if (encoding === "zstd") checkZstdStart(compressed);
  return {
    encoding,
    bytes: encoding === "gzip" ? Buffer.concat([GZIP_HEADER, compressed]) : compressed,
    textBytes: bytes.length,
    crc: encoding === "gzip" ? crc32(bytes) : 0,
  };
}

/** The whole answer: the shared start and the reader's end, which is ASCII. */
export function completeAnswer(start: CompressedStart, end: string): Uint8Array {
  assert(end.length > 0 && end.length <= END_BYTES_MAX, "the end fits one uncompressed block");
  const tail = Buffer.from(end, "latin1");
  switch (start.encoding) {
    case "zstd":
      return Buffer.concat([start.bytes, zstdBlockHeader(tail.length), tail]);
    case "br":
      return Buffer.concat([start.bytes, brotliBlockHeader(tail.length), tail, BROTLI_END]);
    case "gzip":
      return Buffer.concat([
        start.bytes,
        storedBlockHeader(tail.length),
        tail,
        gzipEnd(start, tail),
      ]);
  }
}

/** Magic number, deflate, no flags, no time, no extra flags, unknown system. RFC 1952, 2.3. */
const GZIP_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);
/** ISLAST and ISLASTEMPTY. RFC 7932, 9.2. */
const BROTLI_END = Uint8Array.of(0b11);

/** The last block, stored: BFINAL = 1, BTYPE = 00, then length and its complement. */
function storedBlockHeader(length: number): Uint8Array {
  const header = Buffer.alloc(5);
  header.writeUInt8(1, 0);
  header.writeUInt16LE(length, 1);
  header.writeUInt16LE(~length & 0xffff, 3);
  return header;
}

/** CRC and length of the whole text. */
function gzipEnd(start: CompressedStart, tail: Uint8Array): Uint8Array {
  const end = Buffer.alloc(8);
  end.writeUInt32LE(crc32(tail, start.crc), 0);
  end.writeUInt32LE((start.textBytes + tail.length) % 2 ** 32, 4);
  return end;
}

/** ISLAST = 0, MNIBBLES = 4, MLEN - 1 in 16 bits, ISUNCOMPRESSED = 1, and bits up to the byte's end. */
function brotliBlockHeader(length: number): Uint8Array {
  const header = Buffer.alloc(3);
  header.writeUIntLE(((length - 1) << 3) | (1 << 19), 0, 3);
  return header;
}

/** Last_Block = 1, Block_Type = Raw, Block_Size. */
function zstdBlockHeader(length: number): Uint8Array {
  const header = Buffer.alloc(3);
  header.writeUIntLE((length << 3) | 1, 0, 3);
  return header;
}

/** A frame that told its content's size or checksum could not be continued. RFC 8878, 3.1.1.1.1. */
function checkZstdStart(frame: Uint8Array): void {
  assert(((frame[4] ?? 0xff) & 0b1110_0100) === 0, "the zstd frame has neither size nor checksum");
}
