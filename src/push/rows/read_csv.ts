/**
 * Converts CSV (RFC 4180) to lines of JSON, from chunks of bytes to the text of each row.
 *
 * The header names the columns. A value takes the type that the schema gives its property. Without one, it is a string
 * exactly as written. An empty value is omitted from the row. The column `_other`, which exports contain, has further
 * fields as a JSON object. The row is then checked like a pushed one.
 *
 * After an unbalanced quote, the rest of the file can't be parsed, so it is always the last mistake reported.
 *
 * @module
 */
import { isUtf8 } from "node:buffer";
import { schemaProperties } from "../../feeds/schema_properties.ts";
import { present } from "../../lib/assert.ts";
import { excerpt } from "../../lib/code_points.ts";
import { counted } from "../../lib/counted.ts";
import { JSON_NUMBER } from "../../lib/json_text.ts";
import { isObject, type JsonObject } from "../../lib/records.ts";
import { kindOf } from "../../lib/typebox.ts";
import { CSV_COLUMNS_MAX } from "../../limits.ts";
import { type CsvMistake, CsvRecords } from "./csv_records.ts";
import type { SourceLine } from "./source_line.ts";

interface CsvOptions {
  /** The feed's schema as JSON text, or null. */
  readonly schema: string | null;
  /** A stream's rows have an `event_timestamp`, whether the schema names it or not. */
  readonly isStream: boolean;
  /** Length of the longest record, quotes included. */
  readonly recordBytesMax: number;
  /** What columns are called in the rows, by their name in the header. @default as in the header */
  readonly renames?: ReadonlyMap<string, string>;
  /** Whether a header without `id` is a mistake. @default true */
  readonly isIdRequired?: boolean;
}

/** A column: the start of its JSON member, and the types that its values may have. */
interface Column {
  readonly name: string;
  /** Whether its values are objects of further fields. */
  readonly isOther: boolean;
  readonly key: string;
  /** Undefined if its values are always strings. */
  readonly types: ReadonlySet<string> | undefined;
}

const MISTAKES: Readonly<Record<CsvMistake, string>> = {
  too_long: "the record is larger than a row may be; a quote that is not closed may be the reason",
  not_closed: "a quoted value that begins here is not closed",
  misplaced_quote:
    'a quote is out of place: quote the whole value, and double each quote in it, as "12"" wide"',
};
/** The last column of an export. */
const OTHER = "_other";
const UTF8_BYTES_MAX = 4;
/**
 * Text that needs no escapes in a JSON string: no quotes, backslashes, control characters, or surrogates. RFC 8259,
 * section 7.
 */
const PLAIN = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;
const JSON_TYPES = ["string", "number", "integer", "boolean", "null", "object", "array"];

/** Lists of rows. The header is line 1 and not a row. A mistake in the header or in quoting ends the lines. */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
  { recordBytesMax, ...options }: CsvOptions,
): AsyncGenerator<readonly SourceLine[], void, void> {
  // Skips the byte order mark.
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const records = new CsvRecords(recordBytesMax);
  let columns: readonly Column[] | undefined;
  let linesBefore = 0;

  /** The rows of a piece, and whether parsing has ended. */
  function take(piece: string, isLast: boolean): { lines: SourceLine[]; isEnded: boolean } {
    const lines: SourceLine[] = [];
    for (const { values, line } of records.read(piece, { isLast })) {
      if (columns !== undefined) {
        lines.push(lineOf(values, columns, line));
        continue;
      }
      const header = readHeader(values, options);
      if (typeof header === "string") {
        return { lines: [{ line, text: "", mistake: header }], isEnded: true };
      }
      columns = header;
    }
    const { mistake } = records;
    if (mistake === undefined) return { lines, isEnded: false };
    const { kind, line } = mistake;
    const last = { line, text: "", mistake: `${MISTAKES[kind]}; what follows was not read` };
    return { lines: [...lines, last], isEnded: true };
  }

  /** The first bytes of a character that continues in the next chunk. */
  let rest = new Uint8Array(0);
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const whole = bytes.subarray(0, lengthOfCharacters(bytes));
    rest = bytes.slice(whole.length);
    const isValid = isUtf8(whole);
    const valid = isValid ? whole : validLines(whole);
    linesBefore += countLineFeeds(valid);
    const { lines, isEnded } = take(decoder.decode(valid, { stream: true }), false);
    yield lines;
    if (isEnded) return;
    if (isValid) continue;
    yield [invalidFrom(linesBefore + 1)];
    return;
  }
  if (rest.length > 0) {
    yield [invalidFrom(linesBefore + 1)];
    return;
  }
  const { lines } = take("", true);
  if (lines.length > 0) yield lines;
}

