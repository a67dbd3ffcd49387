/**
 * Waits for a connection that is open when the server has no room for another session (SQLSTATE 53300).
 *
 * The driver opens a session for each statement that finds none idle, until the pool has as many as it may have. If the
 * server refuses that session, nothing was sent, and the sessions that are there work. So the statement is sent again
 * once one of those is free, and from time to time, since somebody else may have left.
 *
 * @module
 */
import { isFull } from "./failures.ts";

interface Options {
  /** A statement that has waited so long fails, in milliseconds. */
  readonly waitMsMax: number;
}

/** Between two tries while no statement of the pool ends, in milliseconds. */
const RETRY_MS = 200;

/** What runs the statements of a pool. */
export function createFullServerWait({ waitMsMax }: Options) {
  /** Resolves when a statement ends. Absent while none waits for that. */
  let freed: PromiseWithResolvers<void> | undefined;

  /**
   * Runs `send`, and again while the server is full.
   * @param onWaited called with the milliseconds that a refused session and the wait for another took
   */
  return async function sendWhenFree<Result>(
    send: () => Promise<Result>,
    onWaited: (ms: number) => void,
  ): Promise<Result> {
    const startedMs = performance.now();
    for (;;) {
      const sentMs = performance.now();
      try {
        const result = await send();
        freed?.resolve();
        freed = undefined;
        return result;
      } catch (error) {
        if (!isFull(error) || performance.now() - startedMs > waitMsMax) throw error;
        freed ??= Promise.withResolvers();
        await Promise.race([freed.promise, Bun.sleep(RETRY_MS)]);
        onWaited(performance.now() - sentMs);
      }
    }
  };
}
