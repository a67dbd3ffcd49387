/**
 * Reads the body of a purchase, which contains the maximum price.
 *
 * @module
 */

import { excerpt } from "../lib/code_points.ts";
import type { FieldError } from "../lib/field_error.ts";
import { findMember, type JsonText, textOf } from "../lib/json_text.ts";
import { unknownFields } from "../lib/unknown_field.ts";
import { nanosOfCredits } from "../money/money.ts";
import { BuyShape } from "./purchase_shapes.ts";

type BodyOutcome =
  | { readonly kind: "order"; readonly priceNanosMax: bigint }
  | { readonly kind: "invalid"; readonly errors: readonly FieldError[] };

const FIELD = "max_credits";

export function readPurchaseBody(json: JsonText): BodyOutcome {
  const errors = unknownFields(json, BuyShape.properties);
  const given = findMember(json.root, FIELD);
  // Reads the exact text: a double would lose the last decimals of a large amount.
  const priceNanosMax = given?.kind === "number" ? nanosOfCredits(textOf(json, given)) : undefined;
  const isAmount = priceNanosMax !== undefined && priceNanosMax >= 0n;
  if (!isAmount) {
    const message =
      given === undefined
        ? `${FIELD} is required: the most credits that you are willing to pay`
        : `${FIELD} must be a number of at least 0 with at most 3 decimals, got ${excerpt(textOf(json, given))}`;
    errors.push({ path: `/${FIELD}`, message });
  }
  return isAmount && errors.length === 0
    ? { kind: "order", priceNanosMax }
    : { kind: "invalid", errors };
}