/** Number of bytes without an incomplete last character. */
function lengthOfCharacters(bytes: Uint8Array): number {
  const { length } = bytes;
  for (let back = 1; back <= Math.min(UTF8_BYTES_MAX - 1, length); back++) {
    const byte = present(bytes[length - back]);
    const isContinuation = (byte & 0xc0) === 0x80;
    if (isContinuation) continue;
    const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return wanted > back ? length - back : length;
  }
  return length;
}

function invalidFrom(line: number): SourceLine {
  const mistake = "the file is not valid UTF-8 here; what follows was not read";
  return { line, text: "", mistake };
}

function countLineFeeds(chunk: Uint8Array): number {
  let count = 0;
  for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, at + 1)) count += 1;
  return count;
}

/** The complete lines at the beginning that are valid. */
function validLines(bytes: Uint8Array): Uint8Array {
  let start = 0;
  for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
    if (!isUtf8(bytes.subarray(start, end))) break;
    start = end + 1;
  }
  return bytes.subarray(0, start);
}

/** The columns, or what is wrong with the header. */
function readHeader(
  header: readonly string[],
  { schema, isStream, renames, isIdRequired = true }: Omit<CsvOptions, "recordBytesMax">,
): readonly Column[] | string {
  const names = header.map((name) => renames?.get(name) ?? name);
  if (names.length > CSV_COLUMNS_MAX) return `a header has at most ${CSV_COLUMNS_MAX} columns`;
  const [first = ""] = names;
  if (names.length === 1 && /[;\t|]/.test(first)) {
    return `the header is one column, ${JSON.stringify(excerpt(first))}; separate values by commas`;
  }
  const unnamed = names.findIndex((name) => name.trim() === "");
  if (unnamed >= 0) return `column ${unnamed + 1} of the header has no name`;
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    return `the header has the column ${JSON.stringify(excerpt(twice))} twice`;
  const properties = new Map(schemaProperties(schema));
  const own = isStream ? ["id", "event_timestamp"] : ["id"];
  const near = nearMiss(names, [...properties.keys(), ...own]);
  if (near !== undefined) {
    const [name, meant] = near.map((each) => JSON.stringify(excerpt(each)));
    return `the header has the column ${name}, and the feed has the field ${meant}; write both alike`;
  }
  if (isIdRequired && !names.includes("id"))
    return "the header has no column id; give each row an id";
  const root: unknown = JSON.parse(schema ?? "null");
  return names.map((name) => {
    const types = typesOf(properties.get(name), root);
    return { name, isOther: name === OTHER, key: `${JSON.stringify(name)}:`, types };
  });
}

/**
 * The first column name that differs from a field's only by case, spaces, hyphens, or underscores, and that field. The
 * column's values would not get the field's type, and readers who ask for the field would not find them.
 */
function nearMiss(
  names: readonly string[],
  fields: readonly string[],
): readonly [string, string] | undefined {
  const known = new Set(fields);
  const byFolded = new Map(fields.map((field) => [folded(field), field]));
  for (const name of names) {
    const meant = byFolded.get(folded(name));
    if (meant !== undefined && !known.has(name) && !names.includes(meant)) return [name, meant];
  }
  return undefined;
}

function folded(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s_-]+/g, "");
}

