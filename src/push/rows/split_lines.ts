/**
 * Splits newline-delimited JSON into lines, from chunks of bytes to the text of each row.
 *
 * Lines end with LF or CRLF. A byte order mark at the start of the file is skipped, and so are empty lines.
 *
 * @module
 */
import type { SourceLine } from "./source_line.ts";

const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Lists of lines, one list for each chunk. A line longer than `lineBytesMax` is a mistake and ends reading. */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  { lineBytesMax }: { readonly lineBytesMax: number },
): AsyncGenerator<readonly SourceLine[], void, void> {
  /** The beginning of an incomplete line. */
  let begun: Uint8Array[] = [];
  let begunBytes = 0;
  let linesBefore = 0;
  for await (const chunk of chunks) {
    const first = chunk.indexOf(LINE_FEED);
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    if (first >= 0) {
      // Only the line that began in an earlier chunk is copied.
      const head = Buffer.concat([...begun, chunk.subarray(0, first)]);
      const { lines } = linesOf(head, linesBefore);
      linesBefore += 1;
      if (end > first + 1) {
        const rest = linesOf(chunk.subarray(first + 1, end - 1), linesBefore);
        linesBefore += rest.count;
        yield [...lines, ...rest.lines];
      } else yield lines;
      begun = [];
      begunBytes = 0;
    }
    // A copy, so that the chunk can be freed.
    if (end < chunk.length) begun.push(new Uint8Array(chunk.subarray(end)));
    begunBytes += chunk.length - end;
    if (begunBytes > lineBytesMax) {
      const mistake = `the line is longer than ${lineBytesMax} bytes; send one row per line`;
      yield [{ line: linesBefore + 1, text: "", mistake }];
      return;
    }
  }
  if (begunBytes > 0) yield linesOf(Buffer.concat(begun), linesBefore).lines;
}

interface SplitLines {
  /** The lines that are not empty. */
  readonly lines: readonly SourceLine[];
  /** The number of lines, empty ones included. */
  readonly count: number;
}

function linesOf(bytes: Uint8Array, linesBefore: number): SplitLines {
  const isMarked = linesBefore === 0 && BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte);
  const marked = isMarked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
  const text = decoded(marked);
  const lines: SourceLine[] = [];
  let line = linesBefore;
  if (text !== undefined) {
    let start = 0;
    for (let at = 0; at <= text.length; at++) {
      if (at < text.length && text.charCodeAt(at) !== LINE_FEED) continue;
      line += 1;
      // An empty line creates no text: a file may have a billion of them.
      if (at > start) {
        const each = text.slice(start, at);
        if (each.trim() !== "") lines.push({ line, text: each });
      }
      start = at + 1;
    }
  } else {
    for (const each of splitBytes(marked)) {
      line += 1;
      const read = lineOf(each, line);
      if (read.mistake !== undefined || read.text.trim() !== "") lines.push(read);
    }
  }
  return { lines, count: line - linesBefore };
}

/** A line that is not valid UTF-8. */
function lineOf(bytes: Uint8Array, line: number): SourceLine {
  const text = decoded(bytes);
  return text === undefined
    ? { line, text: "", mistake: "the line is not valid UTF-8" }
    : { line, text };
}

function splitBytes(bytes: Uint8Array): readonly Uint8Array[] {
  const lines: Uint8Array[] = [];
  let start = 0;
  for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return [...lines, bytes.subarray(start)];
}

/** Undefined if it is not valid UTF-8. */
function decoded(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}
