/**
 * The fields that a feed's schema names.
 *
 * @module
 */
import { findMember, scanJson } from "../lib/json_text.ts";
import { JSON_DEPTH_MAX } from "../limits.ts";

/**
 * The names of the schema's top-level properties, in its own order: a parsed object would put those like
 * `10` first. `schema` is JSON text as it is stored.
 */
export function propertyNames(schema: string): string[] {
  const { root } = scanJson(schema, { spanDepth: 2, heightMax: JSON_DEPTH_MAX });
  const { members = [] } = findMember(root, "properties") ?? {};
  return members.map(({ key }) => key);
}