/**
 * The types that a property's schema names: directly, in its alternatives, and in what it refers to within the schema
 * (`root`). Undefined if it names none.
 */
function typesOf(property: unknown, root: unknown): ReadonlySet<string> | undefined {
  const types = new Set<string>();
  // Each is visited once, so circular references end.
  const schemas = new Set([property]);
  for (const schema of schemas) {
    if (!isObject(schema)) continue;
    const { $ref, anyOf, oneOf } = schema;
    for (const type of ownTypesOf(schema)) types.add(type);
    for (const each of [anyOf, oneOf].filter(Array.isArray).flat()) schemas.add(each);
    if (typeof $ref !== "string") continue;
    const target = referredTo($ref, root);
    if (target === undefined) types.add("string");
    schemas.add(target);
  }
  return types.size === 0 ? undefined : types;
}

/** The types of `type`, else those of the values that `enum` or `const` allows. */
function ownTypesOf(schema: JsonObject): readonly string[] {
  const named = [schema.type].flat().filter((type) => JSON_TYPES.some((each) => each === type));
  if (named.length > 0) return named.map(String);
  const values = Array.isArray(schema.enum) ? schema.enum : [];
  return ("const" in schema ? [schema.const] : values).map(kindOf);
}

/**
 * The target of a JSON Pointer from the root (`#/$defs/price`). Undefined if there is none, or for other references.
 */
function referredTo(reference: string, root: unknown): unknown {
  if (!reference.startsWith("#/")) return undefined;
  let value = root;
  for (const segment of reference.slice("#/".length).split("/")) {
    const name = segment.replaceAll("~1", "/").replaceAll("~0", "~");
    value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

function lineOf(record: readonly string[], columns: readonly Column[], line: number): SourceLine {
  if (record.length !== columns.length) {
    const mistake = `the line has ${counted(record.length, "value")}, and the header ${counted(columns.length, "column")}`;
    return { line, text: "", mistake };
  }
  let members = "";
  for (let index = 0; index < columns.length; index++) {
    const value = present(record[index]);
    if (value === "") continue;
    const column = present(columns[index]);
    if (column.isOther) {
      const others = membersOf(value);
      if (others === undefined) {
        const mistake = `${OTHER} must be a JSON object of further fields, got ${JSON.stringify(excerpt(value))}`;
        return { line, text: "", mistake };
      }
      if (others !== "") members += members === "" ? others : `,${others}`;
      continue;
    }
    const json = column.types === undefined ? quoted(value) : typed(value, column.types);
    if (json === undefined) {
      const wanted = [...present(column.types)].join(" or ");
      const mistake = `${column.name} must be of type ${wanted}, got ${JSON.stringify(excerpt(value))}`;
      return { line, text: "", mistake };
    }
    members += members === "" ? column.key + json : `,${column.key}${json}`;
  }
  return { line, text: `{${members}}` };
}

/** The text between the braces of a JSON object. Undefined if the value is not an object. */
function membersOf(value: string): string | undefined {
  const text = value.trim();
  return text.startsWith("{") && isJson(text) ? text.slice(1, -1).trim() : undefined;
}

/** Encodes a value as a JSON string. Most need no escapes, and are not copied. */
function quoted(value: string): string {
  return PLAIN.test(value) ? `"${value}"` : JSON.stringify(value);
}

/**
 * The value as JSON of one of the types, or undefined if none fits. String is tried last, except for `null`, which is a
 * string wherever strings are allowed: it may be a person's name, and an empty value is CSV's way to leave a field out.
 */
function typed(value: string, types: ReadonlySet<string>): string | undefined {
  const text = value.trim();
  if ((types.has("number") || types.has("integer")) && JSON_NUMBER.test(text)) return text;
  if (types.has("boolean") && (text === "true" || text === "false")) return text;
  if (types.has("null") && !types.has("string") && text === "null") return text;
  if (types.has("object") && text.startsWith("{") && isJson(text)) return text;
  if (types.has("array") && text.startsWith("[") && isJson(text)) return text;
  return types.has("string") ? quoted(value) : undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
