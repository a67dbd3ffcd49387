/**
 * Values as tools give them to a model: numbers with all their digits, and texts without what a person would not see.
 *
 * @module
 */
import { toExactNumber } from "../accounts/money.ts";
import { assert } from "../lib/assert.ts";
import { withoutInvisible } from "../lib/invisible_text.ts";
import { parseJsonNumbers } from "../lib/json_numbers.ts";
import { isObject } from "../lib/records.ts";

declare global {
  interface JSON {
    /** ECMAScript's own since 2025, and not yet among the types. */
    isRawJSON(value: unknown): boolean;
  }
}

/** Parses JSON. `JSON.stringify` prints its numbers as they stood there. */
export function parseExact(text: string): unknown {
  return parseJsonNumbers(text, toExactNumber);
}

/** The same of an answer that is an object. */
export function parseExactObject(text: string): Record<string, unknown> {
  const parsed = parseExact(text);
  assert(isObject(parsed), "the answer is an object");
  return parsed;
}

/**
 * The value with every text and name in it as a person sees them. It is done before the value becomes JSON, which
 * would hide control characters in escapes.
 */
export function visible(value: unknown): unknown {
  if (typeof value === "string") return withoutInvisible(value);
  if (Array.isArray(value)) return value.map(visible);
  if (!isObject(value) || JSON.isRawJSON(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [withoutInvisible(name), visible(each)]),
  );
}
