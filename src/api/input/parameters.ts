/**
 * Query parameters: the types by which routes declare them, and parsing that supports these types.
 *
 * Elysia's types for numbers accept whatever JavaScript's `Number` accepts. Its parser drops one of two equal names and
 * ignores invalid escapes. So the query is parsed here, and Elysia validates the result. See `src/spec/decisions.md`,
 * section 10.
 *
 * @module
 */
import {
  Kind,
  type SchemaOptions,
  type TProperties,
  type TTransform,
  type TUnsafe,
  Type,
  TypeRegistry,
} from "@sinclair/typebox";
import { Elysia } from "elysia";
import { type Detail, Problem } from "../../http/problem_details.ts";
import { parseQuery, searchOf } from "../../http/query_string.ts";
import { excerpt } from "../../lib/code_points.ts";
import { parseEventTime } from "../../lib/date_time.ts";
import { nearestWords } from "../../lib/nearest_words.ts";
import { Expected } from "../../lib/typebox.ts";
import { parseDay } from "../../lib/utc_day.ts";
import { parseUuid } from "../../lib/uuid.ts";
import { PARAMETER_DIGITS_MAX } from "../../limits.ts";

/** Returns the problem for a schema, instead of the usual one. `value` is undefined if it is missing. */
export const RefuseBy = Symbol("RefuseBy");
export type Refuse = (name: string, value: unknown) => Problem | undefined;

const DIGITS = new RegExp(`^\\d{1,${PARAMETER_DIGITS_MAX}}$`);
/** Parses a text to a value, or returns undefined if it is not valid. */
const Read = Symbol("Read");

TypeRegistry.Set<{ readonly [Read]: (text: string) => unknown }>("QueryValue", (schema, value) =>
  typeof value === "string"
    ? schema[Read](value) !== undefined
    : // Elysia decodes twice, so a decoded value must also be accepted.
      typeof value === "number" || typeof value === "boolean",
);

/** A parameter whose text `read` converts to a value. */
function queryValue<Value>(
  read: (text: string) => Value | undefined,
  options: SchemaOptions & { readonly [Expected]: string },
): TTransform<TUnsafe<Value>, Value> {
  const given = Type.Unsafe<Value>({ [Kind]: "QueryValue", [Read]: read, ...options });
  return Type.Transform(given)
    .Decode((value) => (typeof value === "string" ? (read(value) ?? value) : value))
    .Encode((value) => value);
}

/** A whole number in decimal digits. */
export function queryInteger(options: SchemaOptions & { readonly minimum: number }) {
  const { minimum } = options;
  return queryValue(
    (text) => (DIGITS.test(text) && Number(text) >= minimum ? Number(text) : undefined),
    {
      [Expected]: `an integer of at least ${minimum} and at most ${PARAMETER_DIGITS_MAX} digits`,
      type: "integer",
      ...options,
    },
  );
}

/** `true` or `false`. */
export function queryFlag(options: SchemaOptions) {
  return queryValue((text) => (/^(true|false)$/.test(text) ? text === "true" : undefined), {
    [Expected]: "true or false",
    type: "boolean",
    ...options,
  });
}

/** How to complete a date, or a date-time without a zone: as a lower bound, or as an inclusive upper bound. */
const COMPLETIONS = {
  lower: ["T00:00:00Z", "Z"],
  upper: ["T23:59:59.999999Z", "Z"],
} as const;

/** An RFC 3339 date-time that bounds a range. The handler receives it in UTC, to the microsecond. */
export function queryTime({
  bound,
  ...options
}: SchemaOptions & { readonly bound: keyof typeof COMPLETIONS }) {
  const refuse: Refuse = (name, value) => {
    const completed = COMPLETIONS[bound]
      .map((rest) => String(value) + rest)
      .find((text) => parseEventTime(text) !== undefined);
    if (typeof value !== "string" || completed === undefined) return undefined;
    return invalidParameter(
      `${name} must be an RFC 3339 date-time with time and zone, got "${value}". Send ${name}=${completed}.`,
    );
  };
  return queryValue(
    // The plus sign of an offset becomes a space if it was not percent-encoded.
    (text) => parseEventTime(text.replace(/ (\d\d:\d\d)$/, "+$1")),
    {
      [Expected]: "an RFC 3339 date-time such as 2026-01-31T00:00:00Z",
      [RefuseBy]: refuse,
      type: "string",
      format: "date-time",
      ...options,
    },
  );
}

/** A day such as 2026-01-31. */
export function queryDay(options: SchemaOptions) {
  return queryValue(parseDay, {
    [Expected]: "a day such as 2026-01-31",
    type: "string",
    format: "date",
    ...options,
  });
}

/** A UUID. The handler receives it in lower case. */
export function queryUuid(options: SchemaOptions) {
  return queryValue(parseUuid, {
    [Expected]: "a UUID",
    type: "string",
    format: "uuid",
    ...options,
  });
}

/**
 * The parameters of a route. Others are refused. The object is optional, so that an empty query, the most common one,
 * is not validated.
 */
export function parameters<Properties extends TProperties>(properties: Properties) {
  return Type.Optional(Type.Object(properties, { additionalProperties: false }));
}

/** The query of a route without parameters. */
export const NO_PARAMETERS = parameters({});

/**
 * Adds a parsed `query` to the context of the routes registered after it. A value is a text, or a list if its name is
 * repeated.
 */
export function exactQuery() {
  return queryPlugin("exact query");
}

/** Parameters that other sites add to links for tracking. ChatGPT also adds `utm_source`. */
const LINK_TAG = /^(utm_\w+|[a-z]*clid)$/;

/** Like `exactQuery`, for pages that other sites link to. Tracking parameters are ignored. */
export function linkedQuery() {
  return queryPlugin("linked query", LINK_TAG);
}

function queryPlugin(name: string, ignored?: RegExp) {
  return new Elysia({ name }).onTransform({ as: "scoped" }, (context) => {
    const { request } = context;
    context.query = queryOf(searchOf(request.url), ignored);
  });
}

/** The parameters by name, except for ignored ones. A repeated name has a list. @throws {Problem} as `parseQuery` */
export function queryOf(search: string, ignored?: RegExp): Record<string, string> {
  const query: Record<string, string | string[]> = Object.create(null);
  for (const { name, value } of parseQuery(search)) {
    if (ignored?.test(name)) continue;
    const known = query[name];
    // In place: creating a new list for each repetition would take quadratic time.
    if (Array.isArray(known)) known.push(value);
    else query[name] = known === undefined ? value : [known, value];
  }
  // Elysia's type of a query has no lists, but the routes' own schemas do.
  return query as Record<string, string>;
}

/** `parameter` is undefined if the problem is about several, or about the request as a whole. */
export function invalidParameter(detail: Detail, parameter?: string): Problem {
  return new Problem("INVALID_PARAMETER", { detail, parameter });
}

/** Names the parameter that was probably meant, or lists the route's parameters. */
export function unknownParameter(
  name: string,
  known: readonly string[],
  otherwise?: string,
): Problem {
  const shown = excerpt(name);
  const [nearest] = nearestWords(name, known);
  return invalidParameter(
    nearest === undefined
      ? `There is no parameter "${shown}" here. Leave it out${known.length > 0 ? ` or use ${known.join(", ")}` : ""}${otherwise === undefined ? "" : `; ${otherwise}`}.`
      : `There is no parameter "${shown}" here. Did you mean "${nearest}"?`,
    name,
  );
}
