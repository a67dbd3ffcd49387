/** @jsxImportSource preact */
/**
 * A table that can also be downloaded as a CSV file: with the same columns and filters, but more rows than fit on a
 * page.
 *
 * @module
 */
import type { ComponentChildren } from "preact";
import { csvField, csvLine } from "../../lib/csv_field.ts";
import {
  type Column,
  digits,
  dollars,
  type Figure,
  plain,
  Table,
  Text,
  Time,
} from "../layout/parts.tsx";
import { Next } from "./lists.tsx";
import type { Download, Visit } from "./visit.ts";

/** Rows of a file. What is more is read over the API or by the command. */
export const FILE_ROWS_MAX = 10_000;
/** Rows that one statement reads for a file. */
const FILE_PAGE_ROWS = 1_000;
/** A page of a filtered log may have few rows, or none. */
const FILE_PAGES_MAX = 50;

export interface ListedColumn<Row> {
  readonly head: string;
  /** `usd` is an amount of dollars, `when` a time, `id` and `slug` are not broken. @default as text */
  readonly kind?: "num" | "usd" | "when" | "id" | "slug";
  /** What a file has. */
  text(row: Row): Figure | null | undefined;
  /** Whether only the file has it. @default false */
  readonly isInFileOnly?: boolean;
  /** What the page shows. @default the text */
  cell?(row: Row): ComponentChildren;
}

interface ListedPage<Row> {
  readonly entries: readonly Row[];
  readonly nextCursor: string | null;
}

export interface ListPart {
  readonly limit: number;
  readonly cursor: string | undefined;
}

interface TableOfPage<Row> {
  /** In the address of its file: `?csv=NAME`. */
  readonly name: string;
  readonly label: string;
  readonly columns: readonly ListedColumn<Row>[];
  /** The sentence in the place of a table without rows. */
  readonly empty: ComponentChildren;
  /** Rows of the page. */
  readonly rows: number;
  /** What the page's address calls the list's place. @default "cursor" */
  readonly by?: string;
  /** Of the link to the next page. */
  readonly next?: string;
  /** Columns that are buttons, which a file has not. */
  readonly buttons?: readonly Column<Row>[];
  read(part: ListPart): Promise<ListedPage<Row>>;
}

/** A table that can be shown and downloaded. */
export interface ListedTable {
  readonly name: string;
  show(): Promise<ComponentChildren>;
  file(): Promise<Download>;
}

export function listedTable<Row>(visit: Visit, table: TableOfPage<Row>): ListedTable {
  const { name, label, columns, empty, rows, by = "cursor", next, buttons = [], read } = table;
  const shown = columns.filter(({ isInFileOnly }) => isInFileOnly !== true);
  return {
    name,
    async show() {
      const cursor = visit.query.get(by)?.trim() || undefined;
      const { entries, nextCursor } = await read({ limit: rows, cursor });
      return (
        <>
          <Table
            label={label}
            rows={entries}
            columns={[...shown.map(columnOf), ...buttons]}
            empty={empty}
          />
          {entries.length + (nextCursor === null ? 0 : 1) > 0 && (
            <div class="below">
              <Next visit={visit} by={by} cursor={nextCursor} {...(next && { text: next })} />
              {entries.length > 0 && <CsvLink query={visit.query} name={name} label={label} />}
            </div>
          )}
        </>
      );
    },
    async file() {
      const lines = [csvLine(columns.map(({ head, kind }) => csvField(headOf(head, kind))))];
      let cursor: string | undefined;
      let pages = 0;
      do {
        pages += 1;
        const limit = Math.min(FILE_PAGE_ROWS, FILE_ROWS_MAX + 1 - lines.length);
        const { entries, nextCursor }: ListedPage<Row> = await read({ limit, cursor });
        for (const row of entries) {
          lines.push(csvLine(columns.map((column) => fieldOf(column.text(row)))));
        }
        cursor = nextCursor ?? undefined;
      } while (cursor !== undefined && lines.length <= FILE_ROWS_MAX && pages < FILE_PAGES_MAX);
      return { name: `${name}.csv`, type: "text/csv; charset=utf-8", text: lines.join("") };
    },
  };
}

/** The file that a page's address asks for. */
export async function fileOf(
  { query }: Visit,
  tables: readonly ListedTable[],
): Promise<Download | undefined> {
  const name = query.get("csv");
  return tables.find((table) => table.name === name)?.file();
}

interface CsvLinkProps {
  readonly query: URLSearchParams;
  readonly name: string;
  readonly label: string;
}

/** Leads to the file of a table, with the filters of its page. */
export function CsvLink({ query, name, label }: CsvLinkProps) {
  const address = new URLSearchParams(query);
  for (const each of ["done", "prove"]) address.delete(each);
  address.set("csv", name);
  return (
    <a class="small" href={`?${address}`} title={`At most ${digits(FILE_ROWS_MAX)} rows`}>
      Download CSV<span class="sr"> of {label}</span>
    </a>
  );
}

/** The column of a table without a file. */
export function columnOf<Row>({ head, kind, text, cell }: ListedColumn<Row>): Column<Row> {
  const set = kind === "usd" ? "num" : kind;
  return {
    head,
    ...(set !== undefined && { kind: set }),
    cell: cell ?? ((row) => <Shown kind={kind} of={text(row)} />),
  };
}

interface ShownProps {
  readonly kind: ListedColumn<unknown>["kind"];
  readonly of: Figure | null | undefined;
}

function Shown({ kind, of }: ShownProps) {
  if (kind === "when") return <Time of={of === null || of === undefined ? of : plain(of)} />;
  if (of === null || of === undefined || of === "") return null;
  if (kind === "num") return <>{digits(of)}</>;
  if (kind === "usd") return <>{dollars(of)} USD</>;
  return <Text of={plain(of)} />;
}

function headOf(head: string, kind: ListedColumn<unknown>["kind"]): string {
  return kind === "usd" ? `${head} (USD)` : head;
}

/** Numbers as they are, and texts so that no spreadsheet takes one for a formula. */
function fieldOf(of: Figure | null | undefined): string {
  if (of === null || of === undefined) return "";
  return typeof of === "string" ? csvField(of) : plain(of);
}
