/**
 * Rows of a data read as a tool tells them. Numbers keep their digits in the text.
 *
 * @module
 */
import { exactNumber as exactJsonNumber } from "../accounts/money.ts";
import type { OwnAnswer } from "./own_routes.ts";
import { type ToolResult, toldAs, withoutEmpty } from "./tool.ts";

export interface RowsOptions {
  /** Top-level members to keep of each row. @default all */
  readonly fields?: readonly string[] | undefined;
  /** What to do where there are more rows. */
  readonly next?: string;
  /** What goes with the rows, made of them. */
  readonly besides?: (rows: readonly unknown[]) => Record<string, unknown>;
}

/** What follows `data` in a page, up to the receipt. */
const AFTER_ROWS =
  /,"(?:limit":\d+,"offset":\d+,"has_more":(?:true|false),"next_cursor":(?:null|"[^"]*")|next_offset":"[^"]*","up_to_date":(?:true|false))$/;
const AFTER_ROWS_LENGTH_MAX = 300;
const BEFORE_DATA_LENGTH = '{"data":'.length;

/** The answer of the data route, or of the stream route, as the answer of a tool. */
export function rowsTold(
  { text, headers }: OwnAnswer,
  { fields, next, besides = () => ({}) }: RowsOptions = {},
): ToolResult {
  const body: Record<string, unknown> = JSON.parse(text);
  const { next_cursor: cursor, has_more: hasMore, _origin: receipt } = body;
  const { next_offset, up_to_date } = body;
  const rows = rowsOf(body.data, fields);
  const rest = withoutEmpty({
    ...besides(rows),
    ...(up_to_date === undefined
      ? { has_more: hasMore === true, next_cursor: cursor }
      : { next_offset, up_to_date }),
    receipt,
    limits: limitsOf(headers),
    next: typeof cursor === "string" ? next : undefined,
  });
  const exactRows =
    fields === undefined
      ? rowsText(text)
      : JSON.stringify(rowsOf(JSON.parse(text, exactNumber).data, fields));
  return toldAs(`{"rows":${exactRows},${JSON.stringify(rest).slice(1)}`, { rows, ...rest });
}

/** The rows as the answer has them, which costs less than to print them again. */
function rowsText(text: string): string {
  const receiptAt = text.lastIndexOf(',"_origin":');
  const tailAt = Math.max(BEFORE_DATA_LENGTH, receiptAt - AFTER_ROWS_LENGTH_MAX);
  const after = AFTER_ROWS.exec(text.slice(tailAt, receiptAt));
  return after === null
    ? `[${text.slice(BEFORE_DATA_LENGTH, receiptAt)}]`
    : text.slice(BEFORE_DATA_LENGTH, tailAt + after.index);
}

/** A document is one row. */
function rowsOf(data: unknown, fields: readonly string[] | undefined): readonly unknown[] {
  const rows: readonly unknown[] = Array.isArray(data) ? data : [data];
  if (fields === undefined) return rows;
  const kept = new Set(fields);
  return rows.map((row) =>
    typeof row === "object" && row !== null && !Array.isArray(row)
      ? Object.fromEntries(Object.entries(row).filter(([name]) => kept.has(name)))
      : row,
  );
}

/** A reviver; its third argument is ECMAScript's own since 2025, and not yet among the types. */
function exactNumber(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  return typeof value === "number" && source !== undefined ? exactJsonNumber(source) : value;
}

function limitsOf(headers: Headers) {
  const [limit, remaining] = ["limit", "remaining"].map((name) =>
    Number(headers.get(`x-ratelimit-${name}`)),
  );
  const seconds = /;t=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1];
  return { limit, remaining, reset_seconds: Number(seconds ?? 0) };
}
