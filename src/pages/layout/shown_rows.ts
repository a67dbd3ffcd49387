/**
 * Rows as a feed's page shows them: which fields become columns, and the text of a cell. Rows and their keys are
 * untrusted text, so each is shortened, and invisible characters are removed. The functions are pure.
 *
 * Values stay JSON text, so that numbers keep their digits, and a hostile row costs little more than its length.
 *
 * @module
 */
import { escapeInvisible, withoutInvisible } from "../../lib/invisible_text.ts";
import { type JsonSpan, type JsonText, scanJson, textOf } from "../../lib/json_text.ts";
import { JSON_DEPTH_MAX, SITE_CELL_CHARS_MAX, SITE_COLUMNS_SHOWN } from "../../limits.ts";
import { type MapPoint, pointOf } from "./map_points.ts";

export interface ShownColumn {
  /** The rows' key, as it is shown. */
  readonly head: string;
  /** Whether all its values are numbers or null. */
  readonly isNumeric: boolean;
  /** Whether it has two different numbers. */
  readonly isDrawable: boolean;
}

export interface ShownRows {
  readonly columns: readonly ShownColumn[];
  /** One for each column. */
  readonly rows: readonly (readonly Cell[])[];
  /** The first fields without a column, as they are shown, and how many there are in all. */
  readonly others: readonly string[];
  readonly otherCount: number;
  /** The place of the column with the times of a stream's events. -1 if there is none. */
  readonly timePlace: number;
  /** Of the rows that have coordinates. */
  readonly points: readonly MapPoint[];
}

type Kind = "absent" | "null" | "number" | "text" | "nested";

/** What a cell shows. `kind` says how it is set. */
export interface Cell {
  readonly text: string;
  readonly kind: Kind;
  readonly isCut: boolean;
}

interface Field {
  readonly key: string;
  /** The kinds of its values, as a sum of bits. */
  readonly kinds: number;
}

const HEAD_CHARS_MAX = 64;
const OTHERS_NAMED = 12;
/** The time of a stream's events. */
const EVENT_TIME = "event_timestamp";
/** Of a value, as many characters are looked at. Some may be invisible. */
const CHARS_LOOKED_AT = 5 * SITE_CELL_CHARS_MAX;

/** Of fields, in the order in which they get a column. */
const RANKS = ["time", "plain", "nested", "empty"] as const;
const BITS: Readonly<Record<Kind, number>> = { absent: 0, null: 1, number: 2, text: 4, nested: 8 };

/** Chooses the columns of the rows in an array, or of one row. What is no object is left out. */
export function showRows(json: string, rowsMax: number): ShownRows {
  const scanned = scanRows(json);
  const rows = objectsOf(scanned.root)
    .slice(0, rowsMax)
    .map((row) => sourcesOf(scanned, row));
  const fields = fieldsOf(rows);
  const kept = new Set(
    RANKS.flatMap((rank) => fields.filter((field) => rankOf(field) === rank))
      .slice(0, SITE_COLUMNS_SHOWN)
      .map(({ key }) => key),
  );
  // The time of an event comes first, wherever its provider puts it.
  const columns = fields
    .filter(({ key }) => kept.has(key))
    .toSorted((a, b) => Number(b.key === EVENT_TIME) - Number(a.key === EVENT_TIME));
  const others = fields.filter(({ key }) => !kept.has(key));
  return {
    columns: columns.map(({ key, kinds }) => {
      const isNumeric = (kinds & ~BITS.null) === BITS.number;
      const isDrawable = isNumeric && hasTwoNumbers(rows.map((row) => row.get(key)));
      return { head: shownKey(key), isNumeric, isDrawable };
    }),
    rows: rows.map((row) => columns.map(({ key }) => cellOf(row.get(key)))),
    others: others.slice(0, OTHERS_NAMED).map(({ key }) => shownKey(key)),
    otherCount: others.length,
    timePlace: columns.findIndex(({ key }) => key === EVENT_TIME),
    points: rows.flatMap((row) => pointOf(row) ?? []),
  };
}

/** The JSON text of each field of the first row, or of the only one. */
export function firstRowOf(json: string): ReadonlyMap<string, string> {
  const scanned = scanRows(json);
  const [row] = objectsOf(scanned.root);
  return row === undefined ? new Map() : sourcesOf(scanned, row);
}

function scanRows(json: string): JsonText {
  return scanJson(json, { spanDepth: 2, heightMax: JSON_DEPTH_MAX + 1 });
}

function objectsOf(root: JsonSpan): readonly JsonSpan[] {
  return (root.items ?? [root]).filter(({ kind }) => kind === "object");
}

function sourcesOf(json: JsonText, row: JsonSpan): ReadonlyMap<string, string> {
  return new Map(row.members?.map(({ key, value }) => [key, textOf(json, value)]));
}

/** In the order in which rows first have them. */
function fieldsOf(rows: readonly ReadonlyMap<string, string>[]): Field[] {
  const kinds = new Map<string, number>();
  for (const row of rows) {
    for (const [key, source] of row) kinds.set(key, (kinds.get(key) ?? 0) | BITS[kindOf(source)]);
  }
  return [...kinds].map(([key, all]) => ({ key, kinds: all }));
}

/** `plain` has texts or numbers in some row, `empty` is null in all. */
function rankOf({ key, kinds }: Field): (typeof RANKS)[number] {
  if (key === EVENT_TIME) return "time";
  if ((kinds & (BITS.text | BITS.number)) !== 0) return "plain";
  return (kinds & BITS.nested) === 0 ? "empty" : "nested";
}

function hasTwoNumbers(sources: readonly (string | undefined)[]): boolean {
  const numbers = sources.filter((source) => kindOf(source) === "number").map(Number);
  return new Set(numbers.filter(Number.isFinite)).size > 1;
}

function kindOf(source: string | undefined): Kind {
  switch (source?.[0]) {
    case undefined:
      return "absent";
    case "n":
      return "null";
    case '"':
    case "t":
    case "f":
      return "text";
    case "{":
    case "[":
      return "nested";
    default:
      return "number";
  }
}

/** A value in a table, from its JSON text without white space. Undefined if the row has no such field. */
export function cellOf(source: string | undefined): Cell {
  const kind = kindOf(source);
  if (source === undefined) return { kind, text: "", isCut: false };
  const value: string = source.startsWith('"') ? JSON.parse(source) : source;
  const looked = value.slice(0, CHARS_LOOKED_AT);
  const whole = kind === "nested" ? escapeInvisible(looked) : oneLine(looked);
  const text = cut(whole);
  return { kind, text, isCut: text !== whole || looked !== value };
}

/** A stranger's text in one line, without characters that a person would not see. */
export function oneLine(text: string): string {
  return withoutInvisible(text).replace(/\s+/g, " ").trim();
}

function shownKey(key: string): string {
  return cut(oneLine(key.slice(0, CHARS_LOOKED_AT)), HEAD_CHARS_MAX) || "(no name)";
}

/** The beginning of a text, with an ellipsis if there is more. */
export function cut(text: string, charsMax = SITE_CELL_CHARS_MAX): string {
  if (text.length <= charsMax) return text;
  // Half a character is none.
  return `${text.slice(0, charsMax - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
