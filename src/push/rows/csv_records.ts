/**
 * Parses CSV exactly by RFC 4180, from pieces of a text to the values of each record.
 *
 * Records end with LF, CRLF, or CR. Empty lines are skipped. A quote begins a value, or is doubled inside a quoted
 * value. Anywhere else it is a mistake, and the rest of the file can't be parsed.
 *
 * This is not `csv-parse`, because that took two thirds of an import's time (7 of 11 µs a row of four values), going
 * character by character. Here most records are a line without a quote, which takes two native calls. A property test
 * compares the two parsers.
 *
 * @module
 */

export interface CsvRecord {
  readonly values: readonly string[];
  /** Line on which the record begins, from 1. */
  readonly line: number;
}

/** Why the rest of a file can't be parsed. */
export type CsvMistake = "too_long" | "not_closed" | "misplaced_quote";

const QUOTE = 0x22;
const COMMA = 0x2c;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Reads one file, piece by piece. */
export class CsvRecords {
  /** The first mistake, and the line of its record. Nothing after it is read. */
  mistake: { readonly kind: CsvMistake; readonly line: number } | undefined;
  #rest = "";
  #line = 1;
  readonly #recordLengthMax: number;

  /** @param recordLengthMax Characters of the longest record, quotes included. */
  constructor(recordLengthMax: number) {
    this.#recordLengthMax = recordLengthMax;
  }

  /** The records that end in this piece. */
  read(piece: string, { isLast }: { readonly isLast: boolean }): readonly CsvRecord[] {
    const records: CsvRecord[] = [];
    if (this.mistake !== undefined) return records;
    const text = this.#rest + piece;
    let start = 0;
    // Each is searched for again only once it was passed, so a text is searched once, whatever its line ends.
    let quote = indexFrom(text, '"', 0);
    let lineFeed = indexFrom(text, "\n", 0);
    let carriageReturn = indexFrom(text, "\r", 0);
    while (start < text.length) {
      if (quote < start) quote = indexFrom(text, '"', start);
      if (carriageReturn < start) carriageReturn = indexFrom(text, "\r", start);
      if (lineFeed < start) lineFeed = indexFrom(text, "\n", start);
      const end = Math.min(lineFeed, carriageReturn);
      const found = quote < end ? readQuoted(text, start) : { values: undefined, end };
      if (typeof found === "string") {
        if (found === "not_closed" && !isLast) break;
        this.mistake = { kind: found, line: this.#line };
        return records;
      }
      // A piece may end between CR and LF.
      const isWhole = found.end < text.length - (text.charCodeAt(found.end) === LINE_FEED ? 0 : 1);
      if (!isWhole && !isLast) break;
      if (found.end > start) {
        const values = found.values ?? text.slice(start, found.end).split(",");
        records.push({ values, line: this.#line });
      }
      this.#line += found.values === undefined ? 1 : countLines(text.slice(start, found.end));
      start = found.end + (text.startsWith("\r\n", found.end) ? 2 : 1);
    }
    this.#rest = text.slice(start);
    if (this.#rest.length > this.#recordLengthMax) {
      this.mistake = { kind: "too_long", line: this.#line };
    }
    return records;
  }
}

/** A record with quotes, and its end: that of a line, or of the text. */
function readQuoted(
  text: string,
  start: number,
): { readonly values: readonly string[]; readonly end: number } | CsvMistake {
  const values: string[] = [];
  for (let at = start; ; at++) {
    let end: number;
    if (text.charCodeAt(at) === QUOTE) {
      const closing = closingQuote(text, at + 1);
      if (closing < 0) return "not_closed";
      values.push(text.slice(at + 1, closing).replaceAll('""', '"'));
      end = closing + 1;
      // Whether more follows is not known yet.
      if (end < text.length && !isSeparator(text.charCodeAt(end))) return "misplaced_quote";
    } else {
      end = at;
      while (end < text.length && !isSeparator(text.charCodeAt(end))) {
        if (text.charCodeAt(end) === QUOTE) return "misplaced_quote";
        end++;
      }
      values.push(text.slice(at, end));
    }
    if (text.charCodeAt(end) !== COMMA) return { values, end };
    at = end;
  }
}

/** The index of the quote that ends a value, or -1 if none does. */
function closingQuote(text: string, start: number): number {
  let at = text.indexOf('"', start);
  while (at >= 0 && text.charCodeAt(at + 1) === QUOTE) at = text.indexOf('"', at + 2);
  return at;
}

function isSeparator(code: number): boolean {
  return code === COMMA || code === LINE_FEED || code === CARRIAGE_RETURN;
}

/** Returns the text's length if nothing is found. */
function indexFrom(text: string, searched: string, start: number): number {
  const index = text.indexOf(searched, start);
  return index < 0 ? text.length : index;
}

function countLines(record: string): number {
  return record.split(/\r\n|\n|\r/).length;
}
