/**
 * Statements that left nothing behind, for a reason that passes, are sent again.
 *
 * A statement here is a transaction of its own, so one that was rolled back has left nothing; nor has one
 * that reached a server of the wrong role, which was sent nothing.
 *
 * @module
 */
import { isMisdirected, isRolledBack } from "./failures.ts";

/** Runs of one statement at most; the error of the last is the caller's. */
export const RUNS_MAX = 5;

/** Runs `send`, again where the database rolled it back for a deadlock or a serialization failure. */
export function retryRolledBack<Result>(send: () => Promise<Result>): Promise<Result> {
  return retryOn(isRolledBack, send);
}

/** Runs `send`, again where the server that it reached has not the wanted role: on another one. */
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
