/**
 * Parses pages of rows from the text of an answer.
 *
 * `JSON.parse` makes every number a double, so integers beyond 2^53 and long decimals lose digits. To keep them, pass a
 * `parseRow`, which receives the text of each row as the provider pushed it. Without one, answers are parsed as a
 * whole, which is faster.
 *
 * @module
 */
import { AnswerError } from "./errors.ts";
import { elementTexts, isArrayText, memberTexts } from "./json_texts.ts";
import type { Origin, ReadPage, StreamPage } from "./types.ts";

/** Parses a row from its JSON text, which is exactly as the provider pushed it. */
export type ParseRow<Row> = (text: string) => Row;

/** Members of the answer of a data read or a stream page. */
interface Envelope<Data> {
  readonly data: Data;
  readonly next_cursor?: string | null;
  readonly next_offset?: string;
  readonly up_to_date?: boolean;
  readonly has_more?: boolean;
  readonly _origin: Origin | null;
}

/** A page of a data read. @throws {AnswerError} */
export function readPage<Row>(text: string, parseRow: ParseRow<Row> | undefined): ReadPage<Row> {
  const { rows, envelope } = open(text, parseRow);
  const { next_cursor: nextCursor = null, has_more: hasMore = false, _origin: origin } = envelope;
  if (origin === null) throw notAPage();
  return { rows, nextCursor, hasMore, origin };
}

/** A page of a stream. @throws {AnswerError} */
export function streamPage<Row>(
  text: string,
  parseRow: ParseRow<Row> | undefined,
): StreamPage<Row> {
  const { rows, envelope } = open(text, parseRow);
  const { next_offset: nextOffset, up_to_date: isUpToDate = false, _origin: origin } = envelope;
  if (nextOffset === undefined) throw notAPage();
  return { rows, nextOffset, isUpToDate, origin };
}

function open<Row>(text: string, parseRow: ParseRow<Row> | undefined) {
  if (parseRow === undefined) {
    const envelope = parseEnvelope<Row | readonly Row[]>(text);
    const { data } = envelope;
    return { rows: isList(data) ? data : [data], envelope };
  }
  const { data, ...rest } = Object.fromEntries(memberTexts(text));
  if (data === undefined) throw notAPage();
  const around = Object.entries(rest).map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  const envelope = parseEnvelope<null>(`{"data":null,${around.join(",")}}`);
  const texts = isArrayText(data) ? elementTexts(data) : [data];
  return { rows: texts.map((row) => parseRow(row)), envelope };
}

function isList<Row>(data: Row | readonly Row[]): data is readonly Row[] {
  return Array.isArray(data);
}

/** @throws {AnswerError} if the text is not such an answer */
function parseEnvelope<Data>(text: string): Envelope<Data> {
  try {
    const envelope = JSON.parse(text);
    if ("data" in envelope && "_origin" in envelope) return envelope;
  } catch {
    // Not JSON, or not an object.
  }
  throw notAPage();
}

function notAPage(): AnswerError {
  return new AnswerError("unexpected response: not a page of rows", 200);
}
