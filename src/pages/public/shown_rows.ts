/**
 * Rows as a feed's page shows them: which fields become columns, and what a cell says. Rows and their keys are
 * strangers' text, so each is cut, and characters that a person would not see are left out. Pure.
 *
 * @module
 */
import { escapeInvisible, withoutInvisible } from "../../lib/invisible_text.ts";
import { parseJsonNumbers } from "../../lib/json_numbers.ts";
import { isObject, type JsonObject } from "../../lib/records.ts";
import { SITE_CELL_CHARS_MAX, SITE_COLUMNS_SHOWN } from "../../limits.ts";
import { type ExactNumber, toExactNumber } from "../../money/money.ts";

export interface ShownColumn {
  /** The rows' key. */
  readonly key: string;
  /** The key as it is shown. */
  readonly head: string;
  /** Whether all its values are numbers or null. */
  readonly isNumeric: boolean;
}

export interface ShownRows {
  readonly rows: readonly JsonObject[];
  readonly columns: readonly ShownColumn[];
  /** Fields without a column, as they are shown. */
  readonly others: readonly string[];
}

/** What a cell shows. `kind` says how it is set. */
export interface Cell {
  readonly text: string;
  readonly kind: "absent" | "null" | "number" | "text" | "nested";
  readonly isCut: boolean;
}

const HEAD_CHARS_MAX = 64;
/** The time of a stream's events. */
export const EVENT_TIME = "event_timestamp";

/** Parses JSON and keeps all digits of its numbers. @throws {SyntaxError} */
export function parseShown(json: string): unknown {
  return parseJsonNumbers(json, (source, value) =>
    String(value) === source ? value : toExactNumber(source),
  );
}

/** Chooses the columns of rows. What is no object is left out. */
export function showRows(values: readonly unknown[]): ShownRows {
  const rows = values.filter(isObject).filter((value) => !isNumber(value));
  const fields = fieldsOf(rows);
  const kept = new Set(
    fields
      .toSorted((a, b) => a.rank - b.rank)
      .slice(0, SITE_COLUMNS_SHOWN)
      .map(({ key }) => key),
  );
  const columns = fields.filter(({ key }) => kept.has(key));
  // The time of an event comes first, wherever its provider puts it.
  const timed = columns.toSorted(
    (a, b) => Number(b.key === EVENT_TIME) - Number(a.key === EVENT_TIME),
  );
  return {
    rows,
    columns: timed.map(({ key, isNumeric }) => ({ key, head: shownKey(key), isNumeric })),
    others: fields.filter(({ key }) => !kept.has(key)).map(({ key }) => shownKey(key)),
  };
}

interface Field {
  readonly key: string;
  readonly isNumeric: boolean;
  /** The lower, the sooner it gets a column. */
  readonly rank: number;
}

/** In the order in which rows first have them. */
function fieldsOf(rows: readonly JsonObject[]): Field[] {
  const kinds = new Map<string, Set<Cell["kind"]>>();
  for (const row of rows) {
    for (const [key, value] of Object.entries(row)) {
      const known = kinds.get(key) ?? new Set();
      known.add(kindOf(value));
      kinds.set(key, known);
    }
  }
  return [...kinds].map(([key, all]) => ({
    key,
    isNumeric: all.has("number") && !all.has("text") && !all.has("nested"),
    rank: key === EVENT_TIME ? -1 : rankOf(all),
  }));
}

/** Texts and numbers come before nested values, and these before fields that are null in all rows. */
function rankOf(kinds: ReadonlySet<Cell["kind"]>): number {
  if (kinds.has("text") || kinds.has("number")) return 0;
  return kinds.has("nested") ? 1 : 2;
}

function kindOf(value: unknown): Cell["kind"] {
  if (value === undefined) return "absent";
  if (value === null) return "null";
  if (isNumber(value)) return "number";
  return typeof value === "object" ? "nested" : "text";
}

/** A value in a table. */
export function cellOf(value: unknown): Cell {
  const kind = kindOf(value);
  const whole = wholeText(value, kind);
  const text = cut(whole);
  return { kind, text, isCut: text !== whole };
}

function wholeText(value: unknown, kind: Cell["kind"]): string {
  switch (kind) {
    case "absent":
      return "";
    case "number":
      return JSON.stringify(value);
    case "nested":
      return escapeInvisible(JSON.stringify(value));
    default:
      return oneLine(String(value));
  }
}

/** A stranger's text in one line, without characters that a person would not see. */
export function oneLine(text: string): string {
  return withoutInvisible(text).replace(/\s+/g, " ").trim();
}

/** The key of the row, never one that it inherits. */
export function memberOf(row: JsonObject, key: string): unknown {
  return Object.hasOwn(row, key) ? row[key] : undefined;
}

export function isNumber(value: unknown): value is number | ExactNumber {
  return typeof value === "number" || JSON.isRawJSON(value);
}

function shownKey(key: string): string {
  return cut(oneLine(key), HEAD_CHARS_MAX) || "(no name)";
}

/** The beginning of a text, with an ellipsis if there is more. */
export function cut(text: string, charsMax = SITE_CELL_CHARS_MAX): string {
  if (text.length <= charsMax) return text;
  // Half a character is none.
  return `${text.slice(0, charsMax - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
