/**
 * A semaphore with a bounded queue: some callers run immediately, some more wait, and the rest are refused.
 *
 * A caller may name an owner. Waiting owners take turns, and each has its own limit, so an owner with many or slow
 * calls delays only itself.
 *
 * The queue is also limited in time. The semaphore knows the mean time of recent calls, so it can predict how long a
 * new caller would wait, and refuses it if that is too long. If calls become slower while a caller waits, the caller is
 * refused when it has waited too long.
 *
 * @module
 */
import { assert } from "./assert.ts";
import { TurnQueue } from "./turn_queue.ts";

export interface SemaphoreOptions {
  /** Callers that run at the same time. */
  readonly runningMax: number;
  /** The most running callers of one owner. "" stands for callers without an owner. @default no limit */
  readonly ownerRunningMax?: (owner: string) => number;
  /** Callers that wait. An owner may have as many waiting as it leaves places free. */
  readonly waitingMax: number;
  /** A caller that would wait longer than this many milliseconds is refused. */
  readonly waitMsMax: number;
  /** This many callers may wait, however long that takes. @default 0 */
  readonly waitingFree?: number;
  /** A queued caller is refused after this many times `waitMsMax`. @default 1 */
  readonly latenessMax?: number;
  /** The clock for calls, in milliseconds. @default performance.now */
  readonly nowMs?: () => number;
}

/** A caller's permission to run. Disposing of it admits the next caller. `using` does so at the end of the block. */
export type Permit = Disposable;

export interface Semaphore {
  /** Resolves once the caller may start. Undefined if the caller is refused. */
  acquire(owner?: string): Promise<Permit | undefined>;
  readonly running: number;
  readonly waiting: number;
}

/** Weight of the newest call in the mean time of calls. */
const MEAN_WEIGHT = 1 / 16;

export function createSemaphore(options: SemaphoreOptions): Semaphore {
  const { runningMax, waitingMax, waitMsMax, waitingFree = 0, latenessMax = 1 } = options;
  const { ownerRunningMax = () => Number.POSITIVE_INFINITY, nowMs = () => performance.now() } =
    options;
  assert(runningMax > 0, "a semaphore lets somebody in");
  /** Functions that admit a waiting caller. */
  const queue = new TurnQueue<() => void>(waitingMax);
  /** By owner. An owner without running calls has no entry. */
  const runningOf = new Map<string, number>();
  let running = 0;
  let meanMs = 0;

  function mayRun(owner: string): boolean {
    return running < runningMax && (runningOf.get(owner) ?? 0) < ownerRunningMax(owner);
  }

  function mayWait(owner: string): boolean {
    if (queue.size < waitingFree) return true;
    return (queue.turnsBefore(owner) + 1) * meanMs <= waitMsMax * runningMax;
  }

  function count(owner: string, calls: 1 | -1): void {
    running += calls;
    const ofOwner = (runningOf.get(owner) ?? 0) + calls;
    assert(ofOwner >= 0, "a permit is disposed of once");
    if (ofOwner === 0) runningOf.delete(owner);
    else runningOf.set(owner, ofOwner);
  }

  function begin(owner: string): Permit {
    const startedMs = nowMs();
    count(owner, 1);
    return {
      [Symbol.dispose]() {
        count(owner, -1);
        meanMs += (nowMs() - startedMs - meanMs) * MEAN_WEIGHT;
        letNextIn();
      },
    };
  }

  /** Admits the longest-waiting callers of the owners that may run, in turns. */
  function letNextIn(): void {
    while (running < runningMax) {
      const letIn = queue.take(mayRun);
      if (letIn === undefined) return;
      letIn();
    }
  }

  /** Waits for the owner's turn. Undefined if the queue is full, or if the wait was too long. */
  function wait(owner: string): Promise<Permit | undefined> {
    const { promise, resolve } = Promise.withResolvers<Permit | undefined>();
    const letIn = () => {
      clearTimeout(timer);
      resolve(begin(owner));
    };
    const timer = setTimeout(() => {
      queue.remove(owner, letIn);
      resolve(undefined);
    }, waitMsMax * latenessMax);
    if (!queue.add(owner, letIn)) {
      clearTimeout(timer);
      resolve(undefined);
    }
    return promise;
  }

  return {
    async acquire(owner = "") {
      if (mayRun(owner)) return begin(owner);
      return mayWait(owner) ? wait(owner) : undefined;
    },
    get running() {
      return running;
    },
    get waiting() {
      return queue.size;
    },
  };
}
