/**
 * Values as tools return them to a model: numbers with all their digits, and texts without invisible characters.
 *
 * @module
 */

import { assert } from "../lib/assert.ts";
import { withoutInvisible } from "../lib/invisible_text.ts";
import { isDouble } from "../lib/json_numbers.ts";
import { findMember, NUMBER_LENGTH_MAX, scanJson, textOf } from "../lib/json_text.ts";
import { isObject } from "../lib/records.ts";
import { JSON_DEPTH_MAX } from "../limits.ts";
import { parseExact } from "../money/money.ts";

/** Parses an answer that is an object, with all digits of its numbers. */
export function parseExactObject(text: string): Record<string, unknown> {
  const parsed = parseExact(text);
  assert(isObject(parsed), "the answer is an object");
  return parsed;
}

/** Fewer digits fit a double, unless it is nearly 0. */
const MANY_DIGITS = /[\d.]{16}/;
/** A text, or a number that may not fit a double. In JSON that parses, there is nothing else that looks like either. */
const TEXT_OR_LONG_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[\d.]{16,}(?:[eE][+-]?\d+)?/g;

/**
 * Parses JSON. A number that would lose digits as a double is returned as text. As the value of a filter, the text is
 * equivalent, and no other argument accepts such a number.
 */
export function parseDigits(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!MANY_DIGITS.test(text)) return value;
  // To have the parser ask for each value takes many times as long.
  const quoted = text.replace(TEXT_OR_LONG_NUMBER, (found) =>
    found.startsWith('"') || isExact(found) ? found : `"${found}"`,
  );
  return quoted === text ? value : JSON.parse(quoted);
}

/**
 * The digits of a message's id, if it is a whole number that a double can't hold. An answer has the same id as its
 * request. JSON-RPC 2.0, 5.
 */
export function exactIdOf(text: string, message: unknown): string | undefined {
  const id = isObject(message) ? message.id : undefined;
  const isSure = typeof id === "string" ? !WHOLE.test(id) : Number.isSafeInteger(id ?? 0);
  if (isSure) return undefined;
  const json = scanJson(text, { spanDepth: 1, heightMax: JSON_DEPTH_MAX });
  const sent = findMember(json.root, "id");
  if (sent?.kind !== "number") return undefined;
  const digits = textOf(json, sent);
  return WHOLE.test(digits) ? digits : undefined;
}
const WHOLE = /^-?\d{16,1000}$/;

function isExact(source: string): boolean {
  return source.length <= NUMBER_LENGTH_MAX && isDouble(source);
}

/**
 * Removes invisible characters from every text and name in the value. This must happen before the value is serialized,
 * because JSON would turn control characters into escapes.
 */
export function visible(value: unknown): unknown {
  if (typeof value === "string") return withoutInvisible(value);
  if (Array.isArray(value)) return value.map(visible);
  if (!isObject(value) || JSON.isRawJSON(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [withoutInvisible(name), visible(each)]),
  );
}
