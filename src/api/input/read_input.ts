/**
 * Reads the input of an operator's function from a request (path, query, and body), by the function's own schema.
 *
 * Money is read from the exact text of the body, never through a float. Every mistake in a body is listed.
 *
 * @module
 */
import { Kind, KindGuard, type TObject, type TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { Problem } from "../../http/problem_details.ts";
import { bodyNotJson } from "../../http/read_body.ts";
import { parseEventTime } from "../../lib/date_time.ts";
import type { FieldError } from "../../lib/field_error.ts";
import {
  boundedPointer,
  type JsonSpan,
  type JsonText,
  pointerTo,
  textOf,
} from "../../lib/json_text.ts";
import { nearestWords } from "../../lib/nearest_words.ts";
import { mismatchOf, notNull } from "../../lib/typebox.ts";
import { unknownField } from "../../lib/unknown_field.ts";
import { parseDay } from "../../lib/utc_day.ts";
import { ERRORS_LISTED_MAX } from "../../limits.ts";
import { nanosOfCredits, nanosOfUsd } from "../../money/money.ts";
import { NANOS, USD_NANOS } from "../../operator/common_shapes.ts";
import type { InputOf } from "../../operator/operator.ts";
import { invalidParameter } from "./parameters.ts";
import { parseBody } from "./parse_body.ts";

/** An object that may contain lists of texts. */
const BODY_DEPTH_MAX = 2;

/** The parts of a request, by the names of the input. */
export interface Given {
  readonly path: Readonly<Record<string, unknown>>;
  /** Already checked by the route's schema. */
  readonly query: Readonly<Record<string, unknown>>;
  /** Undefined if the route has no body. */
  readonly body: JsonText | undefined;
}

/** @throws {Problem} 400 for path and query, 422 for the body */
export function readInput<Schema extends TObject>(schema: Schema, given: Given): InputOf<Schema> {
  const values = {
    ...readMembers(schema, { ...given.path, ...given.query }),
    ...(given.body && readBodyMembers(schema, { body: given.body, known: given.path })),
  };
  for (const name of schema.required ?? []) {
    if (!(name in values)) throw invalidParameter(`${name} is missing. Send it.`, name);
  }
  // Each member was checked against the schema.
  return values as InputOf<Schema>;
}

/** The body of a request. An empty one is an empty object. @throws {Problem} 400, 422 */
export function parseInput(text: string): JsonText {
  const read = parseBody(text.trim() === "" ? "{}" : text, BODY_DEPTH_MAX);
  if (read.kind === "not_json") throw bodyNotJson(read.message);
  if (read.kind === "invalid") throw invalidBody(read.errors, read.errorCount);
  return read.body;
}

/** Reads the members in the path and the query. @throws {Problem} 400 */
function readMembers(
  schema: TObject,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const member = memberOf(schema, name);
    if (member === undefined) continue;
    const read = readValue(member, value);
    if ("mistake" in read) throw invalidParameter(`${name} ${read.mistake}.`, name);
    values[name] = read.value;
  }
  return values;
}

interface GivenBody {
  readonly body: JsonText;
  /** Members that the path has set. */
  readonly known: Readonly<Record<string, unknown>>;
}

/** @throws {Problem} 422, listing every mistake */
function readBodyMembers(schema: TObject, { body, known }: GivenBody): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const errors: FieldError[] = [];
  let errorCount = 0;
  const names = Object.keys(schema.properties).filter((name) => !(name in known));
  // A body may have thousands of mistakes. Messages are built only for those that are listed.
  const add = (name: string, word: () => string) => {
    errorCount += 1;
    if (errors.length < ERRORS_LISTED_MAX) {
      errors.push({ path: boundedPointer(pointerTo(name)), message: word() });
    }
  };
  for (const { key: name, value: span } of body.root.members ?? []) {
    const member = names.includes(name) ? memberOf(schema, name) : undefined;
    if (member === undefined) {
      add(name, () => unknownField(name, nearestWords(name, names)[0]));
      continue;
    }
    const read = readMember(member, { body, span });
    if ("mistake" in read) add(name, () => `${name} ${read.mistake}`);
    else values[name] = read.value;
  }
  const given = new Set((body.root.members ?? []).map(({ key }) => key));
  for (const name of schema.required ?? []) {
    if (names.includes(name) && !given.has(name)) add(name, () => `${name} is required`);
  }
  if (errorCount > 0) throw invalidBody(errors, errorCount);
  return values;
}

function memberOf({ properties }: TObject, name: string): TSchema | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

const MONEY_READERS: ReadonlyMap<string, (text: string) => bigint | undefined> = new Map([
  [NANOS, nanosOfCredits],
  [USD_NANOS, nanosOfUsd],
]);

interface Member {
  readonly body: JsonText;
  readonly span: JsonSpan;
}

/**
 * Credits or USD become nano-dollars if their text is an exact amount that the schema allows. Other values stay as
 * parsed, so that a message shows the amount that was sent.
 */
function readMember(nullable: TSchema, { body, span }: Member): ReadValue {
  const schema = notNull(nullable);
  const text = textOf(body, span);
  const readMoney = span.kind === "number" ? MONEY_READERS.get(schema[Kind]) : undefined;
  const amount = readMoney?.(text);
  if (amount !== undefined && Value.Check(schema, amount)) return { value: amount };
  return readValue(nullable, JSON.parse(text));
}

type ReadValue = { readonly value: unknown } | { readonly mistake: string };

function readValue(nullable: TSchema, given: unknown): ReadValue {
  const schema = notNull(nullable);
  if (given === null && schema !== nullable) return { value: null };
  const value = typeof given === "string" && isTime(schema) ? parseEventTime(given) : given;
  if (isTime(schema)) {
    if (typeof value === "string") return { value };
    return { mistake: `must be an RFC 3339 date-time such as 2026-01-31T00:00:00Z` };
  }
  if (schema.format === "date") {
    const day = typeof given === "string" ? parseDay(given) : undefined;
    return day === undefined ? { mistake: "must be a day such as 2026-01-31" } : { value: day };
  }
  if (KindGuard.IsArray(schema)) {
    if (!Array.isArray(value)) return { mistake: mismatchOf(schema, value) };
    if (value.length === 0) return { mistake: "must have at least one item" };
    const wrong = value.map((item) => readValue(schema.items, item)).find(isMistake);
    return wrong === undefined ? { value } : { mistake: `contains an item that ${wrong.mistake}` };
  }
  // Texts are never trimmed, and PostgreSQL accepts no NUL.
  if (typeof value === "string" && value.trim() === "") return { mistake: "must not be blank" };
  if (typeof value === "string" && value.includes("\0")) {
    return { mistake: "must not contain a NUL character" };
  }
  if (Value.Check(schema, value)) return { value };
  return { mistake: mismatchOf(schema, value) };
}

function isMistake(read: ReadValue): read is { readonly mistake: string } {
  return "mistake" in read;
}

function isTime({ format }: TSchema): boolean {
  return format === "date-time";
}

/** 422. Its `detail` names the first mistake. */
function invalidBody(errors: readonly FieldError[], errorCount = errors.length): Problem {
  const message = errors[0]?.message ?? "the body is wrong";
  return new Problem("VALIDATION_FAILED", {
    detail: `Nothing was done: ${message}. Correct the listed errors and send it again.`,
    errors,
    errorCount,
  });
}
