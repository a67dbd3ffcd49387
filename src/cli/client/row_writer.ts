/**
 * Rows as a command writes them: lines of JSON, an array, CSV, or tables. Memory does not grow with their number.
 *
 * Into a file or a pipe, values go as they were pushed. On a terminal, characters that speak to it are escaped.
 *
 * @module
 */
import { elementTexts, memberTexts } from "../../client/json_texts.ts";
import { escapeInvisible } from "../../lib/invisible_text.ts";
import { type Cell, type Columns, type Output, table } from "../output.ts";

/** How rows are written. */
export type RowFormat = "ndjson" | "json" | "csv" | "table";

/** Where rows go, page by page. */
export interface RowWriter {
  write(rows: readonly string[]): Promise<void>;
  /** What stands behind the last row. */
  end(): Promise<void>;
}

interface WriterOptions {
  readonly output: Output;
  /** The only fields that are written, in this order. */
  readonly fields: readonly string[] | undefined;
  /** Fields that the feed's schema names, in its order: the columns. */
  readonly schemaFields: readonly string[];
  /** Whether the rows go on behind others that were written before. */
  readonly isContinued: boolean;
}

/** The column of the fields that have none. */
const OTHER = "_other";
/** They come first, wherever the schema has them. */
const FIRST_FIELDS = ["id", "event_timestamp"];

/** A writer of the format. */
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

/** All names that rows have, in the order in which they first come. */
function namesOf(members: readonly ReadonlyMap<string, string>[]): readonly string[] {
  return [...new Set(members.flatMap((row) => [...row.keys()]))];
}

function otherText(row: ReadonlyMap<string, string>, columns: readonly string[]): string {
  // The row's own field of this name is one of them, since there are no two columns of a name.
  const others = [...row].filter(([name]) => name === OTHER || !columns.includes(name));
  return others.length === 0 ? "" : objectText(others);
}

/** A line of RFC 4180, but with the line end of every other tool of a shell. */
function csvLine(values: readonly string[]): string {
  return `${values.map((value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)).join(",")}\n`;
}

/** A string is itself, null and what is missing is nothing, and all else is JSON. */
function valueText(json: string | undefined): string {
  if (json === undefined || json === "null") return "";
  return json.startsWith('"') ? JSON.parse(json) : json;
}

function columnsOf(
  members: readonly ReadonlyMap<string, string>[],
  { fields, schemaFields }: WriterOptions,
): Columns<ReadonlyMap<string, string>> {
  const there = new Set(namesOf(members));
  const first = FIRST_FIELDS.filter((name) => there.has(name));
  const ordered = [...first, ...schemaFields.filter((name) => there.has(name)), ...there];
  const names = new Set(fields ?? ordered);
  return Object.fromEntries(
    [...names].map((name) => {
      const cell: Cell<ReadonlyMap<string, string>> = (row) => valueText(row.get(name));
      return [name, name === "id" ? { whole: cell } : cell];
    }),
  );
}

/** A row with some of its fields. */
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

/** Between the values of a pushed row there may be line breaks; within strings they are escaped. */
function onOneLine(row: string): string {
  return /[\r\n]/.test(row) ? row.replace(/[\r\n]+/g, " ") : row;
}

/** The rows of a JSON text: those of an array, or the one object. */
export function rowsOfJson(text: string): readonly string[] {
  return text.trimStart().startsWith("[") ? elementTexts(text) : [text.trim()];
}
