/**
 * Assertions for programmer errors: conditions that only a bug in this program can violate.
 *
 * Never use them for input: a bad request is a `Problem` (`http/problem_details.ts`).
 *
 * @module
 */

export class AssertionError extends Error {
  override readonly name = "AssertionError";
}

/** Throws if `condition` is false. One condition per call, so that the message is exact. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

/** The value, which must not be null or undefined. */
export function present<Value>(value: Value | null | undefined): Value {
  assert(value !== null && value !== undefined, "a value is there");
  return value;
}

/** The text as one of the names. The database allows no other. */
export function nameIn<Name extends string>(names: readonly Name[], text: string): Name {
  const name = names.find((each) => each === text);
  assert(name !== undefined, `${JSON.stringify(text)} is one of ${names.join(", ")}`);
  return name;
}

/** The end of a `switch` over named outcomes. The compiler reports a missing case. */
export function unreachable(outcome: never): never {
  // JSON has no bigints, which an outcome may contain.
  const text = JSON.stringify(outcome, (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  );
  throw new AssertionError(`outcome not handled: ${text}`);
}
