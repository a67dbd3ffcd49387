/**
 * Proposes a feed for the rows of a file: its name, slug, type, schema and sample, and the fields that serve as the
 * rows' id and time.
 *
 * `feedgate feed init` and the console's page for a new feed make the same proposal. On the page, a person can choose
 * other fields, and rename those that serve as id and time. The functions are pure.
 *
 * @module
 */
import type { FeedType } from "../../feeds/find.ts";
import { parseEventTime } from "../../lib/date_time.ts";
import { plainDecimal } from "../../lib/plain_decimal.ts";
import { NAME_LENGTH_MAX, SCHEMA_BYTES_MAX, SLUG_LENGTH_MAX } from "../../limits.ts";
import { isObject, type ProposedSchema, proposeSchema } from "./propose_schema.ts";

/** A row whose numbers are `ExactNumber`s. */
export type ExactRow = Readonly<Record<string, unknown>>;

export interface ProposeOptions {
  /** Without its folders. */
  readonly fileName: string;
  /** Whether the file is one JSON object rather than rows. */
  readonly isDocument: boolean;
  /** Whether fields may be renamed to `id` and `event_timestamp`. @default false */
  readonly canRename?: boolean;
  /** What was chosen. @default by the rows */
  readonly feedType?: FeedType | undefined;
  readonly idField?: string | undefined;
  /** "" for none. */
  readonly timeField?: string | undefined;
}

export interface FeedProposal {
  readonly name: string;
  readonly slug: string;
  readonly feedType: FeedType;
  /** The field that is the rows' id. Undefined if there is none that differs in every row. */
  readonly idField: string | undefined;
  /** The field that is the events' time. Undefined if there is none. */
  readonly timeField: string | undefined;
  /** Fields that may be chosen, the likeliest first. */
  readonly idFields: readonly string[];
  readonly timeFields: readonly string[];
  /** What the chosen fields are called in the feed, by their name in the file. */
  readonly renames: ReadonlyMap<string, string>;
  /** Of the renamed rows. */
  readonly schema: ProposedSchema;
  /** The first row as JSON text; null if it is too large for a sample. */
  readonly sample: string | null;
}

const ID = "id";
const EVENT_TIME = "event_timestamp";
/** Names of fields that are likely to be an id. */
const ID_NAME = /^_?(?:id|uuid|guid|key|code|slug)$|(?:_|-|\b)id$|Id$/;
/** Names of fields whose times are those of events. `updated_at` is not: a collection's rows have one, too. */
const TIME_NAME =
  /^(?:time|timestamp|ts|at|date|date_?time|(?:event|start)_?time|(?:occurred|happened|observed|measured|recorded|published)_?(?:at|on))$/i;
/** A number that is its own shortest form. */
const WHOLE = /^(?:0|-?[1-9]\d*)$/;
/** Fields that a person may choose from. */
const FIELDS_OFFERED_MAX = 50;

/** @param rows the first rows of the file, at least one */
export function proposeFeed(rows: readonly ExactRow[], options: ProposeOptions): FeedProposal {
  const { fileName, isDocument, canRename = false } = options;
  const words = wordsOf(fileName);
  const idFields = isDocument ? [] : idFieldsOf(rows, canRename);
  const timeFields = isDocument ? [] : timeFieldsOf(rows, canRename);
  const feedType = options.feedType ?? typeOf(isDocument, timeFields);
  const idField = chosen(idFields, options.idField);
  const timeField = feedType === "stream" ? chosen(timeFields, options.timeField) : undefined;
  const renames = renamesOf({ [ID]: idField, [EVENT_TIME]: timeField });
  const renamed = rows.map((row) => rename(row, renames));
  return {
    name: nameOf(words),
    slug: slugOf(words),
    feedType,
    idField,
    timeField,
    idFields,
    timeFields,
    renames,
    schema: proposeSchema(renamed),
    sample: sampleOf(renamed[0]),
  };
}

/** By the new name, the old one, if it is another. */
function renamesOf(
  fields: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, string> {
  const renames = new Map<string, string>();
  for (const [to, from] of Object.entries(fields)) {
    if (from !== undefined && from !== "" && from !== to) renames.set(from, to);
  }
  return renames;
}

function sampleOf(row: ExactRow | undefined): string | null {
  const text = JSON.stringify(row ?? null);
  return row === undefined || Buffer.byteLength(text) > SCHEMA_BYTES_MAX ? null : text;
}

function chosen(fields: readonly string[], wanted: string | undefined): string | undefined {
  if (wanted === "") return undefined;
  return fields.find((field) => field === wanted) ?? fields[0];
}

function rename(row: ExactRow, renames: ReadonlyMap<string, string>): ExactRow {
  if (renames.size === 0) return row;
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [renames.get(name) ?? name, value]),
  );
}

