/**
 * A file of rows that is completely in memory, such as one sent by a browser: its format, its rows, and the mistakes by
 * line. The rows are read and checked exactly as in an import.
 *
 * @module
 */
import type { FeedType } from "../../feeds/find.ts";
import type { FieldError } from "../../lib/field_error.ts";
import { foreignKind } from "../../lib/file_kind.ts";
import {
  type JsonSpan,
  JsonSyntaxError,
  type JsonText,
  type KnownKeys,
  type ScannedJson,
  scanJson,
  textOf,
} from "../../lib/json_text.ts";
import { kindOf } from "../../lib/typebox.ts";
import {
  ERRORS_LISTED_MAX,
  IMPORT_PIECE_BYTES,
  JSON_DEPTH_MAX,
  SCHEMA_BYTES_MAX,
} from "../../limits.ts";
import { parseExact } from "../../money/money.ts";
import { badLine, checkLine } from "./check_lines.ts";
import { type PushedRow, scanRow } from "./check_row.ts";
import { type ExactRow, isRow } from "./propose_feed.ts";
import { typedTexts } from "./propose_schema.ts";
import { readCsv } from "./read_csv.ts";
import type { SourceLine } from "./source_line.ts";
import { splitLines } from "./split_lines.ts";

export interface RowFile {
  /** As its sender calls it. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** How a file is written. */
export type FileForm = "csv" | "ndjson" | "json";

/** Why a file has no rows, as a sentence. */
export interface UnreadableFile {
  readonly kind: "unreadable";
  readonly why: string;
  /** Mistakes of its rows, if it has some. */
  readonly mistakes: readonly FieldError[];
}

/** The first rows of a file. */
export interface FirstRows {
  readonly kind: "rows";
  readonly form: FileForm;
  /** Whether the file is one JSON object. */
  readonly isDocument: boolean;
  /** At least one. Values of CSV have the types that all values of their column fit. */
  readonly rows: readonly ExactRow[];
  /** Of the lines that were looked at. */
  readonly mistakes: readonly FieldError[];
  /** Whether the file has more than was looked at. */
  readonly isCut: boolean;
}

/** Rows of a feed. */
export interface FileRows {
  readonly kind: "rows";
  readonly form: FileForm;
  readonly isDocument: boolean;
  readonly rows: readonly PushedRow[];
  readonly mistakes: readonly FieldError[];
}

/** A file as the body of a push or an import. */
export interface ConvertedFile {
  readonly kind: "converted";
  readonly form: FileForm;
  readonly isDocument: boolean;
  readonly text: string;
}

/** How the rows of a file become those of a feed. */
export interface FileReading {
  readonly feedType: FeedType;
  /** The feed's schema as JSON text, which gives the values of CSV their types; null for none. */
  readonly schema: string | null;
  /** What fields are called in the feed, by their name in the file. */
  readonly renames: ReadonlyMap<string, string>;
  readonly rowBytesMax: number;
}

/** Of a file, as much is looked at. */
const LOOKED_AT_BYTES = 1_024 * 1_024;
const LOOKED_AT_ROWS = 1_000;
/** Of all rows together. Wide rows have many. */
const LOOKED_AT_FIELDS = 20_000;
/** White space and quotes that a record may have beside its values. */
const RECORD_BYTES_TIMES = 4;

/** The first rows of a file, before it is known what they are rows of. */
export async function lookAtFile(
  file: RowFile,
  { rowBytesMax }: Pick<FileReading, "rowBytesMax">,
): Promise<FirstRows | UnreadableFile> {
  const opened = openFile(file, {
    ...{ schema: null, isStream: false, isIdRequired: false },
    recordBytesMax: RECORD_BYTES_TIMES * rowBytesMax,
  });
  if (opened.kind === "unreadable") return opened;
  const { form, isDocument, isSound, source } = opened;
  const rules = { form, isSound, rowBytesMax: isDocument ? Infinity : rowBytesMax, keys: [] };
  const rows: ExactRow[] = [];
  const mistakes: FieldError[] = [];
  let fields = 0;
  const isEnough = () =>
    rows.length >= LOOKED_AT_ROWS ||
    fields >= LOOKED_AT_FIELDS ||
    mistakes.length >= ERRORS_LISTED_MAX;
  let isCut = false;
  for await (const lines of opened.lists) {
    for (const line of lines) {
      isCut = isEnough();
      if (isCut) break;
      const looked = lookAtLine(line, rules);
      if ("row" in looked) {
        rows.push(looked.row);
        fields += Object.keys(looked.row).length;
      } else mistakes.push(looked.mistake);
    }
    isCut ||= source.read >= LOOKED_AT_BYTES && source.read < file.bytes.length;
    if (isCut) break;
  }
  if (rows.length === 0) return withoutRows(file, mistakes);
  const typed = form === "csv" ? typedTexts(rows) : rows;
  return { kind: "rows", form, isDocument, rows: typed, mistakes, isCut };
}

/** The first rows of a file as those of a feed, checked as its import will check them. */
export async function readFileRows(
  file: RowFile,
  { rowsMax, rowBytesMax, ...reading }: FileReading & { readonly rowsMax: number },
): Promise<FileRows | UnreadableFile> {
  const opened = openForFeed(file, { ...reading, rowBytesMax });
  if (opened.kind === "unreadable") return opened;
  const { form, isDocument } = opened;
  const { feedType, renames } = reading;
  const noun = form === "json" ? "row" : "line";
  const rules = { feedType, rowBytesMax, keys: [] as KnownKeys, noun } as const;
  const rows: PushedRow[] = [];
  const mistakes: FieldError[] = [];
  const isEnough = () => rows.length >= rowsMax || mistakes.length >= ERRORS_LISTED_MAX;
  for await (const lines of opened.lists) {
    for (const line of lines) {
      if (isEnough()) break;
      const checked = isDocument
        ? documentOf(line, opened.isSound)
        : checkLine(form === "csv" ? line : renamed(line, renames), rules);
      if ("message" in checked) mistakes.push(checked);
      else rows.push(checked);
    }
    if (isEnough()) break;
  }
  if (rows.length === 0) return withoutRows(file, mistakes);
  return { kind: "rows", form, isDocument, rows, mistakes };
}

/**
 * A whole file as JSON that the feed takes: its document, or its rows as lines of JSON. Each row stands on the line of
 * the file on which it began, so that mistakes name the file's own lines.
 */
export async function convertFile(
  file: RowFile,
  reading: FileReading,
): Promise<ConvertedFile | UnreadableFile> {
  const opened = openForFeed(file, reading);
  if (opened.kind === "unreadable") return opened;
  const { form, isDocument } = opened;
  const parts: string[] = [];
  const mistakes: FieldError[] = [];
  let next = 1;
  for await (const lines of opened.lists) {
    for (const line of lines) {
      const { text, line: at, mistake } = form === "csv" ? line : renamed(line, reading.renames);
      if (mistake !== undefined) mistakes.push(badLine(at, { path: "", message: mistake }));
      parts.push("\n".repeat(Math.max(0, at - next)), onOneLine(text), "\n");
      next = Math.max(next, at) + 1;
    }
    if (mistakes.length >= ERRORS_LISTED_MAX) break;
  }
  if (mistakes.length > 0) return withoutRows(file, mistakes.slice(0, ERRORS_LISTED_MAX));
  return { kind: "converted", form, isDocument, text: parts.join("") };
}

/** What stands before a mistake's message: `line 3: /price`. */
export function placeOfMistake({ line, path }: FieldError, form: FileForm): string {
  const places = [line === undefined ? "" : `${form === "json" ? "row" : "line"} ${line}`, path];
  return places.filter((place) => place !== "").join(": ");
}

interface OpenedFile {
  readonly kind: "opened";
  readonly form: FileForm;
  readonly isDocument: boolean;
  /** Whether all rows are known to be JSON that may be stored. */
  readonly isSound: boolean;
  readonly lists: AsyncIterable<readonly SourceLine[]>;
  readonly source: FileSource;
}

function openForFeed(
  file: RowFile,
  { feedType, schema, renames, rowBytesMax }: FileReading,
): OpenedFile | UnreadableFile {
  return openFile(file, {
    ...{ schema, renames, isStream: feedType === "stream" },
    recordBytesMax: RECORD_BYTES_TIMES * rowBytesMax,
  });
}

function openFile(
  file: RowFile,
  options: Parameters<typeof readCsv>[1],
): OpenedFile | UnreadableFile {
  const { name, bytes } = file;
  if (bytes.length === 0) return unreadable(file, "is empty");
  const kind = foreignKind(bytes.subarray(0, HEAD_BYTES));
  // A file in a browser has no headers to be sent with.
  if (kind !== undefined) return unreadable(file, `is ${kind.replace(/, or send.*$/, "")}`);
  const source = new FileSource(bytes);
  const form = formOf(file);
  const opened = { kind: "opened", form, isDocument: false, isSound: false, source } as const;
  switch (form) {
    case "csv":
      return { ...opened, lists: readCsv(source.pieces(), options) };
    case "ndjson": {
      const { recordBytesMax: lineBytesMax } = options;
      return { ...opened, lists: splitLines(source.pieces(), { lineBytesMax }) };
    }
    case "json": {
      const json = readJson(bytes);
      if (typeof json === "string") return unreadable({ name }, json);
      const { root } = json;
      const spans = root.items ?? [root];
      if (spans.length === 0) return unreadable({ name }, "has no rows");
      if (root.kind !== "array" && root.kind !== "object") {
        return unreadable(
          { name },
          `is neither an array of rows nor an object: it is a ${root.kind}`,
        );
      }
      return {
        ...opened,
        isDocument: root.kind === "object",
        isSound: json.refusalCount === 0,
        lists: listsOf(json, spans),
      };
    }
  }
}

/** The bytes of a file in pieces, and how many were read. */
class FileSource {
  read = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  async *pieces(): AsyncGenerator<Uint8Array, void, void> {
    while (this.read < this.#bytes.length) {
      const piece = this.#bytes.subarray(this.read, this.read + IMPORT_PIECE_BYTES);
      this.read += piece.length;
      yield piece;
    }
  }
}

/** Texts are made as they are asked for: an array may have a million values. */
async function* listsOf(
  json: JsonText,
  spans: readonly JsonSpan[],
): AsyncGenerator<readonly SourceLine[], void, void> {
  for (let start = 0; start < spans.length; start += ROWS_A_LIST) {
    const list = spans.slice(start, start + ROWS_A_LIST);
    yield list.map((span, place) => ({ line: start + place + 1, text: textOf(json, span) }));
  }
}

const ROWS_A_LIST = 500;
/** Bytes by which a kind of file is known. */
const HEAD_BYTES = 4;
/** Characters that tell a list of lines from one text. */
const SNIFFED_BYTES = 64 * 1_024;

/** By the end of the name, and by how the text begins. */
function formOf({ name, bytes }: RowFile): FileForm {
  if (/\.csv$/i.test(name)) return "csv";
  if (/\.(?:ndjson|jsonl)$/i.test(name)) return "ndjson";
  const text = new TextDecoder().decode(bytes.subarray(0, SNIFFED_BYTES)).trimStart();
  if (text.startsWith("{")) {
    // Lines of JSON are often called .json, too.
    const [first = "", second = ""] = text.split(/\n\s*/, 2);
    return second.startsWith("{") && isJson(first) ? "ndjson" : "json";
  }
  return text.startsWith("[") || /\.json$/i.test(name) ? "json" : "csv";
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A file is looked at, and then read: its JSON is scanned once. */
const SCANNED = new WeakMap<Uint8Array, ScannedJson | string>();

/** The text with spans for each row, or what is wrong with it. */
function readJson(bytes: Uint8Array): ScannedJson | string {
  const known = SCANNED.get(bytes);
  if (known !== undefined) return known;
  const scanned = scanFile(bytes);
  SCANNED.set(bytes, scanned);
  return scanned;
}

function scanFile(bytes: Uint8Array): ScannedJson | string {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return "is not valid UTF-8";
  }
  try {
    // An array is a level around its rows.
    return scanJson(text, { spanDepth: 1, heightMax: JSON_DEPTH_MAX + 1 });
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return `is not JSON: ${error.message}`;
  }
}

/** Between the values of a row there may be line ends. */
function onOneLine(text: string): string {
  return text.includes("\n") || text.includes("\r") ? text.replace(/[\r\n]+/g, " ") : text;
}

interface LookRules {
  readonly form: FileForm;
  readonly isSound: boolean;
  readonly rowBytesMax: number;
  readonly keys: KnownKeys;
}

type Looked = { readonly row: ExactRow } | { readonly mistake: FieldError };

/** A line as a row, which need not have an id. */
function lookAtLine({ line, text, mistake }: SourceLine, rules: LookRules): Looked {
  const { form, isSound, rowBytesMax, keys } = rules;
  const wrong = (message: string, path = "") => ({ mistake: badLine(line, { path, message }) });
  if (mistake !== undefined) return wrong(mistake);
  if (!isSound) {
    try {
      const [refusal] = scanRow(text, { firstLine: line, refusalsMax: 1, keys }).refusals;
      if (refusal !== undefined) return wrong(refusal.message, refusal.path);
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      return wrong(error.message);
    }
  }
  if (Buffer.byteLength(text) > rowBytesMax) {
    return wrong(`the row is larger than the limit of ${rowBytesMax} bytes`);
  }
  // Values of CSV are texts, which have no digits to lose; and no sample is made of a large document.
  const hasDigits = form !== "csv" && text.length <= SCHEMA_BYTES_MAX;
  const row = hasDigits ? parseExact(text) : JSON.parse(text);
  return isRow(row)
    ? { row }
    : wrong(`a row must be an object, got ${JSON.isRawJSON(row) ? "number" : kindOf(row)}`);
}

/** The document of a singleton. */
function documentOf({ line, text }: SourceLine, isSound: boolean): PushedRow | FieldError {
  const [refusal] = isSound ? [] : scanRow(text, { refusalsMax: 1 }).refusals;
  if (refusal !== undefined) return badLine(line, refusal);
  return { text, id: "", eventTime: null, pointer: "", index: line };
}

/** A line with other names of fields. A line that is no object stays, and its check says what it is. */
function renamed(line: SourceLine, renames: ReadonlyMap<string, string>): SourceLine {
  if (renames.size === 0 || line.mistake !== undefined) return line;
  try {
    const json = scanRow(line.text, { refusalsMax: 0 });
    const { members } = json.root;
    if (members === undefined) return line;
    const texts = members.map(
      ({ key, value }) => `${JSON.stringify(renames.get(key) ?? key)}:${textOf(json, value)}`,
    );
    return { ...line, text: `{${texts.join(",")}}` };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return line;
  }
}

function unreadable({ name }: Pick<RowFile, "name">, why: string): UnreadableFile {
  return { kind: "unreadable", why: `${name} ${why}.`, mistakes: [] };
}

function withoutRows(file: RowFile, mistakes: readonly FieldError[]): UnreadableFile {
  if (mistakes.length === 0) return unreadable(file, "has no rows");
  return { ...unreadable(file, "has no row that can be read"), mistakes };
}
