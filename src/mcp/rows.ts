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

/** The answer of the data route as the answer of a tool. */
export function rowsTold(
  { text, headers }: OwnAnswer,
  { fields, next, besides = () => ({}) }: RowsOptions,
): ToolResult {
  const exact = parsed(text, fields, true);
  const { data, next_cursor: cursor, has_more: hasMore, _origin: receipt } = parsed(text, fields);
  const rows = Array.isArray(data) ? data : [data];
  const rest = withoutEmpty({
    ...besides(rows),
    has_more: hasMore === true,
    next_cursor: cursor,
    receipt,
    limits: limitsOf(headers),
    next: typeof cursor === "string" ? next : undefined,
  });
  const exactRows = JSON.stringify(Array.isArray(exact.data) ? exact.data : [exact.data]);
  return toldAs(`{"rows":${exactRows},${JSON.stringify(rest).slice(1)}`, { rows, ...rest });
}

/** The body of a data read. `isExact`: its numbers print as they came. */
function parsed(text: string, fields: readonly string[] | undefined, isExact = false) {
  const body = (isExact ? JSON.parse(text, exactNumber) : JSON.parse(text)) as Record<
    string,
    unknown
  >;
  if (fields === undefined) return body;
  const kept = new Set(fields);
  const pick = (row: unknown) =>
    typeof row === "object" && row !== null && !Array.isArray(row)
      ? Object.fromEntries(Object.entries(row).filter(([name]) => kept.has(name)))
      : row;
  return { ...body, data: Array.isArray(body.data) ? body.data.map(pick) : pick(body.data) };
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
