/**
 * Lets so many pieces of work run at once, lets some more wait, and refuses the rest at once.
 *
 * What waits is bounded by time: from the pace of the last pieces the gate knows how long a newcomer
 * would wait, and refuses it where that is too long. One that has waited longer than it should all the
 * same, since the pace fell, is refused then.
 *
 * @module
 */
import { assert } from "./assert.ts";

export interface GateOptions {
  /** Pieces that run at once. */
  readonly runningMax: number;
  /** Pieces that wait. */
  readonly waitingMax: number;
  /** Who would wait longer, by the pace of the last pieces, is not let in, in milliseconds. */
  readonly waitMsMax: number;
  /** Pieces that wait whatever the pace. @default 0 */
  readonly waitingFree?: number;
  /** What was let in waits up to this times `waitMsMax`. @default 1 */
  readonly latenessMax?: number;
}

export interface Gate {
  /** Resolves to true once the caller may begin, who then calls `leave`; to false where it may not. */
  enter(): Promise<boolean> | boolean;
  /** After the end of what was let in; `ms` is how long it took. */
  leave(ms: number): void;
  readonly running: number;
  readonly waiting: number;
}

interface Waiter {
  readonly begin: () => void;
}

/** Weight of the newest piece in the average of their times. */
const PACE_WEIGHT = 1 / 16;

export function createGate(options: GateOptions): Gate {
  const { runningMax, waitingMax, waitMsMax, waitingFree = 0, latenessMax = 1 } = options;
  assert(runningMax > 0, "a gate lets something through");
  const waiters = new Set<Waiter>();
  let running = 0;
  let meanMs = 0;

  function expectedWaitMs(): number {
    return ((waiters.size + 1) * meanMs) / runningMax;
  }

  function wait(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        waiters.delete(waiter);
        resolve(false);
      }, waitMsMax * latenessMax);
      const waiter: Waiter = {
        begin() {
          clearTimeout(timer);
          waiters.delete(waiter);
          running += 1;
          resolve(true);
        },
      };
      waiters.add(waiter);
    });
  }

  return {
    enter() {
      if (running < runningMax) {
        running += 1;
        return true;
      }
      if (waiters.size >= waitingMax) return false;
      if (waiters.size >= waitingFree && expectedWaitMs() > waitMsMax) return false;
      return wait();
    },
    leave(ms) {
      assert(running > 0, "only what was let in can leave");
      running -= 1;
      meanMs += (ms - meanMs) * PACE_WEIGHT;
      // A set gives back what was put in first.
      const [first] = waiters;
      first?.begin();
    },
    get running() {
      return running;
    },
    get waiting() {
      return waiters.size;
    },
  };
}
