/**
 * Recognizes a file that is not UTF-8 text by its first bytes: compressed, or in another encoding. Its sender has not
 * declared this, and "not valid UTF-8" would not say what to do.
 *
 * @module
 */

/** Number of bytes that are checked. */
const HEAD_BYTES = 4;

const UTF_16 = "in UTF-16; save it as UTF-8";
const KINDS: readonly (readonly [signature: readonly number[], kind: string])[] = [
  [
    [0x1f, 0x8b],
    "compressed with gzip; decompress it, or send it with the header Content-Encoding: gzip",
  ],
  [
    [0x28, 0xb5, 0x2f, 0xfd],
    "compressed with zstd; decompress it, or send it as gzip with the header Content-Encoding: gzip",
  ],
  [[0x50, 0x4b, 0x03, 0x04], "a ZIP archive, as workbooks of Excel are; send CSV or lines of JSON"],
  [[0xff, 0xfe], UTF_16],
  [[0xfe, 0xff], UTF_16],
];

/** What the bytes are and what to do, as the words after "it is". Undefined if they may be UTF-8. */
export function foreignKind(head: Uint8Array): string | undefined {
  const known = KINDS.find(([signature]) => signature.every((byte, at) => head[at] === byte));
  if (known !== undefined) return known[1];
  // UTF-16 without a byte order mark: the first two characters are usually ASCII, so one byte of each is zero.
  const [first, second] = head;
  return second !== undefined && (first === 0) !== (second === 0) ? UTF_16 : undefined;
}

/** The chunks of a file that may be UTF-8. @throws what `refuse` returns for any other kind */
export async function* textChunks(
  chunks: AsyncIterable<Uint8Array>,
  refuse: (kind: string) => unknown,
): AsyncGenerator<Uint8Array, void, void> {
  let head = new Uint8Array(0);
  for await (const chunk of chunks) {
    // The first chunk may be a single byte.
    if (head.length < HEAD_BYTES) {
      head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES - head.length)]);
      const kind = foreignKind(head);
      if (kind !== undefined) throw refuse(kind);
    }
    yield chunk;
  }
}
