/**
 * Writes rows as NDJSON, a JSON array, CSV, or tables, in constant memory.
 *
 * Files and pipes receive the values exactly as pushed. On a terminal, control characters are escaped.
 *
 * @module
 */
import { elementTexts, memberTexts } from "../../client/json_texts.ts";
import { escapeInvisible } from "../../lib/invisible_text.ts";
import { type Cell, type Columns, type Output, table } from "../output.ts";

/** Output formats for rows. */
export type RowFormat = "ndjson" | "json" | "csv" | "table";

/** Writes rows, one page at a time. */
export interface RowWriter {
  write(rows: readonly string[]): Promise<void>;
  /** Writes whatever follows the last row. */
  end(): Promise<void>;
}

interface WriterOptions {
  readonly output: Output;
  /** If given, only these fields are written, in this order. */
  readonly fields: readonly string[] | undefined;
  /** Fields of the feed's schema, in order. They become columns. */
  readonly schemaFields: readonly string[];
  /** Whether the output continues earlier output. */
  readonly isContinued: boolean;
}

/** The column that collects all fields without a column. */
const OTHER = "_other";
/** These columns come first, wherever they are in the schema. */
const FIRST_FIELDS = ["id", "event_timestamp"];

/** Creates a writer for the format. */
export function rowWriter(format: RowFormat, options: WriterOptions): RowWriter {
  const { output, fields } = options;
  const write = (text: string) =>
    output.write(output.columns === undefined ? text : escapeInvisible(text));
  const picked = (rows: readonly string[]) =>
    fields === undefined ? rows : rows.map((row) => pick(row, fields));
  const nothing = async () => {};
  switch (format) {
    case "ndjson":
      return {
        write: (rows) =>
          write(
            picked(rows)
              .map((row) => `${onOneLine(row)}\n`)
              .join(""),
          ),
        end: nothing,
      };
    case "json":
      return arrayWriter(write, picked);
    case "csv":
      return csvWriter(write, options);
    case "table":
      return {
        async write(rows) {
          const members = picked(rows).map(memberTexts);
          const shown = table(members, columnsOf(members, options));
          await write(`${escapeInvisible(shown(output.textColumns))}\n`);
        },
        end: nothing,
      };
  }
}

function arrayWriter(
  write: (text: string) => Promise<void>,
  picked: (rows: readonly string[]) => readonly string[],
): RowWriter {
  let separator = "[\n";
  return {
    async write(rows) {
      if (rows.length === 0) return;
      await write(separator + picked(rows).join(",\n"));
      separator = ",\n";
    },
    end: () => write(separator === "[\n" ? "[]\n" : "\n]\n"),
  };
}

function csvWriter(
  write: (text: string) => Promise<void>,
  { fields, schemaFields, isContinued }: WriterOptions,
): RowWriter {
  let columns: readonly string[] | undefined;
  return {
    async write(rows) {
      const members = rows.map(memberTexts);
      let lines = "";
      if (columns === undefined) {
        columns = fields ?? csvColumns(schemaFields, members);
        if (!isContinued) lines = csvLine(columns);
      }
      const named = columns;
      for (const row of members) {
        lines += csvLine(
          named.map((name) =>
            name === OTHER && fields === undefined
              ? otherText(row, named)
              : valueText(row.get(name)),
          ),
        );
      }
      await write(lines);
    },
    end: async () => {},
  };
}

function csvColumns(
  schemaFields: readonly string[],
  members: readonly ReadonlyMap<string, string>[],
): readonly string[] {
  const names = schemaFields.length > 0 ? schemaFields : namesOf(members);
  const first = FIRST_FIELDS.filter((name) => members.some((row) => row.has(name)));
  return [...new Set([...first, ...names, OTHER])];
}

/** All field names of the rows, in order of first appearance. */
function namesOf(members: readonly ReadonlyMap<string, string>[]): readonly string[] {
  return [...new Set(members.flatMap((row) => [...row.keys()]))];
}

function otherText(row: ReadonlyMap<string, string>, columns: readonly string[]): string {
  // Includes a field of the row that is itself named `_other`, because column names are unique.
  const others = [...row].filter(([name]) => name === OTHER || !columns.includes(name));
  return others.length === 0 ? "" : objectText(others);
}

/** A CSV record (RFC 4180), but with LF as the line ending, as shell tools expect. */
function csvLine(values: readonly string[]): string {
  return `${values.map((value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)).join(",")}\n`;
}

/** Strings are written without quotes, null and missing values as nothing, and everything else as JSON. */
function valueText(json: string | undefined): string {
  if (json === undefined || json === "null") return "";
  return json.startsWith('"') ? JSON.parse(json) : json;
}

function columnsOf(
  members: readonly ReadonlyMap<string, string>[],
  { fields, schemaFields }: WriterOptions,
): Map<string, Columns<ReadonlyMap<string, string>>[string]> {
  const there = new Set(namesOf(members));
  const first = FIRST_FIELDS.filter((name) => there.has(name));
  const ordered = [...first, ...schemaFields.filter((name) => there.has(name)), ...there];
  const names = new Set(fields ?? ordered);
  return new Map(
    [...names].map((name) => {
      const cell: Cell<ReadonlyMap<string, string>> = (row) => valueText(row.get(name));
      return [name, name === "id" ? { whole: cell } : cell];
    }),
  );
}

/** The row, reduced to these fields. */
function pick(row: string, fields: readonly string[]): string {
  const members = memberTexts(row);
  return objectText(
    fields.flatMap((name) => {
      const value = members.get(name);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

function objectText(members: readonly (readonly [string, string])[]): string {
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`;
}

/** Replaces line breaks between tokens. Line breaks within strings are already escaped. */
function onOneLine(row: string): string {
  return /[\r\n]/.test(row) ? row.replace(/[\r\n]+/g, " ") : row;
}

/** The rows of a JSON text: the elements of an array, or a single object. */
export function rowsOfJson(text: string): readonly string[] {
  return text.trimStart().startsWith("[") ? elementTexts(text) : [text.trim()];
}
