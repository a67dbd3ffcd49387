/**
 * Filters by fields that no row has: a locked schema that names its properties tells, so that a mistyped
 * name is not answered with an empty page. Beyond 12.
 *
 * @module
 */
import type { Feed } from "../../feeds/find.ts";
import { BoundedMap } from "../../lib/bounded_map.ts";
import { nearestWords } from "../../lib/nearest_words.ts";
import { FILTER_SCHEMAS_KNOWN_MAX } from "../../limits.ts";

/** A name that no row has, and the names that rows have. */
export interface UnknownField {
  readonly name: string;
  /** Most likely first; empty if no name is near. */
  readonly nearest: readonly string[];
  readonly known: readonly string[];
}

/** Fields that rows have whatever the schema says. */
const ALWAYS = ["id", "event_timestamp"];
/** Keywords by which a schema may take more properties than it names. */
const OPENING = ["patternProperties", "$ref", "allOf", "anyOf", "oneOf"];
/** What may be shown to a reader: a provider's name may hold anything, also a sentence. */
const SHOWN = /^[\p{L}\p{N}_.$-]{1,40}$/u;

/** By feed and definition. A schema may have 256 KB, and each new filter value is a new plan. */
const known = new BoundedMap<string, ReadonlySet<string> | undefined>(FILTER_SCHEMAS_KNOWN_MAX);

/** The first of the names that no row of the feed has. */
export function findUnknownField(feed: Feed, names: readonly string[]): UnknownField | undefined {
  if (feed.lockedSchema === null || names.length === 0) return undefined;
  const key = `${feed.feedId} ${feed.definitionVersion}`;
  if (!known.has(key)) known.set(key, fieldsOf(feed.lockedSchema));
  const fields = known.get(key);
  const name = fields && names.find((each) => !fields.has(each));
  if (fields === undefined || name === undefined) return undefined;
  const shown = [...fields].filter((each) => SHOWN.test(each));
  return { name, nearest: nearestWords(name, shown), known: shown };
}

/** The names that rows can have; undefined if the schema leaves them open. */
function fieldsOf(schema: string): ReadonlySet<string> | undefined {
  const document: Record<string, unknown> | boolean = JSON.parse(schema);
  if (typeof document === "boolean" || OPENING.some((word) => word in document)) return undefined;
  const { properties, additionalProperties = false } = document;
  if (additionalProperties !== false || typeof properties !== "object") return undefined;
  const names = Object.keys(properties ?? {});
  return names.length === 0 ? undefined : new Set([...names, ...ALWAYS]);
}
