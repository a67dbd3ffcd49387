/**
 * JSON objects, and objects with known keys. TypeScript drops the key types in `Object.keys` and `Object.entries`,
 * because an object may have more keys. Objects passed here have no others.
 *
 * @module
 */

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The keys of a table, in its order. */
export function keysOf<Key extends string>(table: Readonly<Record<Key, unknown>>): Key[] {
  return Object.keys(table) as Key[];
}

/** A table with the same keys and other values. */
export function mapTable<Key extends string, Value, Result>(
  table: Readonly<Record<Key, Value>>,
  map: (value: Value, key: Key) => Result,
): Record<Key, Result> {
  const entries = keysOf(table).map((key) => [key, map(table[key], key)]);
  return Object.fromEntries(entries);
}
