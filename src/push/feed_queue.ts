/**
 * A queue for the pushes of each feed.
 *
 * The feed's lock makes pushes of one feed follow each other in the database. They wait here for it, so
 * that many pushes to one feed hold one connection and not all of them.
 *
 * @module
 */

import { createSemaphore, type Semaphore } from "../lib/semaphore.ts";
import { PUSH_TURN_WAIT_MS_MAX, PUSHES_WAITING_FREE, PUSHES_WAITING_MAX } from "../limits.ts";
import { DatabaseOverloadedError } from "../postgres/client/query.ts";

export interface FeedQueue {
  /** Does the work after what waits for the same feed. @throws {DatabaseOverloadedError} if too much waits. */
  run<Result>(feedId: string, work: () => Promise<Result>): Promise<Result>;
}

export function createFeedQueue(): FeedQueue {
  /** By feed, while it is pushed to. */
  const semaphores = new Map<string, Semaphore>();
  return {
    async run(feedId, work) {
      const semaphore = semaphores.get(feedId) ?? newSemaphore();
      semaphores.set(feedId, semaphore);
      if (!(await semaphore.acquire())) throw new DatabaseOverloadedError();
      const startedMs = performance.now();
      try {
        return await work();
      } finally {
        semaphore.release(performance.now() - startedMs);
        if (semaphore.running === 0) semaphores.delete(feedId);
      }
    },
  };
}

function newSemaphore(): Semaphore {
  return createSemaphore({
    runningMax: 1,
    waitingMax: PUSHES_WAITING_MAX,
    waitMsMax: PUSH_TURN_WAIT_MS_MAX,
    // The expected wait comes from the pushes before, and a single one that met a lock would raise it.
    waitingFree: PUSHES_WAITING_FREE,
  });
}
