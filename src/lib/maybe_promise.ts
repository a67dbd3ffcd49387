/**
 * Values that may be promises. Even a settled promise costs a turn of the microtask queue, and a request that is
 * answered from memory would pay for several.
 *
 * @module
 */

export type MaybePromise<T> = T | Promise<T>;

/** Calls `next` with the value, at once or when its promise resolves. A rejection skips `next`. */
export function chain<T, U>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** The outcome of the work. If it throws or rejects, the outcome of `recover`. */
export function attempt<T, U>(
  work: () => MaybePromise<T>,
  recover: (error: unknown) => MaybePromise<U>,
): MaybePromise<T | U> {
  try {
    const outcome = work();
    return outcome instanceof Promise ? outcome.catch(recover) : outcome;
  } catch (error) {
    return recover(error);
  }
}
