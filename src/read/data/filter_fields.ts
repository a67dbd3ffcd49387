/**
 * Refuses filters by fields that no row contains, so that a mistyped name does not return an empty page. If a schema is
 * locked and names its properties, the filter is checked against it before anything is read. Otherwise it is checked
 * against the rows, after it found nothing.
 *
 * See `src/spec/beyond.md`, section 12.
 *
 * @module
 */

import { invalidParameter } from "../../api/input/parameters.ts";
import type { Feed } from "../../feeds/find.ts";
import type { Problem } from "../../http/problem_details.ts";
import { BoundedMap } from "../../lib/bounded_map.ts";
import { excerpt } from "../../lib/code_points.ts";
import { nearestWords } from "../../lib/nearest_words.ts";
import { FILTER_SCHEMAS_KNOWN_MAX } from "../../limits.ts";
import { ALWAYS, mayName, SHOWN_MAX, shownNames } from "../pipeline/field_names.ts";
import type { Filter } from "./filters.ts";

/** Keywords by which a schema may allow more properties than it names. */
const OPENING = ["patternProperties", "$ref", "allOf", "anyOf", "oneOf"];
/** By feed and definition. A schema may be 256 KB, and each new filter value is a new plan. */
const known = new BoundedMap<string, ReadonlySet<string> | undefined>(FILTER_SCHEMAS_KNOWN_MAX);

/** A field that no row contains would match nothing, which looks like a valid answer. @throws {Problem} 400 */
export function refuseUnknownFields(feed: Feed, filters: readonly Filter[]): void {
  if (feed.lockedSchema === null || filters.length === 0) return;
  const key = `${feed.feedId} ${feed.definitionVersion}`;
  if (!known.has(key)) known.set(key, fieldsOf(feed.lockedSchema));
  const fields = known.get(key);
  const unknown = fields && filters.find(({ name }) => !fields.has(name));
  if (fields === undefined || unknown === undefined) return;
  throw unknownField(unknown.name, [...fields]);
}

/** A filtered field that no row contains, and what may explain it. */
export interface AbsentField {
  readonly name: string;
  /** Names that rows contain. */
  readonly present: readonly string[];
  /** JSON text of the feed's schema, which is not locked. */
  readonly schema: string | null;
}

/**
 * Refuses a filter that found nothing because no row contains its field, unless the schema names the field. @throws
 * {Problem} 400
 */
export function refuseAbsentField({ name, present, schema }: AbsentField): void {
  if (ALWAYS.includes(name) || present.length === 0) return;
  if (schema !== null && mayName(JSON.parse(schema), name)) return;
  throw unknownField(name, present);
}

function unknownField(name: string, fields: readonly string[]): Problem {
  const shown = shownNames(fields);
  const nearest = nearestWords(name, shown).map((each) => `"${parameterOf(each)}"`);
  const help =
    nearest.length > 0
      ? `Did you mean ${nearest.slice(0, SHOWN_MAX).join(" or ")}?`
      : `Filter by ${shown.slice(0, SHOWN_MAX).map(parameterOf).join(", ")}.`;
  return invalidParameter(
    `Rows of this feed have no field "${excerpt(name)}". ${help}`,
    parameterOf(name),
  );
}

/** How a filter names the field. A plain dot would begin an operator. */
function parameterOf(name: string): string {
  return name.includes(".") ? `payload.${name}` : name;
}

/** The names that rows can contain, or undefined if the schema leaves them open. */
function fieldsOf(schema: string): ReadonlySet<string> | undefined {
  const document: Record<string, unknown> | boolean = JSON.parse(schema);
  if (typeof document === "boolean" || OPENING.some((word) => word in document)) return undefined;
  const { properties, additionalProperties = false } = document;
  if (additionalProperties !== false || typeof properties !== "object") return undefined;
  const names = Object.keys(properties ?? {});
  return names.length === 0 ? undefined : new Set([...names, ...ALWAYS]);
}
