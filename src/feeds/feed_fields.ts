/**
 * The fields that a skill and a feed's page name: top-level properties of the feed's schema, or of its sample.
 *
 * @module
 */

import { withoutInvisible } from "../lib/invisible_text.ts";
import { isObject } from "../lib/records.ts";
import { kindOf } from "../lib/typebox.ts";
import { schemaProperties } from "./schema_properties.ts";

export interface FeedField {
  readonly name: string;
  /** The JSON Schema type, or `any`. */
  readonly type: string;
}

export interface FeedFields {
  readonly fields: readonly FeedField[];
  /**
   * Number of fields that are not named, because there are too many or because their names can't appear in a text
   * unquoted.
   */
  readonly unnamedCount: number;
}

const FIELDS_MAX = 40;
/** Agents read the names in a skill. Names with blanks are excluded, so that none is a sentence. */
const PLAIN_NAME = /^[\p{L}\p{N}_$@.:-]{1,64}$/u;
const TYPES = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);
const FILTERED_TYPES = ["string", "number", "integer", "boolean", "any"];

/** In the schema's order, or in the sample's if there is no schema. Both are JSON text or null. */
export function parseFeedFields(schema: string | null, sample: string | null): FeedFields {
  const all = fieldsOfSchema(schema) ?? fieldsOfSample(sample) ?? [];
  const fields = all.filter(({ name }) => isPlain(name)).slice(0, FIELDS_MAX);
  return { fields, unnamedCount: all.length - fields.length };
}

/** Unicode counts invisible fillers as letters, so a name made of letters may contain some. */
function isPlain(name: string): boolean {
  return PLAIN_NAME.test(name) && withoutInvisible(name) === name;
}

/** Whether `eq` can match a value of this field. */
export function isFilterable({ type }: FeedField): boolean {
  return FILTERED_TYPES.some((each) => type.split(" or ").includes(each));
}

function fieldsOfSchema(schema: string | null): FeedField[] | undefined {
  const properties = schemaProperties(schema);
  if (properties.length === 0) return undefined;
  return properties.map(([name, property]) => ({
    name,
    type: typeOfSchema(isObject(property) ? property.type : undefined),
  }));
}

function fieldsOfSample(sample: string | null): FeedField[] | undefined {
  const value: unknown = JSON.parse(sample ?? "null");
  const row: unknown = Array.isArray(value) ? value[0] : value;
  if (!isObject(row)) return undefined;
  return Object.entries(row).map(([name, each]) => ({ name, type: kindOf(each) }));
}

function typeOfSchema(type: unknown): string {
  const types = (Array.isArray(type) ? type : [type]).filter((each) => TYPES.has(each));
  return types.length === 0 ? "any" : types.join(" or ");
}
