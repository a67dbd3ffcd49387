/**
 * Weights in `Accept` and `Accept-Encoding`. RFC 9110, 12.4.2.
 *
 * @module
 */

const WEIGHT = /^\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*$/;

/**
 * The weight of one member of the list, from 0 to 1. One that can't be parsed counts as a refusal, because what is sent
 * instead is never wrong.
 */
export function weightOf(part: string): number {
  const parameter = part.split(";").find((each) => /^\s*q\s*=/.test(each)) ?? "q=1";
  return Number(WEIGHT.exec(parameter)?.[1] ?? 0);
}
