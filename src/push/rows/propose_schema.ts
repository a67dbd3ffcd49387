/**
 * Proposes a JSON Schema for rows: their fields, the types, and which fields are in every row.
 *
 * Numbers are `ExactNumber`s, so that no digit is lost.
 *
 * @module
 */

import { parseEventTime } from "../../lib/date_time.ts";
import { isNumberText } from "../../lib/json_text.ts";
import { isObject as isAnyObject, type JsonObject } from "../../lib/records.ts";
import { toExactNumber } from "../../money/money.ts";

/** What a schema says of one value. */
export interface ProposedSchema {
  type?: string | string[];
  /** `date` or `date-time`: an annotation, which tells agents how to read the text. */
  format?: string;
  properties?: Record<string, ProposedSchema>;
  required?: string[];
  items?: ProposedSchema;
}

/** Deeper objects are objects of anything. */
const DEPTH_MAX = 5;
/** More names than that are keys of a map, and no fields. */
const PROPERTIES_MAX = 500;
const TYPE_ORDER = ["string", "integer", "number", "boolean", "object", "array", "null"];

/** The schema that all values meet. */
export function proposeSchema(values: readonly unknown[], depth = 0): ProposedSchema {
  const types = new Set(values.map(typeOf));
  if (types.has("number")) types.delete("integer");
  const ordered = TYPE_ORDER.filter((type) => types.has(type));
  const [only] = ordered;
  const schema: ProposedSchema = {};
  // A field that was null everywhere may be anything.
  if (only !== undefined && only !== "null") schema.type = ordered.length === 1 ? only : ordered;
  const format = formatOf(values.filter((value) => typeof value === "string"));
  if (format !== undefined) schema.format = format;
  const objects = values.filter(isObject);
  if (objects.length > 0 && depth < DEPTH_MAX) Object.assign(schema, membersOf(objects, depth));
  const items = values.filter((value) => Array.isArray(value)).flat();
  if (items.length > 0 && depth < DEPTH_MAX) schema.items = proposeSchema(items, depth + 1);
  return schema;
}

/** The texts of CSV as numbers and booleans, where all values of a column are such. */
export function typedTexts(
  rows: readonly Readonly<Record<string, unknown>>[],
): Readonly<Record<string, unknown>>[] {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  const readers = new Map(
    [...names].map((name) => {
      const texts = rows.map((row) => row[name]).filter((value) => typeof value === "string");
      return [name, readerOf(texts)];
    }),
  );
  const read = (name: string, value: unknown) =>
    typeof value === "string" ? (readers.get(name)?.(value) ?? value) : value;
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, read(name, value)])),
  );
}

function readerOf(texts: readonly string[]): (text: string) => unknown {
  if (texts.every(isNumberText)) return toExactNumber;
  if (texts.every((text) => text === "true" || text === "false")) return (text) => text === "true";
  return (text) => text;
}

/** What all the texts are, if it is one of RFC 3339's forms. */
function formatOf(texts: readonly string[]): string | undefined {
  if (texts.length === 0) return undefined;
  if (texts.every((text) => parseEventTime(text) !== undefined)) return "date-time";
  if (texts.every((text) => parseEventTime(`${text}T00:00:00Z`) !== undefined)) return "date";
  return undefined;
}

function membersOf(objects: readonly Readonly<Record<string, unknown>>[], depth: number) {
  const found = new Set<string>();
  for (const object of objects) {
    // A list of all keys is not made: a map has a hundred thousand.
    for (const name in object) {
      found.add(name);
      if (found.size > PROPERTIES_MAX) return {};
    }
  }
  const names = [...found];
  const properties = Object.fromEntries(
    names.map((name) => {
      const values = objects.flatMap((object) =>
        Object.hasOwn(object, name) ? [object[name]] : [],
      );
      return [name, proposeSchema(values, depth + 1)];
    }),
  );
  const required = names.filter((name) => objects.every((object) => Object.hasOwn(object, name)));
  return { properties, ...(required.length > 0 && { required }) };
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  // `1.00` is one of values with decimals.
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  if (JSON.isRawJSON(value)) return /^-?\d+$/.test(value.rawJSON) ? "integer" : "number";
  return typeof value;
}

/** Whether a value is an object; a number that kept its text is none. */
export function isObject(value: unknown): value is JsonObject {
  return isAnyObject(value) && !JSON.isRawJSON(value);
}
