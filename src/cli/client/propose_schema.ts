/**
 * A JSON Schema of rows, made of the rows themselves: their fields, types, and which are in every row.
 *
 * @module
 */

/** What a schema says of one value. */
export interface ProposedSchema {
  type?: string | string[];
  properties?: Record<string, ProposedSchema>;
  required?: string[];
  items?: ProposedSchema;
}

/** Deeper objects are objects of anything. */
const DEPTH_MAX = 5;
/** More names than that are keys of a map, and no fields. */
const PROPERTIES_MAX = 500;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
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
  const objects = values.filter(isObject);
  if (objects.length > 0 && depth < DEPTH_MAX) Object.assign(schema, membersOf(objects, depth));
  const items = values.filter((value) => Array.isArray(value)).flat();
  if (items.length > 0 && depth < DEPTH_MAX) schema.items = proposeSchema(items, depth + 1);
  return schema;
}

/** The values of CSV, which are texts: numbers and booleans where all values of a column are such. */
export function typedTexts(rows: readonly Readonly<Record<string, string>>[]): object[] {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  const readers = new Map(
    [...names].map((name) => [name, readerOf(rows.flatMap((row) => row[name] ?? []))]),
  );
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, text]) => [name, readers.get(name)?.(text) ?? text]),
    ),
  );
}

function readerOf(texts: readonly string[]): (text: string) => unknown {
  if (texts.every((text) => JSON_NUMBER.test(text))) return Number;
  if (texts.every((text) => text === "true" || text === "false")) return (text) => text === "true";
  return (text) => text;
}

function membersOf(objects: readonly Readonly<Record<string, unknown>>[], depth: number) {
  const names = [...new Set(objects.flatMap((object) => Object.keys(object)))];
  if (names.length > PROPERTIES_MAX) return {};
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
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
