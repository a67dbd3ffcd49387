/**
 * The body of create and edit: text in, the given fields or every mistake out. Interface 4.7 and 4.8,
 * decisions 4 and 10.
 *
 * Two steps, since whether a create is an edit in truth depends on whose feed its `id` is: `parseBody`
 * reads the JSON, `readChanges` reads the fields. What is stored is the provider's own text, so
 * `schema_definition` and `sample_response` keep their key order and numbers.
 *
 * @module
 */
import type { PriceType } from "../feed_row/feeds.ts";
import type { FieldError } from "../http/errors.ts";
import { excerpt } from "../lib/code_points.ts";
import {
  boundedPointer,
  findMember,
  JsonSyntaxError,
  type JsonText,
  pointerTo,
  scanJson,
  stringOf,
} from "../lib/json_text.ts";
import { parseUuid } from "../lib/uuid.ts";
import {
  CATEGORY_LENGTH_MAX,
  DESCRIPTION_LENGTH_MAX,
  ERRORS_LISTED_MAX,
  JSON_DEPTH_MAX,
  NAME_LENGTH_MAX,
  README_LENGTH_MAX,
  SYNC_INTERVAL_MINS_MAX,
  UPDATE_FREQUENCY_LENGTH_MAX,
} from "../limits.ts";
import { decidePricing, type GivenPricing, type Pricing } from "./pricing.ts";
import {
  type FieldReader,
  orNull,
  readBoolean,
  readBounded,
  readFeedType,
  readInteger,
  readNumber,
  readOneOf,
  readPlainNumber,
  readSchema,
  readSlug,
  readText,
  type SaveMode,
} from "./save_fields.ts";

/** A body that is a JSON object. */
export interface SaveBody {
  readonly json: JsonText;
}

export type BodyOutcome =
  | { readonly kind: "body"; readonly body: SaveBody }
  /** 400 `BODY_NOT_JSON`. */
  | { readonly kind: "not_json"; readonly message: string }
  /** 422 `VALIDATION_FAILED`. */
  | {
      readonly kind: "invalid";
      readonly errors: readonly FieldError[];
      readonly errorCount: number;
    };

/** The fields that a body gives, ready to be laid over a feed. */
export interface FeedChanges {
  /** JSON object of the given fields in canonical form, pricing apart; null clears. */
  readonly fields: string;
  /** Undefined where the body has no pricing field: pricing stays. */
  readonly pricing: Pricing | undefined;
  /** Text of a given `schema_definition` that has something to check; undefined for null and `{}`. */
  readonly schema: string | undefined;
}

export type ChangesOutcome =
  | { readonly kind: "changes"; readonly changes: FeedChanges }
  /** 422 `VALIDATION_FAILED`. */
  | { readonly kind: "invalid"; readonly errors: readonly FieldError[] }
  /** 422 `PRICING_INVALID`. */
  | { readonly kind: "pricing_invalid"; readonly errors: readonly FieldError[] };

const STATUSES: Readonly<Record<SaveMode, readonly string[]>> = {
  create: ["draft", "inactive"],
  edit: ["draft", "inactive", "active"],
};
const PRICE_TYPES: readonly PriceType[] = ["free", "metered", "one_time"];

const READERS: ReadonlyMap<string, FieldReader> = new Map([
  ["name", readText({ least: 1, most: NAME_LENGTH_MAX })],
  ["description", orNull(readText({ least: 0, most: DESCRIPTION_LENGTH_MAX }))],
  ["readme_md", orNull(readText({ least: 0, most: README_LENGTH_MAX }))],
  ["category", orNull(readText({ least: 1, most: CATEGORY_LENGTH_MAX }))],
  ["endpoint_path", readSlug],
  ["feed_type", orNull(readFeedType)],
  ["schema_definition", orNull(readSchema)],
  ["schema_version", readNumber],
  ["schema_locked", readBoolean],
  // Any JSON; null clears, so a sample is never JSON's null.
  ["sample_response", readBounded],
  ["sync_interval_mins", readInteger({ least: 1n, most: BigInt(SYNC_INTERVAL_MINS_MAX) })],
  ["update_frequency_text", orNull(readText({ least: 0, most: UPDATE_FREQUENCY_LENGTH_MAX }))],
  ["status", (json, value, mode) => readOneOf(STATUSES[mode], json, value)],
  // Null where there is none: so a row that was returned can be sent back. Over a number it is refused
  // where the stored row is known (`save_feed.sql`).
  [
    "draft_step",
    (json, value, mode) => (mode === "edit" ? orNull(readNumber) : readNumber)(json, value, mode),
  ],
]);

