/**
 * The id of a row, in the form that is stored, compared, and looked up.
 *
 * A string is its own id. A number's id is its shortest decimal form without exponent, so `1`, `"1"`, `1.0`, and `1e0`
 * are the same id, and no digit is lost to a double. See `src/spec/decisions.md`, section 5.
 *
 * @module
 */
import { hasAtMost } from "../../lib/code_points.ts";
import { type JsonSpan, type JsonText, stringOf, textOf } from "../../lib/json_text.ts";
import { plainDecimal } from "../../lib/plain_decimal.ts";

type RowIdOutcome =
  | { readonly kind: "valid"; readonly id: string }
  | { readonly kind: "invalid"; readonly message: string };

/** Unicode code points of a row id that is a string. */
const ROW_ID_LENGTH_MAX = 256;

/** The canonical id of the value at `span`. */
export function canonicalRowId(json: JsonText, span: JsonSpan): RowIdOutcome {
  if (span.kind === "number") return { kind: "valid", id: plainDecimal(textOf(json, span)) };
  if (span.kind !== "string") return invalid(span.kind);
  const id = stringOf(json, span);
  if (id === "") return invalid("an empty string");
  if (!hasAtMost(id, ROW_ID_LENGTH_MAX)) return invalid("a longer string");
  return { kind: "valid", id };
}

function invalid(got: string): RowIdOutcome {
  const message = `id must be a string of 1 to ${ROW_ID_LENGTH_MAX} characters or a number, got ${got}`;
  return { kind: "invalid", message };
}
