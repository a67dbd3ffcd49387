/**
 * Sends a statement again if it failed for a passing reason and left nothing behind.
 *
 * Each statement is a transaction of its own, so one that was rolled back has left nothing. Nothing is sent
 * to a server of the wrong role.
 *
 * @module
 */
import { isMisdirected, isRolledBack } from "./failures.ts";

/** Runs of one statement at most. The caller gets the error of the last. */
export const RUNS_MAX = 5;

/** Runs `send`, and again if the database rolled it back for a deadlock or a serialization failure. */
export function retryRolledBack<Result>(send: () => Promise<Result>): Promise<Result> {
  return retryOn(isRolledBack, send);
}

/** Runs `send`, and again on another server if the one that it reached does not have the wanted role. */
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
