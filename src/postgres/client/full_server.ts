/**
 * Waits for an open connection when the server has no room for another session (SQLSTATE 53300).
 *
 * The driver opens a session for each statement that finds none idle, up to the pool's limit. If the server refuses
 * that session, nothing was sent, and the existing sessions work. So the statement is sent again once one of those is
 * free. It is also retried from time to time, because another client may have disconnected.
 *
 * @module
 */
import { isFull } from "./failures.ts";

interface Options {
  /** Milliseconds after which a waiting statement fails. */
  readonly waitMsMax: number;
}

/** Milliseconds between two tries while no statement of the pool ends. */
const RETRY_MS = 200;

/** Returns a function that runs the statements of a pool. */
export function createFullServerWait({ waitMsMax }: Options) {
  /** Resolves when a statement ends. Undefined while none is waiting for that. */
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
