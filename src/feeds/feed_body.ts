/**
 * The body of create and edit: takes its JSON, and returns the given fields or every mistake.
 *
 * The JSON is parsed before, because whether a create is an edit depends on the owner of the feed that its `id` names.
 * Then `readChanges` checks it against the schema of the route. The provider's own text is stored, so
 * `schema_definition` and `sample_response` keep their key order and numbers. See `src/spec/decisions.md`, section 4.
 *
 * @module
 */
import { KindGuard, type TSchema } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { excerpt } from "../lib/code_points.ts";
import type { FieldError } from "../lib/field_error.ts";
import {
  boundedPointer,
  findMember,
  type JsonSpan,
  type JsonText,
  pointerTo,
  stringOf,
  textOf,
} from "../lib/json_text.ts";
import { nearestWords } from "../lib/nearest_words.ts";
import { plainDecimal } from "../lib/plain_decimal.ts";
import { mismatchOf, notNull } from "../lib/typebox.ts";
import { unknownField } from "../lib/unknown_field.ts";
import { parseUuid } from "../lib/uuid.ts";
import { ERRORS_LISTED_MAX, SCHEMA_BYTES_MAX } from "../limits.ts";
import {
  CreateFeedShape,
  EditFeedShape,
  FEED_TYPE_ALIASES,
  OwnFeedShape,
  WrittenFeedShape,
} from "./feed_shapes.ts";
import {
  decidePricing,
  type GivenPricing,
  type Pricing,
  type PricingOutcome,
} from "./pricing_fields.ts";

/** Whether a feed is created, or an existing one is changed. */
export type SaveMode = "create" | "edit";

/** The fields in a body, ready to be applied to a feed. */
interface FeedChanges {
  /** JSON object of the given fields in canonical form, without pricing. Null clears a field. */
  readonly fields: string;
  /** Undefined if the body has no pricing field, in which case pricing is unchanged. */
  readonly pricing: Pricing | undefined;
  /** Text of the given `schema_definition` if it has something to check. Undefined for null and `{}`. */
  readonly schema: string | undefined;
  /** The `schema_definition` as given, including null and `{}`. Undefined if the body has none. */
  readonly givenSchema: string | undefined;
  /** Whether the body changes the requirements for rows: the schema, or whether it is locked. */
  readonly isSchemaGiven: boolean;
}

type ChangesOutcome =
  | { readonly kind: "changes"; readonly changes: FeedChanges }
  | {
      readonly kind: "invalid";
      /** The first ones, in the body's order. */
      readonly errors: readonly FieldError[];
      readonly errorCount: number;
    }
  | Exclude<PricingOutcome, { readonly kind: "decided" }>;

const CHECKS = {
  create: TypeCompiler.Compile(CreateFeedShape),
  edit: TypeCompiler.Compile(EditFeedShape),
};

const PRICING: ReadonlySet<string> = new Set([
  "price_type",
  "price_per_1k",
  "one_time_price_cents",
]);
/** Stored as they are, and bounded in serialized bytes. */
const DOCUMENTS: ReadonlySet<string> = new Set(["schema_definition", "sample_response"]);
/** Names of our fields in other services. */
const OTHER_NAMES = new Map([
  ["type", "feed_type"],
  ["slug", "endpoint_path"],
  ["price", "price_per_1k"],
  ["schema", "schema_definition"],
  ["sample", "sample_response"],
  ["readme", "readme_md"],
  ["title", "name"],
]);
/** The feed that a create body names, in lower case. Undefined if it names none. */
export function upsertIdOf(json: JsonText): string | undefined {
  const id = findMember(json.root, "id");
  return id?.kind === "string" ? parseUuid(stringOf(json, id)) : undefined;
}

/** A field in the body, and its type. */
interface Field {
  readonly name: string;
  readonly value: JsonSpan;
  readonly schema: TSchema;
}

/** Reads every field of a body. A create that edits an owned feed is read as an edit. */
export function readChanges(json: JsonText, mode: SaveMode): ChangesOutcome {
  const { errors, errorCount } = mistakesIn(json, mode);
  if (errorCount > 0) return { kind: "invalid", errors, errorCount };
  const fields: string[] = [];
  const prices: Record<string, string> = {};
  let schema: string | undefined;
  let isSchemaGiven = false;
  for (const field of fieldsOf(json, mode)) {
    const text = canonicalText(json, field);
    if (PRICING.has(field.name)) prices[field.name] = text;
    else fields.push(`${JSON.stringify(field.name)}:${text}`);
    if (field.name === "schema_definition") schema = text;
    isSchemaGiven ||= field.name === "schema_definition" || field.name === "schema_locked";
  }
  const pricing = Object.keys(prices).length > 0 ? decidePricing(givenPricing(prices)) : undefined;
  if (pricing?.kind === "pricing_invalid") return pricing;
  const isSchemaEmpty = schema === "null" || schema === "{}";
  return {
    kind: "changes",
    changes: {
      fields: `{${fields.join(",")}}`,
      pricing: pricing?.pricing,
      schema: isSchemaEmpty ? undefined : schema,
      givenSchema: schema,
      isSchemaGiven,
    },
  };
}

