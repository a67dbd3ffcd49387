/**
 * The details of each field on a feed's page: its type and, from the schema, whether it is required, its description,
 * its values and an example. If the schema has no example, the sample's value is used. The functions are pure.
 *
 * @module
 */
import { parseFeedFields } from "../../feeds/feed_fields.ts";
import { schemaProperties } from "../../feeds/schema_properties.ts";
import { isObject, type JsonObject } from "../../lib/records.ts";
import { cellOf, cut, firstRowOf, oneLine } from "../layout/shown_rows.ts";

export interface FieldDetails {
  readonly name: string;
  /** With its format, such as `string (date-time)`. */
  readonly type: string;
  readonly isRequired: boolean;
  /** "" without one. */
  readonly description: string;
  /** The first of the values that the schema allows, and how many more there are. */
  readonly values: readonly string[];
  readonly otherValues: number;
  /** "" without one. */
  readonly example: string;
}

/** As JSON texts. */
interface Described {
  readonly schema: string | null;
  readonly sample: string | null;
}

const DESCRIPTION_CHARS_MAX = 300;
const VALUES_SHOWN = 8;
const VALUE_CHARS_MAX = 60;
const EXAMPLE_CHARS_MAX = 80;
const FORMAT = /^[a-z][a-z-]{0,30}$/;

export function describeFields({ schema, sample }: Described) {
  const { fields, unnamedCount } = parseFeedFields(schema, sample);
  const properties = new Map(schemaProperties(schema));
  const required = requiredOf(schema);
  const examples = firstRowOf(sample ?? "null");
  return {
    unnamedCount,
    fields: fields.map(({ name, type }): FieldDetails => {
      const found = properties.get(name);
      const property = isObject(found) ? found : {};
      const values = enumOf(property);
      return {
        name,
        type: withFormat(type, property.format),
        isRequired: required.has(name),
        description: wordsOf(property.description),
        values: values
          .slice(0, VALUES_SHOWN)
          .map((value) => cut(cellOf(JSON.stringify(value)).text, VALUE_CHARS_MAX)),
        otherValues: Math.max(0, values.length - VALUES_SHOWN),
        example: shownValue(exampleOf(property) ?? examples.get(name), EXAMPLE_CHARS_MAX),
      };
    }),
  };
}

function requiredOf(schema: string | null): ReadonlySet<unknown> {
  const parsed: unknown = JSON.parse(schema ?? "null");
  return new Set(isObject(parsed) && Array.isArray(parsed.required) ? parsed.required : []);
}

function enumOf(property: JsonObject): readonly unknown[] {
  if (Array.isArray(property.enum)) return property.enum;
  return property.const === undefined ? [] : [property.const];
}

/** As JSON text. */
function exampleOf(property: JsonObject): string | undefined {
  const example = Array.isArray(property.examples) ? property.examples[0] : property.example;
  return JSON.stringify(example);
}

function withFormat(type: string, format: unknown): string {
  return typeof format === "string" && FORMAT.test(format) ? `${type} (${format})` : type;
}

function wordsOf(description: unknown): string {
  if (typeof description !== "string") return "";
  return cut(oneLine(description), DESCRIPTION_CHARS_MAX);
}

/** "" for what says nothing. */
function shownValue(source: string | undefined, charsMax: number): string {
  const { text, kind } = cellOf(source);
  return kind === "null" ? "" : cut(text, charsMax);
}
