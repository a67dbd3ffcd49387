/**
 * A function that is called once at most.
 *
 * @module
 */

/** Returns a function that calls `call` the first time, and returns the same value each time. */
export function once<Value extends object>(call: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= call();
    return value;
  };
}
