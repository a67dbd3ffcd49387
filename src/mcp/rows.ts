/**
 * Rows of a data read as a tool tells them. Numbers keep their digits in the text.
 *
 * @module
 */
import { exactNumber as exactJsonNumber } from "../accounts/money.ts";
import { isObject } from "../lib/records.ts";
import type { OwnAnswer } from "./own_routes.ts";
import { type ToolAnswer, toldAs, withoutEmpty } from "./tool.ts";

interface RowsOptions {
  /** Top-level members to keep of each row. @default all */
  readonly fields?: readonly string[] | undefined;
  /** What to do where there are more rows. */
  readonly next?: string;
  /** What goes with the rows, made of them as they are told. */
  readonly besides?: (rows: () => readonly unknown[]) => Record<string, unknown>;
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
): ToolAnswer {
  const { data, rest } = partsOf(text);
  const rows = fields === undefined ? data : picked(data, new Set(fields));
  const {
    has_more: hasMore,
    next_cursor: cursor,
    next_offset,
    up_to_date,
    _origin: receipt,
  } = rest;
  const told = withoutEmpty({
    ...besides(() => JSON.parse(rows)),
    ...(up_to_date === undefined
      ? { has_more: hasMore === true, next_cursor: cursor }
      : { next_offset, up_to_date }),
    receipt,
    limits: limitsOf(headers),
    next: typeof cursor === "string" ? next : undefined,
  });
  return toldAs(`{"rows":${rows},${JSON.stringify(told).slice(1)}`);
}

/** The rows as the answer has them: to read and print them again costs more than all else. A document is one row. */
function partsOf(text: string): { readonly data: string; readonly rest: Record<string, unknown> } {
  const receiptAt = text.lastIndexOf(',"_origin":');
  const tailAt = Math.max(BEFORE_DATA_LENGTH, receiptAt - AFTER_ROWS_LENGTH_MAX);
  const after = AFTER_ROWS.exec(text.slice(tailAt, receiptAt));
  const dataEnd = after === null ? receiptAt : tailAt + after.index;
  const data = text.slice(BEFORE_DATA_LENGTH, dataEnd);
  return {
    data: after === null ? `[${data}]` : data,
    rest: JSON.parse(`{${text.slice(dataEnd + 1)}`),
  };
}

/** Rows with some of their members. */
function picked(rows: string, names: ReadonlySet<string>): string {
  const read: readonly unknown[] = JSON.parse(rows, exactNumber);
  return JSON.stringify(
    read.map((row) =>
      isObject(row)
        ? Object.fromEntries(Object.entries(row).filter(([name]) => names.has(name)))
        : row,
    ),
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
