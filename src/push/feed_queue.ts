/**
 * A queue for the pushes of each feed.
 *
 * The feed's lock makes pushes of one feed follow each other in the database. They wait here for it, so
 * that many pushes to one feed hold one connection and not all of them.
 *
 * @module
 */

import { createGate, type Gate } from "../lib/gate.ts";
import { PUSH_TURN_WAIT_MS_MAX, PUSHES_WAITING_FREE, PUSHES_WAITING_MAX } from "../limits.ts";
import { DatabaseOverloadedError } from "../postgres/client/query.ts";

export interface FeedQueue {
  /** Does the work after what waits for the same feed. @throws {DatabaseOverloadedError} if too much waits. */
  run<Result>(feedId: string, work: () => Promise<Result>): Promise<Result>;
}

export function createFeedQueue(): FeedQueue {
  /** By feed, while it is pushed to. */
  const gates = new Map<string, Gate>();
  return {
    async run(feedId, work) {
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
    // The expected wait comes from the pushes before, and a single one that met a lock would raise it.
    waitingFree: PUSHES_WAITING_FREE,
  });
}
