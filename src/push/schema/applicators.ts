/**
 * Combines validators of subschemas into that of a schema: for the same value, for its properties, and for its items.
 * JSON Schema 2020-12 core 10 and 11.
 *
 * A run that collects mistakes continues after the first one. What a subschema has evaluated of a value counts only if
 * the value meets the subschema.
 *
 * @module
 */

import type { CheckRun, Seen, Validate } from "./check_run.ts";
import { isObject } from "./exact_numbers.ts";

type ValidateProperty = (key: string, member: unknown, run: CheckRun, seen?: Seen) => boolean;

/** Stops at the first validator that the value does not meet, unless mistakes are collected. */
export function meetsAll(
  validators: readonly Validate[],
  value: unknown,
  run: CheckRun,
  seen: Seen | undefined,
): boolean {
  let isValid = true;
  for (const validate of validators) {
    if (validate(value, run, seen)) continue;
    if (!run.isExplaining) return false;
    isValid = false;
  }
  return isValid;
}

/** The mistakes of the branches are listed only if the value meets none of them. */
export function meetsSome(keyword: "anyOf" | "oneOf", branches: readonly Validate[]): Validate {
  const isOne = keyword === "oneOf";
  return (value, run, seen) => {
    // Each branch that the value meets has evaluated something.
    const enough = isOne ? 2 : seen === undefined ? 1 : branches.length;
    const { errorCount, errors } = run;
    const listed = errors.length;
    let matches = 0;
    for (const validate of branches) {
      if (!meets(validate, value, run, seen)) continue;
      matches += 1;
      if (matches >= enough) break;
    }
    if (matches === 0) return run.fail(`must match a schema in ${keyword}`);
    run.errorCount = errorCount;
    errors.length = listed;
    return !isOne || matches === 1 || run.fail("must match only one schema in oneOf");
  };
}

export function meetsNot(validate: Validate): Validate {
  return (value, run) =>
    !quietly(validate, value, run) || run.fail("must not match the schema in not");
}

export function meetsIf(condition: Validate, whenTrue: Validate, whenFalse: Validate): Validate {
  return (value, run, seen) =>
    quietly(condition, value, run, seen) ? whenTrue(value, run, seen) : whenFalse(value, run, seen);
}

/** Whether `least` to `most` items match. */
export function meetsContains(validate: Validate, least: number, most: number): Validate {
  return (value, run, seen) => {
    if (!Array.isArray(value)) return true;
    run.spend(value.length);
    let matches = 0;
    for (const [index, item] of value.entries()) {
      if (!quietly(validate, item, run)) continue;
      matches += 1;
      seen?.add(index);
    }
    if (matches < least) return run.fail(`must have at least ${least} items that match contains`);
    return matches <= most || run.fail(`must have at most ${most} items that match contains`);
  };
}

/** An item without a validator is not evaluated. */
export function eachItem(
  validatorOf: (index: number, seen: Seen | undefined) => Validate | undefined,
): Validate {
  return (value, run, seen) => {
    if (!Array.isArray(value)) return true;
    run.spend(value.length);
    let isValid = true;
    for (let index = 0; index < value.length; index++) {
      const validate = validatorOf(index, seen);
      if (validate === undefined) continue;
      if (run.isExplaining) run.path.push(index);
      isValid = validate(value[index], run) && isValid;
      if (run.isExplaining) run.path.pop();
      else if (!isValid) return false;
      seen?.add(index);
    }
    return isValid;
  };
}

export function eachProperty(validate: ValidateProperty): Validate {
  return (value, run, seen) => {
    if (!isObject(value)) return true;
    const keys = Object.keys(value);
    run.spend(keys.length);
    let isValid = true;
    for (const key of keys) {
      if (run.isExplaining) run.path.push(key);
      isValid = validate(key, value[key], run, seen) && isValid;
      if (run.isExplaining) run.path.pop();
      else if (!isValid) return false;
    }
    return isValid;
  };
}

export function eachName(validate: Validate): Validate {
  return eachProperty((key, _member, run) => {
    run.subject = "its name ";
    const isValid = validate(key, run);
    run.subject = "";
    return isValid;
  });
}

function meets(validate: Validate, value: unknown, run: CheckRun, seen?: Seen): boolean {
  const own: Seen | undefined = seen && new Set();
  if (!validate(value, run, own)) return false;
  addSeen(seen, own, run);
  return true;
}

/** Without collecting mistakes. */
function quietly(validate: Validate, value: unknown, run: CheckRun, seen?: Seen): boolean {
  const { isExplaining } = run;
  run.isExplaining = false;
  const isValid = meets(validate, value, run, seen);
  run.isExplaining = isExplaining;
  return isValid;
}

/** Adds what a subschema has evaluated. */
export function addSeen(seen: Seen | undefined, more: Seen | undefined, run: CheckRun): void {
  if (seen === undefined || more === undefined) return;
  run.spend(more.size);
  for (const each of more) seen.add(each);
}
