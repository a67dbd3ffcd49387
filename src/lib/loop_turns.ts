/**
 * Turns at the event loop, for work that goes on for long: one at a time. Owners alternate, and between two turns
 * whatever else has come in is served. So no number of such works holds up other calls for longer than one turn.
 *
 * @module
 */
import { TurnQueue } from "./turn_queue.ts";

/** More than there ever are: each is a work under way, which is bounded where it begins. */
const WAITING_MAX = 10_000;
const TURN_MS_MAX = 1;

export class LoopTurns {
  readonly #waiting = new TurnQueue<() => void>(WAITING_MAX);
  #isScheduled = false;

  /**
   * A work of the owner that begins now. It calls what it gets as often as it can: that is a promise of the next turn
   * once the turn has lasted long enough, and undefined before.
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