/**
 * The mistakes, one per field, in the body's order; fields that are missing come last. A body may have hundreds of
 * thousands of mistakes, so messages are built only for those that are listed.
 */
function mistakesIn(json: JsonText, mode: SaveMode) {
  const known = Object.keys(CHECKS[mode].Schema().properties);
  const ofKnown = mistakesInKnown(json, mode);
  const errors: FieldError[] = [];
  let errorCount = 0;
  const add = (name: string, message: () => string) => {
    errorCount += 1;
    if (errors.length === ERRORS_LISTED_MAX) return;
    errors.push({ path: boundedPointer(pointerTo(name)), message: message() });
  };
  for (const { key: name } of json.root.members ?? []) {
    const message = ofKnown.get(name);
    if (message !== undefined) add(name, () => message);
    // A returned row can be sent back: what is read-only in it is no mistake.
    else if (!known.includes(name) && !READ_ONLY_NAMES.has(name)) {
      add(name, () => unknownField(name, nearestField(name, known)));
    }
  }
  for (const [name, message] of ofKnown) {
    if (findMember(json.root, name) === undefined) add(name, () => message);
  }
  return { errors, errorCount };
}

/** Messages about fields of the schema, by name: mistakes against it, and those that only the text shows. */
function mistakesInKnown(json: JsonText, mode: SaveMode): ReadonlyMap<string, string> {
  const check = CHECKS[mode];
  const mistakes = new Map<string, string>();
  const body: Record<string, unknown> = {};
  for (const { key: name, value } of json.root.members ?? []) {
    if (Object.hasOwn(check.Schema().properties, name))
      body[name] = JSON.parse(textOf(json, value));
  }
  if (!check.Check(body)) {
    for (const { path, schema, value } of check.Errors(body)) {
      const name = nameAt(path);
      if (mistakes.has(name)) continue;
      const wrong = value === undefined ? "is required" : mismatchOf(schema, value);
      mistakes.set(name, `${name} ${wrong}`);
    }
  }
  for (const field of fieldsOf(json, mode)) {
    const message = mistakeInText(json, field);
    if (message !== undefined && !mistakes.has(field.name)) mistakes.set(field.name, message);
  }
  return mistakes;
}

function nearestField(name: string, known: readonly string[]): string | undefined {
  return OTHER_NAMES.get(name.toLowerCase()) ?? nearestWords(name, known)[0];
}

/** Fields of the full row, or of the list of own feeds, that can't be written. */
const READ_ONLY_NAMES = new Set([
  ...Object.keys(WrittenFeedShape.properties),
  ...Object.keys(OwnFeedShape.properties),
]);

/** The known fields of a body, in its order. */
function fieldsOf({ root }: JsonText, mode: SaveMode): Field[] {
  const { properties } = CHECKS[mode].Schema();
  return (root.members ?? []).flatMap(({ key: name, value }) => {
    const schema: TSchema | undefined = Object.hasOwn(properties, name)
      ? Reflect.get(properties, name)
      : undefined;
    return schema === undefined || name === "id" ? [] : { name, value, schema };
  });
}

/** Mistakes that are not visible after parsing: lost digits, and the bytes of a document. */
function mistakeInText(json: JsonText, { name, value, schema }: Field): string | undefined {
  const text = textOf(json, value);
  if (KindGuard.IsInteger(notNull(schema)) && value.kind === "number") {
    // 100.00000000000000000001 becomes an integer when parsed as a double.
    return /^-?\d+$/.test(plainDecimal(text))
      ? undefined
      : `${name} must be an integer, got ${excerpt(text)}`;
  }
  if (!DOCUMENTS.has(name)) return undefined;
  const bytes = Buffer.byteLength(text);
  if (bytes <= SCHEMA_BYTES_MAX) return undefined;
  return `${name} must have at most ${SCHEMA_BYTES_MAX} bytes serialized, got ${bytes}`;
}

/** A field's text as it is stored. */
function canonicalText(json: JsonText, { name, value, schema }: Field): string {
  const text = textOf(json, value);
  if (name === "feed_type" && value.kind === "string") {
    const given = stringOf(json, value);
    const alias = Object.entries(FEED_TYPE_ALIASES).find(([each]) => each === given)?.[1];
    return JSON.stringify(alias ?? given);
  }
  // PostgreSQL limits exponents more strictly, and prices are used in calculations.
  const isPlain = PRICING.has(name) || KindGuard.IsInteger(notNull(schema)) || /e/i.test(text);
  if (value.kind === "number" && !DOCUMENTS.has(name)) return isPlain ? plainDecimal(text) : text;
  return text;
}

/** The first step of a JSON Pointer. */
function nameAt(path: string): string {
  return path.split("/", 2)[1]?.replaceAll("~1", "/").replaceAll("~0", "~") ?? "";
}

/** Takes canonical texts: a quoted name, a plain number, or null. */
function givenPricing(prices: Readonly<Record<string, string>>): GivenPricing {
  const { price_type: type, price_per_1k: per1k, one_time_price_cents: cents } = prices;
  return {
    priceType: type === undefined ? undefined : JSON.parse(type),
    pricePer1k: per1k === undefined || per1k === "null" ? null : per1k,
    oneTimePriceCents: cents === undefined || cents === "null" ? null : BigInt(cents),
  };
}
