/**
 * Query parameters by a TypeBox schema, which is also what the docs show.
 *
 * The schema is read here rather than by Elysia's own validation, because that would answer a wrong
 * parameter before a missing key or feed (decisions 2 fix the order), and drop unknown names.
 *
 * @module
 */
import {
  KindGuard,
  type Static,
  type TInteger,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
} from "@sinclair/typebox";
import { excerpt } from "../lib/code_points.ts";
import { parseEventTime } from "../lib/event_time.ts";
import { PARAMETER_DIGITS_MAX } from "../limits.ts";
import { Problem } from "./errors.ts";
import { parseQuery, type QueryEntry } from "./query_string.ts";

/** The schema of a route that takes none. */
export const NO_PARAMETERS = Type.Object({});

/** The parameters of a route that takes no others. @throws {Problem} 400 `INVALID_PARAMETER` */
export function readParameters<Properties extends TProperties>(
  schema: TObject<Properties>,
  search: string,
): Static<TObject<Properties>> {
  return takeParameters(schema, parseQuery(search), (entry) => {
    throw unknownParameter(entry.name, Object.keys(schema.properties));
  });
}

/**
 * The parameters that the schema names; every other entry is handed to `onOther`.
 * @throws {Problem} 400 `INVALID_PARAMETER`
 */
export function takeParameters<Properties extends TProperties>(
  schema: TObject<Properties>,
  entries: readonly QueryEntry[],
  onOther: (entry: QueryEntry) => void,
): Static<TObject<Properties>> {
  const values: Record<string, unknown> = {};
  for (const entry of entries) {
    const property = Object.hasOwn(schema.properties, entry.name)
      ? schema.properties[entry.name]
      : undefined;
    if (property === undefined) {
      onOther(entry);
      continue;
    }
    if (Object.hasOwn(values, entry.name)) {
      throw invalidParameter(`${entry.name} is given twice; send it once.`);
    }
    values[entry.name] = readValue(entry, property);
  }
  for (const [name, property] of Object.entries(schema.properties)) {
    if (!Object.hasOwn(values, name) && property.default !== undefined) {
      values[name] = property.default;
    }
  }
  return values as Static<TObject<Properties>>;
}

function readValue({ name, value }: QueryEntry, property: TSchema): unknown {
  if (KindGuard.IsInteger(property)) return readInteger(name, value, property);
  if (KindGuard.IsBoolean(property)) {
    if (value === "true" || value === "false") return value === "true";
    throw invalidParameter(`${name} must be true or false, got "${excerpt(value)}".`);
  }
  if (KindGuard.IsUnion(property)) {
    const choices = property.anyOf.map((choice) => String(choice.const));
    if (choices.includes(value)) return value;
    throw invalidParameter(
      `${name} must be one of ${choices.join(", ")}, got "${excerpt(value)}".`,
    );
  }
  return value;
}

function readInteger(name: string, value: string, property: TInteger): number {
  const least = property.minimum ?? 0;
  const isInteger = /^\d+$/.test(value) && value.length <= PARAMETER_DIGITS_MAX;
  if (isInteger && Number(value) >= least) return Number(value);
  throw invalidParameter(
    `${name} must be an integer of at least ${least} and at most ${PARAMETER_DIGITS_MAX} digits, got "${excerpt(value)}".`,
  );
}

export function invalidParameter(detail: string): Problem {
  return new Problem("INVALID_PARAMETER", { detail });
}

/** Names the parameter that was probably meant; where there is none, what else it may have been. */
export function unknownParameter(
  name: string,
  known: readonly string[],
  otherwise?: string,
): Problem {
  const shown = excerpt(name);
  const nearest = nearestName(name, known);
  return invalidParameter(
    nearest === undefined
      ? `There is no parameter "${shown}" here; leave it out${known.length > 0 ? ` or use ${known.join(", ")}` : ""}${otherwise === undefined ? "" : `; ${otherwise}`}.`
      : `There is no parameter "${shown}" here; did you mean "${nearest}"?`,
  );
}

const NEAREST_EDITS_MAX = 2;

function nearestName(name: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, edits: editDistance(name.toLowerCase(), candidate) }))
    .filter(({ candidate, edits }) => edits <= NEAREST_EDITS_MAX && edits < candidate.length)
    .sort((a, b) => a.edits - b.edits);
  return ranked[0]?.candidate;
}

/** Levenshtein distance; texts whose lengths differ by more than is asked for are not compared. */
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > NEAREST_EDITS_MAX) return Number.POSITIVE_INFINITY;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(
        Math.min(substituted, (previous[j] as number) + 1, (current[j - 1] as number) + 1),
      );
    }
    previous = current;
  }
  return previous[b.length] as number;
}

/** The schema as OpenAPI parameters, for a route's `detail`. */
export function documentedParameters(schema: TObject) {
  return Object.entries(schema.properties).map(([name, property]) => {
    const { description, ...rest } = property;
    return {
      name,
      in: "query" as const,
      required: (schema.required ?? []).includes(name) && property.default === undefined,
      ...(description !== undefined && { description }),
      schema: rest,
    };
  });
}

/** A time of a query as the database takes it. @throws {Problem} 400 `INVALID_PARAMETER` */
export function readTime(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  // The plus of an offset that was not encoded has become a blank. Decisions 10.
  const time = parseEventTime(text.replace(/ (\d\d:\d\d)$/, "+$1"));
  if (time !== undefined) return time;
  throw invalidParameter(
    `${name} must be an RFC 3339 date-time such as 2026-01-31T00:00:00Z, got "${excerpt(text)}".`,
  );
}
