/**
 * The fields that a feed's schema defines.
 *
 * @module
 */
import { findMember, scanJson } from "../lib/json_text.ts";
import { isObject } from "../lib/records.ts";
import { JSON_DEPTH_MAX, SCHEMA_HINT_MAX } from "../limits.ts";

/** Names that a parsed object lists first, wherever they are in its text. */
const INDEX_NAME = /^(?:0|[1-9]\d*)$/;

/** The first top-level names, for a hint. */
export function schemaHint(schema: string | null): readonly string[] {
  return schemaProperties(schema)
    .slice(0, SCHEMA_HINT_MAX)
    .map(([name]) => name);
}

/** Names and subschemas of the top-level properties, in the schema's own order. Takes JSON text or null. */
export function schemaProperties(schema: string | null): readonly (readonly [string, unknown])[] {
  if (schema === null) return [];
  const parsed: { readonly properties?: unknown } | null = JSON.parse(schema);
  const properties = parsed?.properties;
  if (!isObject(properties)) return [];
  const entries = Object.entries(properties);
  // Parsed by the engine's own parser, which is several times as fast as ours.
  if (!entries.some(([name]) => INDEX_NAME.test(name))) return entries;
  const { root } = scanJson(schema, { spanDepth: 2, heightMax: JSON_DEPTH_MAX });
  const { members = [] } = findMember(root, "properties") ?? {};
  return members.map(({ key }) => [key, properties[key]]);
}
