/**
 * The fields that a feed's schema names.
 *
 * @module
 */
import { findMember, scanJson } from "../lib/json_text.ts";
import { JSON_DEPTH_MAX } from "../limits.ts";

/** Names that a parsed object puts first, whatever their place in its text. */
const INDEX_NAME = /^(?:0|[1-9]\d*)$/;

/** The names of the schema's top-level properties, in its own order; `schema` is JSON text as stored. */
export function propertyNames(schema: string): string[] {
  const { properties } = JSON.parse(schema) as { properties?: unknown };
  if (typeof properties !== "object" || properties === null || Array.isArray(properties)) return [];
  const names = Object.keys(properties);
  // Parsed by the engine's own reader, which is several times as fast as ours.
  if (!names.some((name) => INDEX_NAME.test(name))) return names;
  const { root } = scanJson(schema, { spanDepth: 2, heightMax: JSON_DEPTH_MAX });
  const { members = [] } = findMember(root, "properties") ?? {};
  return members.map(({ key }) => key);
}
