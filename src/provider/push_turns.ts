/**
 * Pushes of one feed take turns in the process, as they do in the database, where the feed's lock makes
 * them: so they wait here, and a flood of pushes to one feed holds one connection and not all.
 *
 * @module
 */

import { createGate, type Gate } from "../lib/gate.ts";
import { PUSH_TURN_WAIT_MS_MAX, PUSHES_WAITING_FREE, PUSHES_WAITING_MAX } from "../limits.ts";
import { DatabaseOverloadedError } from "../postgres/client/query.ts";

export interface PushTurns {
  /** Does the work when it is the feed's next. @throws {DatabaseOverloadedError} where too many wait. */
  take<Result>(feedId: string, work: () => Promise<Result>): Promise<Result>;
}

export function createPushTurns(): PushTurns {
  /** Of the feeds that are pushed to at this moment. */
  const gates = new Map<string, Gate>();
  return {
    async take(feedId, work) {
      const gate = gates.get(feedId) ?? newGate();
      gates.set(feedId, gate);
      if (!(await gate.enter())) throw new DatabaseOverloadedError();
      const startedMs = performance.now();
      try {
        return await work();
      } finally {
        gate.leave(performance.now() - startedMs);
        if (gate.running === 0) gates.delete(feedId);
      }
    },
  };
}

function newGate(): Gate {
  return createGate({
    runningMax: 1,
    waitingMax: PUSHES_WAITING_MAX,
    waitMsMax: PUSH_TURN_WAIT_MS_MAX,
    // The pace is that of the turns before, and one that met a lock would speak for all.
    waitingFree: PUSHES_WAITING_FREE,
  });
}
