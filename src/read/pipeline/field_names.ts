/**
 * Handles requested field names that no row contains: checks whether the schema may name them, and lists the names that
 * rows contain.
 *
 * @module
 */
import { invalidParameter } from "../../api/input/parameters.ts";
import { excerpt } from "../../lib/code_points.ts";
import { nearestWords } from "../../lib/nearest_words.ts";
import { isObject } from "../../lib/records.ts";
import type { Reader } from "../../postgres/replica/reader.ts";
import type { Projected } from "../projection/projection.ts";

/** Fields that rows contain whatever the schema says. */
export const ALWAYS = ["id", "event_timestamp"];
/**
 * Names that are shown to a reader. Other names are hidden, because a provider's name may contain anything, even a
 * sentence.
 */
const SHOWN = /^[\p{L}\p{N}_.$-]{1,40}$/u;
export const SHOWN_MAX = 10;

export function shownNames(names: readonly string[]): readonly string[] {
  return names.filter((each) => SHOWN.test(each));
}

/** Whether a schema names a property at any depth, or defines names by patterns. */
export function mayName(schema: unknown, name: string): boolean {
  if (Array.isArray(schema)) return schema.some((each) => mayName(each, name));
  if (!isObject(schema)) return false;
  const { properties } = schema;
  if ("patternProperties" in schema) return true;
  if (isObject(properties) && Object.hasOwn(properties, name)) return true;
  return Object.values(schema).some((each) => mayName(each, name));
}

interface Keeping {
  readonly reader: Reader;
  readonly accountId: string;
  readonly feedId: string;
}

/**
 * Refuses rows that would all be empty, because they contain none of the fields to keep and the schema names none of
 * them. Rows on later pages may differ, so only the first page is refused. @throws {Problem} 400
 */
export async function refuseEmptyRows(
  { reader, accountId, feedId }: Keeping,
  { fieldsNotFound: fields, fieldsThere }: Projected,
): Promise<void> {
  if (fieldsThere.length === 0 || fields.some((name) => ALWAYS.includes(name))) return;
  const asked = { feed_id: feedId, endpoint_path: null, active_only: false, reader_id: null };
  const row = await reader.row(accountId, "find_feed_row", asked, (found) => found !== undefined);
  const schema: unknown = JSON.parse(row?.schema_definition ?? "null");
  if (fields.some((name) => mayName(schema, name))) return;
  const shown = shownNames(fieldsThere);
  const named = fields.slice(0, SHOWN_MAX).map((name) => `"${excerpt(name)}"`);
  const nearest = fields.slice(0, SHOWN_MAX).flatMap((name) => nearestWords(name, shown));
  const meant = nearest.length > 0 ? `Did you mean ${[...new Set(nearest)].join(", ")}? ` : "";
  throw invalidParameter(
    `The first rows of this feed have none of the fields ${named.join(", ")}. ${meant}They have ${shown.slice(0, SHOWN_MAX).join(", ")}.`,
    "fields",
  );
}
