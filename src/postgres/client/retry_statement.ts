/**
 * Retries a statement that failed for a temporary reason and changed nothing.
 *
 * Each statement is its own transaction, so one that was rolled back has changed nothing. Nothing is sent to a server
 * of the wrong role.
 *
 * @module
 */
import { isMisdirected, isRolledBack } from "./failures.ts";

/** The most runs of one statement. The caller gets the error of the last one. */
export const RUNS_MAX = 5;

/** Runs `send`, and repeats it if the database rolled it back for a deadlock or a serialization failure. */
export function retryRolledBack<Result>(send: () => Promise<Result>): Promise<Result> {
  return retryOn(isRolledBack, send);
}

/** Runs `send`, and repeats it on another server if the first does not have the wanted role. */
export function retryMisdirected<Result>(send: () => Promise<Result>): Promise<Result> {
  return retryOn(isMisdirected, send);
}

async function retryOn<Result>(
  passes: (error: unknown) => boolean,
  send: () => Promise<Result>,
): Promise<Result> {
  for (let runs = 1; ; runs++) {
    try {
      return await send();
    } catch (error) {
      if (!passes(error) || runs >= RUNS_MAX) throw error;
    }
  }
}
