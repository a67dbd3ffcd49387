/**
 * The keywords of JSON Schema 2020-12 and draft-07: which values each accepts, and how it contains subschemas. These
 * tables replace the metaschemas, whose messages do not say what is allowed.
 *
 * A keyword that is not in its draft's table is unknown and has no meaning.
 *
 * @module
 */
import { pointerTo } from "../../lib/json_text.ts";
import { wordEdits } from "../../lib/nearest_words.ts";
import type { JsonObject } from "../../lib/records.ts";
import { compareNumbers, isInteger, isNumeric, isObject } from "./exact_numbers.ts";

export type Dialect = "2020-12" | "draft-07";
export type Schema = JsonObject | boolean;

interface Keyword {
  readonly isAllowed: (value: unknown) => boolean;
  /** What the value must be, as the words after "must be". */
  readonly rule: string;
  /** How the value contains subschemas: as itself or a list of them, or as members of an object. */
  readonly holds?: "schema" | "map";
}

const TYPES: unknown[] = ["array", "boolean", "integer", "null", "number", "object", "string"];
const ANCHOR = /^[A-Za-z_][-A-Za-z0-9._]*$/;

const ANYTHING = keyword("anything", () => true);
const TEXT = keyword("a string", isText);
const FLAG = keyword("true or false", (value) => typeof value === "boolean");
const NUMBER = keyword("a number", isNumeric);
const FACTOR = keyword(
  "a number above 0",
  (value) => isNumeric(value) && compareNumbers(value, 0) > 0,
);
const COUNT = keyword("a whole number of at least 0", isCount);
const LIST = keyword("an array", Array.isArray);
const NAMES = keyword("an array of different strings", areNames);
const NAME_LISTS = keyword("an object of arrays of different strings", isMapOf(areNames));
const ID = keyword(
  "a URI reference without a fragment",
  (value) => isText(value) && /^[^#]*#?$/.test(value),
);
const ANCHOR_NAME = keyword(
  "a letter or _, followed by letters, digits, -, _ and .",
  (value) => isText(value) && ANCHOR.test(value),
);
const TYPE = keyword(
  `one of ${TYPES.join(", ")}, or an array of some of them`,
  (value) =>
    TYPES.includes(value) ||
    (areNames(value) && value.length > 0 && value.every((name) => TYPES.includes(name))),
);
const SCHEMA = keyword("a schema: an object, true or false", isSchema, "schema");
const SCHEMAS = keyword("an array of at least one schema", areSchemas, "schema");
const ITEMS_07 = keyword(
  "a schema or an array of schemas",
  (value) => isSchema(value) || areSchemas(value),
  "schema",
);
const SCHEMA_MAP = keyword("an object of schemas", isMapOf(isSchema), "map");
const DEPENDENCIES = keyword(
  "an object of schemas or of arrays of names",
  isMapOf((value) => isSchema(value) || areNames(value)),
  "map",
);

const COMMON = {
  ...named(TEXT, "$comment $id $ref $schema contentEncoding contentMediaType"),
  ...named(TEXT, "description format pattern title"),
  ...named(FLAG, "readOnly uniqueItems writeOnly"),
  ...named(NUMBER, "exclusiveMaximum exclusiveMinimum maximum minimum"),
  ...named(FACTOR, "multipleOf"),
  ...named(COUNT, "maxItems maxLength maxProperties minItems minLength minProperties"),
  ...named(LIST, "enum examples"),
  ...named(ANYTHING, "const default"),
  ...named(NAMES, "required"),
  ...named(TYPE, "type"),
  ...named(SCHEMA, "additionalProperties contains else if not propertyNames then"),
  ...named(SCHEMAS, "allOf anyOf oneOf"),
  ...named(SCHEMA_MAP, "$defs definitions patternProperties properties"),
  ...named(DEPENDENCIES, "dependencies"),
};

const KEYWORDS: Readonly<Record<Dialect, Readonly<Record<string, Keyword>>>> = {
  "draft-07": { ...COMMON, ...named(ITEMS_07, "items"), ...named(SCHEMA, "additionalItems") },
  "2020-12": {
    ...COMMON,
    ...named(ID, "$id"),
    ...named(TEXT, "$dynamicRef"),
    ...named(ANCHOR_NAME, "$anchor $dynamicAnchor"),
    ...named(FLAG, "deprecated"),
    ...named(COUNT, "maxContains minContains"),
    ...named(NAME_LISTS, "dependentRequired"),
    ...named(SCHEMA, "contentSchema items unevaluatedItems unevaluatedProperties"),
    ...named(SCHEMAS, "prefixItems"),
    ...named(SCHEMA_MAP, "dependentSchemas"),
  },
};

/** The keyword of this name, if the draft knows it. */
export function findKeyword(dialect: Dialect, name: string): Keyword | undefined {
  return Object.hasOwn(KEYWORDS[dialect], name) ? KEYWORDS[dialect][name] : undefined;
}

/**
 * Keywords that are never suggested: those that check nothing, so that a misspelling is harmless, and those that are
 * similar to many words.
 */
const NOT_MEANT = new Set(
  "$comment $schema contentEncoding contentMediaType contentSchema default deprecated description examples format if not readOnly title writeOnly".split(
    " ",
  ),
);
/** OpenAPI 3.0's alternative to the type null. */
export const NULLABLE = "nullable";
/** In keywords of at least this many letters, two letters may be wrong. */
const LONG_KEYWORD_MIN = 6;

/** The keyword that an unknown one was probably meant to be. */
export function nearestKeyword(dialect: Dialect, name: string): string | undefined {
  if (name === NULLABLE) return "type";
  const meant = Object.keys(KEYWORDS[dialect]).filter((each) => !NOT_MEANT.has(each));
  // `additionalProperty` is three edits away.
  const plural = name.replace(/y$/, "ies");
  return meant.find((each) => {
    const edits = Math.min(wordEdits(name, each), wordEdits(plural, each));
    return edits <= 1 || (edits === 2 && (each.length >= LONG_KEYWORD_MIN || isSwap(name, each)));
  });
}

/** Whether the two have the same letters, with two of them swapped. */
function isSwap(a: string, b: string): boolean {
  return [...a].sort().join("") === [...b].sort().join("");
}

/** The subschemas in a keyword's value, each with its RFC 6901 pointer relative to the value. */
export function heldSchemas({ holds }: Keyword, value: unknown): (readonly [string, Schema])[] {
  if (holds === undefined) return [];
  if (holds === "schema" && isSchema(value)) return [["", value]];
  return Object.entries(Object(value)).flatMap(([key, each]) =>
    isSchema(each) ? [[pointerTo(key), each] as const] : [],
  );
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === "boolean" || isObject(value);
}

function areSchemas(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isSchema);
}

function isMapOf(isMember: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => isObject(value) && Object.values(value).every(isMember);
}

function areNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isCount(value: unknown): boolean {
  return isNumeric(value) && isInteger(value) && compareNumbers(value, 0) >= 0;
}

function keyword(rule: string, isAllowed: Keyword["isAllowed"], holds?: "schema" | "map"): Keyword {
  return { rule, isAllowed, ...(holds !== undefined && { holds }) };
}

function named(each: Keyword, names: string): Record<string, Keyword> {
  return Object.fromEntries(names.split(" ").map((name) => [name, each]));
}