/** `City temps-2024.csv` as `City temps 2024`. */
function wordsOf(fileName: string): string {
  return fileName
    .replace(/\.\w+$/, "")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

function nameOf(words: string): string {
  const [first = ""] = words;
  const name = first.toUpperCase() + words.slice(first.length);
  return [...name].slice(0, NAME_LENGTH_MAX).join("").toWellFormed() || "My feed";
}

function slugOf(words: string): string {
  const slug = words
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, SLUG_LENGTH_MAX)
    .replace(/^-+|-+$/g, "");
  return slug || "my-feed";
}

function typeOf(isDocument: boolean, [likeliest]: readonly string[]): FeedType {
  if (isDocument) return "singleton";
  const isStream = likeliest !== undefined && (likeliest === EVENT_TIME || isTimeName(likeliest));
  return isStream ? "stream" : "collection";
}

function isTimeName(name: string): boolean {
  return TIME_NAME.test(name);
}

/** Fields that differ in every row. A field `id` is the only one, whatever it has: no other can take its name. */
function idFieldsOf(rows: readonly ExactRow[], canRename: boolean): readonly string[] {
  if (!canRename || rows.some((row) => Object.hasOwn(row, ID))) {
    return rows.every((row) => idOf(row[ID]) !== undefined) ? [ID] : [];
  }
  return offered(rows, {
    isFit: (name) => hasDistinctIds(rows, name),
    isLikely: (name) => ID_NAME.test(name),
  });
}

/** The first field that would do as an id. Undefined if there is none. */
export function distinctField(rows: readonly ExactRow[]): string | undefined {
  return Object.keys(rows[0] ?? {}).find((name) => hasDistinctIds(rows, name));
}

function hasDistinctIds(rows: readonly ExactRow[], name: string): boolean {
  const ids = new Set<string>();
  for (const row of rows) {
    const id = Object.hasOwn(row, name) ? idOf(row[name]) : undefined;
    if (id === undefined || ids.has(id)) return false;
    ids.add(id);
  }
  return true;
}

/** A value as an id, undefined if it can't be one. */
export function idOf(value: unknown): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  if (!JSON.isRawJSON(value)) return undefined;
  const { rawJSON: digits } = value;
  return WHOLE.test(digits) ? digits : plainDecimal(digits);
}

/** Fields with a time in every row. */
function timeFieldsOf(rows: readonly ExactRow[], canRename: boolean): readonly string[] {
  const isFit = (name: string) =>
    rows.every(({ [name]: at }) => typeof at === "string" && parseEventTime(at) !== undefined);
  if (isFit(EVENT_TIME)) return [EVENT_TIME];
  if (!canRename || rows.some((row) => Object.hasOwn(row, EVENT_TIME))) return [];
  return offered(rows, { isFit, isLikely: isTimeName });
}

interface Judged {
  isFit(name: string): boolean;
  isLikely(name: string): boolean;
}

function offered(rows: readonly ExactRow[], { isFit, isLikely }: Judged): readonly string[] {
  const names = Object.keys(rows[0] ?? {});
  const ordered = names.toSorted((a, b) => Number(isLikely(b)) - Number(isLikely(a)));
  const fit: string[] = [];
  // Rows may have thousands of fields, so the search ends as soon as there is enough to choose from.
  for (const name of ordered) {
    if (fit.length >= FIELDS_OFFERED_MAX) break;
    if (isFit(name)) fit.push(name);
  }
  return fit;
}

export interface ProposedField {
  readonly name: string;
  /** With its format, such as `string (date)`. */
  readonly type: string;
  readonly isRequired: boolean;
  /** The first value that is not null, as text or JSON. */
  readonly example: string;
}

/** The fields of a proposed schema, with an example from the rows. */
export function proposedFields(
  { properties = {}, required = [] }: ProposedSchema,
  rows: readonly ExactRow[],
): readonly ProposedField[] {
  return Object.entries(properties).map(([name, { type, format }]) => {
    const value = rows.find((row) => row[name] !== undefined && row[name] !== null)?.[name];
    return {
      name,
      type: [type ?? "any"].flat().join(" or ") + (format === undefined ? "" : ` (${format})`),
      isRequired: required.includes(name),
      example: typeof value === "string" ? value : JSON.stringify(value ?? null),
    };
  });
}

/** Whether a parsed value is a row. */
export function isRow(value: unknown): value is ExactRow {
  return isObject(value);
}
