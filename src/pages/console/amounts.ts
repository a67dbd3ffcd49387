/**
 * Amounts of money on pages: in USD, with the credits, and as people type them.
 *
 * @module
 */
import { Problem } from "../../http/problem_details.ts";
import { firstOfMonth } from "../../lib/utc_day.ts";
import {
  creditsNumber,
  type ExactNumber,
  nanosOfCredits,
  nanosOfUsd,
  usdNumber,
  withoutGroups,
} from "../../money/money.ts";
import { AMOUNT_NANOS_MAX } from "../../operator/common_shapes.ts";
import { counted, dollars, type Figure, plain } from "../layout/parts.tsx";
import type { Form } from "./visit.ts";

/** An amount of credits in USD. */
export function usdOfCredits(credits: Figure): ExactNumber {
  return usdNumber(nanosOfCredits(plain(credits)) ?? 0n);
}

/** An amount of USD in credits: `5` as `5,000,000 credits`. */
export function creditsOfUsd(usd: Figure): string {
  return counted(creditsNumber(nanosOfUsd(plain(usd)) ?? 0n), "credit");
}

/** `5.00 USD`. */
export function usdWords(nanos: bigint): string {
  return `${dollars(usdNumber(nanos))} USD`;
}

/** `5.00 USD (5,000,000 credits)`. */
export function moneyWords(nanos: bigint): string {
  return `${usdWords(nanos)} (${counted(creditsNumber(nanos), "credit")})`;
}

/** Nano-dollars that were typed as USD. @throws {Problem} 422 if the field has no amount */
export function typedUsd(form: Form, field: string): bigint {
  const typed = form.text(field);
  const nanos = nanosOfUsd(withoutGroups(typed));
  if (nanos !== undefined && nanos > 0n && nanos <= AMOUNT_NANOS_MAX) return nanos;
  throw new Problem("VALIDATION_FAILED", {
    detail: `usd must be an amount above 0 with at most 9 decimals, such as 5 or 0.25, got "${typed.slice(0, TYPED_SHOWN_MAX)}".`,
  });
}

/** The same as credits, for a function that takes them. @throws {Problem} 422 */
export function typedCredits(form: Form, field: string): ExactNumber {
  return creditsNumber(typedUsd(form, field));
}

/** The same, or undefined if the field is blank. @throws {Problem} 422 */
export function givenCredits(form: Form, field: string): ExactNumber | undefined {
  return form.given(field) === undefined ? undefined : typedCredits(form, field);
}

const TYPED_SHOWN_MAX = 64;

/** Points of a chart by day, as sums by month: each at the first day of its month. */
export function byMonth<Point extends { readonly at: string; readonly values: readonly Figure[] }>(
  points: readonly Point[],
): readonly { readonly at: string; readonly values: readonly Figure[] }[] {
  const months = Map.groupBy(points, ({ at }) => firstOfMonth(at));
  return [...months].map(([at, days]) => ({
    at,
    values: (days[0]?.values ?? []).map((_, place) =>
      usdNumber(days.reduce((sum, { values }) => sum + nanosOfFigure(values[place] ?? 0), 0n)),
    ),
  }));
}

/** Nano-dollars of an amount of USD that may be negative, as what was refunded may be more than what was spent. */
export function nanosOfFigure(usd: Figure): bigint {
  const text = plain(usd);
  const nanos = nanosOfUsd(text.replace(/^-/, "")) ?? 0n;
  return text.startsWith("-") ? -nanos : nanos;
}

/**
 * A forecast in USD, rounded: to the cent from 1 USD up, else to a hundredth of a cent, or to a credit if it is tiny. It is
 * never below what is spent already, and exactly that if no more is expected.
 */
export function forecastUsd(spentNanos: bigint, forecast: bigint): ExactNumber {
  const [, step] = ESTIMATE_STEPS.find(([from]) => forecast >= from) ?? [0n, 1n];
  const rounded = ((forecast + step / 2n) / step) * step;
  return usdNumber(forecast === spentNanos || rounded < spentNanos ? spentNanos : rounded);
}

/** From how many nano-dollars up an estimate is rounded to how many. */
const ESTIMATE_STEPS: readonly (readonly [from: bigint, step: bigint])[] = [
  [10n ** 9n, 10n ** 7n],
  [10n ** 7n, 10n ** 5n],
  [0n, 10n ** 3n],
];
