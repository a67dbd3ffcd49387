/**
 * Statements that PostgreSQL rolled back whole, for a reason that passes, are sent again.
 *
 * A statement here is a transaction of its own, so one that was rolled back has left nothing behind.
 *
 * @module
 */

/** SQLSTATEs of a deadlock and of a serialization failure. PostgreSQL manual, 13.5. */
const RETRIED_STATES: ReadonlySet<unknown> = new Set(["40P01", "40001"]);
/** Runs of one statement at most; the error of the last is the caller's. */
export const RUNS_MAX = 5;

/** Runs `send`, again where the database rolled it back for a deadlock or a serialization failure. */
export async function retryRolledBack<Result>(send: () => Promise<Result>): Promise<Result> {
  for (let runs = 1; ; runs++) {
    try {
      return await send();
    } catch (error) {
      const state = (error as { code?: unknown } | null)?.code;
      if (!RETRIED_STATES.has(state) || runs >= RUNS_MAX) throw error;
    }
  }
}
