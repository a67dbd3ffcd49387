/**
 * Work that waits only where it has to. A promise that is settled already costs a turn of the microtask
 * queue all the same, and a request that is answered from memory would pay for several.
 *
 * @module
 */

export type MaybePromise<T> = T | Promise<T>;

/** `next` of the value: now where it is there, else when it is. Rejections pass by `next`. */
export function chain<T, U>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** The work's outcome, or what `recover` makes of its error, thrown or rejected. */
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
