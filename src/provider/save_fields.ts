/**
 * The fields of a create or edit body, each by a reader of its own. Decisions 4 and 10.
 *
 * In goes the span of a value; out comes the JSON text that is stored, or what is wrong with it. The
 * text is the provider's own wherever its form says something: key order, digits of a number.
 *
 * @module
 */
import { FEED_TYPES } from "../feed_row/feeds.ts";
import { codePointsOf, excerpt } from "../lib/code_points.ts";
import { byteLength, type JsonSpan, type JsonText, stringOf, textOf } from "../lib/json_text.ts";
import { plainDecimal } from "../lib/plain_decimal.ts";
import { parseUuid } from "../lib/uuid.ts";
import { SCHEMA_BYTES_MAX } from "../limits.ts";

/** Whether a feed is made, or one that is there is changed. */
export type SaveMode = "create" | "edit";

/** A field's canonical JSON text, or what is wrong with it. */
export type FieldOutcome = { readonly text: string } | { readonly message: string };
/** Messages begin with the field's name, which the caller puts before them. */
export type FieldReader = (json: JsonText, value: JsonSpan, mode: SaveMode) => FieldOutcome;

const FEED_TYPE_ALIASES = {
  snapshot: "singleton",
  version_collection: "collection",
  time_stream: "stream",
} as const;
/** Form of an `endpoint_path`, which is no UUID either. */
const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?$/;
const SLUG_RULE = "1 to 80 lower-case letters, digits and inner hyphens, and no UUID";

/** A field that null clears. */
export function orNull(reader: FieldReader): FieldReader {
  return (json, value, mode) =>
    value.kind === "null" ? { text: "null" } : reader(json, value, mode);
}

/** Lengths are in Unicode code points. Decisions 10. */
export function readText({ least, most }: { least: number; most: number }): FieldReader {
  return (json, value) => {
    const rule = `must be a string of ${least > 0 ? `${least} to ${most}` : `at most ${most}`} characters`;
    if (value.kind !== "string") return { message: `${rule}, got ${value.kind}` };
    const length = codePointsOf(stringOf(json, value));
    if (length < least || length > most) return { message: `${rule}, got ${length}` };
    return { text: textOf(json, value) };
  };
}

/** An `endpoint_path`; whether it is in use is for the database to say. */
export function readSlug(json: JsonText, value: JsonSpan): FieldOutcome {
  const rule = `must be ${SLUG_RULE}`;
  if (value.kind !== "string") return { message: `${rule}, got ${value.kind}` };
  const slug = stringOf(json, value);
  // A slug of a UUID's form would be taken for an id wherever either is welcome.
  if (SLUG.test(slug) && parseUuid(slug) === undefined) return { text: JSON.stringify(slug) };
  return { message: `${rule}, got ${shown(json, value)}` };
}

/** Aliases become the canonical name. Interface 4.7, decisions 4. */
export function readFeedType(json: JsonText, value: JsonSpan): FieldOutcome {
  const given = value.kind === "string" ? stringOf(json, value) : undefined;
  const alias = Object.entries(FEED_TYPE_ALIASES).find(([name]) => name === given)?.[1];
  if (alias !== undefined) return { text: `"${alias}"` };
  return readOneOf(FEED_TYPES, json, value);
}

/** One of a few names. */
export function readOneOf(
  choices: readonly string[],
  json: JsonText,
  value: JsonSpan,
): FieldOutcome {
  const given = value.kind === "string" ? stringOf(json, value) : undefined;
  const choice = choices.find((each) => each === given);
  if (choice !== undefined) return { text: `"${choice}"` };
  return { message: `must be one of ${choices.join(", ")}, got ${shown(json, value)}` };
}

/** True or false, and nothing that reads like it. */
export function readBoolean(json: JsonText, value: JsonSpan): FieldOutcome {
  if (value.kind === "boolean") return { text: textOf(json, value) };
  return { message: `must be true or false, got ${shown(json, value)}` };
}

/** Digits as sent; an exponent is written out, since PostgreSQL bounds exponents more narrowly. */
export function readNumber(json: JsonText, value: JsonSpan): FieldOutcome {
  if (value.kind !== "number") return { message: `must be a number, got ${value.kind}` };
  const text = textOf(json, value);
  return { text: /e/i.test(text) ? plainDecimal(text) : text };
}

/** In plain decimals, for what is calculated with. */
export function readPlainNumber(json: JsonText, value: JsonSpan): FieldOutcome {
  if (value.kind !== "number") return { message: `must be a number, got ${value.kind}` };
  return { text: plainDecimal(textOf(json, value)) };
}

/** By value: `60.0` and `6e1` are integers. */
export function readInteger({ least, most }: { least?: bigint; most?: bigint }): FieldReader {
  return (json, value) => {
    const range = most === undefined ? "" : ` from ${least} to ${most}`;
    const message = `must be an integer${range}, got ${shown(json, value)}`;
    if (value.kind !== "number") return { message };
    const text = plainDecimal(textOf(json, value));
    if (!/^-?\d+$/.test(text)) return { message };
    const integer = BigInt(text);
    if (least !== undefined && integer < least) return { message };
    if (most !== undefined && integer > most) return { message };
    return { text };
  };
}

/** `push/schema` says whether it is a valid schema. */
export function readSchema(json: JsonText, value: JsonSpan): FieldOutcome {
  if (value.kind === "object") return readBounded(json, value);
  return { message: `must be a JSON Schema object, got ${value.kind}` };
}

/** Any JSON, bounded in serialized bytes, without insignificant white space. Decisions 4. */
export function readBounded(json: JsonText, value: JsonSpan): FieldOutcome {
  const text = textOf(json, value);
  const bytes = byteLength(text);
  if (bytes <= SCHEMA_BYTES_MAX) return { text };
  return { message: `must have at most ${SCHEMA_BYTES_MAX} bytes serialized, got ${bytes}` };
}

function shown(json: JsonText, value: JsonSpan): string {
  return value.kind === "object" || value.kind === "array"
    ? value.kind
    : excerpt(textOf(json, value));
}
