/**
 * The JSON of a body that must be one object: takes text, and returns the object or every value that can't be stored.
 *
 * @module
 */
import type { FieldError } from "../../lib/field_error.ts";
import { JsonSyntaxError, type JsonText, scanJson } from "../../lib/json_text.ts";
import { ERRORS_LISTED_MAX, JSON_DEPTH_MAX } from "../../limits.ts";

export type BodyOutcome =
  /** A JSON object. */
  | { readonly kind: "body"; readonly body: JsonText }
  | { readonly kind: "not_json"; readonly message: string }
  | {
      readonly kind: "invalid";
      readonly errors: readonly FieldError[];
      readonly errorCount: number;
    };

/** The body itself is one level around the documents in its fields, which may contain the same values as a row. */
const BODY_DEPTH_MAX = JSON_DEPTH_MAX + 1;

export function parseBody(text: string, heightMax = BODY_DEPTH_MAX): BodyOutcome {
  try {
    const json = scanJson(text, { spanDepth: 1, heightMax, refusalsMax: ERRORS_LISTED_MAX });
    const { refusals: errors, refusalCount: errorCount } = json;
    if (errorCount > 0) return { kind: "invalid", errors, errorCount };
    if (json.root.kind === "object") return { kind: "body", body: json };
    const message = `the body must be an object, got ${json.root.kind}`;
    return { kind: "invalid", errors: [{ path: "", message }], errorCount: 1 };
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { kind: "not_json", message: error.message };
    throw error;
  }
}
