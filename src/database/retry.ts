/**
 * Statements that left nothing behind, for a reason that passes, are sent again.
 *
 * A statement here is a transaction of its own, so one that was rolled back has left nothing; nor has one
 * that reached a server of the wrong role, which was sent nothing.
 *
 * @module
 */
import { WRONG_ROLE } from "./sockets.ts";

/** SQLSTATEs of a deadlock and of a serialization failure. PostgreSQL manual, 13.5. */
const ROLLED_BACK: ReadonlySet<unknown> = new Set(["40P01", "40001"]);
const MISDIRECTED: ReadonlySet<unknown> = new Set([WRONG_ROLE]);
/** Runs of one statement at most; the error of the last is the caller's. */
export const RUNS_MAX = 5;

/** Runs `send`, again where the database rolled it back for a deadlock or a serialization failure. */
export function retryRolledBack<Result>(send: () => Promise<Result>): Promise<Result> {
  return retryOn(ROLLED_BACK, send);
}

/** Runs `send`, again where the server that it reached has not the wanted role: on another one. */
export function retryMisdirected<Result>(send: () => Promise<Result>): Promise<Result> {
  return retryOn(MISDIRECTED, send);
}

async function retryOn<Result>(
  codes: ReadonlySet<unknown>,
  send: () => Promise<Result>,
): Promise<Result> {
  for (let runs = 1; ; runs++) {
    try {
      return await send();
    } catch (error) {
      const code = (error as { code?: unknown } | null)?.code;
      if (!codes.has(code) || runs >= RUNS_MAX) throw error;
    }
  }
}
