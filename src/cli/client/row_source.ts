/**
 * Reads rows from a file or standard input: detects the format, and splits the bytes into lines with the same parsers
 * that the gateway uses for imports.
 *
 * @module
 */
import { statSync } from "node:fs";
import { messageOf } from "../../lib/error_fields.ts";
import { textChunks } from "../../lib/file_kind.ts";
import { JsonSyntaxError, scanJson } from "../../lib/json_text.ts";
import { JSON_DEPTH_MAX, LIMITS_DEFAULT } from "../../limits.ts";
import { readCsv } from "../../push/rows/read_csv.ts";
import type { SourceLine } from "../../push/rows/source_line.ts";
import { splitLines } from "../../push/rows/split_lines.ts";
import { RefusedError, UsageError } from "../command.ts";
import { oneOf } from "../options.ts";
import { rowsOfJson } from "./row_writer.ts";

/** Formats of a file of rows. */
export type SourceFormat = "ndjson" | "csv" | "json";

/** The `--format` option for input. */
export const SOURCE_FORMAT = oneOf(
  ["ndjson", "csv", "json"],
  "file format; default from the file name, ndjson for -",
);

const BY_EXTENSION: Readonly<Record<string, SourceFormat>> = {
  ndjson: "ndjson",
  jsonl: "ndjson",
  csv: "csv",
  json: "json",
};

/** A JSON file is read into memory. */
const JSON_BYTES_MAX = 256 * 1_024 * 1_024;
/** Room for a row with CSV quoting, and for whitespace that the gateway accepts. */
const LINE_BYTES_MAX = 4 * LIMITS_DEFAULT.rowBytes;

/** A file or standard input that contains rows. */
export interface RowSource {
  /** The name as typed. */
  readonly name: string;
  readonly format: SourceFormat;
  /** Undefined for standard input. */
  readonly bytes: number | undefined;
  /** Whether it can be opened more than once. Standard input can't. */
  readonly isRepeatable: boolean;
  open(): ReadableStream<Uint8Array>;
}

/** The file, or standard input if the name is `-`. @throws {RefusedError} {@link UsageError} */
export function rowSource(name: string, given: SourceFormat | undefined): RowSource {
  const found = name === "-" ? undefined : statOf(name);
  const extension = name === "-" ? "ndjson" : /\.(\w+)$/.exec(name)?.[1]?.toLowerCase();
  const format = given ?? BY_EXTENSION[extension ?? ""];
  if (format === undefined) {
    throw new UsageError(`unknown format of ${name}: give --format ndjson, csv or json`);
  }
  if (found === undefined) {
    const open = () => Bun.stdin.stream();
    return { name, format, bytes: undefined, isRepeatable: false, open };
  }
  if (found.isDirectory()) throw new RefusedError(`${name} is a folder`);
  const open = () => Bun.file(name).stream();
  // A named pipe has no size and can be read only once.
  if (!found.isFile()) return { name, format, bytes: undefined, isRepeatable: false, open };
  if (found.size === 0) throw new RefusedError(`${name} is empty`);
  return { name, format, bytes: found.size, isRepeatable: true, open };
}

function statOf(name: string) {
  try {
    return statSync(name);
  } catch (error) {
    throw new RefusedError(`${name} can't be read: ${messageOf(error)}`);
  }
}

/** The text of a JSON file: an array of rows, or one object. @throws {RefusedError} */
export async function readJson(source: RowSource): Promise<string> {
  const text = await readText(source);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return text;
  } catch (error) {
    throw new RefusedError(`${source.name} is not JSON: ${messageOf(error)}`);
  }
  throw new RefusedError(`${source.name} is neither an array of rows nor an object`);
}

/** The contents of a text file. @throws {RefusedError} */
export async function readText(source: RowSource): Promise<string> {
  if ((source.bytes ?? 0) > JSON_BYTES_MAX) throw tooLarge(source);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunksOf(source)) {
    bytes += chunk.length;
    if (bytes > JSON_BYTES_MAX) throw tooLarge(source);
    chunks.push(chunk);
  }
  const text = decoded(Buffer.concat(chunks));
  if (text === undefined) throw new RefusedError(`${source.name} is not valid UTF-8`);
  return text;
}

function chunksOf(source: RowSource): AsyncIterable<Uint8Array> {
  return textChunks(source.open(), (kind) => new RefusedError(`${source.name} is ${kind}`));
}

/** Undefined if the bytes are not UTF-8. Removes a byte order mark. */
function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function tooLarge({ name }: RowSource): RefusedError {
  return new RefusedError(
    `${name} exceeds ${JSON_BYTES_MAX / 1_048_576} MB, the limit for a JSON file: use NDJSON, with one row per line`,
  );
}

/** The lines of a file, one per row. For CSV, `schema` determines the types of values. */
export async function* sourceLines(
  source: RowSource,
  schema: unknown,
): AsyncGenerator<SourceLine, void, void> {
  if (source.format === "json") {
    for (const [place, text] of rowsOfJson(await readJson(source)).entries()) {
      yield { line: place + 1, text };
    }
    return;
  }
  const lists =
    source.format === "csv"
      ? readCsv(chunksOf(source), {
          schema: schema === undefined || schema === null ? null : JSON.stringify(schema),
          isStream: false,
          recordBytesMax: LINE_BYTES_MAX,
        })
      : splitLines(chunksOf(source), { lineBytesMax: LINE_BYTES_MAX });
  for await (const lines of lists) yield* lines;
}

/** The rows as JSON text. @throws {RefusedError} at the first invalid line, or if there are no rows */
export async function* sourceRows(
  source: RowSource,
  schema: unknown,
): AsyncGenerator<string, void, void> {
  const what = source.format === "json" ? "row" : "line";
  let isEmpty = true;
  for await (const { line, text, mistake } of sourceLines(source, schema)) {
    if (mistake !== undefined) throw new RefusedError(`${what} ${line}: ${mistake}`);
    requireStorable(text, `${what} ${line}`);
    isEmpty = false;
    yield text;
  }
  if (isEmpty) throw new RefusedError(`${source.name} has no rows`);
}

/** @throws {RefusedError} if a gateway would refuse the text, for example because a number exceeds a double */
export function requireStorable(text: string, where: string): void {
  try {
    const { refusals } = scanJson(text, { spanDepth: 0, heightMax: JSON_DEPTH_MAX });
    for (const { path, message } of refusals) {
      throw new RefusedError([where, path, message].filter((part) => part !== "").join(": "));
    }
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new RefusedError(`${where} is not JSON: ${error.message}`);
  }
}
