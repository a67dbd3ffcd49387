/**
 * What may not be stored in a body, as a client is told. Decisions 5 and 10.
 *
 * @module
 */
import type { FieldError } from "../http/errors.ts";
import type { JsonRefusedError } from "../lib/json_text.ts";

/** Of the text at `pointer` in the body. */
export function mistakesAt(
  pointer: string,
  { refusals, count }: JsonRefusedError,
): { errors: FieldError[]; errorCount: number } {
  const errors = refusals.map((refusal) => ({
    path: pointer + refusal.pointer,
    message: refusal.message,
  }));
  return { errors, errorCount: count };
}
