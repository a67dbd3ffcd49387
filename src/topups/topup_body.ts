/**
 * The body of a top-up: the amount, and the payment method.
 *
 * @module
 */

import { excerpt } from "../lib/code_points.ts";
import type { FieldError } from "../lib/field_error.ts";
import { findMember, type JsonText, stringOf, textOf } from "../lib/json_text.ts";
import { unknownFields } from "../lib/unknown_field.ts";
import { TOPUP_CENTS_MIN } from "../limits.ts";
import { nanosOfUsd } from "../money/money.ts";
import { NANOS_PER_CENT } from "../money/money_units.ts";
import { TOPUP_WAYS } from "../shapes.ts";
import { TopupOrderShape } from "./topup_shapes.ts";
import type { WayName } from "./way.ts";

type BodyOutcome =
  | {
      readonly kind: "order";
      readonly amountNanos: bigint;
      /** Undefined if the body leaves the choice to the gateway. */
      readonly way: WayName | undefined;
    }
  | { readonly kind: "invalid"; readonly errors: readonly FieldError[] };

const CENTS_PER_USD = 100n;

/** @param usdMax the most whole USD of a top-up */
export function readTopupBody(json: JsonText, usdMax: number): BodyOutcome {
  const errors = unknownFields(json, TopupOrderShape.properties);
  const usd = findMember(json.root, "usd");
  const amount = readAmount(usd && textOf(json, usd), usdMax);
  if (amount.kind === "refused") errors.push({ path: "/usd", message: amount.why });
  const way = readWay(json, errors);
  return amount.kind === "refused" || errors.length > 0
    ? { kind: "invalid", errors }
    : { kind: "order", amountNanos: amount.nanos, way };
}

/**
 * Reads the text of an amount of USD, undefined if it is missing. `usdMax` is in whole USD. Returns nano-dollars, or what
 * the amount must be. It is read from its text, because a double can't represent cents exactly.
 */
export function readAmount(text: string | undefined, usdMax: number) {
  const nanos = text === undefined ? undefined : nanosOfUsd(text);
  const least = TOPUP_CENTS_MIN * NANOS_PER_CENT;
  const most = BigInt(usdMax) * CENTS_PER_USD * NANOS_PER_CENT;
  if (nanos !== undefined && nanos >= least && nanos <= most && nanos % NANOS_PER_CENT === 0n) {
    return { kind: "amount", nanos } as const;
  }
  const expected = `a number from 0.50 to ${usdMax} with at most 2 decimals`;
  const why =
    text === undefined
      ? `usd is required: ${expected}`
      : `usd must be ${expected}, got ${excerpt(text)}`;
  return { kind: "refused", why } as const;
}

function readWay(json: JsonText, errors: FieldError[]): WayName | undefined {
  const given = findMember(json.root, "way");
  if (given === undefined) return undefined;
  const text = given.kind === "string" ? stringOf(json, given) : undefined;
  const way = TOPUP_WAYS.find((each) => each === text);
  if (way === undefined) {
    errors.push({
      path: "/way",
      message: `way must be one of ${TOPUP_WAYS.join(", ")}, got ${excerpt(textOf(json, given))}`,
    });
  }
  return way;
}