/** Read apart from the others: pricing is decided from all three. */
const PRICING_READERS: ReadonlyMap<string, FieldReader> = new Map([
  ["price_type", (json, value) => readOneOf(PRICE_TYPES, json, value)],
  ["price_per_1k", orNull(readPlainNumber)],
  ["one_time_price_cents", orNull(readInteger({}))],
]);

/** Of the full feed row, what no body can change: ignored, so that a row can be sent back. */
const READ_ONLY: ReadonlySet<string> = new Set([
  "id",
  "consumer_type",
  "reliability_score",
  "last_sync_at",
  "storage_config",
  "provider",
  "is_public",
  "created_at",
  "updated_at",
  "max_feeds_allowed",
  "feeds_used",
]);

const REQUIRED_AT_CREATION = ["name", "endpoint_path"];
/** The body itself is a level around `schema_definition` and `sample_response`. */
const BODY_DEPTH_MAX = JSON_DEPTH_MAX + 1;

/** Reads the JSON of a body; what it may hold is as for rows. Decisions 5 and 10. */
export function parseBody(text: string): BodyOutcome {
  try {
    const json = scanJson(text, {
      spanDepth: 1,
      heightMax: BODY_DEPTH_MAX,
      refusalsMax: ERRORS_LISTED_MAX,
    });
    const { refusals: errors, refusalCount: errorCount } = json;
    if (errorCount > 0) return { kind: "invalid", errors, errorCount };
    if (json.root.kind === "object") return { kind: "body", body: { json } };
    const message = `the body must be an object, got ${json.root.kind}`;
    return { kind: "invalid", errors: [{ path: "", message }], errorCount: 1 };
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { kind: "not_json", message: error.message };
    throw error;
  }
}

/** The feed that a create body names, in lower case; undefined where it names none. */
export function upsertIdOf({ json }: SaveBody): string | undefined {
  const id = findMember(json.root, "id");
  return id?.kind === "string" ? parseUuid(stringOf(json, id)) : undefined;
}

/** Reads every field of a body; a create that edits an owned feed is read as an edit. */
export function readChanges({ json }: SaveBody, mode: SaveMode): ChangesOutcome {
  const errors: FieldError[] = [];
  const fields: string[] = [];
  const prices: Record<string, string> = {};
  const members = json.root.members ?? [];
  let schema: string | undefined;
  for (const { key, value } of members) {
    const path = boundedPointer(pointerTo(key));
    const reader = READERS.get(key) ?? PRICING_READERS.get(key);
    if (reader === undefined) {
      if (!READ_ONLY.has(key)) errors.push({ path, message: unknownField(key) });
      continue;
    }
    const outcome = reader(json, value, mode);
    if ("message" in outcome) {
      errors.push({ path, message: `${key} ${outcome.message}` });
    } else if (PRICING_READERS.has(key)) {
      prices[key] = outcome.text;
    } else {
      fields.push(`${JSON.stringify(key)}:${outcome.text}`);
      if (key === "schema_definition") schema = outcome.text;
    }
  }
  if (mode === "create") errors.push(...creationErrors({ json }));
  if (errors.length > 0) return { kind: "invalid", errors };

  const pricing = Object.keys(prices).length > 0 ? decidePricing(givenPricing(prices)) : undefined;
  if (pricing?.kind === "invalid") return { kind: "pricing_invalid", errors: pricing.errors };
  const isSchemaEmpty = schema === "null" || schema === "{}";
  return {
    kind: "changes",
    changes: {
      fields: `{${fields.join(",")}}`,
      pricing: pricing?.pricing,
      schema: isSchemaEmpty ? undefined : schema,
    },
  };
}

function creationErrors(body: SaveBody): FieldError[] {
  const { root } = body.json;
  const errors = REQUIRED_AT_CREATION.filter((name) => findMember(root, name) === undefined).map(
    (name) => ({ path: pointerTo(name), message: `${name} is required` }),
  );
  if (findMember(root, "id") !== undefined && upsertIdOf(body) === undefined) {
    errors.push({ path: "/id", message: "id must be a UUID; leave it out to get a new one" });
  }
  return errors;
}

function unknownField(key: string): string {
  return `there is no field ${JSON.stringify(excerpt(key))}; leave it out`;
}

/** From canonical texts: a name in quotes, a plain number, or null. */
function givenPricing(prices: Readonly<Record<string, string>>): GivenPricing {
  const { price_type: type, price_per_1k: per1k, one_time_price_cents: cents } = prices;
  return {
    ...(type !== undefined && { priceType: JSON.parse(type) as PriceType }),
    ...(per1k !== undefined && { pricePer1k: per1k === "null" ? null : per1k }),
    ...(cents !== undefined && { oneTimePriceCents: cents === "null" ? null : BigInt(cents) }),
  };
}
