/**
 * Turns on the event loop for long-running tasks, one at a time. Owners alternate, and everything else that has arrived
 * is served between two turns. So no number of tasks delays other calls by more than one turn.
 *
 * @module
 */
import { TurnQueue } from "./turn_queue.ts";

/** More than there can ever be, because the number of tasks is limited where they begin. */
const WAITING_MAX = 10_000;
const TURN_MS_MAX = 1;

export class LoopTurns {
  readonly #waiting = new TurnQueue<() => void>(WAITING_MAX);
  #isScheduled = false;

  /**
   * Registers a task of the owner. The task calls the returned function as often as it can. It returns a promise of the
   * next turn once the current one has lasted long enough, and undefined before.
   */
  begin(owner: string): () => Promise<void> | undefined {
    let sinceMs = performance.now();
    const next = async () => {
      await this.#next(owner);
      sinceMs = performance.now();
    };
    return () => (performance.now() - sinceMs > TURN_MS_MAX ? next() : undefined);
  }

  #next(owner: string): Promise<void> {
    return new Promise((resolve) => {
      if (!this.#waiting.add(owner, resolve)) setImmediate(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#waiting.take()?.();
      this.#schedule();
    });
  }
}
